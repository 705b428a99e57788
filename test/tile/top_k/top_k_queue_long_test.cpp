// Queues of hundreds of values, whose lanes have several of them each.
#include <tessera/top_k_queue.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {
namespace long_queues {

using namespace test;

/// 0 … Count − 1 in another order; Count is a power of two.
template <unsigned Count>
TESSERA_FN unsigned shuffled(unsigned i) {
  return (i * 2654435761u + 12345u) % Count;
}

/// The K greatest of a stream, as lanes get them.
template <unsigned K>
struct keeps_the_greatest {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = 4 * (K > N ? K : N);
    unsigned const rank = tile.thread_rank();
    tessera::top_k_queue<K, unsigned, tessera::greater, (N < 32 ? N : 32)> queue;
    bool right = true;
    for (unsigned from = 0; from < all; from += 2 * N) {
      tessera::items<unsigned, 2> x{};
      for (unsigned i = 0; i < 2; ++i) x[i] = shuffled<all>(from + rank * 2 + i);
      queue.push(tile, x);
    }
    auto const own = tessera::detail::as_row(queue.best(tile, tessera::scattered));
    for (unsigned s = 0; s < own.size(); ++s) {
      unsigned const i = s * N + rank;
      right = right && (i >= K || own[s] == all - 1 - i);
    }
    return right ? 1u : 0u;
  }
};
/// Values in three classes by an order that no key has, of which the second class has the last value kept: within a class the
/// stream's order.
template <unsigned K>
struct keeps_the_streams_order {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, rounds = 3 * (K / 2 / N + 1), of_class = rounds / 3 * N;
    unsigned const rank = tile.thread_rank();
    auto const before = [](unsigned a, unsigned b) { return a >> 16 < b >> 16; };
    tessera::top_k_queue<K, unsigned, decltype(before), (N < 32 ? N : 32)> queue(before);
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned const at = round * N + rank;
      queue.push(tile, (2 - at % 3) << 16 | at);
    }
    auto const own = tessera::detail::as_row(queue.best(tile, tessera::scattered));
    bool right = true;
    for (unsigned s = 0; s < own.size(); ++s) {
      unsigned const i = s * N + rank, at = i % of_class * 3 + 2 - i / of_class;
      right = right && (i >= K || own[s] == (i / of_class << 16 | at));
    }
    return right ? 1u : 0u;
  }
};

TEST(LongTopKQueue, OfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_in_block<32>(keeps_the_greatest<256>{});
  check_all_true_in_block<32>(keeps_the_greatest<1024>{});
}
TEST(LongTopKQueue, OfSeveralWarps) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_in_block<64>(keeps_the_greatest<512>{});
  check_all_true_in_block<128>(keeps_the_greatest<1024>{});
  check_all_true_in_block<256>(keeps_the_greatest<256>{});
}
TEST(LongTopKQueue, Ties) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_in_block<32>(keeps_the_streams_order<256>{});
}

}  // namespace long_queues
}  // namespace
