// Ranges of every alignment and length, loaded in both orders and stored again; the oracle has types and sequences of calls.
#include <tessera/load_store.hpp>

#include <gtest/gtest.h>

#include <numeric>

#include "joint_cases.hpp"
#if !TESSERA_CUDA
#include <tessera/block_tile.hpp>
#include <tessera/host/launch.hpp>
#endif

namespace {

using namespace test;

/// An element of any size, which knows its number. Of bytes it lies at any address.
template <class Word, unsigned Words>
struct element {
  Word word[Words];

  TESSERA_FN static element numbered(unsigned n) {
    element x{};
    for (unsigned i = 0; i < Words; ++i) x.word[i] = static_cast<Word>(n * 31 + i * 7 + 1);
    return x;
  }
  TESSERA_FN friend bool operator==(element const& a, element const& b) {
    bool same = true;
    for (unsigned i = 0; i < Words; ++i) same = same && a.word[i] == b.word[i];
    return same;
  }
};

/// Loads the first n elements, and compares them with their numbers; then stores them to the tile's own range.
template <class T, unsigned K, class Order>
struct loads_and_stores {
  T const* from;
  T* to;
  unsigned n, stride;
  Order order;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    constexpr bool striped = std::is_same_v<Order, tessera::policy<tessera::choice::striped>>;
    unsigned const N = tile.size(), rank = tile.thread_rank();
    auto const none = T::numbered(9999);
    auto const x = tessera::load<K>(tile, from, n, none, order);
    auto const y = tessera::load<K>(tile, from, static_cast<long long>(n), order);
    bool right = true;
    for (unsigned i = 0; i < K; ++i) {
      unsigned const number = striped ? i * N + rank : rank * K + i;
      right = right && x[i] == (number < n ? T::numbered(number) : none);
      right = right && y[i] == (number < n ? T::numbered(number) : T{});
    }
    tessera::store(tile, x, to + lane / N * stride, n, order);
    return right ? 1u : 0u;
  }
};

template <unsigned N, class T, unsigned K, class Order>
void check(unsigned n, unsigned shift, Order order) {
  constexpr unsigned all = N * K, tiles = block_lanes_of(N) / N;
  std::vector<T> numbers;
  for (unsigned i = 0; i < n; ++i) numbers.push_back(T::numbered(i));
  placed_values<T> const from(numbers, shift);
  unsigned const stride = n + 3;
  std::vector<T> const untouched(stride * tiles, T::numbered(5555));
  placed_values<T> const to(untouched, shift);
  std::vector<unsigned> lanes(block_lanes_of(N));
  std::iota(lanes.begin(), lanes.end(), 0u);
  auto const got =
      backend::run<N, unsigned>(lanes, loads_and_stores<T, K, Order>{from.data(), to.data(), n, stride, order});
  auto const where = [&] {
    return ::testing::Message() << "N " << N << ", K " << K << ", bytes " << sizeof(T) << ", n " << n << ", shift "
                                << shift;
  };
  for (unsigned right : got) ASSERT_EQ(right, 1u) << where();
  auto const stored = to.to_host();
  for (unsigned i = 0; i < stored.size(); ++i) {
    unsigned const number = i % stride;
    bool const is_stored = number < n && number < all;
    ASSERT_TRUE(stored[i] == T::numbered(is_stored ? number : 5555)) << where() << ", element " << number;
  }
}
template <unsigned N, class T, unsigned K>
void check_range() {
  constexpr unsigned all = N * K;
  unsigned const shifts = 16 / alignof(T);
  unsigned const whole_rows = (N + 1) / 3 * K;  // and no part of another
  for (unsigned n : {0u, 1u, whole_rows, all / 2 + 1, all - 1, all, all + 1, 2 * all}) {
    for (unsigned shift = 0; shift < shifts; ++shift) check<N, T, K>(n, shift, tessera::blocked);
    check<N, T, K>(n, 1, tessera::striped);
  }
}
template <class T>
void check_type() {
  check_range<1, T, 4>();
  check_range<8, T, 3>();
  check_range<8, T, 8>();
  check_range<32, T, 16>();
  check_range<64, T, 1>();
  check_range<64, T, 4>();
}
/// Rows of one, two and three vectors.
template <class T>
void check_rows() {
  constexpr unsigned K = 16 / alignof(T);
  check_range<32, T, K>();
  check_range<128, T, 2 * K>();
  check_range<16, T, 2 * K>();
  check_range<64, T, 3 * K>();
}

TEST(LoadStore, Bytes) {
  SKIP_WITHOUT_BACKEND();
  check_type<element<unsigned char, 1>>();
  check_type<element<unsigned char, 3>>();
  check_rows<element<unsigned char, 1>>();
}
TEST(LoadStore, Halfwords) {
  SKIP_WITHOUT_BACKEND();
  check_type<element<unsigned short, 1>>();
  check_type<element<unsigned short, 5>>();
  check_rows<element<unsigned short, 1>>();
}
TEST(LoadStore, Words) {
  SKIP_WITHOUT_BACKEND();
  check_type<element<unsigned, 1>>();
  check_type<element<unsigned, 2>>();
  check_type<element<unsigned, 3>>();
  check_rows<element<unsigned, 1>>();
}
TEST(LoadStore, LongWords) {
  SKIP_WITHOUT_BACKEND();
  check_type<element<unsigned long long, 1>>();
  check_type<element<unsigned long long, 3>>();
  check_rows<element<unsigned long long, 1>>();
}

/// A value a lane; a negative n is none.
struct single_values {
  float const* from;
  float* to;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    unsigned const rank = tile.thread_rank(), N = tile.size();
    float const x = tessera::load<1>(tile, from + 1, 5)[0], none = tessera::load<1>(tile, from, -3, 2.0f)[0];
    tessera::store(tile, none, to, -1);
    tessera::store(tile, x, to + lane / N * N, N - 1, tessera::converged);
    return x == (rank < 5 ? static_cast<float>(rank + 1) : 0.0f) && none == 2.0f ? 1u : 0u;
  }
};
TEST(LoadStore, SingleValues) {
  SKIP_WITHOUT_BACKEND();
  std::vector<unsigned> lanes(block_lanes_of(8));
  std::iota(lanes.begin(), lanes.end(), 0u);
  std::vector<float> numbers(16);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  backend::array<float> from(numbers), to(std::vector<float>(lanes.size(), -1.0f));
  for (unsigned right : backend::run<8, unsigned>(lanes, single_values{from.data(), to.data()})) ASSERT_EQ(right, 1u);
  auto const stored = to.to_host();
  for (unsigned i = 0; i < stored.size(); ++i)
    ASSERT_EQ(stored[i], i % 8 == 7 ? -1.0f : i % 8 < 5 ? static_cast<float>(i % 8 + 1) : 0.0f);
}

#if !TESSERA_CUDA
/// A padded tile stores the rows of the lanes that exist, wherever the range begins.
TEST(LoadStore, PaddedTiles) {
  for (unsigned threads : {1u, 31u, 32u, 33u, 70u, 128u}) {
    for (unsigned shift = 0; shift < 4; ++shift) {
      unsigned const n = 4 * threads + 3;
      placed_values<unsigned> const to(std::vector<unsigned>(n + 9, 5555u), shift);
      tessera::host::launch_block(threads, [&](tessera::host::block block) {
        unsigned const rank = block.thread_rank();
        tessera::items<unsigned, 4> const x{{4 * rank, 4 * rank + 1, 4 * rank + 2, 4 * rank + 3}};
        tessera::store(tessera::padded_block_tile<128>(block), x, to.data(), n);
      });
      auto const stored = to.to_host();
      for (unsigned i = 0; i < stored.size(); ++i)
        ASSERT_EQ(stored[i], i < 4 * threads ? i : 5555u) << threads << " threads, shift " << shift;
    }
  }
}
#endif

}  // namespace
