// Movement of items between the lanes of several warps.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/multi_warp_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Moves items that are too large to be moved whole: `move` moves one piece of each of a lane's K items, of which C
/// remain.
template <class Group, unsigned C, class T, unsigned K, class Move>
TESSERA_FN items<T, C> move_in_pieces(items<T, K> const& x, Move move) {
  constexpr unsigned W = Group::piece_words;
  words<T> moved[C];
  TESSERA_UNROLL
  for (unsigned p = 0; p < piece_count<T, W>; ++p) {
    items<piece<W>, K> part;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) part[i] = detail::piece_of<W>(detail::to_words(x[i]), p);
    items<piece<W>, C> const got = move(part, p + 1 == piece_count<T, W>);
    TESSERA_UNROLL
    for (unsigned i = 0; i < C; ++i) detail::put_piece(moved[i], p, got[i]);
  }
  auto out = detail::from_words<items<T, C>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < C; ++i) detail::copy_bytes(TESSERA_ADDRESS_OF(out[i]), moved[i].word, sizeof(T));
  return out;
}

/// Moves each item to its position in blocked order: windows of positions are written one after the other, and lanes
/// read their items from them. Two barriers a window; there is one window if each item has a slot.
template <class Backend, class T, unsigned K>
TESSERA_FN items<T, K> scatter_whole_items(multi_warp_group<Backend> group, items<T, K> const& x,
                                           items<unsigned, K> const& position) {
  using Group = multi_warp_group<Backend>;
  constexpr unsigned row = Group::template row_of_items<T, K>, window = Group::warps * row;
  constexpr unsigned rounds = Group::size * K / window;
  auto out = x;
  unsigned const first = group.rank() * K;
  TESSERA_LOOP
  for (unsigned round = 0; round < rounds; ++round) {
    auto const storage = group.backend().template inputs<T, row>();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      if (position[i] / window == round) storage.write(position[i] % window, x[i]);
    group.sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if ((first + i) / window != round) continue;
      T const moved = storage.read((first + i) % window);
      detail::copy_bytes(TESSERA_ADDRESS_OF(out[i]), TESSERA_ADDRESS_OF(moved), sizeof(T));
    }
    if (round + 1 < rounds) group.sync();
  }
  group.trailing_barrier();
  return out;
}

/// As above, for items of any size.
template <class Backend, class T, unsigned K>
TESSERA_FN items<T, K> scatter_items(multi_warp_group<Backend> group, items<T, K> const& x,
                                     items<unsigned, K> const& position) {
  using Group = multi_warp_group<Backend>;
  if constexpr (Group::template moves_in_pieces<T>) {
    using part = items<piece<Group::piece_words>, K>;
    return detail::move_in_pieces<Group, K>(x, [&](part const& p, bool is_last) {
      auto const got = detail::scatter_whole_items(group, p, position);
      if (!is_last) group.barrier_between();
      return got;
    });
  } else {
    return detail::scatter_whole_items(group, x, position);
  }
}

/// Gives each lane C of the tile's items: number i comes from slot slot_of(i), where item i of rank r has slot i · N +
/// r. `slot_of` is called after a barrier. Windows as above; the caller provides the barrier after the last.
template <unsigned C, class Backend, class T, unsigned K, class SlotOf>
TESSERA_FN items<T, C> gather_whole_items(multi_warp_group<Backend> group, items<T, K> const& x, SlotOf slot_of) {
  using Group = multi_warp_group<Backend>;
  constexpr unsigned row = Group::template row_of_items<T, K>, window = Group::warps * row;
  constexpr unsigned rounds = Group::size * K / window;
  auto out = detail::from_words<items<T, C>>({});
  TESSERA_LOOP
  for (unsigned round = 0; round < rounds; ++round) {
    auto const storage = group.backend().template inputs<T, row>();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const slot = i * Group::size + group.rank();
      if (slot / window == round) storage.write(slot % window, x[i]);
    }
    group.sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < C; ++i) {
      unsigned const slot = slot_of(i);
      if (slot / window != round) continue;
      T const moved = storage.read(slot % window);
      detail::copy_bytes(TESSERA_ADDRESS_OF(out[i]), TESSERA_ADDRESS_OF(moved), sizeof(T));
    }
    if (round + 1 < rounds) group.sync();
  }
  return out;
}

/// As above, for items of any size.
template <unsigned C, class Backend, class T, unsigned K, class SlotOf>
TESSERA_FN items<T, C> gather_items(multi_warp_group<Backend> group, items<T, K> const& x, SlotOf slot_of) {
  using Group = multi_warp_group<Backend>;
  if constexpr (Group::template moves_in_pieces<T>) {
    using part = items<piece<Group::piece_words>, K>;
    return detail::move_in_pieces<Group, C>(x, [&](part const& p, bool is_last) {
      auto const got = detail::gather_whole_items<C>(group, p, slot_of);
      if (!is_last) group.sync();
      return got;
    });
  } else {
    return detail::gather_whole_items<C>(group, x, slot_of);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
