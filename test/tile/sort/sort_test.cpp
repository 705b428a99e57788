// Sorts of known values, and the networks by the zero-one principle; the oracle has all sizes, types and policies.
#include <tessera/is_sorted.hpp>
#include <tessera/sort.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

TESSERA_FN unsigned scrambled(unsigned i) {
  return i * 2654435761u ^ i >> 3;
}

/// Sorts the ranks from their images, which differ, and finds each rank's image where its order says.
struct finds_each_rank {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const mine = scrambled(tile.thread_rank());
    auto const sorted = tessera::sort_by_key(tile, mine, tile.thread_rank());
    bool const in_order = tessera::is_sorted(tile, sorted.keys);
    return in_order && scrambled(sorted.values) == sorted.keys ? 1u : 0u;
  }
};
/// Items that fall with their position rise afterwards; the last of first(n) is the first that stays.
struct reverses_items {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned K = 3;
    unsigned const all = tile.size() * K, n = all - 1;
    tessera::items<int, K> x;
    for (unsigned i = 0; i < K; ++i) x[i] = static_cast<int>(all - (tile.thread_rank() * K + i));
    auto const whole = tessera::sort(tile, x);
    auto const part = tessera::sort(tile, x, tessera::less{}, tessera::first(n));
    bool right = true;
    for (unsigned i = 0; i < K; ++i) {
      unsigned const position = tile.thread_rank() * K + i;
      right = right && whole[i] == static_cast<int>(position + 1);
      right = right && part[i] == static_cast<int>(position == n ? 1 : position + 2);
    }
    return right ? 1u : 0u;
  }
};
/// Items come and go in striped order: alone, with values, and those of first(n).
template <unsigned K>
struct sorts_striped {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const all = tile.size() * K, n = all - all / 3;
    tessera::items<unsigned, K> x{}, number{};
    for (unsigned i = 0; i < K; ++i) {
      number[i] = i * tile.size() + tile.thread_rank();
      x[i] = scrambled(number[i]) % 8;
    }
    auto const sorted = tessera::sort(tile, x, tessera::less{}, tessera::striped);
    auto const pairs = tessera::stable_sort_by_key(tile, x, number, tessera::less{}, tessera::striped);
    auto const some =
        tessera::stable_sort_by_key(tile, x, number, tessera::less{}, tessera::striped | tessera::first(n));
    bool right = true;
    for (unsigned i = 0; i < K; ++i) {
      right = right && sorted[i] == pairs.keys[i] && pairs.keys[i] == scrambled(pairs.values[i]) % 8;
      unsigned before = 0, before_of_some = 0;  // how many come before what is at this position
      for (unsigned other = 0; other < all; ++other) {
        auto const comes_before = [&](unsigned key, unsigned value) {
          unsigned const theirs = scrambled(other) % 8;
          return theirs < key || (theirs == key && other < value) ? 1u : 0u;
        };
        before += comes_before(pairs.keys[i], pairs.values[i]);
        before_of_some += other < n ? comes_before(some.keys[i], some.values[i]) : 0;
      }
      right = right && before == number[i];
      right = right && (number[i] < n ? before_of_some == number[i] : some.values[i] == number[i]);
    }
    return right ? 1u : 0u;
  }
};
/// −0 and +0 are equal, NaNs come last under either order, and equal values keep their order.
struct keeps_floats_stable {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank(), size = tile.size();
    float const zero = rank % 2 == 0 ? -0.0f : 0.0f;
    float const x = rank + 1 == size ? -__builtin_nanf("") : zero;
    float const up = tessera::stable_sort(tile, x), down = tessera::stable_sort(tile, x, tessera::greater{});
    auto const same = [](float a, float b) {
      return tessera::detail::from_bits<unsigned>(a) == tessera::detail::from_bits<unsigned>(b);
    };
    return same(up, x) && same(down, x) ? 1u : 0u;
  }
};
/// An order with few classes, which are told apart by the values.
struct keeps_classes_stable {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank(), x = scrambled(rank) % 4 << 16 | rank;
    unsigned const sorted = tessera::stable_sort(tile, x, [](unsigned a, unsigned b) { return a >> 16 < b >> 16; });
    return tessera::is_sorted(tile, sorted) ? 1u : 0u;  // the ranks rise within each class
  }
};

template <class Kernel>
void check_sizes(Kernel kernel) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 8, 32, 64, 256>(kernel);
}

TEST(Sort, ByKey) {
  check_sizes(finds_each_rank{});
}
TEST(Sort, Items) {
  check_sizes(reverses_items{});
}
TEST(Sort, StripedItems) {
  check_sizes(sorts_striped<1>{});
  check_sizes(sorts_striped<3>{});
  check_sizes(sorts_striped<4>{});
}
TEST(Sort, StableFloats) {
  check_sizes(keeps_floats_stable{});
}
TEST(Sort, StableClasses) {
  check_sizes(keeps_classes_stable{});
}

#if !TESSERA_CUDA
/// A network that sorts all inputs of zeros and ones sorts everything.
template <class Network, unsigned K>
void check_network(std::vector<unsigned> const& inputs) {
  constexpr auto list = Network::pairs();
  for (unsigned const input : inputs) {
    unsigned x = input;
    for (unsigned i = 0; i < list.count; ++i) {
      unsigned const low = 1u << list.of[i].low, high = 1u << list.of[i].high;
      ASSERT_LT(low, high);
      if ((x & low) != 0 && (x & high) == 0) x ^= low | high;
    }
    unsigned const ones = static_cast<unsigned>(__builtin_popcount(input));
    ASSERT_EQ(x, ((1u << ones) - 1) << (K - ones)) << "K " << K << ", input " << input;
  }
}
template <unsigned K>
void check_odd_even_sort() {
  std::vector<unsigned> all(1u << K);
  for (unsigned i = 0; i < all.size(); ++i) all[i] = i;
  check_network<tessera::detail::odd_even_sort<K>, K>(all);
}
template <unsigned... K>
void check_odd_even_sorts(std::integer_sequence<unsigned, K...>) {
  (check_odd_even_sort<K + 1>(), ...);
}
TEST(Sort, NetworksOfUpTo20ByTheZeroOnePrinciple) {
  check_odd_even_sorts(std::make_integer_sequence<unsigned, 20>{});
}

/// Runs of ones on a circle of K.
template <unsigned K>
void check_bitonic_merge() {
  std::vector<unsigned> all;
  for (unsigned ones = 0; ones <= K; ++ones) {
    for (unsigned from = 0; from < K; ++from) {
      unsigned x = 0;
      for (unsigned i = 0; i < ones; ++i) x |= 1u << (from + i) % K;
      all.push_back(x);
    }
  }
  check_network<tessera::detail::bitonic_merge<K>, K>(all);
}
TEST(Sort, BitonicMergesByTheZeroOnePrinciple) {
  check_bitonic_merge<1>();
  check_bitonic_merge<2>();
  check_bitonic_merge<4>();
  check_bitonic_merge<8>();
  check_bitonic_merge<16>();
}

/// Numbers in the order of their keys, which give the numbers back.
template <class T, bool Falling>
void check_keys(std::vector<T> const& rising_or_falling) {
  for (std::size_t i = 0; i < rising_or_falling.size(); ++i) {
    T const x = rising_or_falling[i];
    T const back = tessera::detail::number_of_sort_key<Falling, T>(tessera::detail::sort_key_of<Falling>(x));
    ASSERT_EQ(std::memcmp(&back, &x, sizeof x), 0) << i;
    if (i > 0) {
      ASSERT_LT(tessera::detail::sort_key_of<Falling>(rising_or_falling[i - 1]),
                tessera::detail::sort_key_of<Falling>(x))
          << i;
    }
  }
}
TEST(Sort, KeysOfNumbers) {
  float const inf = __builtin_inff(), nan = __builtin_nanf("");
  check_keys<float, false>({-inf, -3e38f, -1.0f, -1e-45f, -0.0f, 0.0f, 1e-45f, 2.0f, 3e38f, inf, nan});
  check_keys<float, false>({-inf, inf, -nan});
  check_keys<float, true>({inf, 3e38f, 1.0f, 0.0f, -0.0f, -1.0f, -inf, -nan});
  check_keys<double, false>({-static_cast<double>(inf), -1.0, -0.0, 0.0, 1.0, static_cast<double>(nan)});
  check_keys<signed char, false>({-128, -1, 0, 1, 127});
  check_keys<signed char, true>({127, 1, 0, -1, -128});
  check_keys<long long, false>({-(1ll << 62), -1, 0, 1ll << 40});
  check_keys<unsigned, true>({~0u, 1u << 31, 1, 0});
  check_keys<bool, false>({false, true});
}
#endif

}  // namespace
