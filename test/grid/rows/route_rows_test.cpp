// The kernels of route_rows on host tiles: choices and weights of every option against plain loops; NaN, infinities and
// ties; rows at any address; the permutation in the same launch.
#include <gtest/gtest.h>

#include <tessera/grid/group_by_label.hpp>
#include <tessera/grid/rows/route_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "logit_rows.hpp"
#include "oracle/halves.hpp"
#include "route_reference.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;
using tessera::grid::route_options;
using tessera::grid::router_scores;

constexpr float infinity = std::numeric_limits<float>::infinity();

struct routes {
  std::vector<float> weights;
  std::vector<std::int32_t> experts;
};

template <class T>
detail::route_task<T> task_of(logit_rows<T> const& in, int k, route_options const& options, int tile_rows,
                              routes& out) {
  auto const rows = static_cast<std::int64_t>(in.rows.size());
  int slots = 1;
  while (slots < k) slots *= 2;
  out.weights.assign(static_cast<std::size_t>(rows * k) + 1, -7);
  out.experts.assign(static_cast<std::size_t>(rows * k) + 1, -7);
  return {in.first,
          in.stride,
          rows,
          static_cast<int>(in.rows[0].size()),
          k,
          slots,
          tile_rows,
          in.is_aligned(),
          options,
          out.weights.data(),
          out.experts.data()};
}

/// By blocks of two warps.
template <class Shape, bool IsNarrow, class T>
routes route(logit_rows<T> const& in, int k, route_options const& options, int tile_rows) {
  constexpr unsigned threads = 64;
  routes out;
  auto const task = task_of(in, k, options, tile_rows, out);
  std::int64_t const block_rows = threads / Shape::threads * tile_rows;
  auto const blocks = static_cast<unsigned>((task.row_count + block_rows - 1) / block_rows);
  host::launch_grid(blocks, threads, host::options{}, [&](host::block const& block) {
    detail::route_block<Shape, IsNarrow>(block, task, block.group_index().x * block_rows);
  });
  EXPECT_EQ(out.weights.back(), -7);
  EXPECT_EQ(out.experts.back(), -7);
  return out;
}

/// All options for rows of so many columns, with and without narrow keys, by one row a tile and by several.
template <class Shape, class T>
void check(int columns, int k, std::int64_t gap, unsigned offset, random_engine& random) {
  int slots = 1;
  while (slots < k) slots *= 2;
  std::vector<float> bias;
  for (int c = 0; c < columns; ++c) bias.push_back(static_cast<float>(static_cast<int>(random() % 64)) / 128);
  if (columns > 3) bias[2] = std::numeric_limits<float>::quiet_NaN();
  logit_rows<T> const in(drawn_rows(11, columns, random), gap, offset);
  for (auto options : all_options(bias.data(), columns)) {
    if (columns / options.num_groups * options.top_groups < k || options.num_groups > static_cast<int>(Shape::threads))
      continue;
    SCOPED_TRACE(testing::Message() << columns << " columns, k " << k << ", groups " << options.num_groups << ", bias "
                                    << (options.bias != nullptr) << ", softmax "
                                    << (options.scores == router_scores::softmax) << ", renormalized "
                                    << options.renormalize);
    auto const got = route<Shape, false>(in, k, options, 1);
    for (std::size_t r = 0; r < in.rows.size(); ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r);
      auto const at = static_cast<std::ptrdiff_t>(r) * k;
      expect_row(in.rows[r], k, options, {}, got.weights.data() + at, got.experts.data() + at);
      if (testing::Test::HasFatalFailure()) return;
    }
    auto const same = [&](routes const& other, char const* how) {
      EXPECT_EQ(other.experts, got.experts) << how;
      EXPECT_EQ(std::memcmp(other.weights.data(), got.weights.data(), got.weights.size() * sizeof(float)), 0) << how;
    };
    for (int tile_rows = 2; tile_rows * slots <= static_cast<int>(Shape::threads); tile_rows *= 2)
      same(route<Shape, false>(in, k, options, tile_rows), "several rows a tile");
    logit_rows<T> const moved(in.rows, 16 - columns % 16, offset == 0 ? 3 : 0);
    same(route<Shape, false>(moved, k, options, 1), "elsewhere");
    if constexpr (sizeof(T) == 2) {
      if (options.bias == nullptr && options.num_groups == 1) {
        same(route<Shape, true>(in, k, options, 1), "narrow keys");
        same(route<Shape, true>(moved, k, options, static_cast<int>(Shape::threads) / slots), "narrow keys elsewhere");
      }
    }
    if (testing::Test::HasFailure()) return;
    // A recorded choice
    std::vector<std::int32_t> recorded;
    for (std::size_t i = 0; i + 1 < got.experts.size(); ++i)
      recorded.push_back(static_cast<int>(random() % static_cast<unsigned>(columns)));
    if (k > 1) recorded[1] = -1;
    if (k > 2) recorded[2] = columns;
    options.recorded = recorded.data();
    auto const replayed = route<Shape, false>(in, k, options, static_cast<int>(Shape::threads) / slots);
    for (std::size_t r = 0; r < in.rows.size(); ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r << ", recorded");
      auto const at = static_cast<std::ptrdiff_t>(r) * k;
      expect_row(in.rows[r], k, options, {recorded.begin() + at, recorded.begin() + at + k},
                 replayed.weights.data() + at, replayed.experts.data() + at);
      if (testing::Test::HasFatalFailure()) return;
    }
    recorded.assign(got.experts.begin(), got.experts.end() - 1);
    options.recorded = recorded.data();
    same(route<Shape, false>(in, k, options, 1), "its own choice");
  }
}

using eight = detail::route_shape<8, 8>;
using sixteen = detail::route_shape<8, 16>;
using thirty_two = detail::route_shape<8, 32>;
using widest = detail::route_shape<16, 32>;

TEST(GridRouteOnHost, FewColumns) {
  random_engine random(1);
  for (int columns : {1, 2, 7, 8, 9, 16, 60, 64})
    for (int k : {1, 2, 6, 8}) {
      if (k > columns) continue;
      check<eight, float>(columns, k, columns % 3, static_cast<unsigned>(k) % 2, random);
      check<eight, __nv_bfloat16>(columns, k, columns % 2 * 3, static_cast<unsigned>(k) % 2, random);
      if (HasFailure()) return;
    }
}
TEST(GridRouteOnHost, MoreColumns) {
  random_engine random(2);
  check<sixteen, __half>(128, 8, 0, 0, random);
  check<sixteen, float>(100, 9, 1, 1, random);
  check<sixteen, __nv_bfloat16>(16, 16, 0, 0, random);
  check<thirty_two, __nv_bfloat16>(256, 8, 0, 0, random);
  check<thirty_two, float>(256, 8, 0, 0, random);
  check<thirty_two, __half>(160, 6, 8, 0, random);
  check<thirty_two, float>(48, 32, 0, 0, random);
}
TEST(GridRouteOnHost, ManyColumns) {
  random_engine random(3);
  check<widest, __nv_bfloat16>(512, 8, 0, 0, random);
  check<widest, float>(384, 6, 0, 0, random);
  check<widest, __half>(289, 12, 2, 1, random);
}

TEST(GridRouteOnHost, Orders) {
  random_engine random(4);
  for (int i = 0; i < 100'000; ++i) {
    auto const bits = static_cast<std::uint32_t>(random());
    for (int type = 0; type < 2; ++type) {
      auto const of = [&](std::uint32_t half) {
        auto const pattern = static_cast<std::uint16_t>(half);
        if (type == 0) return tessera::detail::convert<float>(tessera::detail::from_bits<__half>(pattern));
        return tessera::detail::convert<float>(tessera::detail::from_bits<__nv_bfloat16>(pattern));
      };
      std::uint32_t const got =
          type == 0 ? detail::ordered_pair<__half>(bits) : detail::ordered_pair<__nv_bfloat16>(bits);
      float const low = detail::route_logit(of(bits & 0xffffu)), high = detail::route_logit(of(bits >> 16));
      auto const a = static_cast<std::int16_t>(got & 0xffffu), b = static_cast<std::int16_t>(got >> 16);
      ASSERT_EQ(a < b, low < high) << low << " " << high;
      ASSERT_EQ(a == b, low == high) << low << " " << high;
      ASSERT_EQ(detail::route_order(low) < detail::route_order(high), low < high);
      ASSERT_EQ(detail::route_order(low) == detail::route_order(high), low == high);
      ASSERT_TRUE(a > INT16_MIN && b > INT16_MIN && detail::route_order(low) > 0);
    }
  }
}
TEST(GridRouteOnHost, Exponentials) {
  EXPECT_EQ(detail::route_exponential(0.0f), 1.0f);
  EXPECT_EQ(detail::route_exponential(-infinity), 0.0f);
  EXPECT_EQ(detail::route_exponential(-88.0f), 0.0f);
  for (float x = 0; x > -86.9f; x -= 0.0037f) {
    double const want = std::exp(static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(detail::route_exponential(x)), want,
                want * (0x1p-22 - static_cast<double>(x) * 0x1p-24))
        << x;
  }
  EXPECT_EQ(detail::route_sigmoid(0.0f), 0.5f);
  EXPECT_EQ(detail::route_sigmoid(infinity), 1.0f);
  EXPECT_EQ(detail::route_sigmoid(-infinity), 0.0f);
  EXPECT_NEAR(detail::route_sigmoid(-2.0f), 0.119202922, 1e-8);
  EXPECT_NEAR(detail::route_sigmoid(2.0f), 0.880797078, 1e-7);
}

// ---- With the permutation

template <class Shape, bool IsNarrow, class T>
void check_grouped(int rows, int columns, int k, int tile_rows, std::int64_t pad_to, std::vector<std::uint64_t>& words,
                   random_engine& random) {
  using blocks = detail::group_shape<2, 1>;
  logit_rows<T> const in(drawn_rows(rows, columns, random), 0, 0);
  route_options options;
  auto const want = route<Shape, IsNarrow>(in, k, options, 1);
  routes got;
  auto const task = task_of(in, k, options, tile_rows, got);
  std::int64_t const n = std::int64_t{rows} * k, part = std::int64_t{blocks::threads / Shape::threads * tile_rows} * k;
  auto const parts = static_cast<unsigned>((n + part - 1) / part);
  std::vector<int> offsets(static_cast<std::size_t>(columns) + 1),
      order(static_cast<std::size_t>(tessera::grid::grouped_size(n, columns, pad_to)), -7);
  detail::group_task<std::int32_t, int> const groups{got.experts.data(),
                                                     n,
                                                     static_cast<unsigned>(columns),
                                                     parts,
                                                     part,
                                                     static_cast<int>(pad_to),
                                                     offsets.data(),
                                                     order.data(),
                                                     nullptr,
                                                     nullptr,
                                                     nullptr};
  std::size_t const needed = 2 + std::size_t{parts} * detail::packed_counts<8>::words(groups.bins);
  if (words.size() < needed) words.assign(needed, 0);
  detail::look_back_memory const memory{parts == 1 ? nullptr : words.data(), words.size()};
  std::vector<std::vector<std::uint64_t>> shared(
      parts, std::vector<std::uint64_t>(detail::group_storage<blocks, int>::bytes(groups.bins) / 8 + 1));
  host::launch_grid(parts, blocks::threads, host::options{}, [&](host::block const& block) {
    detail::route_and_group_part<Shape, IsNarrow, blocks>(block, task, groups, memory,
                                                          shared[block.group_index().x].data());
  });
  SCOPED_TRACE(testing::Message() << rows << " rows, " << columns << " columns, k " << k << ", " << parts << " parts");
  ASSERT_EQ(got.experts, want.experts);
  ASSERT_EQ(std::memcmp(got.weights.data(), want.weights.data(), want.weights.size() * sizeof(float)), 0);
  std::vector<std::int32_t> const labels(want.experts.begin(), want.experts.end() - 1);
  grouped_labels<int> const grouped(labels, columns, pad_to);
  ASSERT_EQ(offsets, grouped.offsets);
  for (std::size_t i = 0; i < order.size(); ++i)
    ASSERT_EQ(order[i], i < grouped.order.size() ? grouped.order[i] : -7) << i;
}
TEST(GridRouteOnHost, Groups) {
  random_engine random(5);
  std::vector<std::uint64_t> words;
  check_grouped<thirty_two, true, __nv_bfloat16>(5, 256, 8, 4, 1, words, random);
  check_grouped<thirty_two, true, __nv_bfloat16>(45, 256, 8, 4, 16, words, random);
  check_grouped<thirty_two, true, __nv_bfloat16>(23, 250, 6, 2, 1, words, random);
  check_grouped<eight, false, float>(100, 64, 8, 1, 8, words, random);
  check_grouped<eight, false, float>(77, 30, 2, 4, 1, words, random);
  check_grouped<widest, false, float>(9, 512, 20, 1, 1, words, random);
}

}  // namespace
