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

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/load_store.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first N·K elements of a range, K a lane. Items after the end of the range are T{}.
///
///   tessera::items<float, 4> const x = tessera::load<4>(tile, row, n);
///   auto const y = tessera::load<4>(tile, row, n, tessera::striped);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any
///            integer, ≤ 0 means no elements. Elements that lanes of this tile have written must be ordered by
///            tile.sync().
/// Returns    items<T, K>: lane r gets elements r·K … r·K + K − 1, with `striped` r, N + r, 2·N + r, ….
/// Policies   convergence, order. A padded tile takes `blocked` only, and loads K elements for each lane that exists.
/// Cost       no exchange. Blocked, if K·sizeof(T) is a multiple of 16: loads of 16 bytes; if the range isn't aligned
///            to 16 bytes, one more a lane and selections between registers; single elements in the lanes at the
///            range's ends. Otherwise K loads; `striped` ones are coalesced.
template <unsigned K, class Tile, class T, class Integer, class... Choices>
TESSERA_FN items<T, K> load(Tile const& tile, T const* first, Integer n, policy<Choices...> policy = {},
                            call_site site = call_site::here()) {
  static_assert(stl::is_default_constructible<T>::value,
                "load<K>(tile, first, n): items after the range are T{}, which this type doesn't have: write "
                "load<K>(tile, first, n, fill).");
  return detail::load_range<K>(tile, first, n, T{}, policy, site);
}

/// As above, with `fill` after the end of the range.
///
///   auto const z = tessera::load<4>(tile, row, n, 1.0f);
template <unsigned K, class Tile, class T, class Integer, class Policy = policy<>>
TESSERA_FN items<T, K> load(Tile const& tile, T const* first, Integer n, detail::same_t<T> const& fill,
                            Policy policy = {}, call_site site = call_site::here()) {
  return detail::load_range<K>(tile, first, n, fill, policy, site);
}

/// Stores the tile's items as the first n elements of a range; items after its end are not stored.
///
///   tessera::store(tile, x, out, n);
///
/// x          a value, or items<T, K>, in the order in which `load` gives them.
/// first, n   as for `load`. A lane sees the elements that other lanes have stored after tile.sync().
/// Policies   as for `load`.
/// Cost       no barrier. Blocked, if K·sizeof(T) is a multiple of 16: stores of 16 bytes. If the range isn't aligned
///            to 16 bytes, also one vote and a shuffle of 2 to 4 words for N ≥ 32, and one lane a warp (N < 32: every
///            lane) stores 16 bytes element by element. The lane at the range's end stores single elements. Otherwise K
///            stores; `striped` ones are coalesced.
template <class Tile, class X, class T, class Integer, class Policy = policy<>>
TESSERA_FN void store(Tile const& tile, X const& x, T* first, Integer n, Policy policy = {},
                      call_site site = call_site::here()) {
  detail::store_range(tile, x, first, n, policy, site);
}

TESSERA_NAMESPACE_END
