// top_k_queue: the first K values of a stream. Lanes push values as they read them; the tile keeps the best.
//
//   tessera::top_k_queue<32, float> queue;                              // the 32 greatest
//   for (int from = 0; from < n; from += 32) {
//     int const i = from + rank;
//     queue.push(tile, i < n ? score[i] : 0, tessera::where(i < n));    // with all lanes, to the end
//   }
//   float const mine = queue.best(tile, tessera::scattered);             // lane i has the i-th
//
//   best            9 8 7 6        in order, distributed over the lanes
//   threshold             6        the last of them: a push of values below takes a comparison and a vote
//   pending         8 . 7 .        later values; when a lane has no room for more, all are merged into the best
//
// All in registers, except for `best` of several warps. Source: see tile/top_k_queue.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/top_k_queue.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first K values of T by `Before` among those that a tile pushes.
///
/// K        1 … 1024. A lane keeps 2 · ⌈P / 32⌉ values, at least 5, with P = 2^⌈log2(K)⌉; smaller tiles have N instead
///          of 32.
/// T        any trivially copyable type; with_index(x, i) keeps the position of each value.
/// Before   as for `top_k`. Of values neither of which comes before the other, the one pushed first comes first; in one
///          push, the one of the lower rank, then the lower item. For this the queue counts the pushed values (up to
///          2^32 − 1, with those that take no part), unless T is a number, or an indexed one with two members of up to
///          4 bytes, ordered by less or greater.
/// N        the tile's size if it is below 32. Each warp of a larger tile keeps the best values that its lanes push.
template <unsigned K, class T, class Before = greater, unsigned N = 32>
class top_k_queue {
  static_assert(K >= 1 && K <= 1024, "top_k_queue<K, T>: K is 1 ... 1024.");
  static_assert(is_exchangeable_v<T>, "top_k_queue<K, T>: lanes exchange trivially copyable values only.");
  static constexpr unsigned lanes = N < 32 ? N : 32;
  using comparator = detail::canonical_comparator_t<Before, T>;
  using form_t = decltype(detail::selection_form<T>(stl::declval<comparator const&>()));

 public:
  TESSERA_FN explicit top_k_queue(Before const& before = {})
      : form_(detail::selection_form<T>(detail::canonical_comparator<T>(before))) {}

  /// Pushes a value of each lane, or each lane's items.
  ///
  /// Called by  all lanes of the tile (with `converged`: of the warp), with one policy: with where(i < n) if a stream
  ///            ends within the tile.
  /// x          a T, or items<T, I> with I ≤ 32. Pushing four or more items is cheaper than as many pushes.
  /// Policies   convergence, participants (of items, all of a lane's or none).
  /// Cost       a comparison of each item and one vote if none is among the best; else about 20 instructions and, from
  ///            time to time, a merge, the `top_k` of 4 or more values a lane. In a stream of n values in random order
  ///            about K · (1 + ln(n / K)) are among the best. No barrier and no memory: each warp pushes by itself.
  template <class Tile, class X, class Policy = policy<>>
  TESSERA_FN void push(Tile const& tile, X x, Policy policy = {}, call_site site = call_site::here()) {
    detail::require_selection_order<Tile, Before, T>();
    static_assert(stl::is_same_v<detail::item_t<X>, T>, "top_k_queue<K, T>::push(tile, x): x is a T, or items<T, I>.");
    if constexpr (is_for<Tile>()) {
      detail::collective<detail::collectives::top_k_push, X, comparator>(
          tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
            auto const row = detail::as_row(x);
            constexpr unsigned Items = decltype(row)::count;
            unsigned const from = pushed_ + group.rank() * Items;
            constexpr stl::uint32_t all = ~stl::uint32_t{0} >> (32 - Items);
            state_.push(detail::queue_group(group), form_, row, detail::participates(policy, group.rank()) ? all : 0u,
                        [&](unsigned i) { return from + i; });
            pushed_ += tile_size_v<Tile> * Items;
          });
    }
  }

  /// The best of the values pushed so far, in order.
  ///
  /// Called by  all lanes of the tile (with `converged`: of the warp), with one policy.
  /// Returns    as `top_k`: items<T, K>, or with `scattered` the lane's own. If fewer than K values were pushed, the
  ///            values after them are unspecified.
  /// Policies   convergence, placement, memory.
  /// Cost       a merge, as for a push; to all K shuffles more. N > 32: the `top_k` of the warps' best, with its
  ///            barriers and slots.
  template <class Tile, class Policy = policy<>>
  TESSERA_FN auto best(Tile const& tile, Policy policy = {}, call_site site = call_site::here()) {
    if constexpr (is_for<Tile>()) {
      return detail::one_or_items<K, Tile, Policy>(detail::collective<detail::collectives::top_k_best, T, comparator>(
          tile, policy, site, 0,
          [&](detail::group_of<Tile, Policy> group) { return state_.template best<Policy>(group, form_); }));
    } else {
      return detail::anything{};
    }
  }

 private:
  /// True if the queue is for such a tile; otherwise a message.
  template <class Tile>
  TESSERA_FN static constexpr bool is_for() {
    detail::require_tile<Tile>();
    constexpr bool fits = lanes == (tile_size_v<Tile> < 32 ? tile_size_v<Tile> : 32);
    static_assert(fits || !is_tile_v<Tile>,
                  "top_k_queue is for other tiles: write top_k_queue<K, T, Before, N> with the tile's size "
                  "N, 32 for more.");
    return fits && is_tile_v<Tile>;
  }

  form_t form_;
  detail::queue_state<K, T, form_t, lanes> state_;
  unsigned pushed_ = 0;
};

TESSERA_NAMESPACE_END
