// joint_sort: sorts a range in memory by one tile.
//
//   range            8 3 7 1 6 2 5 4          2 lanes, 2 elements each: chunks of 4
//   chunks sorted    1 3 7 8 2 4 5 6          in registers, as `sort` does
//   merged           1 2 3 4 5 6 7 8          between range and buffer, as `joint_merge` does
//
// Source: a merge sort, see tile/joint_merge.hpp. For whole arrays: grid::sort (grid/sort.cuh).
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/joint_merge.hpp>

TESSERA_NAMESPACE_BEGIN

/// Sorts first[0] … first[n − 1].
///
///   tessera::joint_sort(tile, row, n, buffer);
///   tile.sync();   // now every lane sees the sorted row
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any
///            integer, ≤ 0 means no elements. Elements that lanes of this tile have written must be ordered by
///            tile.sync(). The range holds the result; a lane sees the elements that other lanes have stored after
///            tile.sync().
/// buffer     n elements apart from the range, whose contents are unspecified afterwards.
/// before     a strict weak order of T, as for `sort`.
/// Order      the order of equal elements is unspecified; `joint_stable_sort` keeps it.
/// Policies   convergence, memory.
/// Cost       with chunks of C = N·K elements, where K is 8 for elements of up to 4 bytes, 4 up to 8, 2 up to 16, else
///            1: a `sort` of each chunk, then ⌈log2(n / C)⌉ passes of `joint_merge` over all elements, each after a
///            tile.sync(). Every pass reads and writes the range once. N > 32: the barriers of all these, K slots a
///            lane as for `sort`, and a slot a warp (scratch.hpp). In a block of 512 or 1024 threads the kernel needs
///            __launch_bounds__ with that number; otherwise its lanes use too many registers, and the launch fails.
template <class Tile, class T, class Integer, class Before = less, class Policy = policy<>>
TESSERA_FN void joint_sort(Tile const& tile, T* first, Integer n, T* buffer, Before before = {}, Policy policy = {},
                           call_site site = call_site::here()) {
  detail::joint_sort_of<detail::collectives::joint_sort, false>(tile, first, n, buffer, before, policy, site);
}

/// As above; equal elements stay in the order of the range.
template <class Tile, class T, class Integer, class Before = less, class Policy = policy<>>
TESSERA_FN void joint_stable_sort(Tile const& tile, T* first, Integer n, T* buffer, Before before = {},
                                  Policy policy = {}, call_site site = call_site::here()) {
  detail::joint_sort_of<detail::collectives::joint_stable_sort, true>(tile, first, n, buffer, before, policy, site);
}

TESSERA_NAMESPACE_END
