// Overloads of compact for memory of another type: they fail to compile and say what to write.
#pragma once

#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

template <class Tile, class X, class T, class... Rest>
TESSERA_FN detail::anything compact(Tile const&, X const&, bool, T*, Rest const&...) {
  static_assert(detail::never<T>,
                "compact(tile, x, keep, out): out points to values of x's type: write static_cast<int>(x) for "
                "an int*.");
  return {};
}

TESSERA_NAMESPACE_END
