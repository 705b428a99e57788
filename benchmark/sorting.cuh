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

/// The order that CUB's merge sorts are given.
struct plain_less {
  template <class T>
  __device__ bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

}  // namespace bench
