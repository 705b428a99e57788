// partition and scatter of random values, beside a stable sort; the oracle has all sizes, types and policies.
#include <tessera/partition.hpp>

#include <gtest/gtest.h>

#include "backend.hpp"
#include "rearranged.hpp"

namespace {

using namespace test;

/// What the kernels return for each lane.
template <unsigned K>
struct placed {
  tessera::items<unsigned, K> position, scattered;
  unsigned count;
};

/// Odd values go first; single values are no items.
template <unsigned K>
struct partitions_odd {
  unsigned n;

  template <class Tile>
  TESSERA_FN placed<K> operator()(Tile const& tile, tessera::items<unsigned, K> x) const {
    if constexpr (K == 1) {
      auto const [position, count] = tessera::partition(tile, x[0] % 2 != 0, tessera::first(n));
      return {{{position}}, {{tessera::scatter(tile, x[0], position)}}, count};
    } else {
      tessera::items<bool, K> odd{};
      for (unsigned i = 0; i < K; ++i) odd[i] = x[i] % 2 != 0;
      auto const [position, count] = tessera::partition(tile, odd, tessera::first(n));
      return {position, tessera::scatter(tile, x, position), count};
    }
  }
};

template <unsigned N, unsigned K>
void check_partition(unsigned n) {
  auto const x = random_items<K>(2 * block_lanes_of(N), N + K + n, 100);
  auto const got = backend::run<N, placed<K>>(x, partitions_odd<K>{n});
  for (unsigned base = 0; base < x.size(); base += N) {
    auto const all = values_of_tile<N>(x, base);
    auto const position = stable_positions(all, n, [](unsigned y) { return y % 2 == 0; });
    unsigned count = 0;
    for (unsigned i = 0; i < all.size(); ++i) {
      if (i < n) count += all[i] % 2;
      unsigned const to = position[i];
      ASSERT_EQ(got[base + i / K].position[i % K], to) << "N " << N << ", K " << K << ", n " << n;
      ASSERT_EQ(got[base + to / K].scattered[to % K], all[i]) << "N " << N << ", K " << K << ", n " << n;
    }
    for (unsigned r = 0; r < N; ++r) ASSERT_EQ(got[base + r].count, count);
  }
}
template <unsigned N>
void check_partitions() {
  for (unsigned n : {0u, 1u, N - 1, 2 * N + 1, 5000u}) {
    check_partition<N, 1>(n);
    check_partition<N, 3>(n);
    check_partition<N, 4>(n);
  }
}
TEST(Partition, RandomValues) {
  SKIP_WITHOUT_BACKEND();
  check_partitions<1>();
  check_partitions<2>();
  check_partitions<8>();
  check_partitions<32>();
  check_partitions<64>();
  check_partitions<256>();
}

/// No assignment, no default constructor, and no multiple of a word.
struct odd_bytes {
  unsigned char const a, b, c;
  TESSERA_FN explicit odd_bytes(unsigned x)
      : a(static_cast<unsigned char>(x)), b(static_cast<unsigned char>(x >> 8)), c(7) {}
};
/// The values in reverse, by their positions.
struct reverses_structs {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const mirrored = tile.size() - 1 - tile.thread_rank();
    odd_bytes const moved = tessera::scatter(tile, odd_bytes(tile.thread_rank()), mirrored);
    return moved.a + 256u * moved.b == mirrored && moved.c == 7 ? 1u : 0u;
  }
};
template <unsigned N>
void check_structs() {
  std::vector<unsigned> const nothing(1024);
  for (unsigned right : backend::run<N, unsigned>(nothing, reverses_structs{})) ASSERT_EQ(right, 1u) << N;
}
TEST(Scatter, Structs) {
  SKIP_WITHOUT_BACKEND();
  check_structs<4>();
  check_structs<32>();
  check_structs<128>();
  check_structs<1024>();
}

}  // namespace
