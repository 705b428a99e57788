// merge: merges two sorted parts of a tile's values. merge_by_key: their keys, with the values that belong to them.
//
//   rank                     0      1      2      3
//   a, items<int, 2>         1 4    5 5    7 8    9 9      both in order over the tile
//   b, items<int, 2>         2 3    5 6    6 7    8 9
//   merge(tile, a, b)        1 2 3 4       5 5 5 6         6 7 7 8       8 9 9 9      items<int, 4>, blocked order
//   merge(…, striped)        1 5 6 8       2 5 7 9         3 5 7 9       4 6 8 9      striped; a is 1 7, 4 8, 5 9, 5 9
//
// All sizes of tiles, any type, any strict weak order, in registers: no temporary storage up to 32 lanes.
//
// Source: a bitonic network, see tile/merge.hpp. std::merge; CUB merges within WarpMergeSort and BlockMergeSort.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/merge.hpp>

TESSERA_NAMESPACE_BEGIN

/// The values of a and b of all lanes in order, beginning in lane 0.
///
///   auto const both = tessera::merge(tile, a, b);                  // 2 · N values: items<T, 2> a lane
///   auto const part = tessera::merge(tile, a, na, b, nb);          // the first na of a, and the first nb of b
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// a, b       any trivially copyable T, or items<T, K> in blocked order, with `striped` in striped order; both the same
///            type. Precondition: each is sorted over the tile, as `sort` leaves it; otherwise the result's order is
///            unspecified.
/// na, nb     integers, uniform: the numbers of values that are merged; ≤ 0 means none, and N · K or more all. The
///            others may be unsorted. They come after the merged ones: first the rest of a, then the rest of b.
/// before     a strict weak order of T, as for `sort`.
/// Returns    items<T, 2K> in the same order of items, items<T, 2> for single values.
/// Order      stable: of equal values those of a come first, and each part keeps its order.
/// Policies   convergence; order (a padded tile takes `blocked` only); memory.
/// Cost       log2(N) + 1 exchanges and comparisons of K items as in `sort`; then a network of each lane's K items,
///            twice. Equal values that can be distinguished, and all values of merges with na and nb, move with a
///            position. N > 32: two barriers for each of log2(N / 32) + 1 exchanges, and K slots a lane of a T, with
///            its position if it has one (scratch.hpp); with fewer slots two barriers for each part of the lanes. A
///            padded tile with missing lanes sorts its 2K items a lane instead. `striped` adds `striped_to_blocked` of
///            each part and `blocked_to_striped` of the result.
template <class Tile, class A, class B, class Before = less, class... Choices>
TESSERA_FN auto merge(Tile const& tile, A a, B b, Before before = {}, policy<Choices...> policy = {},
                      call_site site = call_site::here()) {
  detail::require_same_parts<A, B>();
  return detail::merge_values(tile, a, detail::whole_part{}, b, detail::whole_part{}, before, policy, site);
}
template <class Tile, class A, class IntegerA, class B, class IntegerB, class Before = less, class Policy = policy<>>
TESSERA_FN auto merge(Tile const& tile, A a, IntegerA na, B b, IntegerB nb, Before before = {}, Policy policy = {},
                      call_site site = call_site::here()) {
  detail::require_same_parts<A, B>();
  return detail::merge_values(tile, a, detail::part_of(na), b, detail::part_of(nb), before, policy, site);
}

/// The keys of both parts in order, with the values that belong to them.
///
///   auto const [key, index] = tessera::merge_by_key(tile, keys_a, index_a, keys_b, index_b);
///   auto const first_keys = tessera::merge_by_key(tile, keys_a, index_a, na, keys_b, index_b, nb);
///
/// keys_a, values_a, keys_b, values_b   one of each, or items<Key, K> and items<Value, K>. Otherwise as `merge`.
/// Returns    {keys, values}: tessera::keys_and_values of items<Key, 2K> and items<Value, 2K>.
/// Cost       as for `merge`, with exchanges and slots of key, position and value.
template <class Tile, class KeysA, class ValuesA, class KeysB, class ValuesB, class Before = less, class... Choices>
TESSERA_FN auto merge_by_key(Tile const& tile, KeysA keys_a, ValuesA values_a, KeysB keys_b, ValuesB values_b,
                             Before before = {}, policy<Choices...> policy = {}, call_site site = call_site::here()) {
  detail::require_same_parts<KeysA, KeysB>();
  detail::require_same_parts<ValuesA, ValuesB>();
  using part = keys_and_values<KeysA, ValuesA>;
  return detail::merge_pairs(tile, part{keys_a, values_a}, detail::whole_part{}, part{keys_b, values_b},
                             detail::whole_part{}, before, policy, site);
}
template <class Tile, class KeysA, class ValuesA, class IntegerA, class KeysB, class ValuesB, class IntegerB,
          class Before = less, class Policy = policy<>>
TESSERA_FN auto merge_by_key(Tile const& tile, KeysA keys_a, ValuesA values_a, IntegerA na, KeysB keys_b,
                             ValuesB values_b, IntegerB nb, Before before = {}, Policy policy = {},
                             call_site site = call_site::here()) {
  detail::require_same_parts<KeysA, KeysB>();
  detail::require_same_parts<ValuesA, ValuesB>();
  using part = keys_and_values<KeysA, ValuesA>;
  return detail::merge_pairs(tile, part{keys_a, values_a}, detail::part_of(na), part{keys_b, values_b},
                             detail::part_of(nb), before, policy, site);
}

TESSERA_NAMESPACE_END
