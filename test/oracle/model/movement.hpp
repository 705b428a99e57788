// Shuffles between lanes, and conversion of items between blocked and striped order.
#pragma once

#include "tile.hpp"

#include <tessera/core/items.hpp>

namespace oracle::model {

/// lanes.hpp: x of lane source[r].
template <class X>
lanes<X> shuffle(unsigned, list<X> const& x, list<unsigned> const& source) {
  lanes<X> out;
  for (std::size_t r = 0; r < x.size(); ++r) out.push_back(x[source[r]]);
  return out;
}

/// lanes.hpp: x of lane `source`, in all lanes.
template <class X>
lanes<X> broadcast(unsigned, list<X> const& x, unsigned source = 0) {
  return lanes<X>(x.size(), x[source]);
}

/// lanes.hpp: x of lane rank − delta, or fill[r] if no such lane exists; without fill, the lane's own x.
template <class X>
lanes<X> shift_up(unsigned, list<X> const& x, unsigned delta, list<X> const& fill) {
  lanes<X> out;
  for (std::size_t r = 0; r < x.size(); ++r) out.push_back(r >= delta ? x[r - delta] : fill[r]);
  return out;
}
template <class X>
lanes<X> shift_up(unsigned n, list<X> const& x, unsigned delta) {
  return shift_up(n, x, delta, x);
}

/// lanes.hpp: x of lane rank + delta, or fill[r] if no such lane exists; without fill, the lane's own x.
template <class X>
lanes<X> shift_down(unsigned, list<X> const& x, unsigned delta, list<X> const& fill) {
  lanes<X> out;
  for (std::size_t r = 0; r < x.size(); ++r) out.push_back(delta < x.size() - r ? x[r + delta] : fill[r]);
  return out;
}
template <class X>
lanes<X> shift_down(unsigned n, list<X> const& x, unsigned delta) {
  return shift_down(n, x, delta, x);
}

/// lanes.hpp: x of lane (rank + offset) mod N.
template <class X>
lanes<X> rotate(unsigned n, list<X> const& x, int offset) {
  long long const size = n;
  lanes<X> out;
  for (long long r = 0; r < size; ++r) out.push_back(x[((r + offset) % size + size) % size]);
  return out;
}

/// lanes.hpp: x of lane N − 1 − rank; items are reversed, too.
template <class X>
X reverse_of(X const& x) {
  return x;
}
template <class T, unsigned K>
tessera::items<T, K> reverse_of(tessera::items<T, K> const& x) {
  tessera::items<T, K> out{};
  for (unsigned i = 0; i < K; ++i) out[i] = x[K - 1 - i];
  return out;
}
template <class X>
lanes<X> reverse(unsigned n, list<X> const& x) {
  lanes<X> out;
  for (unsigned r = 0; r < n; ++r) {
    X const from = x[n - 1 - r];
    out.push_back(reverse_of(from));
  }
  return out;
}

/// lanes.hpp: x of lane rank ^ mask.
template <class X>
lanes<X> butterfly(unsigned n, list<X> const& x, unsigned mask) {
  lanes<X> out;
  for (unsigned r = 0; r < n; ++r) out.push_back(x[r ^ mask]);
  return out;
}

/// lanes.hpp: for each pair of lanes rank and rank ^ mask, item i of the lower lane and item j of the upper
/// lane are swapped.
template <class T, unsigned K>
lanes<tessera::items<T, K>> exchange_items(unsigned n, list<tessera::items<T, K>> x, unsigned mask, unsigned i,
                                           unsigned j) {
  for (unsigned lower = 0; lower < n; ++lower) {
    unsigned const upper = lower ^ mask;
    if (lower >= upper) continue;
    T const kept = x[lower][i];
    x[lower][i] = x[upper][j];
    x[upper][j] = kept;
  }
  return lanes<tessera::items<T, K>>(x.begin(), x.end());
}

/// transpose.hpp: lane r gets the items with numbers r · K … r · K + K − 1, where item i of lane l has the
/// number i · N + l.
template <class T, unsigned K>
lanes<tessera::items<T, K>> striped_to_blocked(unsigned n, list<tessera::items<T, K>> const& x) {
  lanes<tessera::items<T, K>> out;
  for (unsigned r = 0; r < n; ++r) {
    tessera::items<T, K> own{};
    for (unsigned i = 0; i < K; ++i) {
      unsigned const number = r * K + i;
      own[i] = x[number % n][number / n];
    }
    out.push_back(own);
  }
  return out;
}

/// transpose.hpp: lane l gets the items with numbers l, N + l, 2 · N + l, …, where item k of lane r has the
/// number r · K + k.
template <class T, unsigned K>
lanes<tessera::items<T, K>> blocked_to_striped(unsigned n, list<tessera::items<T, K>> const& x) {
  lanes<tessera::items<T, K>> out;
  for (unsigned r = 0; r < n; ++r) {
    tessera::items<T, K> own{};
    for (unsigned i = 0; i < K; ++i) {
      unsigned const number = i * n + r;
      own[i] = x[number / K][number % K];
    }
    out.push_back(own);
  }
  return out;
}

/// transpose.hpp: the transpose of the N × K matrix of which each lane has a row. Row l and column c of the
/// matrix become number c · N + l of the result, which has its rows one after the other in blocked order.
template <class T, unsigned K>
lanes<tessera::items<T, K>> transpose(unsigned n, list<tessera::items<T, K>> const& x) {
  list<tessera::items<T, K>> out(n);
  for (unsigned l = 0; l < n; ++l)
    for (unsigned c = 0; c < K; ++c) {
      unsigned const number = c * n + l;
      out[number / K][number % K] = x[l][c];
    }
  return lanes<tessera::items<T, K>>(out.begin(), out.end());
}

}  // namespace oracle::model
