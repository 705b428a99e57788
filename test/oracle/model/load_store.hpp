// Ranges of memory as a tile's items, and the orders of items.
#pragma once

#include <algorithm>

#include "adjacent.hpp"

namespace oracle::model {

/// Which value of a tile's is item i of lane r, of n lanes.
inline std::size_t number_of(std::size_t n, std::size_t items, std::size_t r, std::size_t i, bool striped) {
  return striped ? i * n + r : r * items + i;
}

/// Items that lanes have in striped order, in blocked order, and back. A value a lane is the same in both.
template <class X>
list<X> from_striped(list<X> const& x) {
  return x;
}
template <class T, unsigned K>
list<tessera::items<T, K>> from_striped(list<tessera::items<T, K>> const& x) {
  auto out = x;
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (unsigned i = 0; i < K; ++i) {
      std::size_t const number = number_of(x.size(), K, r, i, true);
      out[number / K][static_cast<unsigned>(number % K)] = x[r][i];
    }
  }
  return out;
}
template <class X>
lanes<X> to_striped(lanes<X> const& x) {
  return x;
}
template <class T, unsigned K>
lanes<tessera::items<T, K>> to_striped(lanes<tessera::items<T, K>> const& x) {
  auto out = x;
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (unsigned i = 0; i < K; ++i) {
      std::size_t const number = number_of(x.size(), K, r, i, true);
      (*out[r])[i] = (*x[number / K])[static_cast<unsigned>(number % K)];
    }
  }
  return out;
}

/// load_store.hpp: the range's first elements, and `fill` after its end.
template <unsigned K, class T>
lanes<tessera::items<T, K>> load(unsigned n, list<T> const& x, std::size_t count, T const& fill, bool striped) {
  lanes<tessera::items<T, K>> out;
  for (std::size_t r = 0; r < count; ++r) {
    tessera::items<T, K> own{};
    for (unsigned i = 0; i < K; ++i) {
      std::size_t const number = number_of(n, K, r, i, striped);
      own[i] = number < x.size() ? T(x[number]) : fill;
    }
    out.push_back(own);
  }
  return out;
}

/// load_store.hpp: what is stored: at most n of the tile's values.
template <class X>
auto store(unsigned, list<X> const& x, std::size_t n, bool striped) {
  auto all = in_blocked_order(striped ? from_striped(x) : x);
  all.resize(std::min(all.size(), n));
  return all;
}

}  // namespace oracle::model
