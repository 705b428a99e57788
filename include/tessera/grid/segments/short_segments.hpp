// The agent of a warp for its short segments: these are processed by lanes, each by as many as it needs.
//
//   lengths    5  3  0  60  9  9  ..      8 elements of a lane
//   lanes      1  1  1  8   2  2  ..      neighbors; a round takes as many segments as fit a warp's 32 lanes
//
// The least time of a round is that of its instructions, a hundred of them to divide the lanes. So the lanes hold the
// next 32 segments in their order: after a round those that are left move up, and as many as it took follow.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>
#include <tessera/grid/segments/segment_lanes.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A segment's bounds as they are loaded. Nothing is computed of them before range(), so that they may be under way for
/// long.
template <class Segments>
struct loaded_segment {
  segment_range bounds;
  TESSERA_FN void load(Segments const& segments, std::int64_t s) { bounds = segments[s]; }
  TESSERA_FN segment_range range() const { return bounds; }
};
template <class Begins, class Ends>
struct loaded_segment<separate_segments<Begins, Ends>> {
  tessera::detail::value_of<Begins> begin;
  tessera::detail::value_of<Ends> end;
  TESSERA_FN void load(separate_segments<Begins, Ends> const& segments, std::int64_t s) {
    begin = tessera::detail::read_element(segments.begins, s);
    end = tessera::detail::read_element(segments.ends, s);
  }
  TESSERA_FN segment_range range() const { return detail::range_between(begin, end); }
};

template <class Block, class Segments, class Body>
class short_segments_agent {
  using tuning = each_segment_tuning;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));

 public:
  TESSERA_FN short_segments_agent(Block const& block, Segments const& segments, Body const& body)
      : warp_(tessera::tiled_partition<32>(block)), segments_(segments), body_(body), lane_(warp_.thread_rank()) {}

  /// Processes the warp's short segments from `first` to `end`. All others have a lane that does nothing.
  TESSERA_FN void run(std::int64_t first, std::int64_t end) const {
    constexpr unsigned none = ~0u;
    unsigned const all = first < end ? static_cast<unsigned>(end - first) : 0;
    loaded_segment<Segments> held{};
    if (lane_ < all) held.load(segments_, first + lane_);
    TESSERA_LOOP
    for (unsigned at = 0; at < all;) {
      segment_range const own = held.range();
      unsigned const own_length = own.length <= tuning::most_by_lanes ? static_cast<unsigned>(own.length) : none;
      unsigned const wanted = at + lane_ < all ? lanes_for(own_length) : 0;
      unsigned const last = tessera::inclusive_scan(warp_, wanted, tessera::plus{}, tessera::converged);
      bool const is_next = wanted > 0 && last <= 32;
      unsigned const taken = tessera::ballot(warp_, is_next, tessera::converged).count();
      auto const heads =  // up to this lane
          tessera::reduce(warp_, is_next ? 1u << (last - wanted) : 0u, tessera::bit_or{}, tessera::converged) &
          tessera::detail::low_bits(lane_ + 1);
      unsigned const owner = tessera::detail::bits_set(heads) - 1, rank = lane_ - tessera::detail::highest_bit(heads);
      unsigned const length = tessera::shuffle(warp_, own_length, owner, tessera::converged);
      std::int64_t const begin = tessera::shuffle(warp_, own.begin, owner, tessera::converged);
      unsigned const count = lanes_for(length);
      bool const has = rank < count && length != none;
      std::int64_t const number = first + at + owner;

      at += taken;
      held = tessera::shuffle(warp_, held, (lane_ + taken) % 32, tessera::converged);
      if (lane_ + taken >= 32 && at + lane_ < all) held.load(segments_, first + at + lane_);
      if (tessera::any_of(warp_, has, tessera::converged)) {
        segment_lanes<warp_t> const lanes(warp_, lane_, has ? rank : 0, has ? count : 1);
        body_.process_by_lanes(lanes, number, segment_range{begin, has ? length : 0}, has);
      }
    }
  }

 private:
  /// The lanes that share a segment; one if there is none.
  TESSERA_FN static unsigned lanes_for(unsigned length) {
    unsigned const lanes = (length + tuning::most_of_lane - 1) / tuning::most_of_lane;
    return lanes > 0 ? lanes : 1;
  }

  warp_t warp_;
  Segments const& segments_;
  Body const& body_;
  unsigned lane_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
