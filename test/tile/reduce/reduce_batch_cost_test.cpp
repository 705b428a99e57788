// The number of shuffles of reduce_batch, for every tile size and numbers of items up to 64: all of them, or where
// there is no GPU some. A group that only counts words counts them.
#include <tessera/reduce_batch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace {

using tessera::items;

/// A group of N lanes, as lane 0 sees it. Its exchanges return the lane's own value and count words.
template <unsigned N>
struct counting_lanes {
  static constexpr unsigned size = N;
  unsigned* words;

  unsigned rank() const { return 0; }
  template <class T>
  T shuffle_xor(T x, unsigned) const {
    *words += tessera::detail::word_count<T>;
    return x;
  }
  template <class T>
  T shuffle(T x, unsigned) const {
    *words += tessera::detail::word_count<T>;
    return x;
  }
};

template <class Policy, class T, unsigned N, unsigned K>
unsigned counted(Policy) {
  unsigned words = 0;
  tessera::detail::reduce_batch_lanes<Policy>(counting_lanes<N>{&words}, items<T, K>{}, tessera::plus{});
  return words;
}

/// ⌈K/2⌉ + ⌈K/4⌉ + … + ⌈K/N⌉.
unsigned halvings(unsigned N, unsigned K) {
  unsigned total = 0;
  for (unsigned part = 2; part <= N; part *= 2) total += (K + part - 1) / part;
  return total;
}

void expect_counts(unsigned N, unsigned K, unsigned scattered, unsigned to_all) {
  EXPECT_EQ(scattered, halvings(N, K)) << "N " << N << ", K " << K;
  if (K == N) {
    EXPECT_EQ(scattered, K - 1) << "N " << N;
  }

  unsigned log2 = 0;
  while (1u << log2 < N) ++log2;
  EXPECT_EQ(to_all, std::min(K * log2, halvings(N, K) + K)) << "N " << N << ", K " << K;
}

template <unsigned N, unsigned... K>
void check_size(std::integer_sequence<unsigned, K...>) {
  (expect_counts(N, K, counted<decltype(tessera::scattered), float, N, K>(tessera::scattered),
                 counted<tessera::policy<>, float, N, K>({})),
   ...);
}

// Around the powers of two and halfway between them: every remainder of the halvings.
using counts = std::integer_sequence<unsigned, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64>;

TEST(ReduceBatchCost, ItemsOfOneWord) {
  check_size<1>(counts{});
  check_size<2>(counts{});
  check_size<4>(counts{});
  check_size<8>(counts{});
  check_size<16>(counts{});
  check_size<32>(counts{});
  check_size<64>(counts{});
}

TEST(ReduceBatchCost, SmallerItemsShareWords) {
  EXPECT_EQ((counted<decltype(tessera::scattered), short, 32, 32>({})), 8u + 4 + 2 + 1 + 1);
  EXPECT_EQ((counted<decltype(tessera::scattered), signed char, 8, 8>({})), 1u + 1 + 1);
  EXPECT_EQ((counted<tessera::policy<>, signed char, 8, 8>({})), 2u + 2 + 2);
}

TEST(ReduceBatchCost, WiderItems) {
  EXPECT_EQ((counted<decltype(tessera::scattered), double, 32, 32>({})), 62u);
}

}  // namespace
