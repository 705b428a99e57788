// radix_rank: the positions of values if they are ordered by a digit of a few bits, stably.
//
//   rank                  0      1      2      3
//   digit                 2 0    3 2    0 2    1 0       2 bits, blocked order
//   radix_rank<2>: rank   4 0    7 5    1 6    3 2
//                  begin  0      3      4      7         lane i: where the values with digit i begin,
//                  count  3      1      3      1         and their number
//
// A radix sort takes one such pass for each digit, the lowest first: scatter(tile, x, rank) moves the values.
//
// Sources: CUB's BlockRadixRankMatch; one ballot per bit of the digit, as in S. Ashkiani et al., "GPU Multisplit",
// 2016.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/radix.hpp>

TESSERA_NAMESPACE_BEGIN

/// The position of each value if the values are ordered by the lowest `Bits` bits of their digits, stably; and the
/// lane's bins.
///
///   auto const [rank, begin, count] = tessera::radix_rank<4>(tile, key >> 8);
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Bits       1 … 8: there are 2^Bits bins.
/// digit      an integer, or items<T, K> of integers in blocked order. Bits above the lowest `Bits` are ignored.
/// Returns    radix_ranks{rank, begin, count}. rank: an unsigned or items<unsigned, K>; the tile's ranks are a
///            permutation. count: lane i gets the number of values in bin i, 0 if there is no such bin, as
///            histogram<2^Bits>(…, scattered) returns it; begin: the number of values in the bins before. With more
///            bins than lanes these are items<unsigned, 2^Bits / N>, bin s·N + i in item s of lane i.
/// Order      stable.
/// Policies   convergence; participants: first(n), where n counts values; the others keep their places and aren't
///            counted; memory.
/// Cost       K · Bits votes, and K² · Bits operations on masks. N > 32: two barriers for every 128 bins, and a slot of
///            8 bytes a lane (scratch.hpp); with shared(scratch) of smaller values two barriers for every 32 or 64
///            bins.
template <unsigned Bits, class Tile, class Digits, class Policy = policy<>>
TESSERA_FN auto radix_rank(Tile const& tile, Digits digit, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_digits<Bits, Digits>();
  constexpr unsigned N = tile_size_v<Tile>, bins = 1u << Bits;
  using positions = detail::of_each_value_t<Digits, unsigned>;
  using own_bins = detail::own_bins_t<N, bins>;
  return detail::collective<detail::collectives::radix_rank, Digits>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        auto const digits = detail::as_digits(detail::as_row(digit));
        auto const out = detail::rank_participants<Bits, (bins + N - 1) / N>(group, digits, policy);
        return radix_ranks<positions, own_bins>{detail::as_given<Digits>(out.rank),
                                                detail::as_given<own_bins>(out.begin),
                                                detail::as_given<own_bins>(out.count)};
      });
}

TESSERA_NAMESPACE_END
