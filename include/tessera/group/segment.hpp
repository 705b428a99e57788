// The segment that a lane belongs to: its first and its last lane, from one vote.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/segments.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class T>
inline constexpr bool gives_segments =
    stl::is_same_v<T, bool> || stl::is_same_v<T, by_head> || stl::is_same_v<T, by_tail>;

template <class Key>
inline constexpr bool gives_segments<by_key<Key>> = true;

/// The first and the last lane of a segment.
struct segment {
  unsigned first;
  unsigned last;
};
template <>
inline constexpr bool gives_segments<segment> = true;  // for callers that know it

template <class Segments>
TESSERA_FN constexpr void require_segments() {
  static_assert(gives_segments<Segments>,
                "Segments are given as a bool that says whether this lane begins one, or as by_head(flag), "
                "by_tail(flag) or by_key(key): for runs of equal keys write by_key(key).");
}

template <unsigned N>
TESSERA_FN segment segment_of_heads(lane_mask<N> heads, unsigned rank) {
  heads.set(0);
  lane_mask<N> const up_to_here = lane_mask<N>::prefix(rank + 1);
  return {(heads & up_to_here).last(), (heads & ~up_to_here).first() - 1};  // first() is N where there is none
}

template <class Group>
TESSERA_FN segment segment_of(Group, segment const& known) {
  return known;
}

template <class Group>
TESSERA_FN segment segment_of(Group group, bool head) {
  return detail::segment_of_heads(group.ballot(head), group.rank());
}

template <class Group>
TESSERA_FN segment segment_of(Group group, by_head head) {
  return detail::segment_of(group, head.flag);
}

template <class Group>
TESSERA_FN segment segment_of(Group group, by_tail tail) {
  constexpr unsigned N = Group::size;
  lane_mask<N> const tails = group.ballot(tail.flag);
  lane_mask<N> const before = lane_mask<N>::prefix(group.rank());
  unsigned const last = (tails & ~before).first();
  return {(tails & before).none() ? 0 : (tails & before).last() + 1, last < N ? last : N - 1};
}

template <class Group, class Key>
TESSERA_FN segment segment_of(Group group, by_key<Key> const& by) {
  static_assert(has_comparable_bits<Key>,
                "by_key(key): keys are compared bit for bit: take a number, or a struct of integers without padding.");
  bool has_predecessor = false;
  Key const predecessor = group.shuffle_up(by.key, 1, has_predecessor);
  return detail::segment_of(group, !has_predecessor || !detail::same_bits(predecessor, by.key));
}

}  // namespace detail
TESSERA_NAMESPACE_END
