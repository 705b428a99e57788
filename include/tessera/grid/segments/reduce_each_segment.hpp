// The function that each_segment.hpp calls to reduce a segment.
#pragma once

#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/joint_reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The start of a segment's reduction: a value, which is combined with the elements, or none.
template <class R>
struct segment_start {
  R value;
  template <class Op>
  TESSERA_FN R followed_by(R const& all, bool is_empty, Op const& op) const {
    return is_empty ? value : static_cast<R>(op(value, all));
  }
};
struct no_segment_start {
  template <class R, class Op>
  TESSERA_FN R followed_by(R const& all, bool, Op const&) const {
    return all;
  }
};

/// Combines f(x) or f(x, index) of all elements of a segment, after the start if there is one. The index counts from
/// the segment's first element.
template <class In, class R, class Op, class F, class Start>
struct segment_reduction {
  using value_t = tessera::detail::value_of<In>;

  In in;
  R* out;
  Op op;
  F f;
  Start start;

  /// The number of blocks for which a multiprocessor has registers.
  static constexpr unsigned blocks_per_multiprocessor =
      each_segment_tuning::blocks_for<(sizeof(R) > sizeof(value_t) ? sizeof(R) : sizeof(value_t))>;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t segment, segment_range const& range, bool exists) const {
    R const all = tessera::joint_transform_reduce(tile, tessera::detail::advanced(in, range.begin), range.length, op, f,
                                                  tessera::converged | tessera::to_leader);
    if (exists && tile.thread_rank() == 0) out[segment] = start.followed_by(all, range.length == 0, op);
  }
};

/// An element and its index in the segment.
struct as_indexed_element {
  template <class T>
  TESSERA_FN indexed<T, std::int64_t> operator()(T const& x, std::int64_t index) const {
    return {x, index};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
