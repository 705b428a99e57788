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
  for (unsigned i = tile.thread_rank(); i < columns; i += tile.size())
    sum += row[i];
  return tessera::reduce(tile, sum);
}

/// The same of every row, N lanes a row.
template <unsigned N, class Block>
TESSERA_FN void row_sums(Block const& block, float const* in, float* out,
                         unsigned rows, unsigned columns) {
  auto const tile = tessera::tiled_partition<N>(block);
  unsigned const row =
      block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;
  float const sum = row_sum(tile, in + row * columns, columns);
  if (tile.thread_rank() == 0) out[row] = sum;
}

/// The number of lanes is known when the kernel is launched: each size is compiled.
template <class Block>
TESSERA_FN void row_sums_of(unsigned lanes, Block const& block, float const* in,
                            float* out, unsigned rows, unsigned columns) {
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
TESSERA_FN float short_row_sum(Tile const& tile, float const* row,
                               unsigned columns) {
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
  TESSERA_FN affine operator()(affine f, affine g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};

/// The recurrence y(i) = a(i) · y(i − 1) + b(i), a lane for each i.
template <class Tile>
TESSERA_FN float recurrence(Tile const& tile, float a, float b, float start) {
  affine const all = tessera::inclusive_scan(tile, affine{a, b}, then{});
  return all.a * start + all.b;
}

template <class Tile>
TESSERA_FN float range_of(Tile const& tile, float x) {
  auto const [least, greatest] =
      tessera::reduce(tile, as_zipped(x, x), zip(minimum{}, maximum{}));
  return greatest - least;
}

template <class Tile>
TESSERA_FN int best_lane(Tile const& tile, float score) {
  auto const best = tessera::reduce(
      tile, with_index(score, static_cast<int>(tile.thread_rank())), argmax{});
  return best.index;
}

/// The softmax of a row of any length, in place, by a tile of any size.
template <class Tile>
TESSERA_FN void softmax_row(Tile const& tile, float* row, unsigned columns) {
  auto const all = tessera::joint_transform_reduce(
      tile, row, columns, log_sum_exp{}, [](float x) { return as_exp_sum(x); });
  for (unsigned i = tile.thread_rank(); i < columns; i += tile.size())
    row[i] = all.share(row[i]);
}

// ---- docs/tutorial/policies.md

/// Keeps the positive values, in order, and says where each one goes.
template <class Tile>
TESSERA_FN unsigned keep_positive(Tile const& tile, float x, float* out) {
  auto const [place, kept] =
      tessera::exclusive_scan(tile, x > 0, plus{}, with_total);
  if (x > 0) out[place] = x;
  return kept;
}

template <class Tile>
TESSERA_FN float with_policies(Tile const& tile, float x, unsigned n) {
  float const of_first = tessera::reduce(tile, x, plus{}, first(n));
  float const large = tessera::reduce(tile, x, plus{}, where(x > 2));
  float const fast = tessera::reduce(tile, x, plus{}, converged | first(n));
  float const rest = tessera::exclusive_scan(tile, x, plus{}, suffix);
  return of_first + large + fast + rest;
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

// ---- docs/tutorial/sorting-and-selecting.md

/// Sorts a row of up to 4 · N values, in place.
template <class Tile>
TESSERA_FN void sort_row(Tile const& tile, float* row, unsigned columns) {
  auto const x = tessera::load<4>(tile, row, columns);
  auto const sorted = tessera::sort(tile, x, less{}, first(columns));
  tessera::store(tile, sorted, row, columns);
}

/// The scores of a row from the greatest down, and the columns that they come from.
template <class Tile>
TESSERA_FN void rank_row(Tile const& tile, float const* row, unsigned columns,
                         float* scores, unsigned* order) {
  auto const score = tessera::load<4>(tile, row, columns, striped);
  items<unsigned, 4> column;
  for (unsigned i = 0; i < 4; ++i) column[i] = i * tile.size() + tile.thread_rank();
  auto const ranked = tessera::sort_by_key(tile, score, column, greater{},
                                           striped | first(columns));
  tessera::store(tile, ranked.keys, scores, columns, striped);
  tessera::store(tile, ranked.values, order, columns, striped);
}

/// Sorts the keys of each segment, and leaves the segments side by side.
template <class Tile>
TESSERA_FN auto sort_segments(Tile const& tile, unsigned segment, float key,
                              unsigned value) {
  using key_t = zipped<unsigned, float>;
  auto const before = [](key_t const& a, key_t const& b) {
    return get<0>(a) != get<0>(b) ? get<0>(a) < get<0>(b) : get<1>(a) < get<1>(b);
  };
  return tessera::stable_sort_by_key(tile, as_zipped(segment, key), value, before);
}

/// The share of the better of a token's two experts. Lane i has the score of expert i.
template <class Tile>
TESSERA_FN float better_share(Tile const& tile, float score) {
  auto const best = tessera::top_k<2>(tile, with_index(score, tile.thread_rank()));
  float const highest = best[0].value, next = best[1].value;
  return highest / (highest + next);  // of experts best[0].index and best[1].index
}

/// The 8 nearest of n points, of which lane i gets the i-th.
template <class Tile>
TESSERA_FN indexed<float, int> nearest(Tile const& tile, float const* distance,
                                       int n) {
  top_k_queue<8, indexed<float, int>, less, tile_size_v<Tile>> queue;
  int const size = tile.size(), rank = tile.thread_rank();
  for (int i = rank; i - rank < n; i += size)
    queue.push(tile, with_index(i < n ? distance[i] : 0.0f, i), where(i < n));
  return queue.best(tile, scattered);
}

/// The same of points in memory, in every lane.
template <class Tile>
TESSERA_FN items<float, 8> least_distances(Tile const& tile, float const* distance,
                                           int n) {
  return tessera::joint_top_k<8>(tile, distance, n, less{});
}

/// The rows of a sparse matrix that have an item: the tile's, and that of each lane.
template <class Tile>
TESSERA_FN int rows_between(Tile const& tile, int const* offsets, int rows,
                            int item) {
  int const lane_item = item + static_cast<int>(tile.thread_rank());
  int const row = tessera::upper_bound(tile, offsets, rows + 1, item) - 1;
  int const row_of_lane = tessera::upper_bound(offsets, rows + 1, lane_item) - 1;
  return row_of_lane - row;
}

/// Moves the values below the pivot to the first lanes. Returns how many there are.
template <class Tile>
TESSERA_FN unsigned split(Tile const& tile, float& x, float pivot) {
  auto const [position, count] = tessera::partition(tile, x < pivot);
  x = tessera::scatter(tile, x, position);
  return count;
}

/// The most frequent value; the least of those that are as frequent.
template <class Tile>
TESSERA_FN int most_frequent(Tile const& tile, int x) {
  auto const runs = tessera::run_length_encode(tile, tessera::sort(tile, x));
  auto const longest =
      tessera::reduce(tile, with_index(runs.length, tile.thread_rank()), argmax{});
  return tessera::broadcast(tile, runs.value, longest.index);
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
    for (unsigned i = 0; i < 20 * 50; ++i)
      numbers.push_back(static_cast<float>(i / 50));
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
    wrong |=
        tutorial::recurrence(tile, 0.5f, static_cast<float>(rank), 3) == y ? 0 : 8;
    wrong |= tutorial::range_of(tile, x) == 7 ? 0 : 16;
    wrong |= tutorial::best_lane(tile, rank == 3 ? 9.0f : x) == 3 ? 0 : 32;
    float* const kept = out + lane / 8 * 8;
    wrong |= tutorial::keep_positive(tile, rank % 2 ? x : -x, kept) == 4 ? 0 : 64;
    tile.sync();
    wrong |= kept[1] == 4 ? 0 : 128;
    float const rest = 36 - x * (x + 1) / 2;
    wrong |=
        tutorial::with_policies(tile, x, 3) == 6.0f + 33.0f + 6.0f + rest ? 0 : 256;
    return wrong;
  }
};
TEST_F(Tutorial, OperatorsAndPolicies) {
  std::vector<unsigned> lanes;
  for (unsigned i = 0; i < block_lanes; ++i) lanes.push_back(i);
  backend::array<float> out(std::vector<float>(block_lanes, -1.0f));
  for (unsigned wrong : backend::run<8, unsigned>(lanes, tile_kernel{out.data()}))
    ASSERT_EQ(wrong, 0u);
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
  for (float got : backend::run_block<float>(100, mean_kernel{}))
    ASSERT_EQ(got, 49.5f);
}

/// Rows of 4 · N − 3 values for each tile: the column c of a row has the value (5 · c) % columns, which differ.
struct selecting_kernel {
  float *rows, *scores;
  unsigned* order;
  int const* offsets;

  /// A bit for each function that is wrong.
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, columns = 4 * N - 3;
    unsigned const rank = tile.thread_rank(), from = lane / N * 4 * N;
    float const x = static_cast<float>(rank);
    tutorial::rank_row(tile, rows + from, columns, scores + from, order + from);
    int const n = columns;
    auto const closest = tutorial::nearest(tile, rows + from, n);
    auto const least = tutorial::least_distances(tile, rows + from, n);
    tile.sync();
    tutorial::sort_row(tile, rows + from, columns);
    tile.sync();
    unsigned wrong = 0;
    for (unsigned c = 0; c < columns; ++c) {
      wrong |= rows[from + c] == static_cast<float>(c) ? 0 : 1;
      wrong |= scores[from + c] == static_cast<float>(columns - 1 - c) ? 0 : 2;
      wrong |= 5 * order[from + c] % columns == columns - 1 - c ? 0 : 2;
    }
    wrong |= rank >= 8 || (closest.value == x &&
                           5 * closest.index % n == static_cast<int>(rank))
                 ? 0
                 : 4;
    wrong |= least[0] == 0 && least[7] == 7 ? 0 : 8;
    auto const pair = tutorial::sort_segments(tile, rank % 2, -x, rank);
    unsigned const half =
        rank %
        (N /
         2);  // rank among those of its segment, the greatest key being the first lane's
    wrong |= tessera::get<0>(pair.keys) == 2 * rank / N &&
                     pair.values == N - 2 * half - 2 + 2 * rank / N
                 ? 0
                 : 16;
    wrong |= tutorial::better_share(tile, rank == 2   ? 30.0f
                                          : rank == 5 ? 10.0f
                                                      : 1.0f) == 0.75f
                 ? 0
                 : 32;
    wrong |= tutorial::rows_between(tile, offsets, 4, 1) == (rank < 2    ? 0
                                                             : rank == 2 ? 2
                                                                         : 3)
                 ? 0
                 : 64;
    float y = x;
    unsigned const below = tutorial::split(tile, y, rank % 2 ? x : x + 1);
    wrong |= below == N / 2 && y == static_cast<float>(2 * half + 2 * rank / N)
                 ? 0
                 : 128;
    wrong |= tutorial::most_frequent(tile, static_cast<int>(rank % 5 % 3)) == 0
                 ? 0
                 : 256;
    return wrong;
  }
};
template <unsigned N>
void check_selecting() {
  std::vector<unsigned> lanes;
  std::vector<float> numbers;
  for (unsigned i = 0; i < block_lanes; ++i) lanes.push_back(i);
  for (unsigned i = 0; i < 4 * block_lanes; ++i)
    numbers.push_back(static_cast<float>(5 * (i % (4 * N)) % (4 * N - 3)));
  backend::array<float> rows(numbers), scores(numbers);
  backend::array<unsigned> order(std::vector<unsigned>(4 * block_lanes, 0));
  backend::array<int> offsets(std::vector<int>{0, 3, 3, 4, 1000});
  selecting_kernel const kernel{rows.data(), scores.data(), order.data(),
                                offsets.data()};
  for (unsigned wrong : backend::run<N, unsigned>(lanes, kernel))
    ASSERT_EQ(wrong, 0u);
}
TEST_F(Tutorial, SortingAndSelecting) {
  check_selecting<8>();
  check_selecting<64>();
}

}  // namespace
