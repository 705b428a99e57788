// Calls through a caller's scratch of a type that is smaller than what they exchange, which move in rounds or in pieces; and results of
// tiles that are a part of their block, through a scratch whose items are no multiple of 16 bytes.
#include <tessera/core/scratch.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/merge.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>

#include "backend.hpp"
#include "samples.hpp"
#if !TESSERA_CUDA
#include <tessera/host/scratch.hpp>
#endif

namespace {

using namespace test;
using tessera::items;

#if TESSERA_ARCH
#define SCRATCH(T, threads, name, block) __shared__ tessera::scratch<T, threads> name
#elif TESSERA_CUDA  // nvcc's host pass compiles the kernel, but never runs it
#define SCRATCH(T, threads, name, block) tessera::scratch<T, threads> name
#else
#define SCRATCH(T, threads, name, block) tessera::host::scratch<T, threads> name(block)
#endif

struct large {
  unsigned word[50];
};

struct results {
  unsigned sorted, values, moved, moved_fresh, peers, merged, best;
};

/// What a lane of a block of 64 holds is a function of its rank.
TESSERA_FN unsigned key_of(unsigned place) {
  return place * 37 % 704;
}

struct calls_by_rounds {
  template <class Block>
  TESSERA_FN results operator()(Block const& block) const {
    SCRATCH(unsigned char, 64, scratch, block);
    auto const tile = tessera::tiled_partition<64>(block);
    unsigned const r = tile.thread_rank();
    results out{};
    items<unsigned, 11> key{};
    items<unsigned char, 11> value{};
    large wide{};
    for (unsigned i = 0; i < 11; ++i) {
      key[i] = key_of(11 * r + i);
      value[i] = static_cast<unsigned char>(key[i] % 200);
    }
    for (unsigned i = 0; i < 50; ++i) wide.word[i] = 50 * (r / 2) + i;
    auto const pairs = tessera::stable_sort_by_key(tile, key, value, tessera::less{}, tessera::shared(scratch));
    for (unsigned i = 0; i < 11; ++i) {
      out.sorted += pairs.keys[i] == 11 * r + i;
      out.values += pairs.values[i] == (11 * r + i) % 200;
    }
    large const moved = tessera::shuffle(tile, wide, 63 - r, tessera::shared(scratch));
    tile.sync();
    large const moved_fresh = tessera::shuffle(tile, wide, 63 - r, tessera::fresh(scratch));
    tile.sync();
    for (unsigned i = 0; i < 50; ++i) {
      out.moved += moved.word[i] == 50 * ((63 - r) / 2) + i;
      out.moved_fresh += moved_fresh.word[i] == 50 * ((63 - r) / 2) + i;
    }
    out.peers = tessera::match_any(tile, wide, tessera::shared(scratch)).count();
    items<unsigned, 11> even{}, odd{};
    for (unsigned i = 0; i < 11; ++i) {
      even[i] = 2 * (11 * r + i);
      odd[i] = even[i] + 1;
    }
    auto const merged = tessera::merge(tile, even, odd, tessera::less{}, tessera::shared(scratch));
    for (unsigned i = 0; i < 22; ++i) out.merged += merged[i] == 22 * r + i;
    auto const best = tessera::top_k<5>(tile, key, tessera::greater{}, tessera::shared(scratch));
    for (unsigned i = 0; i < 5; ++i) out.best += best[i] == 703 - i;
    return out;
  }
};

struct five {
  float value[5];
};
struct alignas(16) aligned_four {
  float value[4];
};
struct add_four {
  TESSERA_FN aligned_four operator()(aligned_four const& a, aligned_four const& b) const {
    aligned_four out{};
    for (unsigned i = 0; i < 4; ++i) out.value[i] = a.value[i] + b.value[i];
    return out;
  }
};
struct totals_of_parts {
  template <class Block>
  TESSERA_FN aligned_four operator()(Block const& block) const {
    SCRATCH(five, 128, scratch, block);
    auto const tile = tessera::tiled_partition<64>(block);
    return tessera::inclusive_scan(tile, aligned_four{{1, 2, 3, static_cast<float>(block.thread_rank() / 64)}},
                                   add_four{}, tessera::with_total | tessera::shared(scratch))
        .total;
  }
};

struct ScratchRounds : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScratchRounds, ScratchOfBytes) {
  for (results const& of : backend::run_block<results>(64, calls_by_rounds{})) {
    EXPECT_EQ(of.sorted, 11u);
    EXPECT_EQ(of.values, 11u);
    EXPECT_EQ(of.moved, 50u);
    EXPECT_EQ(of.moved_fresh, 50u);
    EXPECT_EQ(of.peers, 2u);
    EXPECT_EQ(of.merged, 22u);
    EXPECT_EQ(of.best, 5u);
  }
}

TEST_F(ScratchRounds, ItemsThatArentAMultipleOfAVector) {
  auto const out = backend::run_block<aligned_four>(128, totals_of_parts{});
  for (unsigned r = 0; r < 128; ++r) {
    EXPECT_EQ(out[r].value[0], 64.0f);
    EXPECT_EQ(out[r].value[2], 192.0f);
    EXPECT_EQ(out[r].value[3], r < 64 ? 0.0f : 64.0f);
  }
}

}  // namespace
