// Merges of random parts, beside a plain loop; the oracle has all sizes, types and policies.
#include <tessera/merge.hpp>
#include <tessera/sort.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"
#include "rearranged.hpp"
#if !TESSERA_CUDA
#include <tessera/block_tile.hpp>
#include <tessera/host/launch.hpp>
#endif

namespace {

using namespace test;

/// Both parts of a lane, of values that are told apart within a class: the class is above bit 16.
template <unsigned K>
struct parts {
  tessera::items<unsigned, K> a, b;
};

struct by_class {
  TESSERA_FN bool operator()(unsigned a, unsigned b) const { return a >> 16 < b >> 16; }
};

/// Random parts, each sorted over its tile. Values of a are even, those of b odd, and both rise within a class.
template <unsigned N, unsigned K>
std::vector<parts<K>> random_parts(unsigned seed, unsigned classes) {
  std::mt19937 random(seed);
  std::vector<parts<K>> x(2 * block_lanes_of(N));
  for (unsigned base = 0; base < x.size(); base += N) {
    for (unsigned odd = 0; odd < 2; ++odd) {
      std::vector<unsigned> all;
      for (unsigned i = 0; i < N * K; ++i) all.push_back(static_cast<unsigned>(random() % classes) << 16);
      std::sort(all.begin(), all.end());
      for (unsigned i = 0; i < N * K; ++i)
        (odd != 0 ? x[base + i / K].b : x[base + i / K].a)[i % K] = all[i] + 2 * i + odd;
    }
  }
  return x;
}

/// Which lane has a position, and as which of its items.
template <bool Striped, unsigned N, unsigned K>
std::pair<unsigned, unsigned> place_of(unsigned position) {
  return Striped ? std::pair{position % N, position / N} : std::pair{position / K, position % K};
}

/// Parts in blocked order as lanes get them.
template <bool Striped, unsigned N, unsigned K>
std::vector<parts<K>> in_order_of(std::vector<parts<K>> const& x) {
  auto out = x;
  for (unsigned i = 0; i < x.size() * K; ++i) {
    unsigned const base = i / (N * K) * N;
    auto const [lane, item] = place_of<Striped, N, K>(i % (N * K));
    out[base + lane].a[item] = x[i / K].a[i % K];
    out[base + lane].b[item] = x[i / K].b[i % K];
  }
  return out;
}

/// What a merge of the first na and nb gives, and the others after it.
template <unsigned N, unsigned K>
std::vector<unsigned> merged(std::vector<parts<K>> const& x, unsigned base, unsigned na, unsigned nb) {
  std::vector<unsigned> a, b, out;
  for (unsigned i = 0; i < N * K; ++i) {
    a.push_back(x[base + i / K].a[i % K]);
    b.push_back(x[base + i / K].b[i % K]);
  }
  auto const end_a = a.begin() + std::min(na, N * K), end_b = b.begin() + std::min(nb, N * K);
  std::merge(a.begin(), end_a, b.begin(), end_b, std::back_inserter(out), by_class{});
  out.insert(out.end(), end_a, a.end());
  out.insert(out.end(), end_b, b.end());
  return out;
}

template <unsigned K>
using merged_items = tessera::items<unsigned, 2 * K>;

using in_stripes = tessera::policy<tessera::choice::striped>;

/// By a user's order, in which nearly all values are equal to others.
template <unsigned K, class Policy = tessera::policy<>>
struct merges_by_class {
  template <class Tile>
  TESSERA_FN merged_items<K> operator()(Tile const& tile, parts<K> x) const {
    if constexpr (K == 1) {
      return tessera::merge(tile, x.a[0], x.b[0], by_class{}, Policy{});
    } else {
      return tessera::merge(tile, x.a, x.b, by_class{}, Policy{});
    }
  }
};
/// By the class as a key, and the rest as a value.
template <unsigned K, class Policy = tessera::policy<>>
struct merges_by_key {
  template <class Tile>
  TESSERA_FN merged_items<K> operator()(Tile const& tile, parts<K> x) const {
    tessera::items<unsigned, K> key_a{}, key_b{};
    for (unsigned i = 0; i < K; ++i) {
      key_a[i] = x.a[i] >> 16;
      key_b[i] = x.b[i] >> 16;
    }
    auto const out = tessera::merge_by_key(tile, key_a, x.a, key_b, x.b, tessera::less{}, Policy{});
    bool right = true;
    for (unsigned i = 0; i < 2 * K; ++i) right = right && out.keys[i] == out.values[i] >> 16;
    return right ? out.values : merged_items<K>{};
  }
};
/// The first of each part.
template <unsigned K, class Policy = tessera::policy<>>
struct merges_some {
  unsigned na, nb;

  template <class Tile>
  TESSERA_FN merged_items<K> operator()(Tile const& tile, parts<K> x) const {
    auto const out = tessera::merge(tile, x.a, na, x.b, nb, by_class{}, Policy{});
    tessera::items<float, K> fa{}, fb{};
    for (unsigned i = 0; i < K; ++i) {
      fa[i] = static_cast<float>(x.a[i] >> 16);
      fb[i] = static_cast<float>(x.b[i] >> 16);
    }
    auto const pairs =
        tessera::merge_by_key(tile, fa, x.a, na, fb, x.b, static_cast<long long>(nb), tessera::less{}, Policy{});
    bool right = true;
    for (unsigned i = 0; i < 2 * K; ++i) right = right && pairs.values[i] == out[i];
    return right ? out : merged_items<K>{};
  }
};

template <unsigned N, unsigned K, bool Striped = false, class Kernel>
void check(Kernel kernel, unsigned classes, unsigned na = ~0u, unsigned nb = ~0u) {
  auto const x = random_parts<N, K>(N + 100 * K, classes);
  auto const got = backend::run<N, merged_items<K>>(in_order_of<Striped, N>(x), kernel);
  for (unsigned base = 0; base < x.size(); base += N) {
    auto const all = merged<N, K>(x, base, na, nb);
    for (unsigned i = 0; i < all.size(); ++i) {
      auto const [lane, item] = place_of<Striped, N, 2 * K>(i);
      ASSERT_EQ(got[base + lane][item], all[i])
          << "N " << N << ", K " << K << ", na " << na << ", nb " << nb << ", position " << i;
    }
  }
}
template <unsigned N, unsigned K>
void check_items() {
  for (unsigned classes : {1u, 5u, 60000u}) {
    check<N, K>(merges_by_class<K>{}, classes);
    check<N, K>(merges_by_key<K>{}, classes);
  }
}
template <unsigned N, unsigned K>
void check_stripes() {
  check<N, K, true>(merges_by_class<K, in_stripes>{}, 5);
  check<N, K, true>(merges_by_key<K, in_stripes>{}, 5);
}
template <unsigned N>
void check_counts() {
  for (unsigned na : {0u, 1u, N, 2 * N - 1, 3 * N, 5000u}) {
    for (unsigned nb : {0u, N + 1, 3 * N}) {
      check<N, 3>(merges_some<3>{na, nb}, 9, na, nb);
      if (nb == N + 1) check<N, 3, true>(merges_some<3, in_stripes>{na, nb}, 9, na, nb);
    }
  }
}

TEST(Merge, RandomParts) {
  SKIP_WITHOUT_BACKEND();
  check_items<1, 1>();
  check_items<1, 5>();
  check_items<2, 2>();
  check_items<8, 1>();
  check_items<8, 3>();
  check_items<32, 4>();
  check_items<64, 1>();
  check_items<64, 3>();
  check_items<256, 2>();
  check_items<1024, 1>();
}
TEST(Merge, StripedOrder) {
  SKIP_WITHOUT_BACKEND();
  check_stripes<1, 1>();
  check_stripes<1, 4>();
  check_stripes<4, 1>();
  check_stripes<8, 3>();
  check_stripes<32, 1>();
  check_stripes<32, 4>();
  check_stripes<64, 3>();
  check_stripes<256, 2>();
}
TEST(Merge, FirstOfEachPart) {
  SKIP_WITHOUT_BACKEND();
  check_counts<1>();
  check_counts<8>();
  check_counts<32>();
  check_counts<128>();
}

/// Of floats −0 is equal to +0, and NaNs come last: those of a first.
struct merges_floats {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    int const rank = static_cast<int>(tile.thread_rank()), last = static_cast<int>(tile.size()) - 1;
    unsigned const nan_of_a = 0x7fc00001, nan_of_b = 0xffc00002, minus_zero = 0x80000000;
    auto const number = [](unsigned bits) { return tessera::detail::from_bits<float>(bits); };
    float const a = number(rank == last ? nan_of_a : minus_zero), b = number(rank == last ? nan_of_b : 0u);
    auto const up = tessera::merge(tile, a, b), down = tessera::merge(tile, a, b, tessera::greater{});
    bool right = true;
    for (unsigned i = 0; i < 2; ++i) {
      int const position = 2 * rank + static_cast<int>(i);
      bool const from_b = position > last ? position != 2 * last : false;  // NaN of a is before that of b
      unsigned const expected = position < last ? minus_zero : position < 2 * last ? 0u : from_b ? nan_of_b : nan_of_a;
      auto const bits = [](float x) { return tessera::detail::from_bits<unsigned>(x); };
      right = right && bits(up[i]) == expected && bits(down[i]) == expected;
    }
    return right ? 1u : 0u;
  }
};
/// No assignment, no default constructor, and no multiple of a word.
struct odd_bytes {
  unsigned char const a, b, c;
  TESSERA_FN explicit odd_bytes(unsigned x)
      : a(static_cast<unsigned char>(x)), b(static_cast<unsigned char>(x >> 8)), c(7) {}
  TESSERA_FN unsigned value() const { return a + 256u * b; }
};
struct merges_structs {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank();
    auto const out = tessera::merge(tile, odd_bytes(2 * rank), odd_bytes(2 * rank + 1),
                                    [](odd_bytes const& x, odd_bytes const& y) { return x.value() < y.value(); });
    return out[0].value() == 2 * rank && out[1].value() == 2 * rank + 1 && out[1].c == 7 ? 1u : 0u;
  }
};
TEST(Merge, Floats) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 16, 32, 64>(merges_floats{});
}
TEST(Merge, Structs) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 4, 32, 128>(merges_structs{});
}

#if !TESSERA_CUDA
/// A network that merges all parts of zeros and ones merges everything: each count of ones in either part.
template <unsigned N, unsigned K>
void check_zeros_and_ones() {
  for (unsigned ones_a = 0; ones_a <= N * K; ++ones_a) {
    for (unsigned ones_b = 0; ones_b <= N * K; ++ones_b) {
      auto const got = tessera::host::launch_tile<N>([&](tessera::host::tile<N> tile) {
        tessera::items<bool, K> a{}, b{};
        for (unsigned i = 0; i < K; ++i) {
          a[i] = tile.thread_rank() * K + i >= N * K - ones_a;
          b[i] = tile.thread_rank() * K + i >= N * K - ones_b;
        }
        return tessera::merge(tile, a, b);
      });
      for (unsigned i = 0; i < 2 * N * K; ++i)
        ASSERT_EQ(got[i / (2 * K)][i % (2 * K)], i >= 2 * N * K - ones_a - ones_b)
            << "N " << N << ", K " << K << ", ones " << ones_a << " and " << ones_b;
    }
  }
}
TEST(Merge, AllPartsOfZerosAndOnes) {
  check_zeros_and_ones<1, 7>();
  check_zeros_and_ones<2, 5>();
  check_zeros_and_ones<4, 3>();
  check_zeros_and_ones<8, 2>();
  check_zeros_and_ones<16, 1>();
}
/// A padded tile whose last lanes are missing.
TEST(Merge, PaddedTiles) {
  for (unsigned threads : {1u, 31u, 33u, 64u, 100u, 128u}) {
    auto const got = tessera::host::launch_block(threads, [&](tessera::host::block block) {
      auto const tile = tessera::padded_block_tile<128>(block);
      unsigned const rank = block.thread_rank();
      return tessera::merge(tile, tessera::items<unsigned, 2>{{4 * rank, 4 * rank + 2}},
                            tessera::items<unsigned, 2>{{4 * rank + 1, 4 * rank + 3}});
    });
    for (unsigned i = 0; i < 4 * threads; ++i) ASSERT_EQ(got[i / 4][i % 4], i) << threads;
  }
}
#endif

}  // namespace
