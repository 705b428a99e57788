// Keys of a few bits of up to 32 lanes as votes, one on each bit, from which every lane finds the lanes with any key.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/group/multi_warp_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lanes with a key, and those whose key is lower.
template <unsigned N>
struct lanes_of_key {
  lane_mask<N> same;
  lane_mask<N> lower;
};

/// The keys of up to 32 lanes: a mask of the lanes that have a key, and one for each bit of it.
template <unsigned N, unsigned Bits>
struct key_votes {
  lane_mask<N> in;
  lane_mask<N> bit[Bits];

  TESSERA_FN lane_mask<N> same(unsigned key) const {
    lane_mask<N> among = in;
    TESSERA_UNROLL
    for (unsigned b = 0; b < Bits; ++b) among = among & ((key >> b & 1u) != 0 ? bit[b] : ~bit[b]);
    return among;
  }
  /// Invariant: before bit b, `same` holds the lanes whose higher bits equal the key's, `lower` those whose are less.
  TESSERA_FN lanes_of_key<N> same_and_lower(unsigned key) const {
    lanes_of_key<N> found{in, {}};
    TESSERA_UNROLL
    for (unsigned b = Bits; b-- > 0;) {
      bool const set = (key >> b & 1u) != 0;
      lane_mask<N> const zeros = found.same & ~bit[b];
      found.lower = set ? found.lower | zeros : found.lower;
      found.same = set ? found.same & bit[b] : zeros;
    }
    return found;
  }
  /// The number of lanes with this key.
  TESSERA_FN unsigned count(unsigned key) const { return same(key).count(); }
};

template <unsigned Bits, class Group, class Key>
TESSERA_FN void vote_on_bits(Group group, Key key, key_votes<Group::size, Bits>& votes) {
  TESSERA_UNROLL
  for (unsigned b = 0; b < Bits; ++b) votes.bit[b] = group.ballot((static_cast<unsigned>(key) >> b & 1u) != 0);
}
/// The votes of all lanes, or of those with `in`.
template <unsigned Bits, class Group, class Key>
TESSERA_FN auto votes_of_keys(Group group, Key key) {
  key_votes<Group::size, Bits> votes;
  votes.in = group.valid_lanes();
  detail::vote_on_bits<Bits>(group, key, votes);
  return votes;
}
template <unsigned Bits, class Group, class Key>
TESSERA_FN auto votes_of_keys(Group group, Key key, bool in) {
  key_votes<Group::size, Bits> votes;
  votes.in = group.ballot(in);
  detail::vote_on_bits<Bits>(group, key, votes);
  return votes;
}

/// The number of bits of keys below `count`; 1 if there is only one key.
TESSERA_FN constexpr unsigned bits_for(unsigned count) {
  unsigned bits = 1;
  while (bits < 32 && (1u << bits) < count) ++bits;
  return bits;
}

/// The number of lanes in a warp of the group.
template <class Group>
inline constexpr unsigned warp_size_of = Group::size < 32 ? Group::size : 32;

/// The sum of one number a lane over the lanes before this one, and over all lanes.
struct counts_before {
  unsigned before;
  unsigned total;
};

/// Sums numbers up to Most by a vote on each of their bits. Several warps exchange their totals.
template <unsigned Most, class Group>
TESSERA_FN counts_before sum_counts(Group group, unsigned count) {
  if constexpr (is_multi_warp<Group>) {
    counts_before const own = detail::sum_counts<Most>(group.in_warp(), count);
    auto const totals =
        group.all_gather(own.total, group.lane() == 0, group.warp(),
                         [&](slots_of<Group, unsigned> storage) { return group.template read_all<unsigned>(storage); });
    counts_before sum{own.before, 0};
    TESSERA_UNROLL
    for (unsigned w = 0; w < Group::warps; ++w) {
      unsigned const total = w < group.valid_warps() ? totals[w] : 0u;
      sum.total += total;
      sum.before += w < group.warp() ? total : 0u;
    }
    return sum;
  } else {
    counts_before sum{0, 0};
    TESSERA_UNROLL
    for (unsigned b = 0; b < detail::bits_for(Most + 1); ++b) {
      auto const votes = group.ballot((count >> b & 1u) != 0);
      sum.before += votes.rank_of(group.rank()) << b;
      sum.total += votes.count() << b;
    }
    return sum;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
