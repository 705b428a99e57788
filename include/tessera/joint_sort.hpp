// joint_sort: a range in memory in order, by one tile.
//
//   range            8 3 7 1 6 2 5 4          2 lanes, 2 elements each: chunks of 4
//   chunks sorted    1 3 7 8 2 4 5 6          in registers, as `sort` does
//   merged           1 2 3 4 5 6 7 8          between range and buffer, as `joint_merge` does
//
// Source: a merge sort, see detail/joint_merge.hpp. For whole arrays there is cub::DeviceMergeSort.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/joint_merge.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// Sorts first[0] … first[n − 1].
///
///   tessera::joint_sort(tile, row, n, buffer);
///   tile.sync();   // now every lane sees the sorted row
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have ranges of
///            different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any integer, nothing
///            where it is ≤ 0. What lanes of this tile have written there must be ordered by tile.sync(). The result is there; a
///            lane sees what other lanes have stored after tile.sync().
/// buffer     n elements apart from the range, whose contents are unspecified afterwards.
/// before     a strict weak order of T, as for `sort`.
/// Order      that of equal elements is unspecified: `joint_stable_sort` keeps it.
/// Policies   convergence, memory.
/// Cost       with C = N·K, where K is 8 elements of up to 4 bytes, 4 of up to 8, 2 of up to 16, else 1: a `sort` of K items for every C
///            elements, then ⌈log2(n / C)⌉ times a `joint_merge` of all elements, with one tile.sync() before each. Each of these
///            reads and writes the range once: 2 · n · sizeof(T) · (⌈log2(n / C)⌉ + 1) bytes. N > 32: the barriers of all of these, K
///            slots a lane as for `sort`, and a slot a warp (scratch.hpp). In a block of 512 or 1024 threads the kernel needs
///            __launch_bounds__ with that number: without it a lane takes more than the registers that there are, and the launch fails.
template <class Tile, class T, class Integer, class Before = less, class Policy = policy<>>
TESSERA_FN void joint_sort(Tile const& tile, T* first, Integer n, T* buffer, Before before = {},
                           Policy policy = {}, call_site site = call_site::here()) {
  detail::joint_sort_of<detail::collectives::joint_sort, false>(tile, first, n, buffer, before, policy, site);
}

/// The same; equal elements stay in the order of the range.
template <class Tile, class T, class Integer, class Before = less, class Policy = policy<>>
TESSERA_FN void joint_stable_sort(Tile const& tile, T* first, Integer n, T* buffer, Before before = {},
                                  Policy policy = {}, call_site site = call_site::here()) {
  detail::joint_sort_of<detail::collectives::joint_stable_sort, true>(tile, first, n, buffer, before, policy,
                                                                      site);
}

TESSERA_NAMESPACE_END
