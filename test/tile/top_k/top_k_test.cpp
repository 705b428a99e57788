// Selections of known values, and where equal ones go; the oracle has all sizes, types and policies.
#include <tessera/operators.hpp>
#include <tessera/top_k.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

/// 0 … Count − 1 in another order; Count is a power of two.
template <unsigned Count>
TESSERA_FN unsigned shuffled(unsigned i) {
  return (i * 2654435761u + 12345u) % Count;
}

/// The K greatest of I values a lane, which are all that are below N · I, to all and scattered.
template <unsigned K, unsigned I>
struct finds_the_greatest {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = N * I;
    if constexpr (K > all) {
      return 1;
    } else {
      tessera::items<unsigned, I> x;
      for (unsigned i = 0; i < I; ++i) x[i] = shuffled<all>(tile.thread_rank() * I + i);
      auto const best = tessera::top_k<K>(tile, x);
      bool right = true;
      for (unsigned i = 0; i < K; ++i) right = right && best[i] == all - 1 - i;
      auto const own = tessera::detail::as_row(tessera::top_k<K>(tile, x, tessera::less{}, tessera::scattered));
      for (unsigned s = 0; s < own.size(); ++s) {
        unsigned const i = s * N + tile.thread_rank();
        right = right && (i >= K || own[s] == i);
      }
      return right ? 1u : 0u;
    }
  }
};
/// Of values in three classes those of the first class come first, and each class in the order of ranks and items.
template <unsigned K>
struct keeps_ties_in_order {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned I = 3, N = tessera::tile_size_v<Tile>;
    if constexpr (K > N * I) {
      return 1;
    } else {
      tessera::items<unsigned, I> x;
      for (unsigned i = 0; i < I; ++i) {
        unsigned const position = tile.thread_rank() * I + i;
        x[i] = position % 3 << 16 | position;
      }
      auto const best = tessera::top_k<K>(tile, x, [](unsigned a, unsigned b) { return a >> 16 < b >> 16; });
      bool right = true;
      for (unsigned i = 0; i < K; ++i) right = right && best[i] == (i / N << 16 | (i % N * 3 + i / N));
      return right ? 1u : 0u;
    }
  }
};
/// Indices that fall with the rank: of equal values the last lane's comes first. −0 is equal to +0, and a NaN comes last.
struct prefers_low_indices {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>;
    int const rank = static_cast<int>(tile.thread_rank());
    float const zero = rank % 2 == 0 ? 0.0f : -0.0f, value = rank == 1 ? -__builtin_nanf("") : zero;
    auto const best = tessera::top_k < N < 4 ? N : 4 > (tile, tessera::with_index(value, -rank));
    auto const least = tessera::top_k<1>(tile, tessera::with_index(static_cast<double>(value), -rank), tessera::less{});
    int const last = N > 2 ? static_cast<int>(N) - 1 : 0;
    return best[0].index == -last && best[0].value == 0 && least[0].index == -last ? 1u : 0u;
  }
};
/// first(n) leaves out the greatest, and fewer values than K come first.
struct takes_the_first {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>;
    unsigned const rank = tile.thread_rank(), n = N / 2 + 1;
    auto const best = tessera::top_k < N < 8 ? N : 8 > (tile, ~0u - rank, tessera::less{}, tessera::first(n));
    auto const any = tessera::top_k<1>(
        tile, rank, [](unsigned a, unsigned b) { return a > b; }, tessera::first(n));
    bool right = any[0] == n - 1;
    for (unsigned i = 0; i < best.size() && i < n; ++i) right = right && best[i] == ~0u - (n - 1 - i);
    return right ? 1u : 0u;
  }
};
/// Each place of the values in order, of as many as three.
struct finds_each_place {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned I = 2, all = tessera::tile_size_v<Tile> * I;
    tessera::items<float, I> x;
    for (unsigned i = 0; i < I; ++i) x[i] = static_cast<float>(shuffled<all>(tile.thread_rank() * I + i));
    unsigned const middle = all / 2 - 1;
    bool const right = tessera::nth_element(tile, x, 0) == 0 &&
                       tessera::nth_element(tile, x, middle) == static_cast<float>(middle) &&
                       tessera::nth_element(tile, x, all - 1, tessera::greater{}) == 0;
    return right ? 1u : 0u;
  }
};

template <class Kernel>
void check_sizes(Kernel kernel) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 8, 32, 64, 256>(kernel);
}

TEST(TopK, OneValueALane) {
  check_sizes(finds_the_greatest<1, 1>{});
  check_sizes(finds_the_greatest<3, 1>{});
  check_sizes(finds_the_greatest<8, 1>{});
}
TEST(TopK, Items) {
  check_sizes(finds_the_greatest<2, 4>{});
  check_sizes(finds_the_greatest<8, 8>{});
  check_sizes(finds_the_greatest<20, 2>{});
}
TEST(TopK, MoreThanAWarpHasLanes) {
  SKIP_WITHOUT_BACKEND();
  check_sizes(finds_the_greatest<40, 2>{});
  check_all_true<32>(finds_the_greatest<64, 4>{});
}
TEST(TopK, All) {
  SKIP_WITHOUT_BACKEND();
  check_all_true<8>(finds_the_greatest<16, 2>{});
  check_all_true<64>(finds_the_greatest<64, 1>{});
}
TEST(TopK, Ties) {
  check_sizes(keeps_ties_in_order<5>{});
}
TEST(TopK, Indices) {
  check_sizes(prefers_low_indices{});
}
TEST(TopK, FirstN) {
  check_sizes(takes_the_first{});
}
TEST(TopK, NthElement) {
  check_sizes(finds_each_place{});
}

#if !TESSERA_CUDA
/// The lanes of a run that has shared its result: `flip` of each bit takes a block's lane to that of the block whose bit differs,
/// and each lane has one block.
template <unsigned Grown, unsigned Shared>
void check_places() {
  using places = tessera::detail::run_places<Grown, Shared>;
  std::vector<bool> taken(1u << places::bits);
  for (unsigned block = 0; block < taken.size(); ++block) {
    unsigned const lane = places::lane_of(block);
    ASSERT_LT(lane, taken.size());
    ASSERT_FALSE(taken[lane]);
    taken[lane] = true;
    for (unsigned bit = 0; bit < places::bits; ++bit)
      ASSERT_EQ(lane ^ places::flip(bit), places::lane_of(block ^ 1u << bit));
    ASSERT_EQ(lane ^ places::mirror, places::lane_of(block ^ ((1u << places::bits) - 1)));
  }
}
TEST(TopK, PlacesOfARun) {
  check_places<0, 1>();
  check_places<0, 5>();
  check_places<2, 3>();
  check_places<3, 1>();
  check_places<5, 0>();
}
#endif

}  // namespace
