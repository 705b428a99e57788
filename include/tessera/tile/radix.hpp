// Stable ranks by a digit of a few bits: votes on the bits of all items within a warp, and counts of bins that warps
// exchange.
//
//   up to 32 lanes   rank = number of lower digits + number of equal digits before
//   several warps    each counts its own bins; lane l holds bins l, 32 + l, …; the counts of all warps are exchanged,
//                    32 bins or more at a time, and scanned; rank = the bin's begin + its count in the warps before +
//                    the number of equal digits before in the warp
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/key_votes.hpp>
#include <tessera/tile/partition.hpp>
#include <tessera/warp/scan.hpp>

TESSERA_NAMESPACE_BEGIN

/// The result of radix_rank: the positions of a lane's values, and where the lane's bins begin and how many values they
/// hold.
template <class Positions, class Bins>
struct radix_ranks {
  Positions rank;
  Bins begin;
  Bins count;
};

namespace detail {

/// Calls body(k, votes) with the votes on item k of all lanes of a warp, whose first item has this `position`.
template <unsigned Bits, class Group, unsigned K, class Policy, class Body>
TESSERA_FN void each_votes_of_items(Group group, items<unsigned, K> const& digit, [[maybe_unused]] unsigned position,
                                    Policy const& policy, Body body) {
  TESSERA_UNROLL
  for (unsigned k = 0; k < K; ++k) {
    if constexpr (everyone_participates<Policy>) {
      body(k, detail::votes_of_keys<Bits>(group, digit[k]));
    } else {
      body(k, detail::votes_of_keys<Bits>(group, digit[k], detail::position_participates(policy, position + k)));
    }
  }
}

/// The number of votes on item k that come before item i of lane `rank`.
template <unsigned N>
TESSERA_FN unsigned count_before(lane_mask<N> lanes, unsigned rank, unsigned k, unsigned i) {
  return (lanes & lane_mask<N>::prefix(k < i ? rank + 1 : rank)).count();
}

/// For up to 32 lanes.
template <unsigned Bits, unsigned S, class Group, unsigned K, class Policy>
TESSERA_FN auto rank_items(Group group, items<unsigned, K> const& digit, Policy const& policy) {
  constexpr unsigned N = Group::size, bins = 1u << Bits;
  unsigned const rank = group.rank();
  radix_ranks<items<unsigned, K>, items<unsigned, S>> out{};
  using votes_t = key_votes<N, Bits>;
  detail::each_votes_of_items<Bits>(group, digit, rank * K, policy, [&](unsigned k, votes_t const& votes) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto const found = votes.same_and_lower(digit[i]);
      out.rank[i] += found.lower.count() + detail::count_before(found.same, rank, k, i);
    }
    TESSERA_UNROLL
    for (unsigned s = 0; s < S; ++s) {
      auto const found = votes.same_and_lower(s * N + rank);
      bool const is_bin = s * N + rank < bins;
      out.begin[s] += is_bin ? found.lower.count() : 0u;
      out.count[s] += is_bin ? found.same.count() : 0u;
    }
  });
  return out;
}

/// For the bins l, 32 + l, … of lane l of a warp: the number of values in the warps before this one, and in all.
template <unsigned S>
struct bins_of_warps {
  items<unsigned, S> before;
  items<unsigned, S> total;
};

/// A lane's slot holds several of its bins if memory still has a slot for each lane of a warp.
template <class Group, unsigned S>
TESSERA_FN constexpr unsigned bins_of_slot() {
  if (S >= 4 && Group::template row<items<stl::uint16_t, 4>> == 32) return 4;
  return S >= 2 && Group::template row<items<stl::uint16_t, 2>> == 32 ? 2 : 1;
}

template <class Group, unsigned S>
TESSERA_FN bins_of_warps<S> exchange_bins(Group group, items<unsigned, S> const& own) {
  constexpr unsigned together = detail::bins_of_slot<Group, S>();
  using slot = items<stl::uint16_t, together>;  // a warp has up to 2^16 − 1 values
  constexpr unsigned row = Group::template row<slot>;
  bins_of_warps<S> sum{};
  TESSERA_UNROLL
  for (unsigned from = 0; from < S; from += together) {
    slot mine{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < together; ++i) mine[i] = static_cast<stl::uint16_t>(own[from + i]);
    unsigned at = group.lane();
    TESSERA_LOOP
    for (unsigned parts = 32 / row; parts != 0; --parts, at -= row) {
      auto const read = [&](slots_of<Group, slot, row> storage) {
        TESSERA_LOOP
        for (unsigned w = 0; w < (at < row ? Group::warps : 0); ++w) {
          slot const theirs = storage.read(w * row + at);
          TESSERA_UNROLL
          for (unsigned i = 0; i < together; ++i) {
            sum.total[from + i] += theirs[i];
            sum.before[from + i] += w < group.warp() ? theirs[i] : 0u;
          }
        }
        return 0;
      };
      group.template all_gather<row>(mine, at < row, group.warp() * row + at, read);
    }
  }
  return sum;
}

/// The begins of bins l, 32 + l, … of lane l.
template <class Group, unsigned S>
TESSERA_FN items<unsigned, S> begins_of_bins(Group in_warp, items<unsigned, S> const& count) {
  items<unsigned, S> begin{};
  unsigned carry = 0;
  TESSERA_UNROLL
  for (unsigned s = 0; s < S; ++s) {
    unsigned const through = detail::inclusive_scan_lanes(in_warp, count[s], plus{});
    begin[s] = carry + through - count[s];
    if (s + 1 < S) carry += in_warp.shuffle(through, 31);
  }
  return begin;
}

/// For several warps.
template <unsigned Bits, unsigned R, class Backend, unsigned K, class Policy>
TESSERA_FN auto rank_items(multi_warp_group<Backend> group, items<unsigned, K> const& digit, Policy const& policy) {
  constexpr unsigned bins = 1u << Bits, S = (bins + 31) / 32, warps = multi_warp_group<Backend>::warps;
  auto const in_warp = group.in_warp();
  unsigned const lane = group.lane();
  radix_ranks<items<unsigned, K>, items<unsigned, R>> out{};
  items<unsigned, S> own{};
  using votes_t = key_votes<32, Bits>;
  detail::each_votes_of_items<Bits>(in_warp, digit, group.rank() * K, policy, [&](unsigned k, votes_t const& votes) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) out.rank[i] += detail::count_before(votes.same(digit[i]), lane, k, i);
    TESSERA_UNROLL
    for (unsigned s = 0; s < S; ++s) own[s] += s * 32 + lane < bins ? votes.count(s * 32 + lane) : 0u;
  });
  bins_of_warps<S> const counts = detail::exchange_bins(group, own);
  items<unsigned, S> const begin = detail::begins_of_bins(in_warp, counts.total);
  TESSERA_UNROLL
  for (unsigned s = 0; s < S; ++s) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const bin = digit[i] % bins;
      unsigned const start = in_warp.shuffle(begin[s] + counts.before[s], bin % 32);
      out.rank[i] += bin / 32 == s ? start : 0u;
    }
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < R; ++r) {  // bin r · N + rank is the lane's own
    TESSERA_UNROLL
    for (unsigned s = 0; s < S; ++s) {
      // A mask: the compiler would turn a conditional into an array in memory.
      unsigned const mask = r * warps + group.warp() == s && s * 32 + lane < bins ? ~0u : 0u;
      out.begin[r] |= begin[s] & mask;
      out.count[r] |= counts.total[s] & mask;
    }
  }
  return out;
}

/// Ranks digits; values that take no part stay where they are.
template <unsigned Bits, unsigned S, class Group, unsigned K, class Policy>
TESSERA_FN auto rank_participants(Group group, items<unsigned, K> const& digit, Policy const& policy) {
  auto out = detail::rank_items<Bits, S>(group, digit, policy);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const position = group.rank() * K + i;
    out.rank[i] = detail::position_participates(policy, position) ? out.rank[i] : position;
  }
  return out;
}

/// The digits as unsigned numbers, whose lower bits they are.
template <class T, unsigned K>
TESSERA_FN items<unsigned, K> as_digits(items<T, K> const& x) {
  items<unsigned, K> out{};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) out[i] = static_cast<unsigned>(x[i]);
  return out;
}

/// A lane's bins: one, or several if there are more bins than lanes.
template <unsigned N, unsigned Bins>
using own_bins_t = stl::conditional_t<Bins <= N, unsigned, items<unsigned, (Bins + N - 1) / N>>;

template <unsigned Bits, class Digits>
TESSERA_FN constexpr void require_digits() {
  static_assert(Bits >= 1 && Bits <= 8,
                "radix_rank<Bits>(tile, digit): 1 to 8 bits; rank by more in several passes, lowest bits first.");
  static_assert(stl::is_integral_v<item_t<Digits>> && sizeof(item_t<Digits>) <= 8,
                "radix_rank<Bits>(tile, digit): the digit is an integer, or items<T, K> of integers: write a "
                "key's bits, shifted.");
}

}  // namespace detail

// The call without the number of bits.
template <class Tile, class Digits, class... Rest>
TESSERA_FN detail::anything radix_rank(Tile const&, Digits const&, Rest const&...) {
  static_assert(detail::never<Tile>,
                "radix_rank<Bits>(tile, digit): Bits is a constant: write tessera::radix_rank<4>(tile, digit).");
  return {};
}
TESSERA_NAMESPACE_END
