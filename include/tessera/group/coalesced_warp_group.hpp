// The group of a coalesced_group of cooperative_groups: any lanes of a GPU's warp, given by a mask.
//
//   lane of the warp   0 1 2 3 4 5 6 7
//   in the mask        . x . . x x . x      4 lanes
//   rank                 0     1 2   3
//
// To an algorithm it is a warp whose lanes are numbered without gaps, and whose last lanes don't exist. Every exchange
// names the group's own lanes. The lane of a rank is found by a binary search in the mask, the lane before or after
// this one by one instruction. Sets of lanes are in ranks: `redux.sync` gathers their bits in one instruction.
//
// by_lanes(group) is the same group in the order of its lanes, with gaps between them. A vote of it is one instruction.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/group.hpp>
#include <tessera/group/warp_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if a group has any lanes of a GPU's warp.
template <class Group>
inline constexpr bool has_any_lanes = false;

/// The group for votes that are only counted, or compared with the calling lane: numbered as it is cheapest to vote.
template <class Group>
TESSERA_FN Group by_lanes(Group group) {
  return group;
}

#if TESSERA_CUDA

template <unsigned N>
class coalesced_warp_group {
  static_assert(N == 32);

 public:
  static constexpr unsigned size = N;
  static constexpr bool may_be_partial = true;

  TESSERA_FN explicit coalesced_warp_group(unsigned mask) : mask_(mask) {}

  TESSERA_FN unsigned rank() const { return detail::bits_set(mask_ & lanes_before()); }
  TESSERA_FN unsigned valid_count() const { return detail::bits_set(mask_); }
  TESSERA_FN lane_mask<32> valid_lanes() const { return lane_mask<32>::prefix(valid_count()); }
  TESSERA_FN unsigned tile_mask() const { return mask_; }
  TESSERA_FN unsigned votes(bool mine) const { return __ballot_sync(tile_mask(), mine); }
  /// True if the group has all lanes of the warp.
  TESSERA_FN bool is_whole_warp() const { return mask_ == ~0u; }
  TESSERA_FN static warp_group<32, whole_warp> as_whole_warp() { return warp_group<32, whole_warp>(); }

  /// The lane of the warp that has this rank in the group.
  TESSERA_FN unsigned lane_of(unsigned rank) const { return lane_mask<32>::from_word(mask_).nth(rank); }
  /// As lane_of, or this lane if there is no such rank.
  TESSERA_FN unsigned lane_of_or_own(unsigned rank) const {
    unsigned const own = lane_of_warp(), lane = lane_of(rank);
    return lane < size ? lane : own;
  }
  /// The lane of rank 0.
  TESSERA_FN unsigned first_lane() const { return detail::lowest_bit(mask_); }
  /// The lane of rank() − 1, or with `Down` of rank() + 1; this lane if there is none.
  template <bool Down>
  TESSERA_FN unsigned neighbor() const {
    unsigned const beyond = mask_ & (Down ? lanes_after() : lanes_before());
    unsigned const own = lane_of_warp(), lane = Down ? detail::lowest_bit(beyond) : detail::highest_bit(beyond);
    return beyond == 0 ? own : lane;
  }
  /// x of a lane of the warp that is in the group.
  template <class T>
  TESSERA_FN T from_lane(T const& x, unsigned lane) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_sync(tile_mask(), w, static_cast<int>(lane)); });
  }

  /// A lane that reads from one that doesn't exist gets its own value.
  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    return from_lane(x, lane_of_or_own(source));
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned lane_bits) const {
    return shuffle(x, rank() ^ lane_bits);
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta, bool& in_range) const {
    unsigned const own = rank();
    in_range = delta <= own;
    if (delta == 1) return from_lane(x, neighbor<false>());
    return from_lane(x, lane_of_or_own(own - delta));
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta, bool& in_range) const {
    unsigned const own = rank();
    in_range = delta < valid_count() - own;
    if (delta == 1) return from_lane(x, neighbor<true>());
    return from_lane(x, lane_of_or_own(own + delta));
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta) const {
    bool in_range = false;
    return shuffle_up(x, delta, in_range);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta) const {
    bool in_range = false;
    return shuffle_down(x, delta, in_range);
  }
  /// The x of one lane that exists, the same for all.
  template <class T>
  TESSERA_FN T broadcast(T const& x, unsigned source) const {
    return from_lane(x, source == 0 ? first_lane() : lane_of(source));
  }

  TESSERA_FN lane_mask<32> ballot(bool pred) const { return in_ranks(mask_, pred); }
  TESSERA_FN bool any(bool mine) const { return __any_sync(tile_mask(), mine) != 0; }
  TESSERA_FN unsigned count(bool mine) const { return detail::bits_set(votes(mine)); }
  TESSERA_FN bool all_agree(bool mine) const { return __all_sync(tile_mask(), mine) != 0; }
  /// The lanes with the same bits.
  template <class T>
  TESSERA_FN lane_mask<32> match(T const& x) const {
    return in_ranks(same_lanes(x), true);
  }
  template <class T>
  TESSERA_FN bool all_match(T const& x) const {
    return all_agree(detail::same_bits(x, from_lane(x, first_lane())));
  }

  TESSERA_FN void sync() const { __syncwarp(tile_mask()); }
  TESSERA_FN void reconverge() const { sync(); }

 private:
  TESSERA_FN static unsigned lanes_before() {
    unsigned lanes = 0;
#if TESSERA_ARCH
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
#endif
    return lanes;
  }
  TESSERA_FN static unsigned lanes_after() {
    unsigned lanes = 0;
#if TESSERA_ARCH
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(lanes));
#endif
    return lanes;
  }
  /// The lanes of the warp that are in the group and have the same bits.
  template <class T>
  TESSERA_FN unsigned same_lanes([[maybe_unused]] T const& x) const {
    unsigned same = mask_;
#if TESSERA_ARCH
    words<T> const w = detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < word_count<T>; ++i) same &= __match_any_sync(tile_mask(), w.word[i]);
#endif
    return same;
  }
  /// The ranks of the lanes with `in` among `together`, a set of lanes all of which make this call with that set.
  TESSERA_FN lane_mask<32> in_ranks([[maybe_unused]] unsigned together, [[maybe_unused]] bool in) const {
#if TESSERA_ARCH >= 800
    return lane_mask<32>::from_word(__reduce_or_sync(together, static_cast<unsigned>(in) << rank()));
#elif TESSERA_ARCH
    unsigned ranks = 0, bit = 1;
    unsigned const found = __ballot_sync(tile_mask(), in);
    unsigned const wanted = together == mask_ ? found : together;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, bit *= 2)
      if ((wanted & (rest & (0u - rest))) != 0) ranks |= bit;
    return lane_mask<32>::from_word(ranks);
#else
    return {};
#endif
  }

  unsigned mask_;
};

/// The lanes of a coalesced group, numbered as in their warp.
template <unsigned N>
class lanes_of_coalesced_group {
 public:
  static constexpr unsigned size = N;

  TESSERA_FN explicit lanes_of_coalesced_group(coalesced_warp_group<N> group) : group_(group) {}

  TESSERA_FN unsigned rank() const { return lane_of_warp() % N; }
  TESSERA_FN lane_mask<32> valid_lanes() const { return lane_mask<32>::from_word(group_.tile_mask()); }
  TESSERA_FN lane_mask<32> ballot(bool mine) const { return lane_mask<32>::from_word(group_.votes(mine)); }

 private:
  coalesced_warp_group<N> group_;
};

template <unsigned N>
TESSERA_FN lanes_of_coalesced_group<N> by_lanes(coalesced_warp_group<N> group) {
  return lanes_of_coalesced_group<N>(group);
}

template <unsigned N>
inline constexpr bool is_warp<coalesced_warp_group<N>> = true;
template <unsigned N>
inline constexpr bool has_any_lanes<coalesced_warp_group<N>> = true;

static_assert(is_group<coalesced_warp_group<32>>, "Any lanes of a warp are a group: see group/group.hpp.");

/// The group of a coalesced_group.
TESSERA_FN coalesced_warp_group<32> group_of_mask(cooperative_groups::coalesced_group const& group) {
#if TESSERA_ARCH
  return coalesced_warp_group<32>(cooperative_groups::details::_coalesced_group_data_access::get_mask(group));
#else
  static_cast<void>(group);
  return coalesced_warp_group<32>(0);
#endif
}

#endif

}  // namespace detail
TESSERA_NAMESPACE_END
