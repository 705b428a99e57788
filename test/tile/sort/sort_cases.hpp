// Sorts and selections of random rows, compared with std::stable_sort.
#pragma once

#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../oracle/halves.hpp"
#include "backend.hpp"

namespace test::sorts {

using tessera::items;

template <class T>
using bits_t =
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
template <class T>
TESSERA_FN bits_t<T> bits_of(T x) {
  return tessera::detail::from_bits<bits_t<T>>(x);
}

/// An order with eight classes, so that nearly all values are equal to others.
struct by_high_bits {
  template <class T>
  TESSERA_FN bool operator()(T a, T b) const {
    constexpr unsigned shift = 8 * sizeof(T) - 3;
    return bits_of(a) >> shift < bits_of(b) >> shift;
  }
};

/// Whether a comes before b, without the library: of floats NaNs come last.
template <class Before, class T>
bool comes_before(T a, T b) {
  if constexpr (std::is_same_v<Before, by_high_bits>) {
    return by_high_bits{}(a, b);
  } else {
    using number = std::conditional_t<oracle::is_half<T>, float, T>;
    number const x = static_cast<number>(a), y = static_cast<number>(b);
    if (x != x || y != y) return x == x;
    return std::is_same_v<Before, tessera::greater> ? y < x : x < y;
  }
}
template <class Before, class T>
bool are_equal(T a, T b) {
  return !comes_before<Before>(a, b) && !comes_before<Before>(b, a);
}

/// Which values are drawn: any bits; few values, among them NaNs, both zeros and infinities; values that differ in low bits only.
enum class values { any, few, near };

template <class T>
T draw(std::mt19937_64& random, values which) {
  auto const drawn = random();
  auto bits = static_cast<bits_t<T>>(drawn >> 8);
  if (which == values::near) bits = static_cast<bits_t<T>>(bits % 64 + (bits_t<T>{1} << (8 * sizeof(T) - 3)));
  if (which == values::few && std::is_integral_v<T>) bits = static_cast<bits_t<T>>(bits % 5);
  T x = tessera::detail::from_bits<T>(bits);
  if constexpr (!std::is_integral_v<T>) {
    float const nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    float const few[] = {nan, 0.0f, -0.0f, inf, -inf, 1.0f, -1.0f};
    if (which == values::few) x = T(few[drawn % 7]);
    if (which == values::few && drawn % 7 == 0 && drawn / 7 % 2 == 0)  // a NaN with a sign
      x = tessera::detail::from_bits<T>(static_cast<bits_t<T>>(~bits_t<T>{0}));
  }
  return x;
}

enum class call { sort, stable_sort, sort_by_key, stable_sort_by_key, top_k };

/// The values that a lane gets; by key, these are its keys, and the positions that they had.
template <class T, unsigned K>
struct ordered_row {
  items<T, K> x;
  items<unsigned, K> position;
};

/// Orders a tile's values by one call. `Whole`: all of them take part, otherwise the first n.
template <call Call, class Before, bool Whole>
struct orders {
  unsigned n;

  template <unsigned All, unsigned K>
  static constexpr unsigned count = Call != call::top_k ? K
                                    : All < 8           ? All
                                                        : 8;

  template <class Tile, class T, unsigned K>
  TESSERA_FN auto operator()(Tile const& tile, items<T, K> const& x) const {
    if constexpr (Whole) {
      return of(tile, x, tessera::isolated);
    } else {
      return of(tile, x, tessera::isolated | tessera::first(n));
    }
  }

 private:
  template <class Tile, class T, unsigned K, class Policy>
  TESSERA_FN static auto of(Tile const& tile, items<T, K> const& x, Policy policy) {
    constexpr unsigned taken = count<tessera::tile_size_v<Tile> * K, K>;
    Before const before{};
    items<unsigned, K> position{};
    for (unsigned i = 0; i < K; ++i) position[i] = tile.thread_rank() * K + i;
    if constexpr (Call == call::sort) {
      return ordered_row<T, K>{tessera::sort(tile, x, before, policy), position};
    } else if constexpr (Call == call::stable_sort) {
      return ordered_row<T, K>{tessera::stable_sort(tile, x, before, policy), position};
    } else if constexpr (Call == call::top_k) {
      return ordered_row<T, taken>{tessera::top_k<taken>(tile, x, before, policy), {}};
    } else if constexpr (Call == call::sort_by_key) {
      auto const pairs = tessera::sort_by_key(tile, x, position, before, policy);
      return ordered_row<T, K>{pairs.keys, pairs.values};
    } else {
      auto const pairs = tessera::stable_sort_by_key(tile, x, position, before, policy);
      return ordered_row<T, K>{pairs.keys, pairs.values};
    }
  }
};

/// Compares what a tile's lanes got with its values, of which n took part.
template <call Call, class Before, unsigned N, unsigned K, class T, unsigned Count>
void check_tile(items<T, K> const* x, ordered_row<T, Count> const* got, unsigned n) {
  constexpr bool by_key = Call == call::sort_by_key || Call == call::stable_sort_by_key;
  constexpr bool stable = Call == call::stable_sort || Call == call::stable_sort_by_key;
  auto const value = [&](unsigned position) { return x[position / K][position % K]; };
  std::vector<unsigned> order(N * K);
  for (unsigned i = 0; i < N * K; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.begin() + n,
                   [&](unsigned a, unsigned b) { return comes_before<Before>(value(a), value(b)); });
  if constexpr (Call == call::top_k) {
    for (unsigned r = 0; r < N; ++r) {
      for (unsigned i = 0; i < Count && i < n; ++i) {
        T const one = got[r].x[i], expected = value(order[i]);
        bool const same =
            std::is_same_v<Before, by_high_bits> ? bits_of(one) == bits_of(expected) : are_equal<Before>(one, expected);
        ASSERT_TRUE(same) << "rank " << r << ", number " << i;
      }
    }
  } else {
    std::vector<bits_t<T>> was, is;
    std::vector<bool> found(N * K);
    for (unsigned at = 0; at < N * K; ++at) {
      T const one = got[at / K].x[at % K], expected = value(order[at]);
      unsigned const from = got[at / K].position[at % K];
      if (stable || at >= n) {
        ASSERT_EQ(bits_of(one), bits_of(expected)) << "position " << at;
        if (by_key) {
          ASSERT_EQ(from, order[at]) << "position " << at;
        }
      }
      ASSERT_TRUE(are_equal<Before>(one, expected)) << "position " << at;
      if (by_key) {
        ASSERT_LT(from, N * K) << "position " << at;
        ASSERT_FALSE(found[from]) << "position " << at;
        found[from] = true;
        ASSERT_EQ(bits_of(one), bits_of(value(from))) << "position " << at;
      }
      was.push_back(bits_of(expected));
      is.push_back(bits_of(one));
    }
    std::sort(was.begin(), was.end());
    std::sort(is.begin(), is.end());
    ASSERT_EQ(was, is);
  }
}

template <class T, unsigned N, unsigned K, call Call, class Before, bool Whole>
void check_rows(values which, unsigned n) {
  using kernel = orders<Call, Before, Whole>;
  constexpr unsigned count = kernel::template count<N * K, K>;
  std::mt19937_64 random(N + 100 * K);
  std::vector<items<T, K>> x(block_lanes_of(N));
  for (auto& row : x)
    for (T& value : row) value = draw<T>(random, which);
  auto const got = backend::run<N, ordered_row<T, count>>(x, kernel{n});
  for (unsigned base = 0; base < x.size(); base += N) {
    check_tile<Call, Before, N, K>(&x[base], &got[base], n);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "N " << N << ", K " << K << ", n " << n << ", call "
                                                   << static_cast<int>(Call) << ", values " << static_cast<int>(which);
  }
}

/// A call on all values of tiles, and on some of them.
template <class T, unsigned N, unsigned K, call Call, class Before>
void check_whole() {
  for (values which : {values::any, values::few, values::near}) check_rows<T, N, K, Call, Before, true>(which, N * K);
}
template <class T, unsigned N, unsigned K, call Call, class Before>
void check_parts() {
  for (values which : {values::any, values::few})
    for (unsigned n : {0u, 1u, N * K - 1, N * K}) check_rows<T, N, K, Call, Before, false>(which, n);
}

}  // namespace test::sorts
