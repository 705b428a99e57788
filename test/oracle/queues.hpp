// A queue for one push and its best, as one call of a tile.
#pragma once

#include <tessera/top_k_queue.hpp>

namespace oracle {

template <unsigned K, class Tile, class X, class Before>
using queue_for = tessera::top_k_queue<K, tessera::detail::item_t<X>, Before,
                                       (tessera::tile_size_v<Tile> < 32 ? tessera::tile_size_v<Tile> : 32)>;

/// The best of what the participants push.
template <unsigned K, class Tile, class X, class Before, class Policy = tessera::policy<>>
TESSERA_FN auto top_k_push(Tile const& tile, X const& x, Before const& before, Policy policy = {}) {
  queue_for<K, Tile, X, Before> queue(before);
  queue.push(tile, x, policy);
  return queue.best(tile);
}
/// The best of what all lanes push, for those that the policy names.
template <unsigned K, class Tile, class X, class Before, class Policy = tessera::policy<>>
TESSERA_FN auto top_k_best(Tile const& tile, X const& x, Before const& before, Policy policy = {}) {
  queue_for<K, Tile, X, Before> queue(before);
  queue.push(tile, x);
  return queue.best(tile, policy);
}

}  // namespace oracle
