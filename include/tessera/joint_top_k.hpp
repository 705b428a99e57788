// joint_top_k: the first K values of a range in memory, by one tile.
//
//   range                    3 1 4 1 5 9 2 6
//   joint_top_k<3>           9 6 5 in every lane
//   …, scattered             9      6      5      unspecified      of a tile of 4
//   joint_transform_top_k<2> {9, 5} {6, 7}      of with_index(x, i)
//
// The range is read once. Source: a queue, see top_k_queue.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/joint_top_k.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first K values of a range by `before`, in order: by default the greatest.
///
///   auto const best = tessera::joint_top_k<8>(tile, row, columns);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   as for `joint_reduce`. K is 1 … 1024.
/// before     as for `top_k`.
/// Returns    as `top_k`: items<T, K>, or with `scattered` the lane's own. If n < K, values after the first n are
///            unspecified.
/// Order      values neither of which comes before the other are in the range's order; otherwise as for `top_k`.
/// Policies   convergence, placement, memory.
/// Cost       loads of 16 bytes, up to 4 in flight at a time; one `push` into a top_k_queue for these; at the end its
///            `best`. N > 32: the barriers and slots of `top_k` for the latter.
template <unsigned K, class Tile, class It, class Integer, class Before = greater, class Policy = policy<>>
TESSERA_FN auto joint_top_k(Tile const& tile, It first, Integer n, Before before = {}, Policy policy = {},
                            call_site site = call_site::here()) {
  return detail::one_or_items<K, Tile, Policy>(detail::joint_select<K, detail::collectives::joint_top_k>(
      tile, detail::reader_of(first), n, before, detail::as_it_is{}, policy, site));
}

/// The first K of f(element) over all elements; f takes (x), or (x, index) with the element's index in the range, of
/// n's type.
///
///   auto const best = tessera::joint_transform_top_k<8>(tile, row, n, tessera::greater{},
///                                                      [](float x, int i) { return tessera::with_index(x, i); });
///
/// f is called once for each element, by one lane. Otherwise as `joint_top_k`.
template <unsigned K, class Tile, class It, class Integer, class Before, class F, class Policy = policy<>>
TESSERA_FN auto joint_transform_top_k(Tile const& tile, It first, Integer n, Before before, F f, Policy policy = {},
                                      call_site site = call_site::here()) {
  return detail::one_or_items<K, Tile, Policy>(detail::joint_select<K, detail::collectives::joint_transform_top_k>(
      tile, detail::reader_of(first), n, before, f, policy, site));
}

TESSERA_NAMESPACE_END
