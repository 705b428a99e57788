// The kernels of sample_rows and renormalize_rows on host tiles: filters, ties, infinities and NaN against plain loops;
// the distribution of what is drawn; the bits of Philox and of the weights.
#include <gtest/gtest.h>

#include <tessera/cluster_tile.hpp>
#include <tessera/grid/rows/row_sampler.hpp>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "logit_rows.hpp"
#include "oracle/halves.hpp"
#include "sample_reference.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// ---- Random bits and weights

TEST(GridSampleOnHost, PhiloxGivesTheBitsOfItsAuthors) {  // kat_vectors of Random123
  using tessera::detail::philox;
  auto const expect = [](tessera::detail::philox_counter const& got, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                         std::uint32_t d) {
    EXPECT_EQ(got[0], a);
    EXPECT_EQ(got[1], b);
    EXPECT_EQ(got[2], c);
    EXPECT_EQ(got[3], d);
  };
  expect(philox({0, 0, 0, 0}, {0, 0}), 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u);
  expect(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu);
  expect(philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}), 0xd16cfe09u,
         0x94fdcceb, 0x5001e420u, 0x24126ea1u);
  EXPECT_EQ(tessera::detail::random_bits(0, 0), 0xe169c58d6627e8d5u);
  EXPECT_NE(tessera::detail::random_bits(std::uint64_t{1} << 32, 0), tessera::detail::random_bits(1, 0));
  EXPECT_NE(tessera::detail::random_bits(0, std::uint64_t{1} << 32), tessera::detail::random_bits(0, 1));
}

TEST(GridSampleOnHost, Weights) {
  for (float temperature : {1.0f, 0.3f, 2.0f, 1e-3f, 40.0f}) {
    for (float max : {0.0f, 13.5f, -200.0f}) {
      detail::row_weights const weigh(max, temperature);
      EXPECT_EQ(weigh(max), 0x80000000u);
      EXPECT_EQ(weigh.number(max), 1.0f);
      EXPECT_EQ(weigh(-infinity), 0u);
      EXPECT_EQ(weigh(nan), 0u);
      EXPECT_EQ(weigh.number(-infinity), 0.0f);
      EXPECT_EQ(weigh(weigh.first_without_weight()), 0u);
      std::uint32_t last = 0x80000000u;
      for (int i = 1; i < 4000; ++i) {
        float const x = max - static_cast<float>(i) * 0.007f * temperature;
        double const z = (static_cast<double>(x) - static_cast<double>(max)) / static_cast<double>(temperature);
        double const want = std::exp(z) * 0x1p31;
        ASSERT_NEAR(weigh(x), want, want * (0x1p-22 - z * 0x1p-22) + 0.5) << i;
        ASSERT_NEAR(static_cast<double>(weigh.number(x)), std::exp(z), std::exp(z) * (0x1p-22 - z * 0x1p-22));
        ASSERT_LE(weigh(x), last);
        last = weigh(x);
      }
    }
  }
  // Extreme temperatures
  for (float temperature : {1e-45f, 1e-38f, 1e-30f}) {
    detail::row_weights const cold(3.0f, temperature);
    EXPECT_EQ(cold(3.0f), 0x80000000u);
    EXPECT_EQ(cold(2.999999f), 0u);
  }
  for (float temperature : {1e30f, std::numeric_limits<float>::max(), infinity}) {
    detail::row_weights const hot(3.0f, temperature);
    EXPECT_EQ(hot(3.0f), 0x80000000u);
    EXPECT_EQ(hot(-1e6f), 0x80000000u);
    EXPECT_EQ(hot(-infinity), 0u);
  }
  for (float lowest : {-std::numeric_limits<float>::max()}) {
    detail::row_weights const weigh(std::numeric_limits<float>::max(), 1.0f);
    EXPECT_EQ(weigh(lowest), 0u);
  }
}

TEST(GridSampleOnHost, IntegersOfWeights) {
  random_engine random(5);
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t const a = random() >> random() % 64, b = random() >> random() % 64;
    ASSERT_EQ(detail::high_product(a, b), static_cast<std::uint64_t>(static_cast<wide_unsigned>(a) * b >> 64));
    if (a > 0) {
      double const want = std::log2(static_cast<double>(a));
      ASSERT_NEAR(detail::log2_of(a), want, 1e-14 * want + 1e-14) << a;
    }
  }
  EXPECT_EQ(detail::log2_of(1), 0.0);
  EXPECT_EQ(detail::log2_of(std::uint64_t{1} << 31), 31.0);
  EXPECT_EQ(detail::log2_of(std::uint64_t{1} << 61), 61.0);
  EXPECT_EQ(detail::bits_of_uniform(0.5f), std::uint64_t{1} << 63);
  EXPECT_EQ(detail::bits_of_uniform(1.0f), ~std::uint64_t{0});
  EXPECT_EQ(detail::bits_of_uniform(nan), 0u);
  EXPECT_EQ(detail::bits_of_uniform(-1.0f), 0u);
  EXPECT_EQ(tessera::detail::nearest_integer(2.5f), 2u);
  EXPECT_EQ(tessera::detail::nearest_integer(3.5f), 4u);
  EXPECT_EQ(tessera::detail::nearest_integer(8388607.5f), 8388608u);
  EXPECT_EQ(tessera::detail::nearest_integer(0x1p31f), 0x80000000u);
}

// ---- Rows

using tiny = detail::sample_shape<64, 32, 1>;
using middle = detail::sample_shape<128, 32, 2>;
using wide = detail::sample_shape<256, 64, 4>;

/// Stands for a shape of which a cluster of so many blocks has a row.
template <class Shape, unsigned Blocks>
struct in_clusters {};

template <class Shape, class Body>
void launch(Shape, unsigned rows, unsigned seed, Body body) {
  std::vector<detail::sample_storage<Shape>> storage(rows);
  host::options how;
  how.seed = seed;
  host::launch_grid(rows, Shape::threads, how, [&](host::block const& block) {
    unsigned const row = block.group_index().x;
    body(Shape{}, detail::sample_block<Shape, host::block>(block, storage[row]), row);
  });
}

/// A Team of the blocks of a cluster of host lanes. Each value must be read before a thread of the block begins the next
/// turn: another block may be fast enough to give those of the turn after.
template <class Shape, unsigned Blocks>
class host_cluster {
 public:
  /// What the blocks share.
  struct memory {
    detail::sample_storage<Shape> storage[Blocks];
    unsigned char value[2][Blocks][64];
    unsigned begun[Blocks] = {};  // the turns that some thread of the block has begun
  };
  static constexpr bool is_alone = false;

  host_cluster(host::cluster const& cluster, memory& of_blocks) : cluster_(cluster), memory_(of_blocks) {}

  auto tile() const { return tessera::this_cluster_tile<Blocks * Shape::threads, Shape::threads>(cluster_).block(); }
  template <unsigned N>
  auto part() const {
    return tessera::tiled_partition<N>(tile());
  }
  detail::sample_storage<Shape>& storage() const { return memory_.storage[rank()]; }
  unsigned blocks() const { return cluster_.num_blocks(); }
  unsigned rank() const { return cluster_.block_rank(); }
  template <class X>
  void all_gather(X const& x) const {
    static_assert(sizeof(X) <= 64);
    if (tile().thread_rank() == 0) std::memcpy(memory_.value[turn_ % 2][rank()], &x, sizeof(X));
    if (tile().thread_rank() < Blocks) memory_.begun[rank()] = turn_ + 1;
    cluster_.sync();
    ++turn_;
  }
  template <class X>
  X value_of(unsigned block) const {
    EXPECT_EQ(memory_.begun[rank()], turn_);
    X x;
    std::memcpy(&x, memory_.value[(turn_ + 1) % 2][block], sizeof(X));
    return x;
  }
  void send(std::uint64_t place, unsigned i) const {
    for (auto& storage : memory_.storage) storage.listed[i] = place;
  }
  void wait_for_places(unsigned) const { cluster_.sync(); }

 private:
  host::cluster const& cluster_;
  memory& memory_;
  mutable unsigned turn_ = 0;
};
template <class Shape, unsigned Blocks, class Body>
void launch(in_clusters<Shape, Blocks>, unsigned rows, unsigned seed, Body body) {
  using team = host_cluster<Shape, Blocks>;
  host::options how;
  how.seed = seed;
  for (unsigned row = 0; row < rows; ++row) {
    auto const memory = std::make_unique<typename team::memory>();
    host::launch_cluster(Blocks, Shape::threads, how,
                         [&](host::cluster cluster) { body(Shape{}, team(cluster, *memory), row); });
  }
}

struct drawn {
  std::vector<int> ids;
  std::vector<float> logprobs;
};
template <class Shape, class T>
drawn sample(logit_rows<T> const& in, tessera::grid::sample_options options, std::vector<std::uint64_t> const& seeds) {
  drawn out{std::vector<int>(in.count(), -7), std::vector<float>(in.count(), 7)};
  options.logprobs = out.logprobs.data();
  detail::sample_task<T, int> const task{in.first, in.stride, in.columns(), options, seeds.data(), out.ids.data()};
  launch(Shape{}, in.count(), 3,
         [&](auto shape, auto const& team, unsigned row) { detail::sample_row<decltype(shape)>(team, task, row); });
  return out;
}
template <class Shape, class T>
std::vector<T> renormalize(logit_rows<T> const& in, tessera::grid::sample_filters const& filters, bool in_place) {
  std::vector<T> from = in.memory, to(in.memory.size() + 16, tessera::detail::convert<T>(77.0f));
  T* const first = in_place ? from.data() + (in.first - in.memory.data()) : to.data() + 1;
  if (in_place) std::copy(in.memory.begin(), in.memory.end(), from.begin());
  auto const columns = in.columns();
  detail::renormalize_task<T> const task{in_place ? first : in.first, in.stride, columns, filters, first, in.stride};
  launch(Shape{}, in.count(), 4, [&](auto shape, auto const& team, unsigned row) {
    detail::renormalize_row<decltype(shape)>(team, task, row);
  });
  std::vector<T> out;
  for (std::int64_t r = 0; r < in.count(); ++r)
    for (std::int64_t c = 0; c < columns; ++c) out.push_back(first[r * in.stride + c]);
  if (in.stride > columns) {
    float const after = tessera::detail::convert<float>(first[columns]);
    EXPECT_EQ(after, in_place ? tessera::detail::convert<float>(in.first[columns]) : 77.0f) << "after the row";
  }
  return out;
}

template <class T>
tessera::grid::sample_filters filters_of(T const& by) {
  tessera::grid::sample_filters out;
  out.temperature = by.temperature;
  out.top_k = by.top_k;
  out.top_p = by.top_p;
  out.min_p = by.min_p;
  return out;
}
std::string name(row_filters const& by, std::size_t columns) {
  return "temperature " + std::to_string(by.temperature) + ", top_k " + std::to_string(by.top_k) + ", top_p " +
         std::to_string(by.top_p) + ", min_p " + std::to_string(by.min_p) + ", columns " + std::to_string(columns);
}

/// What is drawn and what is kept, by one shape.
template <class Shape, class T>
void check(logit_rows<T> const& in, row_filters const& by, bool in_place) {
  std::vector<std::uint64_t> seeds;
  for (unsigned r = 0; r < in.count(); ++r) seeds.push_back(r * 0x9E3779B97F4A7C15u);
  tessera::grid::sample_options options;
  static_cast<tessera::grid::sample_filters&>(options) = filters_of(by);
  options.step = std::uint64_t{12};
  auto const got = sample<Shape>(in, options, seeds);
  auto const probabilities = renormalize<Shape>(in, filters_of(by), in_place);
  for (unsigned r = 0; r < in.count(); ++r) {
    auto const want = sample_reference(in.rows[r], by, tessera::detail::random_bits(seeds[r], 12));
    ASSERT_EQ(got.ids[r], want.column) << "row " << r << ", " << name(by, in.rows[r].size());
    if (want.column < 0) {
      ASSERT_EQ(got.logprobs[r], -infinity);
    } else {
      ASSERT_NEAR(static_cast<double>(got.logprobs[r]), want.log_probability, 4e-6 - want.log_probability * 1e-6);
    }
    for (std::size_t c = 0; c < in.rows[r].size(); ++c) {
      double const p = static_cast<double>(tessera::detail::convert<float>(probabilities[r * in.rows[r].size() + c]));
      double const unit = sizeof(T) == 4 ? 2e-5 : std::is_same_v<T, __half> ? 0x1p-10 : 0x1p-7;
      bool const may_be_none = want.probabilities[c] < (sizeof(T) == 4 ? 5e-20 : 1e-7);
      ASSERT_TRUE(may_be_none || p > 0) << "row " << r << ", column " << c << ", " << name(by, in.rows[r].size());
      if (want.probabilities[c] == 0) {
        ASSERT_EQ(p, 0) << "row " << r << ", column " << c << ", " << name(by, in.rows[r].size());
      }
      ASSERT_NEAR(p, want.probabilities[c], unit * want.probabilities[c] + (sizeof(T) == 4 ? 1e-19 : 1e-7))
          << "row " << r << ", column " << c << ", " << name(by, in.rows[r].size());
    }
  }
}

/// Rows with few values, many, infinities, NaN, zeros of both signs.
std::vector<std::vector<float>> some_rows(std::size_t columns, unsigned seed) {
  random_engine random(seed);
  std::vector<std::vector<float>> rows(7, std::vector<float>(columns));
  auto const place = [&] { return columns == 0 ? 0 : random() % columns; };
  for (std::size_t c = 0; c < columns; ++c) {
    float const uniform = static_cast<float>(random() % 100'000) / 10'000 - 5;
    rows[0][c] = uniform;
    rows[1][c] = uniform * std::fabs(uniform);                      // far apart
    rows[2][c] = static_cast<float>(random() % 3);                  // ties
    rows[3][c] = 2.5f;                                              // all equal
    rows[4][c] = random() % 3 == 0 ? uniform : -infinity;           // masked
    rows[5][c] = (random() % 2 != 0 ? 0.0f : -0.0f);                // equal zeros
    rows[6][c] = uniform * 0.01f - (random() % 2 == 0 ? 1e9f : 0);  // masked by a number
  }
  if (columns > 0) {
    rows[0][place()] = nan;
    rows[1][place()] = -infinity;
    rows[4][place()] = nan;
  }
  return rows;
}
std::vector<row_filters> some_filters(int columns) {
  std::vector<row_filters> out{{1, 0, 1, 0},       {0, 5, 0.5f, 0},     {0.7f, 0, 0.9f, 0},        {1, 1, 1, 0},
                               {1.3f, 7, 1, 0},    {1, 20, 0.6f, 0},    {1, 0, 0.3f, 0},           {1, 0, 1, 0.05f},
                               {2, 9, 0.9f, 0.3f}, {1, 0, 0, 0},        {0.5f, 0, 0.999f, 0.001f}, {1, 0, 1, 1},
                               {3, 100, 1, 0},     {3, 100, 0.8f, 0.2f}};
  out.push_back({1, columns - 1, 0.99f, 0});
  out.push_back({1, columns, 1, 0});
  out.push_back({1.5f, columns / 2, 0.97f, 1e-4f});
  return out;
}

template <class T, class Shape>
void check_all(unsigned seed, std::vector<std::size_t> const& sizes) {
  unsigned number = seed;
  for (std::size_t columns : sizes) {
    ++number;
    logit_rows<T> const in(some_rows(columns, number), number % 3, number % 5);
    unsigned which = seed;
    for (auto const& by : some_filters(static_cast<int>(columns))) {
      if (by.top_k < 0 || (columns > 40 && ++which % 3 != 0)) continue;
      check<Shape>(in, by, number % 2 == 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(GridSampleOnHost, FloatsOfTwoWarps) {
  check_all<float, tiny>(1, {1, 2, 17, 33, 100, 257, 601});
}
TEST(GridSampleOnHost, FloatsOfFourWarps) {
  check_all<float, middle>(2, {257, 601, 1501});
}
TEST(GridSampleOnHost, Halves) {
  check_all<__half, middle>(3, {300, 301});
}
TEST(GridSampleOnHost, Bfloat16s) {
  check_all<__nv_bfloat16, tiny>(4, {255, 256, 1003});
}
TEST(GridSampleOnHost, FloatsOfClusters) {
  check_all<float, in_clusters<tiny, 8>>(5, {1003});
  check_all<float, in_clusters<tiny, 2>>(7, {601});
}
TEST(GridSampleOnHost, Bfloat16sOfClusters) {
  check_all<__nv_bfloat16, in_clusters<middle, 4>>(6, {1003});
}
TEST(GridSampleOnHost, LongerRows) {
  for (std::size_t columns : {3001u}) {
    logit_rows<__nv_bfloat16> const in(some_rows(columns, 5), 3, 1);
    for (row_filters const& by : {row_filters{1, 40, 0.9f, 0}, row_filters{1, 0, 0.9f, 0}, row_filters{1, 0, 1, 0},
                                  row_filters{0.6f, 300, 0.95f, 0.01f}}) {
      check<wide>(in, by, false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The kernels' own shapes.
TEST(GridSampleOnHost, ShapesOfKernels) {
  auto rows = some_rows(9001, 6);
  rows.resize(2);
  logit_rows<__nv_bfloat16> const long_rows(rows, 3, 1);
  logit_rows<float> const short_rows(some_rows(1000, 7), 1, 3);
  for (row_filters const& by : {row_filters{1, 50, 0.9f, 0}, row_filters{0.2f, 0, 0.8f, 0}, row_filters{1, 0, 0.9f, 0},
                                row_filters{1, 600, 1, 0.01f}}) {
    check<detail::sample_tuning::large>(long_rows, by, false);
    check<detail::sample_tuning::usual>(short_rows, by, true);
    if (HasFatalFailure()) return;
  }
}

// ---- What decides what is drawn

/// The ids of rows alone, at other addresses, with another gap, in another order, by another shape.
TEST(GridSampleOnHost, RowsAmongOthers) {
  auto const rows = some_rows(300, 77);
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t r = 0; r < rows.size(); ++r) seeds.push_back(1'000'000'007 * r);
  tessera::grid::sample_options options;
  options.top_k = 40;
  options.top_p = 0.95f;
  auto const all = sample<middle>(logit_rows<float>(rows, 0, 0), options, seeds);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    logit_rows<float> const alone({rows[r]}, 5, static_cast<unsigned>(r % 4));
    auto const got = sample<wide>(alone, options, {seeds[r]});
    EXPECT_EQ(got.ids[0], all.ids[r]);
    EXPECT_EQ(std::memcmp(&got.logprobs[0], &all.logprobs[r], 4), 0);
  }
}

/// Numbers of each row come from arrays; uniforms take the place of seeds.
TEST(GridSampleOnHost, NumbersOfEachRow) {
  auto const rows = some_rows(200, 78);
  logit_rows<float> const in(rows, 1, 2);
  std::vector<float> const temperatures{1, 0, 0.5f, 2, nan, -1, 1}, p{1, 1, 0.5f, 0.9f, 1, 1, 0.2f},
      least{0, 0, 0, 0.1f, 0, 0, nan}, uniforms{0, 0.25f, 0.5f, 0.999f, 0.3f, 0.1f, 1};
  std::vector<std::int32_t> const k{0, 3, 10, -5, 50, 300, 150};
  std::vector<std::uint64_t> const steps{0, 1, 2, 3, 4, 5, ~std::uint64_t{0}}, seeds(7, 9);
  tessera::grid::sample_options options;
  options.temperature = temperatures.data();
  options.top_k = k.data();
  options.top_p = p.data();
  options.min_p = least.data();
  options.step = steps.data();
  auto const by_seeds = sample<middle>(in, options, seeds);
  options.uniforms = uniforms.data();
  auto const by_uniforms = sample<middle>(in, options, seeds);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    row_filters const by{temperatures[r], k[r], p[r], least[r]};
    EXPECT_EQ(by_seeds.ids[r], sample_reference(rows[r], by, tessera::detail::random_bits(9, steps[r])).column) << r;
    EXPECT_EQ(by_uniforms.ids[r], sample_reference(rows[r], by, detail::bits_of_uniform(uniforms[r])).column) << r;
  }
}

TEST(GridSampleOnHost, InfinitiesAndNothing) {
  std::vector<std::vector<float>> rows(5, std::vector<float>(100, -infinity));
  for (std::size_t c : {3u, 50u, 99u}) rows[1][c] = infinity;
  rows[1][40] = 1e38f;
  rows[1][41] = nan;
  for (std::size_t c = 0; c < 100; c += 2) rows[2][c] = nan;
  rows[3][17] = -std::numeric_limits<float>::max();
  rows[4][17] = std::numeric_limits<float>::max();
  rows[4][18] = -std::numeric_limits<float>::max();
  logit_rows<float> const in(rows, 0, 3);
  for (auto const& by : some_filters(100)) {
    check<tiny>(in, by, false);
    check<wide>(in, by, true);
    if (HasFatalFailure()) return;
  }
  logit_rows<float> const none({{}, {}}, 4, 0);
  EXPECT_EQ(sample<tiny>(none, {}, {1, 2}).ids, (std::vector<int>{-1, -1}));
  renormalize<tiny>(none, {}, false);
  std::vector<std::vector<float>> const lowest(1, std::vector<float>(70, -std::numeric_limits<float>::max()));
  for (int k : {0, 3, 40, 69}) check<tiny>(logit_rows<float>(lowest, 0, 0), {1, k, 0.5f, 0}, false);
}

/// χ² of what is drawn by consecutive seeds, and by consecutive steps of one seed.
void check_distribution(std::vector<float> const& row, row_filters const& by, bool by_steps) {
  constexpr unsigned draws = 1000;
  std::vector<std::vector<float>> const rows(100, row);
  logit_rows<float> const in(rows, 0, 0);
  std::vector<double> counts(row.size(), 0.0);
  for (unsigned d = 0; d < draws; d += 100) {
    std::vector<std::uint64_t> seeds, steps;
    for (unsigned r = 0; r < 100; ++r) {
      seeds.push_back(by_steps ? 4711 : d + r);
      steps.push_back(by_steps ? d + r : 0);
    }
    tessera::grid::sample_options options;
    static_cast<tessera::grid::sample_filters&>(options) = filters_of(by);
    options.step = steps.data();
    for (int id : sample<tiny>(in, options, seeds).ids) counts[static_cast<std::size_t>(id)] += 1;
  }
  auto const want = sample_reference(row, by, 0);
  double chi = 0;
  unsigned kept = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    double const expected = want.probabilities[c] * draws;
    if (expected == 0) {
      ASSERT_EQ(counts[c], 0) << c;
      continue;
    }
    chi += (counts[c] - expected) * (counts[c] - expected) / expected;
    ++kept;
  }
  double const freedom = kept - 1.0;
  EXPECT_LT(chi, freedom + 4 * std::sqrt(2 * freedom) + 4) << name(by, row.size());
  EXPECT_GT(chi, freedom - 4 * std::sqrt(2 * freedom)) << name(by, row.size());
}
TEST(GridSampleOnHost, Distribution) {
  std::vector<float> row;
  for (int c = 0; c < 12; ++c) row.push_back(static_cast<float>((c * 7) % 12) * 0.3f);
  check_distribution(row, {1, 0, 1, 0}, false);
  check_distribution(row, {0.8f, 6, 0.9f, 0}, true);
  for (int c = 12; c < 50; ++c) row.push_back(static_cast<float>(c % 5) * 0.4f);
  check_distribution(row, {1, 0, 1, 0}, true);  // in no list
  check_distribution(row, {1, 0, 1, 0.3f}, false);
}

/// 0 is a number, and no null pointer.
TEST(GridSampleOnHost, OptionsAreNumbersOfAnyType) {
  tessera::grid::sample_options options;
  options.temperature = 0;
  options.top_k = 5L;
  options.top_p = 0.5;
  options.step = 0;
  EXPECT_EQ(options.temperature.of(3), 0.0f);
  EXPECT_EQ(options.top_k.of(3), 5);
  EXPECT_EQ(options.top_p.of(3), 0.5f);
  EXPECT_EQ(options.step.of(3), 0u);
  float const each[]{1, 2};
  options.temperature = each;
  EXPECT_EQ(options.temperature.of(1), 2.0f);
}

}  // namespace
