// The whole block as a tile: one of the block's size, and a padded one, whose block may have any size. And
// the caller's scratch.
#include <tessera/block_tile.hpp>
#include <tessera/compact.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include "backend.hpp"

namespace {

using namespace test;
using tessera::maximum;
using tessera::plus;

struct BlockTile : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TESSERA_FN unsigned sum_below(unsigned n) {
  return n * (n - 1) / 2;
}

/// This operator isn't associative, so the result depends on the order of combination.
struct mix {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return 2654435761u * a + (b ^ a >> 3); }
};
/// Combines the `count` numbers from `first` on in the order of a tile of `size` lanes.
unsigned mixed_tree(unsigned first, unsigned size, unsigned count) {
  if (size == 1) return first;
  unsigned const half = size / 2, left = mixed_tree(first, half, count);
  return count <= half ? left : mix{}(left, mixed_tree(first + half, half, count - half));
}

/// A padded tile of N lanes; with 0 the block itself, which stands for one of 1024.
template <unsigned N, class Block>
TESSERA_FN auto padded_tile(Block const& block) {
  if constexpr (N == 0) {
    return block;
  } else {
    return tessera::padded_block_tile<N>(block);
  }
}

/// Every thread of a padded tile of N returns a bit for each result that is right.
template <unsigned N>
struct padded_calls {
  unsigned threads;
  unsigned tree;  // the values of all lanes, combined in order

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = padded_tile<N>(block);
    unsigned const rank = tile.thread_rank(), some = threads / 3;
    unsigned right = 0, bit = 0;
    auto const expect = [&](bool good) { right |= unsigned{good} << bit++; };
    expect(tessera::reduce(tile, rank) == sum_below(threads));
    expect(tessera::reduce(tile, rank > 0) == threads - 1);
    expect(tessera::reduce(tile, static_cast<double>(rank)) == sum_below(threads));
    expect(tessera::reduce(tile, rank, tessera::make_operator(mix{}, 0u)) == tree);
    expect(tessera::reduce(tile, rank, plus{}, tessera::first(some)) == (some == 0 ? 0 : sum_below(some)));
    expect(tessera::reduce(tile, rank, maximum{}, tessera::where(rank % 2 == 0)) == (threads - 1) / 2 * 2);
    auto const prefix = tessera::inclusive_scan(tile, rank, plus{}, tessera::with_total);
    expect(prefix.value == sum_below(rank + 1) && prefix.total == sum_below(threads));
    auto const suffix = tessera::exclusive_scan(tile, rank, plus{}, tessera::suffix | tessera::with_total);
    expect(suffix.value == sum_below(threads) - sum_below(rank + 1) && suffix.total == sum_below(threads));
    expect(tessera::exclusive_scan(tile, rank, maximum{}, 7u, tessera::first(some)) >= 7);
    expect(tessera::ballot(tile, rank % 3 == 0).count() == (threads + 2) / 3);
    expect(!tessera::any_of(tile, rank > threads) && tessera::all_of(tile, rank < threads));
    expect(tessera::count_if(tile, true) == threads);
    expect(tessera::broadcast(tile, rank, threads - 1) == threads - 1);
    expect(tessera::invoke_one(tile, [&] { return rank + 5; }) == 5);
    expect(tessera::elect(tile) == (rank == 0));
    return right ^ ((1u << bit) - 1);
  }
};

template <unsigned N>
void check_padded(std::initializer_list<unsigned> sizes) {
  for (unsigned threads : sizes) {
    auto const wrong =
        backend::run_block<unsigned>(threads, padded_calls<N>{threads, mixed_tree(0, N == 0 ? 1024 : N, threads)});
    for (unsigned thread = 0; thread < threads; ++thread)
      ASSERT_EQ(wrong[thread], 0u) << "block of " << threads << " in a tile of " << N << ", thread " << thread;
  }
}

TEST_F(BlockTile, BlocksOfAnySize) {
  check_padded<1024>({1, 31, 32, 33, 64, 96, 160, 320, 999, 1000, 1024});
  check_padded<256>({7, 64, 96, 160, 255, 256});
  check_padded<64>({1, 40, 64});
  check_padded<0>({1, 33, 64, 160, 999, 1024});
}

/// Calls of different types and collectives use one scratch one after the other; the last one uses a fresh
/// scratch.
template <unsigned N>
struct scratch_calls {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
#if TESSERA_ARCH
    __shared__ tessera::scratch<unsigned, 512> used, fresh;
#elif TESSERA_CUDA  // nvcc's host pass compiles the kernel, but never runs it
    tessera::scratch<unsigned, 512> used, fresh;
#else
    tessera::host::scratch<unsigned, 512> used(block), fresh(block);
#endif
    auto const tile = tessera::tiled_partition<N>(block);
    auto const in = tessera::shared(used);
    unsigned const rank = tile.thread_rank();
    unsigned wrong = 0;
    for (unsigned i = 0; i < 20; ++i) {
      wrong += tessera::reduce(tile, rank + i, plus{}, in | tessera::shuffles) != sum_below(N) + N * i;
      wrong += tessera::reduce(tile, static_cast<float>(rank), plus{}, in) != static_cast<float>(sum_below(N));
      wrong += tessera::reduce(tile, static_cast<unsigned char>(rank % 200), maximum{}, in) != (N > 200 ? 199 : N - 1);
      float const leader = tessera::reduce(tile, static_cast<float>(i), plus{}, in | tessera::to_leader);
      wrong += rank == 0 && leader != static_cast<float>(N * i);
      wrong += tessera::rotate(tile, rank + i, -3, in) != (rank + N - 3) % N + i;
      wrong += tessera::reverse(tile, static_cast<unsigned short>(rank), in) != N - 1 - rank;
      wrong += tessera::rotate(tile, static_cast<unsigned long long>(rank), 1, in) != (rank + 1) % N;
      wrong += tessera::inclusive_scan(tile, i, plus{}, in) != i * (rank + 1);
      wrong += tessera::match_any(tile, rank % 4, in).count() != N / 4;
    }
    wrong += tessera::reduce(tile, rank, plus{}, tessera::fresh(fresh)) != sum_below(N);
    return wrong;
  }
};

template <unsigned N>
void check_scratch(unsigned threads) {
  auto const wrong = backend::run_block<unsigned>(threads, scratch_calls<N>{});
  for (unsigned thread = 0; thread < threads; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << "tiles of " << N << ", thread " << thread;
}

TEST_F(BlockTile, TheCallersScratch) {
  check_scratch<64>(512);
  check_scratch<128>(256);
  check_scratch<512>(512);
}

struct block_of_256 {
  template <class Block>
  TESSERA_FN float operator()(Block const& block) const {
    auto const tile = tessera::this_block_tile<256>(block);
    float const x = 1.0f / static_cast<float>(1 + tile.thread_rank());
    return tessera::reduce(tile, x) - tessera::reduce(tessera::tiled_partition<256>(block), x) +
           tessera::inclusive_scan(tile, x) - tessera::inclusive_scan(tessera::tiled_partition<256>(block), x);
  }
};

TEST_F(BlockTile, IsTheTileOfItsSize) {
  for (float each : backend::run_block<float>(256, block_of_256{})) ASSERT_EQ(each, 0.0f);
}

}  // namespace
