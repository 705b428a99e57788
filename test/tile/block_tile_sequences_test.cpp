// Calls one after the other on a tile that is the block. On the GPU its warps don't wait where they needn't, so that some are in the
// next call already: of another collective, another type, or a tile that is a part of the block.
#include <tessera/block_tile.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include "backend.hpp"

namespace {

using namespace test;
using tessera::plus;
using tessera::to_leader;

struct BlockTileSequences : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// x ↦ a · x + b modulo 2^32: composing these doesn't commute.
struct linear {
  unsigned a, b;
};
struct compose {
  TESSERA_FN linear operator()(linear f, linear g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
/// Of 32 bytes.
struct four_linear {
  linear of[4];
};
struct compose_four {
  TESSERA_FN four_linear operator()(four_linear const& f, four_linear const& g) const {
    four_linear out{};
    for (unsigned i = 0; i < 4; ++i) out.of[i] = compose{}(f.of[i], g.of[i]);
    return out;
  }
};

TESSERA_FN linear nth(unsigned i) {
  return {2 * i + 3, 7 * i + 1};
}
/// The composition of numbers `from` to `to`, not included.
TESSERA_FN linear composed(unsigned from, unsigned to) {
  linear f{1, 0};
  for (unsigned i = from; i < to; ++i) f = compose{}(f, nth(i));
  return f;
}
TESSERA_FN bool same_map(linear f, linear g) {
  return f.a == g.a && f.b == g.b;
}
TESSERA_FN unsigned sum_below(unsigned n) {
  return n * (n - 1) / 2;
}

/// Each thread returns a bit for each call that gave it a wrong result in some round.
template <unsigned N>
struct calls {
  unsigned rounds;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::this_block_tile<N>(block);
    auto const half = tessera::tiled_partition<N / 2>(block);
    unsigned const rank = tile.thread_rank(), all = sum_below(N);
    linear const whole = composed(0, N), up_to = composed(0, rank + 1), from = composed(rank + 1, N);
    unsigned wrong = 0;
    for (unsigned i = 0; i < rounds; ++i) {
      unsigned bit = 0;
      auto const expect = [&](bool is_right) { wrong |= unsigned{!is_right} << bit++; };
      auto const f = tessera::make_operator(compose{}, linear{1, 0});
      unsigned const leader = tessera::reduce(tile, rank + i, plus{}, to_leader);
      expect(rank != 0 || leader == all + N * i);
      float const sum = tessera::reduce(tile, static_cast<float>(rank + i));
      expect(sum == static_cast<float>(all + N * i));
      linear const first = tessera::reduce(tile, nth(rank), f, to_leader);
      expect(rank != 0 || same_map(first, whole));
      expect(same_map(tessera::inclusive_scan(tile, nth(rank), f), up_to));
      double const late = tessera::reduce(tile, static_cast<double>(rank + i), plus{}, to_leader);
      expect(rank != 0 || late == all + N * i);
      expect(tessera::reduce(half, i) == N / 2 * i);
      expect(tessera::inclusive_scan(tile, static_cast<float>(i)) == static_cast<float>(i * (rank + 1)));
      expect(tessera::rotate(tile, rank + i, 1) == (rank + 1) % N + i);
      auto const total = tessera::exclusive_scan(tile, nth(rank), f, tessera::suffix | tessera::with_total);
      expect(same_map(total.value, from) && same_map(total.total, whole));
      expect(tessera::inclusive_scan(tile, static_cast<double>(i)) == static_cast<double>(i * (rank + 1)));
      float const again = tessera::reduce(tile, static_cast<float>(i), plus{}, to_leader);
      expect(rank != 0 || again == static_cast<float>(N * i));
      expect(tessera::count_if(tile, rank < i) == (i < N ? i : N));
      auto const four = tessera::make_operator(compose_four{}, four_linear{{{1, 0}, {1, 0}, {1, 0}, {1, 0}}});
      four_linear const x{{nth(rank), nth(rank), nth(rank), nth(rank)}};
      expect(same_map(tessera::inclusive_scan(tile, x, four).of[3], up_to));
      four_linear const last = tessera::reduce(tile, x, four, to_leader);
      expect(rank != 0 || same_map(last.of[1], whole));
      expect(tessera::reduce(tile, rank ^ i, tessera::bit_xor{}, tessera::shuffles) ==
             tessera::reduce(tile, rank ^ i, tessera::bit_xor{}));
    }
    return wrong;
  }
};

template <unsigned N>
void check_calls(unsigned rounds) {
  if constexpr (has_code<N>) {
    auto const wrong = backend::run_block<unsigned>(N, calls<N>{rounds});
    for (unsigned thread = 0; thread < N; ++thread)
      ASSERT_EQ(wrong[thread], 0u) << "a block of " << N << ", thread " << thread;
  }
}

#if TESSERA_CUDA
constexpr unsigned rounds = 50;
#else
constexpr unsigned rounds = 3;
#endif

TEST_F(BlockTileSequences, Of64Lanes) {
  check_calls<64>(rounds);
}
TEST_F(BlockTileSequences, Of128Lanes) {
  check_calls<128>(rounds);
}
TEST_F(BlockTileSequences, Of256Lanes) {
  check_calls<256>(rounds);
}
TEST_F(BlockTileSequences, Of512Lanes) {
  check_calls<512>(rounds);
}
TEST_F(BlockTileSequences, Of1024Lanes) {
  check_calls<1024>(rounds);
}

}  // namespace
