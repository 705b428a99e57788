// Searches: the position of a key in a sorted range in memory, by the whole tile or by a single lane; the merge path of
// two sorted ranges; the first element of any range that satisfies a predicate.
//
//   range                   1  3  3  3  7  9         index 0 … 5, n = 6
//   lower_bound, key 3      ^ 1                      the first element that doesn't come before the key
//   upper_bound, key 3               ^ 4             the first element that comes after the key
//   equal_range, key 3      {1, 4}
//   8 lanes                 probe 8 positions at once, keep one of 9 parts: 2 rounds for 80 elements, 6 for 500,000
//
// Sources: N-ary search: D. E. Knuth, The Art of Computer Programming 3, 6.2.1; T. Kaldewey et al., "Parallel search on
// video cards", 2009. merge_path: N. Deo, A. Jain, M. Medidi, "An optimal parallel algorithm for merging using
// multiselection", 1994; O. Green, R. McColl, D. Bader, "GPU merge path", 2012.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/search.hpp>

TESSERA_NAMESPACE_BEGIN

// ---- One key, by the whole tile
//
// These overloads have no constraints: nvcc would take the place of one for the user's call_site. Those for a lane take
// pointers, and so are more specialized.

/// The index of the first of n sorted elements that doesn't come before the key; n if all do, 0 if n ≤ 0.
///
///   int const row = tessera::upper_bound(tile, offsets, rows + 1, item) - 1;   // the item's row in a sparse matrix
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments.
/// first, n   a range that every lane can read, sorted by `before`: a pointer, or an iterator (core/iterators.hpp); the
///            index has n's type.
/// before     a strict weak order: before(element, key). `less` by default; other libraries' names for it mean the
///            same.
/// Returns    the same in every lane.
/// Policies   convergence.
/// Cost       ⌈log(n + 1) / log(N + 1)⌉ rounds of one load and one vote; for N > 32 those of `count_if`.
template <class Tile, class It, class Integer, class Key, class Before = less, class Policy = policy<>>
TESSERA_FN Integer lower_bound(Tile const& tile, It first, Integer n, Key const& key, Before before = {},
                               Policy policy = {}, call_site site = call_site::here()) {
  using T = detail::value_of<It>;
  detail::require_search<Tile, T, Integer, Key, Before>();
  auto const is_left = [&](T const& x) { return detail::is_before(before, x, key); };
  return detail::search<detail::collectives::lower_bound>(tile, detail::reader_of(first), n, is_left, policy, site);
}

/// The index of the first element that comes after the key; n if there is none. Otherwise as lower_bound, with
/// before(key, element).
template <class Tile, class It, class Integer, class Key, class Before = less, class Policy = policy<>>
TESSERA_FN Integer upper_bound(Tile const& tile, It first, Integer n, Key const& key, Before before = {},
                               Policy policy = {}, call_site site = call_site::here()) {
  using T = detail::value_of<It>;
  detail::require_search<Tile, T, Integer, Key, Before>();
  auto const is_left = [&](T const& x) { return !detail::is_before(before, key, x); };
  return detail::search<detail::collectives::upper_bound>(tile, detail::reader_of(first), n, is_left, policy, site);
}

/// {lower_bound, upper_bound}: elements `begin` to `end` − 1 are equal to the key. Two searches.
template <class Tile, class It, class Integer, class Key, class Before = less, class Policy = policy<>>
TESSERA_FN index_range<Integer> equal_range(Tile const& tile, It first, Integer n, Key const& key, Before before = {},
                                            Policy policy = {}, call_site site = call_site::here()) {
  return {tessera::lower_bound(tile, first, n, key, before, policy, site),
          tessera::upper_bound(tile, first, n, key, before, policy, site)};
}

/// True if an element is equal to the key: neither comes before the other. One search and one load.
template <class Tile, class It, class Integer, class Key, class Before = less, class Policy = policy<>>
TESSERA_FN bool binary_search(Tile const& tile, It first, Integer n, Key const& key, Before before = {},
                              Policy policy = {}, call_site site = call_site::here()) {
  Integer const at = tessera::lower_bound(tile, first, n, key, before, policy, site);
  return at < n && !detail::is_before(before, key, detail::read_element(detail::reader_of(first), at));
}

// ---- One key a lane

/// lower_bound and upper_bound of a key of the calling lane, in a range in memory. Called by any lane, by itself. Cost:
/// ⌈log2(n + 1)⌉ dependent loads.
template <class T, class Integer, class Key, class Before = less>
TESSERA_FN Integer lower_bound(T* first, Integer n, Key const& key, Before before = {}) {
  detail::require_key<T, Key, Before>();
  return detail::partition_point<Integer>(n, [&](Integer i) { return detail::is_before(before, first[i], key); });
}
template <class T, class Integer, class Key, class Before = less>
TESSERA_FN Integer upper_bound(T* first, Integer n, Key const& key, Before before = {}) {
  detail::require_key<T, Key, Before>();
  return detail::partition_point<Integer>(n, [&](Integer i) { return !detail::is_before(before, key, first[i]); });
}

/// {lower_bound, upper_bound} of the lane's key. The second search begins where the first ended: at most 2 · ⌈log2(n +
/// 1)⌉ loads.
template <class T, class Integer, class Key, class Before = less>
TESSERA_FN index_range<Integer> equal_range(T* first, Integer n, Key const& key, Before before = {}) {
  Integer const begin = tessera::lower_bound(first, n, key, before);
  Integer const rest = static_cast<Integer>(n - begin);
  return {begin, static_cast<Integer>(begin + tessera::upper_bound(first + begin, rest, key, before))};
}

/// True if an element is equal to the lane's key. The loads of lower_bound, and one more.
template <class T, class Integer, class Key, class Before = less>
TESSERA_FN bool binary_search(T* first, Integer n, Key const& key, Before before = {}) {
  Integer const at = tessera::lower_bound(first, n, key, before);
  return at < n && !detail::is_before(before, key, first[at]);
}

/// The number of elements of the first range among the first `diagonal` elements of the merged ranges: of equal
/// elements, those of the first range come first. Called by any lanes; ⌈log2(min(diagonal, na, nb) + 1)⌉ steps of two
/// loads.
///
///   a 1 3 5   b 2 3 9       merged 1 2 3 3 5 9
///   diagonal  0 1 2 3 4 5 6
///   of a      0 1 1 2 2 3 3
///
/// a, b       sorted by `before`: a precondition.
/// diagonal   from 0 to na + nb. The other diagonal − result elements are from the second range.
template <class T, class Integer, class Before = less>
TESSERA_FN Integer merge_path(T const* a, Integer na, T const* b, Integer nb, Integer diagonal, Before before = {}) {
  return detail::merge_path_of(a, na, b, nb, diagonal, before);
}

// ---- The first element that satisfies a predicate

/// The index of the first of n elements that satisfies `pred`; n if there is none. The range need not be sorted.
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments.
/// pred       takes (x) or (x, index). It may also be called for elements after the first that satisfies it.
/// Returns    the same in every lane, of n's type.
/// Policies   convergence.
/// Cost       loads of 16 bytes; one vote for every 64 bytes a lane, and one reduction; for N > 32 their barriers and
///            memory.
template <class Tile, class It, class Integer, class Pred, class Policy = policy<>>
TESSERA_FN Integer find_if(Tile const& tile, It first, Integer n, Pred pred, Policy policy = {},
                           call_site site = call_site::here()) {
  return detail::find_first_with(tile, detail::reader_of(first), n, pred, policy, site);
}

/// The index of the first element that is equal to `value`. Otherwise as find_if.
template <class Tile, class It, class Integer, class Policy = policy<>>
TESSERA_FN Integer find_first(Tile const& tile, It first, Integer n, detail::value_of<It> const& value,
                              Policy policy = {}, call_site site = call_site::here()) {
  auto const is_it = [&](detail::value_of<It> const& x) { return detail::is_equal(x, value); };
  return detail::find_first_with(tile, detail::reader_of(first), n, is_it, policy, site);
}

TESSERA_NAMESPACE_END
