// Sorts of a tile: the subject of a chain.
#pragma once

#include "methods.cuh"

#include <tessera/sort.hpp>

#include <algorithm>
#include <vector>

namespace bench {

/// The value is a lane's K keys in blocked order. Each is scrambled between two sorts, by one multiply-add.
template <class T, unsigned K>
struct sorting : plain_subject<unsigned> {
  using value = tessera::items<T, K>;

  static unsigned weight(unsigned /*rank*/, unsigned /*width*/) { return 2654435761u; }
  BENCH_FN static T key_of(unsigned word) {
    if constexpr (std::is_same_v<T, float>) {
      return tessera::detail::from_bits<float>(word & 0x7effffffu);  // no NaN and no infinity
    } else {
      return word;
    }
  }
  BENCH_FN static unsigned word_of(T const& key) { return tessera::detail::from_bits<unsigned>(key); }

  BENCH_FN static value start(unsigned own) {
    value x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = key_of(update(own, i + 1, own));
    return x;
  }
  BENCH_FN static value alone(value x) {
    touch(x);
    return x;
  }
  BENCH_FN static value next(value const&, value x, unsigned weight, unsigned own) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = key_of(update(word_of(x[i]), weight, own));
    return x;
  }
  template <std::size_t N>
  static std::array<value, N> expected(std::array<value, N> const& x) {
    std::vector<T> all;
    for (value const& lane : x) all.insert(all.end(), lane.begin(), lane.end());
    std::sort(all.begin(), all.end());
    std::array<value, N> result;
    for (std::size_t i = 0; i < all.size(); ++i) result[i / K][i % K] = all[i];
    return result;
  }
};

/// A lane's K keys and their values.
template <unsigned K>
struct key_value_row {
  tessera::items<unsigned, K> keys, values;
};
template <unsigned K>
bool agree(key_value_row<K> const& a, key_value_row<K> const& b) {
  return agree(a.keys, b.keys) && agree(a.values, b.values);
}

/// The same of keys with values. The value of a key is its complement, so that the order of equal keys can't be seen, and the next
/// key is made of both.
template <unsigned K>
struct sorting_pairs : plain_subject<unsigned> {
  using value = key_value_row<K>;

  static unsigned weight(unsigned /*rank*/, unsigned /*width*/) { return 2654435761u; }
  BENCH_FN static value start(unsigned own) {
    value x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      x.keys[i] = update(own, i + 1, own);
      x.values[i] = ~x.keys[i];
    }
    return x;
  }
  BENCH_FN static value alone(value x) {
    touch(x.keys);
    touch(x.values);
    return x;
  }
  BENCH_FN static value next(value const&, value x, unsigned weight, unsigned own) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      x.keys[i] = update(x.keys[i] ^ x.values[i] / 2, weight, own);
      x.values[i] = ~x.keys[i];
    }
    return x;
  }
  template <std::size_t N>
  static std::array<value, N> expected(std::array<value, N> const& x) {
    std::vector<unsigned> all;
    for (value const& lane : x) all.insert(all.end(), lane.keys.begin(), lane.keys.end());
    std::sort(all.begin(), all.end());
    std::array<value, N> result;
    for (std::size_t i = 0; i < all.size(); ++i) {
      result[i / K].keys[i % K] = all[i];
      result[i / K].values[i % K] = ~all[i];
    }
    return result;
  }
};

/// The order that CUB's merge sorts are given.
struct plain_less {
  template <class T>
  __device__ bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

}  // namespace bench
