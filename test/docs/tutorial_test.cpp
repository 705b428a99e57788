// The kernels of docs/tutorial and docs/how-to that run on host tiles as well as on the GPU. The pages have parts of this file.
#include <tessera/tessera.hpp>

#include <cmath>
#include <vector>

#include "backend.hpp"

namespace tutorial {

// ---- docs/tutorial/tile-sizes.md

/// The sum of a row of a matrix, by a tile of any size.
template <class Tile>
TESSERA_FN float row_sum(Tile const& tile, float const* row, unsigned columns) {
  float sum = 0;
  for (unsigned i = tile.thread_rank(); i < columns; i += tile.size()) sum += row[i];
  return tessera::reduce(tile, sum);
}

/// The same of every row, N lanes a row.
template <unsigned N, class Block>
TESSERA_FN void row_sums(Block const& block, float const* in, float* out, unsigned rows, unsigned columns) {
  auto const tile = tessera::tiled_partition<N>(block);
  unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;
  float const sum = row_sum(tile, in + row * columns, columns);
  if (tile.thread_rank() == 0) out[row] = sum;
}

/// The number of lanes is known when the kernel is launched: each size is compiled.
template <class Block>
TESSERA_FN void row_sums_of(unsigned lanes, Block const& block, float const* in, float* out, unsigned rows,
                            unsigned columns) {
  switch (lanes) {
    case 4:
      return row_sums<4>(block, in, out, rows, columns);
    case 8:
      return row_sums<8>(block, in, out, rows, columns);
    case 32:
      return row_sums<32>(block, in, out, rows, columns);
    default:
      return row_sums<128>(block, in, out, rows, columns);
  }
}

/// A row that fits in the tile, a value a lane.
template <class Tile>
TESSERA_FN float short_row_sum(Tile const& tile, float const* row, unsigned columns) {
  float const x = tile.thread_rank() < columns ? row[tile.thread_rank()] : 0;
  return tessera::reduce(tile, x, tessera::plus{}, tessera::first(columns));
}

// ---- docs/tutorial/own-operators.md

using namespace tessera;

struct word {
  unsigned length, place;
};

template <class Tile>
TESSERA_FN word longest_word(Tile const& tile, word mine) {
  auto const longer = [](word a, word b) { return b.length > a.length ? b : a; };
  return tessera::reduce(tile, mine, longer);
}

template <class Tile>
TESSERA_FN word longest_short_word(Tile const& tile, word mine, unsigned limit) {
  auto const longer = [](word a, word b) { return b.length > a.length ? b : a; };
  auto const op = make_operator(longer, word{0, 0});
  return tessera::reduce(tile, mine, op, where(mine.length < limit));
}

/// The map y → a · y + b.
struct affine {
  float a, b;
};

/// First f, then g. Associative, but f and g must not change places.
struct then {
  TESSERA_FN affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

/// The recurrence y(i) = a(i) · y(i − 1) + b(i), a lane for each i.
template <class Tile>
TESSERA_FN float recurrence(Tile const& tile, float a, float b, float start) {
  affine const all = tessera::inclusive_scan(tile, affine{a, b}, then{});
  return all.a * start + all.b;
}

template <class Tile>
TESSERA_FN float range_of(Tile const& tile, float x) {
  auto const [least, greatest] = tessera::reduce(tile, as_zipped(x, x), zip(minimum{}, maximum{}));
  return greatest - least;
}

template <class Tile>
TESSERA_FN int best_lane(Tile const& tile, float score) {
  auto const best = tessera::reduce(tile, with_index(score, static_cast<int>(tile.thread_rank())), argmax{});
  return best.index;
}

/// The softmax of a row of any length, in place, by a tile of any size.
template <class Tile>
TESSERA_FN void softmax_row(Tile const& tile, float* row, unsigned columns) {
  auto const all = tessera::joint_transform_reduce(tile, row, columns, log_sum_exp{},
                                                   [](float x) { return as_exp_sum(x); });
  for (unsigned i = tile.thread_rank(); i < columns; i += tile.size()) row[i] = all.share(row[i]);
}

// ---- docs/tutorial/policies.md

/// Keeps the positive values, in order, and says where each one goes.
template <class Tile>
TESSERA_FN unsigned keep_positive(Tile const& tile, float x, float* out) {
  auto const [place, kept] = tessera::exclusive_scan(tile, x > 0, plus{}, with_total);
  if (x > 0) out[place] = x;
  return kept;
}

template <class Tile>
TESSERA_FN float with_policies(Tile const& tile, float x, unsigned n) {
  float const some = tessera::reduce(tile, x, plus{}, first(n));
  float const large = tessera::reduce(tile, x, plus{}, where(x > 2));
  float const fast = tessera::reduce(tile, x, plus{}, converged | first(n));
  float const rest = tessera::exclusive_scan(tile, x, plus{}, suffix);
  return some + large + fast + rest;
}

// ---- docs/tutorial/above-a-warp.md

/// The softmax of a row of 256 values, a thread each.
template <class Block>
TESSERA_FN float softmax(Block const& block, float x) {
  auto const tile = tessera::this_block_tile<256>(block);
  auto const row = tessera::reduce(tile, as_exp_sum(x), log_sum_exp{});
  return row.share(x);
}

/// The mean of a block's values, however many threads it has.
template <class Block>
TESSERA_FN float mean(Block const& block, float x) {
  auto const tile = tessera::padded_block_tile<1024>(block);
  return tessera::reduce(tile, x) / static_cast<float>(block.size());
}

}  // namespace tutorial

namespace {

using namespace test;

struct Tutorial : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

bool near(float a, float b) {
  return std::abs(a - b) < 1e-4f;
}

struct rows_kernel {
  float const* in;
  float* out;
  unsigned lanes;

  template <class Block>
  TESSERA_FN int operator()(Block const& block) const {
    tutorial::row_sums_of(lanes, block, in, out, 20, 50);
    return 0;
  }
};
TEST_F(Tutorial, RowsOfEveryWidth) {
  for (unsigned lanes : {4u, 8u, 32u, 128u}) {
    std::vector<float> numbers;
    for (unsigned i = 0; i < 20 * 50; ++i) numbers.push_back(static_cast<float>(i / 50));
    backend::array<float> in(numbers), out(std::vector<float>(20, -1.0f));
    backend::run_block<int>(256, rows_kernel{in.data(), out.data(), lanes});
    auto const sums = out.to_host();
    for (unsigned row = 0; row < std::min(20u, 256 / lanes); ++row)
      ASSERT_EQ(sums[row], 50.0f * static_cast<float>(row)) << lanes;
  }
}

struct tile_kernel {
  float* out;

  /// A bit for each function that is wrong.
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    unsigned const rank = tile.thread_rank();
    float const x = static_cast<float>(rank) + 1, row[] = {5, 6, 7, 8, 9};
    unsigned wrong = tutorial::short_row_sum(tile, row, 5) == 35.0f ? 0 : 1;
    tutorial::word const mine{rank * 3 % 8, rank};
    wrong |= tutorial::longest_word(tile, mine).place == 5 ? 0 : 2;
    wrong |= tutorial::longest_short_word(tile, mine, 5).length == 4 ? 0 : 4;
    float y = 3;
    for (unsigned i = 0; i <= rank; ++i) y = 0.5f * y + static_cast<float>(i);
    wrong |= tutorial::recurrence(tile, 0.5f, static_cast<float>(rank), 3) == y ? 0 : 8;
    wrong |= tutorial::range_of(tile, x) == 7 ? 0 : 16;
    wrong |= tutorial::best_lane(tile, rank == 3 ? 9.0f : x) == 3 ? 0 : 32;
    float* const kept = out + lane / 8 * 8;
    wrong |= tutorial::keep_positive(tile, rank % 2 ? x : -x, kept) == 4 ? 0 : 64;
    tile.sync();
    wrong |= kept[1] == 4 ? 0 : 128;
    float const rest = 36 - x * (x + 1) / 2;
    wrong |= tutorial::with_policies(tile, x, 3) == 6.0f + 33.0f + 6.0f + rest ? 0 : 256;
    return wrong;
  }
};
TEST_F(Tutorial, OperatorsAndPolicies) {
  std::vector<unsigned> lanes;
  for (unsigned i = 0; i < block_lanes; ++i) lanes.push_back(i);
  backend::array<float> out(std::vector<float>(block_lanes, -1.0f));
  for (unsigned wrong : backend::run<8, unsigned>(lanes, tile_kernel{out.data()})) ASSERT_EQ(wrong, 0u);
}

struct softmax_rows_kernel {
  float* rows;

  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, unsigned lane) const {
    tutorial::softmax_row(tile, rows + lane / 8 * 20, 20);
    return 0;
  }
};
TEST_F(Tutorial, SoftmaxOfRows) {
  std::vector<unsigned> lanes;
  for (unsigned i = 0; i < block_lanes; ++i) lanes.push_back(i);
  backend::array<float> rows(std::vector<float>(block_lanes / 8 * 20, 3.0f));
  backend::run<8, int>(lanes, softmax_rows_kernel{rows.data()});
  for (float share : rows.to_host()) ASSERT_TRUE(near(share, 1.0f / 20));
}

struct softmax_kernel {
  template <class Block>
  TESSERA_FN float operator()(Block const& block) const {
    return tutorial::softmax(block, block.thread_rank() % 2 ? 1.0f : 0.0f);
  }
};
struct mean_kernel {
  template <class Block>
  TESSERA_FN float operator()(Block const& block) const {
    return tutorial::mean(block, static_cast<float>(block.thread_rank()));
  }
};
TEST_F(Tutorial, Blocks) {
  float const e = std::exp(1.0f);
  unsigned rank = 0;
  for (float got : backend::run_block<float>(256, softmax_kernel{}))
    ASSERT_TRUE(near(128 * got * (1 + e), rank++ % 2 ? e : 1.0f));
  for (float got : backend::run_block<float>(100, mean_kernel{})) ASSERT_EQ(got, 49.5f);
}

}  // namespace
