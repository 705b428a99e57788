// Streams of known values pushed into queues, of one value and of items at a time.
#include <tessera/operators.hpp>
#include <tessera/top_k_queue.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

template <class Tile>
inline constexpr unsigned queue_lanes = tessera::tile_size_v<Tile> < 32 ? tessera::tile_size_v<Tile> : 32;

/// 0 … Count − 1 in another order; Count is a power of two.
template <unsigned Count>
TESSERA_FN unsigned shuffled(unsigned i) {
  return (i * 2654435761u + 12345u) % Count;
}

/// The K greatest of a stream of 16 values a lane, of which the last push has half.
template <unsigned K, unsigned I>
struct finds_the_greatest {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = N * 16;
    tessera::top_k_queue<K, unsigned, tessera::greater, queue_lanes<Tile>> queue;
    for (unsigned from = 0; from < all + N * I; from += N * I) {
      tessera::items<unsigned, I> x;
      for (unsigned i = 0; i < I; ++i) x[i] = shuffled<all>(from + tile.thread_rank() * I + i);
      if (from < all) {
        queue.push(tile, x);
      } else {  // values that would be the best, of which nobody takes part
        for (unsigned i = 0; i < I; ++i) x[i] += all;
        queue.push(tile, x, tessera::where(tile.thread_rank() > N));
      }
    }
    auto const best = queue.best(tile);
    auto const own = tessera::detail::as_row(queue.best(tile, tessera::scattered));
    bool right = true;
    for (unsigned i = 0; i < K && i < all; ++i) right = right && best[i] == all - 1 - i;
    for (unsigned s = 0; s < own.size(); ++s) {
      unsigned const i = s * N + tile.thread_rank();
      right = right && (i >= K || i >= all || own[s] == all - 1 - i);
    }
    return right ? 1u : 0u;
  }
};
/// Values in three classes, by an order that no key has: within a class the stream's order. They are told apart by their bits.
struct keeps_the_streams_order {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, K = 7, I = 2;
    auto const before = [](unsigned a, unsigned b) { return a >> 16 < b >> 16; };
    tessera::top_k_queue<K, unsigned, decltype(before), queue_lanes<Tile>> queue(before);
    for (unsigned from = 0; from < 12 * N; from += N * I) {
      tessera::items<unsigned, I> x;
      for (unsigned i = 0; i < I; ++i) {
        unsigned const at = from + tile.thread_rank() * I + i;
        x[i] = (3 - at % 3) << 16 | at;
      }
      queue.push(tile, x);
    }
    auto const best = queue.best(tile);
    bool right = true;
    for (unsigned i = 0; i < K; ++i) {
      unsigned const of_class = 4 * N, at = i % of_class * 3 + 2 - i / of_class;
      right = right && best[i] == ((1 + i / of_class) << 16 | at);
    }
    return right ? 1u : 0u;
  }
};
/// Pairs of a distance and an index, the nearest first; many are equally near, and the lowest index counts.
struct finds_the_nearest {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, K = 5;
    tessera::top_k_queue<K, tessera::indexed<float, int>, tessera::less, queue_lanes<Tile>> queue;
    for (unsigned from = 0; from < 8 * N; from += N) {
      unsigned const at = 8 * N - 1 - (from + tile.thread_rank());  // from the last index on
      queue.push(tile, tessera::with_index(static_cast<float>(at % 2), static_cast<int>(at)));
    }
    auto const best = queue.best(tile);
    bool right = true;
    for (unsigned i = 0; i < K && i < 4 * N; ++i)
      right = right && best[i].index == static_cast<int>(2 * i) && best[i].value == 0;
    return right ? 1u : 0u;
  }
};
/// NaNs come last; fewer values than K.
struct takes_few_floats {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    float const rank = static_cast<float>(tile.thread_rank()), nan = __builtin_nanf("");
    tessera::top_k_queue<2, float, tessera::greater, queue_lanes<Tile>> queue;
    queue.push(tile, nan);
    queue.push(tile, -rank, tessera::first(1));
    auto const best = queue.best(tile);
    queue.push(tile, -rank);
    auto const later = queue.best(tile);
    bool const few = best[0] == 0 && best[1] != best[1];
    tessera::top_k_queue<1, signed char, tessera::greater, queue_lanes<Tile>> small;  // keys of 32 bits
    small.push(tile, static_cast<signed char>(-100));
    bool const negative = small.best(tile)[0] == -100;
    return few && negative && later[0] == 0 && later[1] == 0 ? 1u : 0u;
  }
};

template <class Kernel>
void check_sizes(Kernel kernel) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 8, 32, 64, 256>(kernel);
}

TEST(TopKQueue, Values) {
  check_sizes(finds_the_greatest<1, 1>{});
  check_sizes(finds_the_greatest<5, 1>{});
}
TEST(TopKQueue, Items) {
  check_sizes(finds_the_greatest<8, 4>{});
}
TEST(TopKQueue, MoreThanAWarpHasLanes) {
  SKIP_WITHOUT_BACKEND();
  check_all_true<8>(finds_the_greatest<40, 2>{});
  check_all_true<32>(finds_the_greatest<100, 4>{});
  check_all_true<64>(finds_the_greatest<64, 1>{});
}
TEST(TopKQueue, Ties) {
  check_sizes(keeps_the_streams_order{});
}
TEST(TopKQueue, Indices) {
  check_sizes(finds_the_nearest{});
}
TEST(TopKQueue, FewFloats) {
  check_sizes(takes_few_floats{});
}

}  // namespace
