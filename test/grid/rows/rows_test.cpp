// The bodies of the kernels on rows, on host tiles: what they compute, and that no lane breaks a rule.
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/least_of_flipped.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/host/launch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "rows_on_host.hpp"

namespace {

using namespace tessera::grid::detail;
namespace host = tessera::host;

/// Rows of floats from a multiple of 16 bytes on, or one element behind it.
struct rows {
  std::vector<float> memory;
  float* first;
  std::int64_t count;
  int columns;
  std::int64_t stride;

  rows(std::int64_t count_, int columns_, std::int64_t stride_, unsigned offset)
      : memory(static_cast<std::size_t>(count_ * stride_ + 16), 99.0f),
        count(count_),
        columns(columns_),
        stride(stride_) {
    first = memory.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    first += offset;
    for (std::int64_t r = 0; r < count; ++r) {
      for (int c = 0; c < columns; ++c) at(r, c) = static_cast<float>((r * 31 + c * 17) % 23) / 4.0f - 2.5f;
    }
  }
  float& at(std::int64_t r, int c) { return first[r * stride + c]; }
  row_task<float> task(rows& out) { return {first, out.first, stride, out.stride, count, columns, nullptr}; }
};

template <class Shape, class Body>
void launch(std::int64_t count, Body body) {
  auto const blocks =
      static_cast<unsigned>((count + Shape::rows_per_tile * Shape::tiles - 1) / (Shape::rows_per_tile * Shape::tiles));
  host::launch_grid(blocks, Shape::block_threads, body);
}

template <class Shape>
void expect_softmax(int columns, std::int64_t stride, unsigned offset) {
  rows in(7, columns, stride, offset), out(7, columns, stride, offset);
  softmax_map<float> const map{};
  launch<Shape>(7, [&](host::block block) { map_rows<Shape>(block, in.task(out), map); });
  for (std::int64_t r = 0; r < 7; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(in.at(r, c)));
    for (int c = 0; c < columns; ++c)
      ASSERT_NEAR(out.at(r, c), std::exp(static_cast<double>(in.at(r, c))) / sum, 1e-6)
          << columns << " columns, row " << r;
    if (stride > columns) {
      ASSERT_EQ(out.at(r, columns), 99.0f) << "after the row";
    }
  }
}

TEST(GridRowsOnHost, Softmax) {
  expect_softmax<row_shape<true, 2, 1, 4, 32>>(8, 8, 0);
  expect_softmax<row_shape<true, 8, 2, 1, 64>>(64, 68, 0);
  expect_softmax<row_shape<true, 64, 4, 1, 64>>(1000, 1000, 0);
  expect_softmax<row_shape<false, 4, 2, 1, 32>>(1, 1, 0);
  expect_softmax<row_shape<false, 4, 2, 1, 32>>(13, 15, 1);
  expect_softmax<row_shape<false, 64, 2, 1, 64>>(301, 301, 1);
}

/// A block of any number of warps maps a row to the bits that a tile of as many threads gives.
template <class Shape, class Map>
void expect_same_by_block(int columns, std::int64_t stride, unsigned offset, Map const& map) {
  rows in(3, columns, stride, offset), out(3, columns, stride, offset), by_block(3, columns, stride, offset);
  for (int c = 0; c < columns; ++c) in.at(1, c) = static_cast<float>((c * 7919) % 1013) / 333.0f;
  launch<Shape>(3, [&](host::block block) { map_rows<Shape>(block, in.task(out), map); });
  std::vector<row_block_storage<float>> storage(3);
  host::launch_grid(3, Shape::block_threads, [&](host::block block) {
    using shape = block_shape<Shape::aligned, Shape::vectors_per_lane, 1024>;
    map_block_rows<shape>(block, in.task(by_block), map, storage[block.group_index().x]);
  });
  for (std::int64_t r = 0; r < 3; ++r) {
    for (int c = 0; c < columns; ++c)
      ASSERT_EQ(out.at(r, c), by_block.at(r, c)) << columns << " columns, row " << r << ", column " << c;
    if (stride > columns) {
      ASSERT_EQ(by_block.at(r, columns), 99.0f) << "after the row";
    }
  }
}

TEST(GridRowsOnHost, BlocksOfSeveralSizes) {
  softmax_map<float> const softmax{};
  norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
  expect_same_by_block<row_shape<true, 64, 4, 1, 64>>(1000, 1000, 0, softmax);
  expect_same_by_block<row_shape<true, 128, 2, 1, 128>>(516, 520, 0, norm);
  expect_same_by_block<row_shape<false, 256, 4, 1, 256>>(2003, 2005, 1, softmax);
  expect_same_by_block<row_shape<false, 1024, 1, 1, 1024>>(4003, 4005, 3, norm);
}

/// Any number of a warp's lanes do.
template <class Shape, class Map>
void expect_same_by_lanes(int columns, std::int64_t stride, unsigned offset, Map const& map) {
  rows in(37, columns, stride, offset), out(37, columns, stride, offset), by_lanes(37, columns, stride, offset);
  launch<Shape>(37, [&](host::block block) { map_rows<Shape>(block, in.task(out), map); });
  launch<Shape>(37, [&](host::block block) {
    using shape = block_shape<Shape::aligned, Shape::vectors_per_lane, Shape::block_threads>;
    map_rows_by_lanes<shape>(block, in.task(by_lanes), map, Shape::threads_per_row);
  });
  EXPECT_TRUE(std::equal(out.first, out.first + 37 * stride, by_lanes.first)) << Shape::threads_per_row;
}

TEST(GridRowsOnHost, LanesOfAnyNumber) {
  softmax_map<float> const softmax{};
  norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
  expect_same_by_lanes<row_shape<true, 4, 2, 1, 128>>(32, 36, 0, softmax);
  expect_same_by_lanes<row_shape<true, 8, 2, 1, 64>>(64, 64, 0, norm);
  expect_same_by_lanes<row_shape<false, 16, 2, 1, 128>>(113, 117, 3, softmax);
  expect_same_by_lanes<row_shape<true, 32, 2, 1, 128>>(256, 260, 0, norm);
}

TEST(GridRowsOnHost, SoftmaxInTwoReads) {
  using shape = row_shape<false, 64, 1, 1, 64>;
  constexpr unsigned splits = 2;
  int const columns = 901;
  rows in(3, columns, columns, 1), out(3, columns, columns, 1);
  softmax_map<float> const map{};
  std::vector<tessera::exp_sum<float>> parts(3 * row_parts::of<shape, float>(columns).count);
  std::vector<part_storage<shape, tessera::exp_sum<float>>> storage(3 * splits);
  host::launch_grid(3 * splits, 64, [&](host::block block) {
    measure_parts<shape>(block, in.task(out), map, splits, parts.data(), storage[block.group_index().x]);
  });
  host::launch_grid(3 * splits, 64,
                    [&](host::block block) { map_rows_again<shape>(block, in.task(out), map, parts.data(), splits); });
  for (std::int64_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(in.at(r, c)));
    for (int c = 0; c < columns; ++c) ASSERT_NEAR(out.at(r, c), std::exp(static_cast<double>(in.at(r, c))) / sum, 1e-6);
  }
}

TEST(GridRowsOnHost, BlocksThatShareARow) {
  for (int const columns : {4, 100, 1024, 1500, 2044}) {
    rows in(3, columns, columns + 8, 0), shares(3, columns, columns, 0), whole_shares(3, columns, columns, 0),
        norms(3, columns, columns, 0), norms_in_passes(3, columns, columns, 0);
    using shape = block_shape<false, 2, 512>;
    softmax_map<float> const softmax{};
    norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
    test::map_by_host_clusters<shape, 64>(in.task(shares), softmax, 4);
    test::map_by_host_clusters<shape, 64>(in.task(norms), norm, 4);
    test::map_by_host_clusters<block_shape<true, 2, 512>, 64>(in.task(whole_shares), softmax, 4);
    test::map_in_host_passes<shape>(in.task(norms_in_passes), norm, 8, 32);
    for (std::int64_t r = 0; r < 3; ++r) {
      double sum = 0, mean = 0, squares = 0;
      for (int c = 0; c < columns; ++c) {
        sum += std::exp(static_cast<double>(in.at(r, c)));
        mean += in.at(r, c) / static_cast<double>(columns);
      }
      for (int c = 0; c < columns; ++c) squares += (in.at(r, c) - mean) * (in.at(r, c) - mean);
      for (int c = 0; c < columns; ++c) {
        ASSERT_NEAR(shares.at(r, c), std::exp(static_cast<double>(in.at(r, c))) / sum, 1e-6)
            << columns << " columns, row " << r;
        ASSERT_EQ(whole_shares.at(r, c), shares.at(r, c));
        ASSERT_NEAR(norms.at(r, c), (in.at(r, c) - mean) / std::sqrt(squares / columns + 1e-5), 1e-5);
        ASSERT_EQ(norms.at(r, c), norms_in_passes.at(r, c));
      }
    }
  }
}

TEST(GridRowsOnHost, LayerNorm) {
  using shape = row_shape<false, 16, 2, 1, 32>;
  for (int const columns : {1, 5, 64, 100}) {
    rows in(5, columns, columns + 1, 1), out(5, columns, columns, 0);
    std::vector<float> const weight(static_cast<std::size_t>(columns), 2.0f),
        bias(static_cast<std::size_t>(columns), 0.5f);
    norm_map<float> const map{weight.data(), bias.data(), 1e-5f, true};
    launch<shape>(5, [&](host::block block) { map_rows<shape>(block, in.task(out), map); });
    for (std::int64_t r = 0; r < 5; ++r) {
      double mean = 0, squares = 0;
      for (int c = 0; c < columns; ++c) mean += in.at(r, c) / static_cast<double>(columns);
      for (int c = 0; c < columns; ++c) squares += (in.at(r, c) - mean) * (in.at(r, c) - mean);
      for (int c = 0; c < columns; ++c)
        ASSERT_NEAR(out.at(r, c), (in.at(r, c) - mean) / std::sqrt(squares / columns + 1e-5) * 2 + 0.5, 1e-5);
    }
  }
}

struct itself {
  TESSERA_FN float operator()(float x, int) const { return x; }
};

TEST(GridRowsOnHost, SumsOfFewAndOfManyColumns) {
  using fold_t = element_fold<float, tessera::plus, itself>;
  fold_t const fold{};
  for (int const columns : {0, 1, 6, 31, 200, 700}) {
    rows in(9, columns, columns + 3, 1);
    std::vector<float> few(9), medium(9), large(9), in_order(9);
    using large_shape = row_shape<false, 64, 1, 1, 64>;
    std::vector<float> parts(9 * row_parts::of<large_shape, float>(columns).count);
    std::vector<unsigned> counters(9);
    std::vector<part_storage<large_shape, float>> storage(27);
    auto const to = [](std::vector<float>& out) {
      return [&out](std::int64_t row, float sum) { out[static_cast<std::size_t>(row)] = sum; };
    };
    using short_shape = row_shape<false, 16, 14, 2, 64>;
    using medium_shape = row_shape<false, 32, 2, 1, 64>;
    auto const task = in.task(in);
    launch<short_shape>(9, [&](host::block block) { fold_rows<short_shape>(block, task, fold, to(few)); });
    launch<medium_shape>(9, [&](host::block block) { fold_medium_rows<medium_shape>(block, task, fold, to(medium)); });
    host::launch_grid(27, 64, [&](host::block block) {
      fold_large_rows<large_shape>(block, task, fold, 3, parts.data(), counters.data(), storage[block.group_index().x],
                                   to(large));
    });
    host::launch_grid(
        2, 256, [&](host::block block) { fold_rows_in_order(block, task, tessera::plus{}, itself{}, to(in_order)); });
    for (std::int64_t r = 0; r < 9; ++r) {
      double sum = 0;
      for (int c = 0; c < columns; ++c) sum += in.at(r, c);
      auto const i = static_cast<std::size_t>(r);
      EXPECT_NEAR(few[i], sum, 1e-3) << columns << " columns, row " << r;
      EXPECT_NEAR(medium[i], sum, 1e-3);
      EXPECT_NEAR(large[i], sum, 1e-3);
      EXPECT_NEAR(in_order[i], sum, 1e-3);
      EXPECT_EQ(counters[i], 0u);
    }
  }
}

/// Rows without a rest, of which a tile has several: each row's value comes from the lane that it was scattered to.
template <class Shape>
void expect_sums_of_whole_rows(int columns) {
  for (std::int64_t const count : {1, 9, 150}) {
    rows in(count, columns, columns + 4, 0);
    std::vector<float> out(static_cast<std::size_t>(count), 99.0f);
    element_fold<float, tessera::plus, itself> const fold{};
    auto const task = in.task(in);
    launch<Shape>(count, [&](host::block block) {
      fold_rows<Shape>(block, task, fold,
                       [&](std::int64_t row, float sum) { out[static_cast<std::size_t>(row)] = sum; });
    });
    for (std::int64_t r = 0; r < count; ++r) {
      double sum = 0;
      for (int c = 0; c < columns; ++c) sum += in.at(r, c);
      EXPECT_NEAR(out[static_cast<std::size_t>(r)], sum, 1e-4) << columns << " columns, row " << r << " of " << count;
    }
  }
}
TEST(GridRowsOnHost, SumsOfSeveralRowsATile) {
  expect_sums_of_whole_rows<row_shape<true, 2, 1, 2, 64>>(8);
  expect_sums_of_whole_rows<row_shape<true, 2, 1, 2, 64>>(4);
  expect_sums_of_whole_rows<row_shape<true, 8, 1, 4, 64>>(24);
  expect_sums_of_whole_rows<row_shape<true, 16, 1, 2, 32>>(64);
  expect_sums_of_whole_rows<row_shape<true, 32, 2, 1, 64>>(256);
}

/// Calls run(name, fold_into) for each way in which rows are folded: fold_into(in, fold, out) sets out[r] of each row.
template <class Run>
void each_way_to_fold(Run run) {
  auto const to = [](auto& out) {
    return [&out](std::int64_t row, auto const& value) { out[static_cast<std::size_t>(row)] = value; };
  };
  run("a few lanes a row", [&](rows& in, auto const& fold, auto& out) {
    using shape = row_shape<false, 8, 24, 1, 64>;
    launch<shape>(in.count, [&](host::block block) { fold_rows<shape>(block, in.task(in), fold, to(out)); });
  });
  run("several rows a tile", [&](rows& in, auto const& fold, auto& out) {
    using shape = row_shape<false, 16, 12, 2, 64>;
    launch<shape>(in.count, [&](host::block block) { fold_rows<shape>(block, in.task(in), fold, to(out)); });
  });
  run("any number of lanes a row", [&](rows& in, auto const& fold, auto& out) {
    using shape = block_shape<false, 24, 64>;
    host::launch_grid(static_cast<unsigned>((in.count + 7) / 8), 64,
                      [&](host::block block) { fold_rows_by_lanes<shape, 2>(block, in.task(in), fold, 16, to(out)); });
  });
  run("a warp a row", [&](rows& in, auto const& fold, auto& out) {
    using shape = row_shape<false, 32, 2, 1, 64>;
    launch<shape>(in.count, [&](host::block block) { fold_medium_rows<shape>(block, in.task(in), fold, to(out)); });
  });
  for (unsigned const splits : {1u, 3u}) {
    run("a row of " + std::to_string(splits) + " blocks", [&](rows& in, auto const& fold, auto& out) {
      using shape = row_shape<false, 64, 1, 1, 64>;
      using value = typename std::decay_t<decltype(fold)>::value;
      std::vector<value> parts(static_cast<std::size_t>(in.count) * row_parts::of<shape, float>(in.columns).count);
      std::vector<part_storage<shape, value>> storage(static_cast<std::size_t>(in.count) * splits);
      std::vector<unsigned> counters(static_cast<std::size_t>(in.count));
      host::launch_grid(static_cast<unsigned>(in.count) * splits, 64, [&](host::block block) {
        fold_large_rows<shape>(block, in.task(in), fold, splits, parts.data(), counters.data(),
                               storage[block.group_index().x], to(out));
      });
    });
  }
}

bool is_negative_zero(float x) {
  return x == 0 && std::signbit(x);
}

TEST(GridRowsOnHost, SumsOfNegativeZerosAndOfNothing) {
  for (int const columns : {0, 1, 2, 7, 64, 351, 700}) {
    rows in(3, columns, columns + 5, 1);
    for (std::int64_t r = 0; r < in.count; ++r) {
      for (int c = 0; c < columns; ++c) in.at(r, c) = -0.0f;
    }
    if (columns > 1) in.at(2, columns / 2) = 0.0f;
    each_way_to_fold([&](std::string const& way, auto fold_into) {
      std::vector<float> out(3, 99.0f);
      fold_into(in, element_fold<float, tessera::plus, itself>{}, out);
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(out[r], 0.0f) << columns << " columns, " << way;
        EXPECT_EQ(is_negative_zero(out[r]), columns > 0 && (r < 2 || columns == 1))
            << columns << " columns, " << way << ", row " << r;
      }
    });
    std::vector<float> in_order(3, 99.0f);
    host::launch_grid(1, 128, [&](host::block block) {
      fold_rows_in_order(block, in.task(in), tessera::plus{}, itself{},
                         [&](std::int64_t row, float sum) { in_order[static_cast<std::size_t>(row)] = sum; });
    });
    EXPECT_EQ(is_negative_zero(in_order[0]), columns > 0) << columns;
  }
}

TEST(GridRowsOnHost, MomentsOfRowsWithAnInfinity) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (int const columns : {1, 2, 3, 64, 251, 352, 700}) {
    for (int const at : {0, columns / 3, columns - 1}) {
      rows in(4, columns, columns + 3, 1);
      in.at(0, at) = inf;
      in.at(1, at) = -inf;
      in.at(2, at) = std::nanf("");
      each_way_to_fold([&](std::string const& way, auto fold_into) {
        std::vector<tessera::moments<float>> out(4);
        fold_into(in, norm_map<float>{}, out);
        for (std::size_t r = 0; r < 3; ++r) {
          EXPECT_TRUE(std::isnan(out[r].mean)) << columns << " columns, " << way << ", row " << r;
          EXPECT_TRUE(std::isnan(out[r].m2)) << columns << " columns, " << way << ", row " << r;
          EXPECT_EQ(out[r].count, static_cast<float>(columns));
        }
        EXPECT_TRUE(std::isfinite(out[3].mean) && std::isfinite(out[3].m2)) << way;
      });
    }
  }
  rows nothing(2, 0, 4, 0);
  each_way_to_fold([&](std::string const& way, auto fold_into) {
    std::vector<tessera::moments<float>> out(2, {9, 9, 9});
    fold_into(nothing, norm_map<float>{}, out);
    EXPECT_TRUE(out[0].count == 0 && out[0].mean == 0 && out[0].m2 == 0) << way;
  });
}

/// A float has no 2^24 + 1: counts that are added up there stay behind.
TEST(GridRowsOnHost, CountsOfLongRowsAreRoundedOnce) {
  for (int const columns : {(1 << 24) + 1, (1 << 24) + 6, (1 << 30) - 1}) {
    row_task<float> const task{nullptr, nullptr, columns, columns, 1, columns, nullptr};
    auto const all = result_of_row(task, norm_map<float>{}, {16777216.0f, 2.0f, 3.0f});
    EXPECT_EQ(all.count, static_cast<float>(columns));
    EXPECT_TRUE(all.mean == 2 && all.m2 == 3);
  }
}

TEST(GridRowsOnHost, InPlaceOrApart) {
  using matrix = tessera::grid::matrix<float>;
  std::vector<float> memory(100);
  float* const x = memory.data();
  EXPECT_TRUE(same_or_apart<float>(matrix{x, 3, 4, 9}, matrix{x, 3, 4, 9}));
  EXPECT_FALSE(same_or_apart<float>(matrix{x, 3, 4, 9}, matrix{x, 3, 4, 8}));
  EXPECT_TRUE(same_or_apart<float>(matrix{x, 3, 4, 9}, matrix{x + 4, 3, 4, 9})) << "other columns of one matrix";
  EXPECT_FALSE(same_or_apart<float>(matrix{x, 3, 4, 9}, matrix{x + 3, 3, 4, 9}));
  EXPECT_FALSE(same_or_apart<float>(matrix{x, 3, 4, 9}, matrix{x + 6, 3, 4, 9}));
  EXPECT_TRUE(same_or_apart<float>(matrix{x, 1, 4, 9}, matrix{x, 1, 4, 4})) << "one row has no stride";
  EXPECT_FALSE(same_or_apart<float>(matrix{x, 1, 4, 9}, matrix{x + 1, 1, 4, 9}));
  EXPECT_FALSE(same_or_apart<float>(matrix{x + 1, 1, 4, 9}, matrix{x, 1, 4, 5}));
  EXPECT_TRUE(same_or_apart<float>(matrix{x + 4, 1, 4, 9}, matrix{x, 1, 4, 5}));
}

/// The least of flipped elements is, to the bit, what Op finds of the elements themselves.
template <class T, class Op>
void expect_least_of_flipped(bool greatest) {
  using element =
      typename std::conditional_t<tessera::detail::is_integer<T>, std::make_unsigned<T>, std::remove_cv<T>>::type;
  using limits = std::numeric_limits<T>;
  std::vector<T> x{T(1), T(0), limits::lowest(), limits::max(), T(1)};
  if constexpr (limits::has_infinity) {
    T const nan = limits::quiet_NaN(), inf = limits::infinity();
    for (T special : {T(-0.0), T(0.0), inf, -inf, -nan, nan}) x.push_back(special);
  }
  auto const flipped = flipped_bits<element>::template of<T>(greatest);
  as_flipped_indexed<element> const term{flipped};
  for (std::size_t begin = 0; begin <= x.size(); ++begin) {
    for (std::size_t end = begin; end <= x.size(); ++end) {
      auto expected = tessera::operator_traits<Op, tessera::indexed<T, int>>::identity(Op{});
      auto least =
          tessera::operator_traits<tessera::argmin, tessera::indexed<element, int>>::identity(tessera::argmin{});
      for (std::size_t i = begin; i < end; ++i) {
        element raw;
        std::memcpy(&raw, &x[i], sizeof(T));
        expected = Op{}(expected, {x[i], static_cast<int>(i)});
        least = tessera::argmin{}(least, term(raw, static_cast<int>(i)));
      }
      tessera::indexed<element, int> got;
      store_flipped_indexed<element>{&got, flipped, {}}(0, least);
      EXPECT_EQ(std::memcmp(&got.value, &expected.value, sizeof(T)), 0) << begin << " to " << end;
      EXPECT_EQ(got.index, expected.index) << begin << " to " << end;
    }
  }
}
template <class T>
void expect_least_of_flipped() {
  expect_least_of_flipped<T, tessera::argmin>(false);
  expect_least_of_flipped<T, tessera::argmax>(true);
}
TEST(GridRowsOnHost, TheLeastOfFlippedElementsIsArgminOrArgmax) {
  expect_least_of_flipped<float>();
  expect_least_of_flipped<double>();
  expect_least_of_flipped<std::int32_t>();
  expect_least_of_flipped<std::uint32_t>();
  expect_least_of_flipped<std::int64_t>();
  expect_least_of_flipped<std::uint64_t>();
}

}  // namespace
