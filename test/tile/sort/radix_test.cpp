// radix_rank of random digits, beside a stable sort; the oracle has all sizes, types and policies.
#include <tessera/partition.hpp>
#include <tessera/radix.hpp>

#include <gtest/gtest.h>

#include "backend.hpp"
#include "rearranged.hpp"

namespace {

using namespace test;

/// What the kernel returns for each lane: its ranks, and item `s` of its bins.
template <unsigned K>
struct ranked {
  tessera::items<unsigned, K> rank;
  unsigned begin, count;
};

TESSERA_FN unsigned bin_of(unsigned bins, unsigned) {
  return bins;
}
template <unsigned S>
TESSERA_FN unsigned bin_of(tessera::items<unsigned, S> const& bins, unsigned s) {
  unsigned found = 0;
  for (unsigned i = 0; i < S; ++i) found = i == s ? bins[i] : found;
  return found;
}

template <unsigned Bits, unsigned K>
struct ranks_digits {
  unsigned n, s;

  template <class Tile>
  TESSERA_FN ranked<K> operator()(Tile const& tile, tessera::items<unsigned, K> x) const {
    if constexpr (K == 1) {
      auto const [rank, begin, count] = tessera::radix_rank<Bits>(tile, x[0], tessera::first(n));
      return {{{rank}}, bin_of(begin, s), bin_of(count, s)};
    } else {
      auto const [rank, begin, count] = tessera::radix_rank<Bits>(tile, x, tessera::first(n));
      return {rank, bin_of(begin, s), bin_of(count, s)};
    }
  }
};

/// Digits of Bits bits, above which there are more.
template <unsigned N, unsigned Bits, unsigned K>
void check_ranks(unsigned n) {
  constexpr unsigned bins = 1u << Bits, slots = bins <= N ? 1 : bins / N;
  auto const x = random_items<K>(2 * block_lanes_of(N), N + K + n, 4 * bins);
  for (unsigned s : {0u, slots - 1}) {
    auto const got = backend::run<N, ranked<K>>(x, ranks_digits<Bits, K>{n, s});
    for (unsigned base = 0; base < x.size(); base += N) {
      auto const all = values_of_tile<N>(x, base);
      auto const position = stable_positions(all, n, [](unsigned y) { return y % bins; });
      for (unsigned i = 0; i < all.size(); ++i)
        ASSERT_EQ(got[base + i / K].rank[i % K], position[i])
            << "N " << N << ", " << Bits << " bits, K " << K << ", n " << n << ", position " << i;
      for (unsigned r = 0; r < N; ++r) {
        unsigned const bin = s * N + r;
        unsigned lower = 0, same = 0;
        for (unsigned i = 0; i < all.size() && i < n && bin < bins; ++i) {
          lower += all[i] % bins < bin ? 1u : 0u;
          same += all[i] % bins == bin ? 1u : 0u;
        }
        ASSERT_EQ(got[base + r].begin, lower) << "N " << N << ", " << Bits << " bits, bin " << bin;
        ASSERT_EQ(got[base + r].count, same) << "N " << N << ", " << Bits << " bits, bin " << bin;
      }
    }
  }
}
template <unsigned N>
void check_size() {
  for (unsigned n : {0u, N - 1, 5000u}) {
    check_ranks<N, 1, 1>(n);
    check_ranks<N, 4, 3>(n);
    check_ranks<N, 5, 1>(n);
    check_ranks<N, 8, 2>(n);
  }
}
TEST(RadixRank, RandomDigits) {
  SKIP_WITHOUT_BACKEND();
  check_size<2>();
  check_size<8>();
  check_size<32>();
  check_size<64>();
  check_size<256>();
  check_ranks<1, 3, 2>(5000);
  check_ranks<512, 7, 1>(5000);
}

/// A sort of 16 bits by four passes.
struct sorts_by_passes {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    for (unsigned bit = 0; bit < 16; bit += 4)
      x = tessera::scatter(tile, x, tessera::radix_rank<4>(tile, x >> bit).rank);
    return x;
  }
};
template <unsigned N>
void check_sort() {
  auto const in = random_items<1>(block_lanes_of(N), N, 1u << 16);
  std::vector<unsigned> x;
  for (auto const& lane : in) x.push_back(lane[0]);
  auto const got = backend::run<N, unsigned>(x, sorts_by_passes{});
  for (unsigned base = 0; base < x.size(); base += N) std::sort(x.begin() + base, x.begin() + base + N);
  ASSERT_EQ(got, x) << "N " << N;
}
TEST(RadixRank, SortsByPasses) {
  SKIP_WITHOUT_BACKEND();
  check_sort<4>();
  check_sort<32>();
  check_sort<128>();
}

}  // namespace
