// merge: two sorted parts of a tile's values as one. merge_by_key: their keys, and the values that belong to them.
//
//   rank                     0      1      2      3
//   a, items<int, 2>         1 4    5 5    7 8    9 9      both in order over the tile
//   b, items<int, 2>         2 3    5 6    6 7    8 9
//   merge(tile, a, b)        1 2 3 4       5 5 5 6         6 7 7 8       8 9 9 9      items<int, 4>, blocked order
//   merge(…, striped)        1 5 6 8       2 5 7 9         3 5 7 9       4 6 8 9      striped order, as a: 1 7, 4 8, 5 9, 5 9
//
// All sizes of tiles, any type, any strict weak order, in registers: no temporary storage up to 32 lanes.
//
// Source: a bitonic network, see detail/merge.hpp. std::merge; CUB merges within WarpMergeSort and BlockMergeSort.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/merge.hpp>
#include <tessera/items.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// The values of a and b of all lanes in order: lane 0 gets what comes first.
///
///   auto const both = tessera::merge(tile, a, b);                  // 2 · N values: items<T, 2> a lane
///   auto const some = tessera::merge(tile, a, na, b, nb);          // the first na of a, and the first nb of b
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// a, b       any trivially copyable T, or items<T, K> in blocked order, with `striped` in striped order; both the same type.
///            Precondition: each of them is in order over the tile, as `sort` leaves it. Else the order of the result is unspecified.
/// na, nb     integers, uniform: how many values of each part are merged; none where they are ≤ 0, all from N · K on. The others
///            need not be in order. They stay behind those that are merged: first the rest of a, then the rest of b.
/// before     a strict weak order of T, as for `sort`.
/// Returns    items<T, 2K> in the same order of items, items<T, 2> for single values.
/// Order      stable: of equal values those of a come first, and each part keeps its order.
/// Policies   convergence; order, but `striped` not of padded tiles; memory.
/// Cost       log2(N) + 1 exchanges of K items, and as many comparisons of K items, as `sort` makes them; then a network of each
///            lane's K items, twice. Values that can be told apart although they are equal travel with a position, and so do
///            those of merges with na and nb. N > 32: two barriers for each of the log2(N / 32) + 1 exchanges by 32 lanes and more,
///            and K slots a lane (scratch.hpp), of a T with its position where it has one; or two for each part of the lanes that
///            has slots.
///            A padded tile whose last lanes are missing sorts its 2K items a lane instead. `striped`: and what `striped_to_blocked`
///            of each part costs, and `blocked_to_striped` of both.
template <class Tile, class A, class B, class Before = less, class... Choices>
TESSERA_FN auto merge(Tile const& tile, A a, B b, Before before = {}, policy<Choices...> policy = {},
                      call_site site = call_site::here()) {
  detail::require_same_parts<A, B>();
  return detail::merge_values(tile, a, detail::whole_part{}, b, detail::whole_part{}, before, policy, site);
}
template <class Tile, class A, class IntegerA, class B, class IntegerB, class Before = less,
          class Policy = policy<>>
TESSERA_FN auto merge(Tile const& tile, A a, IntegerA na, B b, IntegerB nb, Before before = {},
                      Policy policy = {}, call_site site = call_site::here()) {
  detail::require_same_parts<A, B>();
  return detail::merge_values(tile, a, detail::part_of(na), b, detail::part_of(nb), before, policy, site);
}

/// The keys of both parts in order, and the values that belong to them.
///
///   auto const [key, index] = tessera::merge_by_key(tile, keys_a, index_a, keys_b, index_b);
///   auto const some_keys = tessera::merge_by_key(tile, keys_a, index_a, na, keys_b, index_b, nb);
///
/// keys_a, values_a, keys_b, values_b   one of each, or items<Key, K> and items<Value, K>. Everything else as for `merge`.
/// Returns    {keys, values}: tessera::keys_and_values of items<Key, 2K> and items<Value, 2K>.
/// Cost       as of `merge`, with exchanges and slots of key, position and value.
template <class Tile, class KeysA, class ValuesA, class KeysB, class ValuesB, class Before = less,
          class... Choices>
TESSERA_FN auto merge_by_key(Tile const& tile, KeysA keys_a, ValuesA values_a, KeysB keys_b, ValuesB values_b,
                             Before before = {}, policy<Choices...> policy = {},
                             call_site site = call_site::here()) {
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
