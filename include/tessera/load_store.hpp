// load and store: elements of a range in memory as a tile's items, and back.
//
//   range                 a b c d e f g h i j        n = 10
//   rank                  0      1      2      3
//   load<3>               a b c  d e f  g h i  j - -      blocked order; -: `fill`
//   load<3>, striped      a e i  b f j  c g -  d h -      striped order
//   store                 stores the same elements, and none for -
//
// Source: CUB's BlockLoad and BlockStore; in striped order, or in blocked order with vectors at any alignment.
#pragma once

#include <tessera/detail/load_store.hpp>
#include <tessera/items.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first N·K elements of a range, K a lane. Where it has fewer, the items behind its end are T{}.
///
///   tessera::items<float, 4> const x = tessera::load<4>(tile, row, n);
///   auto const y = tessera::load<4>(tile, row, n, tessera::striped);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any integer, of which
///            all is behind the end where it is ≤ 0. What lanes of this tile have written there must be ordered by tile.sync().
/// Returns    items<T, K>: of lane r the elements r·K … r·K + K − 1, with `striped` r, N + r, 2·N + r, ….
/// Policies   convergence, order. A padded tile takes `blocked` only, and loads K elements for each lane that exists.
/// Cost       no exchange. Blocked, K·sizeof(T) a multiple of 16: loads of 16 bytes, wherever the range begins: one more a lane, and
///            selections between registers, where that is no multiple of 16 bytes. The lanes at the range's ends load single
///            elements then, and all do for other K. Striped: K loads, each of neighboring elements in neighboring lanes.
template <unsigned K, class Tile, class T, class Integer, class... Choices>
TESSERA_FN items<T, K> load(Tile const& tile, T const* first, Integer n, policy<Choices...> policy = {},
                            call_site site = call_site::here()) {
  static_assert(
      stl::is_default_constructible<T>::value,
      "load<K>(tile, first, n): items behind the range are T{}, which this type doesn't have: write "
      "load<K>(tile, first, n, fill).");
  return detail::load_range<K>(tile, first, n, T{}, policy, site);
}

/// The same, with `fill` behind the end of the range.
///
///   auto const z = tessera::load<4>(tile, row, n, 1.0f);
template <unsigned K, class Tile, class T, class Integer, class Policy = policy<>>
TESSERA_FN items<T, K> load(Tile const& tile, T const* first, Integer n, detail::same_t<T> const& fill,
                            Policy policy = {}, call_site site = call_site::here()) {
  return detail::load_range<K>(tile, first, n, fill, policy, site);
}

/// Stores the tile's items as the first n elements of a range; those behind its end are not stored.
///
///   tessera::store(tile, x, out, n);
///
/// x          a value, or items<T, K>, in the order in which `load` gives them.
/// first, n   as for `load`. A lane sees what other lanes have stored after tile.sync().
/// Policies   as of `load`.
/// Cost       no barrier. Blocked, K·sizeof(T) a multiple of 16: stores of 16 bytes, and no exchange where the range is at a multiple
///            of 16 bytes. Elsewhere, and N ≥ 32: one vote, a shuffle of 2 to 4 words by T's alignment, selections between registers,
///            and one lane a warp stores 16 bytes by its elements' alignment; N < 32: each lane does that, without an exchange.
///            The lane at the range's end, and all for other K: K stores. Those of `striped` are of neighboring elements in
///            neighboring lanes.
template <class Tile, class X, class T, class Integer, class Policy = policy<>>
TESSERA_FN void store(Tile const& tile, X const& x, T* first, Integer n, Policy policy = {},
                      call_site site = call_site::here()) {
  detail::store_range(tile, x, first, n, policy, site);
}

TESSERA_NAMESPACE_END
