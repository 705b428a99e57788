// top_k_queue: the K values of a stream that come first. Lanes push values as they read them, the tile keeps the best.
//
//   tessera::top_k_queue<32, float> queue;                              // the 32 greatest
//   for (int from = 0; from < n; from += 32) {
//     int const i = from + rank;
//     queue.push(tile, i < n ? score[i] : 0, tessera::where(i < n));    // with all lanes, to the end
//   }
//   float const mine = queue.best(tile, tessera::scattered);             // lane i has the i-th
//
//   best            9 8 7 6        in order, spread over the lanes
//   threshold             6        the last of them: a push of lanes that all have less than 7 takes a comparison and a vote
//   pending         8 . 7 .        what came since; when a lane has no room for more, all are merged into the best
//
// Registers only, apart from `best` of several warps. Source: see detail/top_k_queue.hpp.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/top_k_queue.hpp>
#include <tessera/items.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// The K values of T that come first by `Before`, of those that a tile pushes.
///
/// K        1 … 1024. A lane keeps 2 · ⌈P / 32⌉ values, at least 5, with P = 2^⌈log2(K)⌉; N in the place of 32 on smaller tiles.
/// T        any trivially copyable type; with_index(x, i) says of the best where they stood.
/// Before   as for `top_k`. Of values neither of which comes before the other, the one pushed first does; in one push, that of the
///          lower rank, then the lower item. Unless T is a number, or an indexed one of up to 4 bytes each, by less or greater,
///          this counts what a tile pushes, up to 2^32 − 1 values with those that take no part.
/// N        the tile's size, where it is below 32. Each warp of a larger tile keeps the best of what its lanes push.
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

  /// Takes a value of each lane, or each lane's items.
  ///
  /// Called by  all lanes of the tile, with one policy: where a stream ends within the tile, with where(i < n).
  /// x          a T, or items<T, I> with I ≤ 32. Four items and more make a push cheaper than as many pushes.
  /// Policies   convergence, participants (of items, all of a lane's or none).
  /// Cost       a comparison of each item and one vote where nothing is among the best; else about 20 instructions and, now and
  ///            then, a merge, `top_k` of 4 values a lane or more. A stream of n values in random order has some
  ///            K · (1 + ln(n / K)) that count. No barrier and no memory: warps push each by itself.
  template <class Tile, class X, class Policy = policy<>>
  TESSERA_FN void push(Tile const& tile, X x, Policy policy = {}, call_site site = call_site::here()) {
    detail::require_selection_order<Tile, Before, T>();
    static_assert(stl::is_same_v<detail::item_t<X>, T>,
                  "top_k_queue<K, T>::push(tile, x): x is a T, or items<T, I>.");
    if constexpr (is_for<Tile>()) {
      detail::collective<detail::collectives::top_k_push, X, comparator>(
          tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
            auto const row = detail::as_row(x);
            constexpr unsigned Items = decltype(row)::count;
            unsigned const from = pushed_ + group.rank() * Items;
            constexpr stl::uint32_t all = ~stl::uint32_t{0} >> (32 - Items);
            state_.push(detail::queue_group(group), form_, row,
                        detail::participates(policy, group.rank()) ? all : 0u,
                        [&](unsigned i) { return from + i; });
            pushed_ += tile_size_v<Tile> * Items;
          });
    }
  }

  /// The best of what was pushed so far, in order.
  ///
  /// Called by  all lanes of the tile (with `converged`: of the warp), with one policy.
  /// Returns    as `top_k`, items<T, K> or what is the lane's own. Where fewer than K values were pushed, what follows them is
  ///            unspecified.
  /// Policies   convergence, placement, memory.
  /// Cost       a merge, as of a push; to all K shuffles more. N > 32: the `top_k` of the warps' best, with its barriers and slots.
  template <class Tile, class Policy = policy<>>
  TESSERA_FN auto best(Tile const& tile, Policy policy = {}, call_site site = call_site::here()) {
    if constexpr (is_for<Tile>()) {
      return detail::one_or_items<K, Tile, Policy>(
          detail::collective<detail::collectives::top_k_best, T, comparator>(
              tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
                return state_.template best<Policy>(group, form_);
              }));
    } else {
      return detail::anything{};
    }
  }

 private:
  /// Whether the queue is for such a tile; a message if not.
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
