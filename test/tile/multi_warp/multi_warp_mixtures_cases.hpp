// Tiles of all sizes in one block, which run independently: tiles of different sizes, tiles of one size in
// loops of different lengths, and nested tiles, in blocks of any shape, with barriers of the kernel around
// the calls.
#pragma once

#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

/// Waits for the `threads` threads of the block that name the same barrier of the kernel, 1 … 4. It does so
/// only if the library doesn't use these barriers, as in multi_warp_crowded_cuda_test.cu; otherwise it does
/// nothing.
TESSERA_FN void own_barrier([[maybe_unused]] unsigned id, [[maybe_unused]] unsigned threads) {
#if TESSERA_ARCH && TESSERA_FIRST_BARRIER > 4
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
#endif
}

// ---- One round of a tile, by collectives and lane by lane. There are `kinds` kinds of rounds.

constexpr unsigned kinds = 4;

TESSERA_FN unsigned step(unsigned x, unsigned rank) {
  return x * 1664525u + 1013904223u + rank;
}
TESSERA_FN matrix matrix_of(unsigned x) {
  return {x, x >> 7, x ^ 0x9e3779b9u, x + 1};
}

template <class Tile>
TESSERA_FN unsigned one_round(Tile const& tile, unsigned x, unsigned kind) {
  unsigned const rank = tile.thread_rank();
  x = step(x, rank);
  switch (kind % kinds) {
    case 0: {
      x += tessera::reduce(tile, x);
      matrix const all = tessera::reduce(tile, matrix_of(x), matrix_product{});
      return x ^ all.a ^ all.b ^ all.c ^ all.d;
    }
    case 1:
      x += tessera::exclusive_scan(tile, x);
      return x ^ tessera::rotate(tile, x, 5);
    case 2:
      x += tessera::any_of(tile, x % 64 == 0) ? 7 : 0;
      return x + tessera::ballot(tile, x % 3 == 0).rank_of(rank);
    default:
      x += tessera::segmented_reduce(tile, x, x % 5 == 0);
      return x ^ tessera::broadcast(tile, x, tile.size() / 2);
  }
}

/// Computes the same sequentially for the lanes x[0] … x[size − 1] of a tile.
inline void reference_round(unsigned* x, unsigned size, unsigned kind) {
  for (unsigned r = 0; r < size; ++r) x[r] = step(x[r], r);
  unsigned sum = 0;
  switch (kind % kinds) {
    case 0: {
      for (unsigned r = 0; r < size; ++r) sum += x[r];
      matrix all = matrix_one;
      for (unsigned r = 0; r < size; ++r) all = matrix_product{}(all, matrix_of(x[r] += sum));
      for (unsigned r = 0; r < size; ++r) x[r] ^= all.a ^ all.b ^ all.c ^ all.d;
      return;
    }
    case 1: {
      for (unsigned r = 0; r < size; ++r) {
        unsigned const own = x[r];
        x[r] += sum;
        sum += own;
      }
      std::vector<unsigned> const before(x, x + size);
      for (unsigned r = 0; r < size; ++r) x[r] ^= before[(r + 5) % size];
      return;
    }
    case 2: {
      bool any = false;
      for (unsigned r = 0; r < size; ++r) any = any || x[r] % 64 == 0;
      unsigned thirds = 0;
      for (unsigned r = 0; r < size; ++r) {
        x[r] += any ? 7 : 0;
        bool const third = x[r] % 3 == 0;
        x[r] += thirds;
        thirds += third ? 1 : 0;
      }
      return;
    }
    default:
      for (unsigned first = 0, last = 0; first < size; first = last) {
        for (last = first, sum = 0; last < size && (last == first || x[last] % 5 != 0); ++last) sum += x[last];
        for (unsigned r = first; r < last; ++r) x[r] += sum;
      }
      unsigned const middle = x[size / 2];
      for (unsigned r = 0; r < size; ++r) x[r] ^= middle;
  }
}

/// The number of rounds of a tile in a phase, by its index in the block. Neighbors have different numbers.
TESSERA_FN unsigned rounds_of(unsigned tile, unsigned phase) {
  return 1 + (tile * 7 + phase * 3) % 11;
}

// ---- Different sizes: each warp of a block of 1024 has a tile size. A size below 32 means several tiles
// per warp.

struct arrangement {
  const char* name;
  unsigned short size_of_warp[32];
};

template <class Tile>
TESSERA_FN unsigned go_own_way(Tile const& tile, unsigned index, unsigned x, unsigned phase) {
  for (unsigned round = 0; round < rounds_of(index, phase); ++round) x = one_round(tile, x, index + round + phase);
  return x;
}

constexpr unsigned phases = 2;

struct side_by_side {
  arrangement sizes;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const all = tessera::tiled_partition<1024>(block);
    auto const halves = tessera::tiled_partition<512>(block);
    auto const quarters = tessera::tiled_partition<256>(block);
    auto const of_128 = tessera::tiled_partition<128>(block);
    auto const of_64 = tessera::tiled_partition<64>(block);
    auto const warps = tessera::tiled_partition<32>(block);
    auto const of_8 = tessera::tiled_partition<8>(block);
    unsigned const thread = block.thread_rank(), size = sizes.size_of_warp[thread / 32], index = thread / size;
    unsigned x = thread;
    for (unsigned phase = 0; phase < phases; ++phase) {
      own_barrier(1 + thread / 256, 256);
      switch (size) {
        case 1024:
          x = go_own_way(all, index, x, phase);
          break;
        case 512:
          x = go_own_way(halves, index, x, phase);
          break;
        case 256:
          x = go_own_way(quarters, index, x, phase);
          break;
        case 128:
          x = go_own_way(of_128, index, x, phase);
          break;
        case 64:
          x = go_own_way(of_64, index, x, phase);
          break;
        case 32:
          x = go_own_way(warps, index, x, phase);
          break;
        default:
          x = go_own_way(of_8, index, x, phase);
          break;
      }
      block.sync();
    }
    return x;
  }
};

/// Random sizes from left to right, which fill the block. A size of 8 means a warp of tiles of 8.
inline arrangement arrange(const char* name, std::vector<unsigned> const& sizes) {
  arrangement out{name, {}};
  unsigned warp = 0;
  for (unsigned i = 0; warp < 32; ++i) {
    unsigned const size = sizes[i % sizes.size()];
    for (unsigned w = 0; w < (size + 31) / 32 && warp < 32; ++w)
      out.size_of_warp[warp++] = static_cast<unsigned short>(size);
  }
  return out;
}

inline void check_side_by_side(arrangement const& one) {
  std::vector<unsigned> x(1024);
  for (unsigned i = 0; i < 1024; ++i) x[i] = i;
  for (unsigned first = 0; first < 1024;) {
    unsigned const size = one.size_of_warp[first / 32], index = first / size;
    for (unsigned warp = first / 32; warp < (first + size) / 32; ++warp)
      ASSERT_TRUE(first % size == 0 && one.size_of_warp[warp] == size) << one.name << " doesn't fill the block";
    for (unsigned phase = 0; phase < phases; ++phase) {
      for (unsigned round = 0; round < rounds_of(index, phase); ++round)
        reference_round(&x[first], size, index + round + phase);
    }
    first += size;
  }
  auto const out = backend::run_block<unsigned>(1024, side_by_side{one});
  for (unsigned i = 0; i < 1024; ++i)
    ASSERT_EQ(out[i], x[i]) << one.name << ", thread " << i << ", in a tile of " << one.size_of_warp[i / 32];
}

// ---- Tiles of one size in a block of any size and shape, as many as fit as a whole. The block has
// barriers around loops of different lengths, and between calls.

template <unsigned N>
struct loops_of_own_lengths {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<N>(block);
    unsigned const thread = block.thread_rank(), index = thread / N;
    bool const whole = index * N + N <= block.size();
    unsigned x = thread;
    for (unsigned phase = 0; phase < phases; ++phase) {
      block.sync();
      if (whole) {
        x = one_round(tile, x, phase);
        own_barrier(1 + index % 4, (block.size() / N + 3 - index % 4) / 4 * N);
        x = one_round(tile, x, phase + index);
      }
      block.sync();
      if (!whole) continue;
      for (unsigned round = 0; round < rounds_of(index, phase); ++round) x = one_round(tile, x, index + round + phase);
    }
    return x;
  }
};

template <unsigned N>
void check_loops(tessera::host::dim3 shape) {
  auto const out = backend::run_block<unsigned>(shape, loops_of_own_lengths<N>{});
  unsigned const threads = static_cast<unsigned>(shape.volume());
  std::vector<unsigned> x(threads);
  for (unsigned i = 0; i < threads; ++i) x[i] = i;
  for (unsigned index = 0; index * N + N <= threads; ++index) {
    for (unsigned phase = 0; phase < phases; ++phase) {
      reference_round(&x[index * N], N, phase);
      reference_round(&x[index * N], N, phase + index);
      for (unsigned round = 0; round < rounds_of(index, phase); ++round)
        reference_round(&x[index * N], N, index + round + phase);
    }
  }
  for (unsigned i = 0; i < threads; ++i)
    ASSERT_EQ(out[i], x[i]) << "N " << N << ", block of " << shape.x << " × " << shape.y << " × " << shape.z
                            << ", thread " << i;
}

// ---- Tiles and tiles of these, in turn.

/// Tiles of 64 in tiles of 256, and tiles of 8 in tiles of 64. `Alike` neighboring lanes make the same
/// calls on their tiles of 8. If `Alike` is 8, a warp arrives at the next call in several parts.
template <unsigned Alike>
struct nested {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const outer = tessera::tiled_partition<256>(block);
    auto const inner = tessera::tiled_partition<64>(outer);
    auto const small = tessera::tiled_partition<8>(inner);
    unsigned const thread = block.thread_rank();
    unsigned x = thread;
    for (unsigned turn = 0; turn < kinds; ++turn) {
      x = one_round(outer, x, turn);
      x = one_round(inner, x, turn);
      x = one_round(outer, x, turn + 1);
      for (unsigned round = 0; round < rounds_of(thread / 64, turn); ++round) {
        x = one_round(inner, x, round);
        x = one_round(small, x, round + thread / Alike);
        x = one_round(inner, x, round + 2);
      }
    }
    return x;
  }
};

template <class Each>
void for_each_tile(unsigned size, unsigned threads, Each each) {
  for (unsigned first = 0; first < threads; first += size) each(first);
}

template <unsigned Alike>
void check_nested(unsigned threads) {
  auto const out = backend::run_block<unsigned>(threads, nested<Alike>{});
  std::vector<unsigned> x(threads);
  for (unsigned i = 0; i < threads; ++i) x[i] = i;
  for (unsigned turn = 0; turn < kinds; ++turn) {
    for_each_tile(256, threads, [&](unsigned first) { reference_round(&x[first], 256, turn); });
    for_each_tile(64, threads, [&](unsigned first) { reference_round(&x[first], 64, turn); });
    for_each_tile(256, threads, [&](unsigned first) { reference_round(&x[first], 256, turn + 1); });
    for_each_tile(64, threads, [&](unsigned first) {
      for (unsigned round = 0; round < rounds_of(first / 64, turn); ++round) {
        reference_round(&x[first], 64, round);
        for (unsigned i = first; i < first + 64; i += 8) reference_round(&x[i], 8, round + i / Alike);
        reference_round(&x[first], 64, round + 2);
      }
    });
  }
  for (unsigned i = 0; i < threads; ++i) ASSERT_EQ(out[i], x[i]) << "block of " << threads << ", thread " << i;
}

}  // namespace test
