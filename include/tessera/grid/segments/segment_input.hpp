// Agents that copy the keys and values of segments, if an iterator reads them, to where they are sorted.
//
//   offsets     2 5 5 7           by offsets: from the begin of the first segment to the end of the last
//   keys        a b c d e f g h
//   keys_out    . . c d e f g .   and there they are sorted in place; no other element is written
//
// Segments by begins and ends are copied into an array without gaps, by segment_copy between gathered_segments.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/parts/segment_offsets.hpp>
#include <tessera/grid/segments/copy_each_segment.hpp>
#include <tessera/grid/sort/sort_input_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The elements from `offsets[0]` to `offsets[segments]` of a reader, which are copied to the same places in `out`.
template <class In>
struct segment_input_task {
  using value = tessera::detail::value_of<In>;

  In in;
  opaque_t<value>* out;
  segment_offsets offsets;
  std::int64_t segments;
};

/// Called by each thread of a block. The grid has a block for every sort_input_tuning::of_block elements.
template <class In>
TESSERA_FN void run_segment_input_agent(unsigned rank, std::int64_t block, segment_input_task<In> const& task) {
  using T = typename segment_input_task<In>::value;
  std::int64_t const begin = task.offsets[0], n = task.offsets[task.segments] - begin;
  detail::copy_thread_part(rank, block, task.out + begin, n, [&](std::int64_t i) {
    return stored_key<opaque_t<T>, T>::of(tessera::detail::read_element(task.in, begin + i));
  });
}

/// Segment s of a reader and places[s] in `to` (copy_each_segment.hpp).
template <class In>
struct gathered_segments {
  using T = tessera::detail::value_of<In>;

  In in;
  opaque_t<T>* to;
  std::int64_t const* places;

  static constexpr unsigned blocks_per_multiprocessor = each_segment_tuning::blocks_for<sizeof(T)>;
  static constexpr unsigned in_flight = sizeof(T) <= 8 ? 4 : sizeof(T) <= 16 ? 2 : 1;

  TESSERA_FN auto source(std::int64_t, segment_range const& range, std::int64_t) const {
    return [this, begin = range.begin](std::int64_t i) {
      return stored_key<opaque_t<T>, T>::of(tessera::detail::read_element(in, begin + i));
    };
  }
  TESSERA_FN opaque_t<T>* target(std::int64_t segment, segment_range const&, std::int64_t first) const {
    return to + (places[segment] + first);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
