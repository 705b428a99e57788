// Random rows through the bodies of the kernels, on host tiles: reductions, moments, softmax and norms.
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/host/launch.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "random_cases.hpp"
#include "row_references.hpp"

namespace {

using namespace test;
using namespace tessera::grid::detail;
namespace host = tessera::host;

/// Rows of a random matrix, with gaps between them that nobody may write to.
template <class T>
struct random_matrix {
  static constexpr T gap = T(-77);
  std::int64_t rows, stride;
  int columns;
  std::size_t offset;
  std::vector<T> memory;

  random_matrix(case_draw& from, std::int64_t rows_, int columns_)
      : rows(rows_),
        stride(columns_ + (from.chance(50) ? from.number(0, 5) : 0)),
        columns(columns_),
        offset(static_cast<std::size_t>(from.chance(50) ? from.number(0, 3) : 0)),
        memory(static_cast<std::size_t>(rows * stride) + 40, gap) {}
  T* first() {
    auto const ahead = reinterpret_cast<std::uintptr_t>(memory.data()) % 16 / sizeof(T);
    return memory.data() + 16 / sizeof(T) - ahead + offset;
  }
  void fill(drawn_values& values) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) first()[r * stride + c] = static_cast<T>(values.next());
    }
  }
  std::vector<double> row(std::int64_t r) {
    T const* const from = first() + r * stride;
    return std::vector<double>(from, from + columns);
  }
  /// Whether what is beside the rows is as it was.
  bool is_intact() {
    auto const before = static_cast<std::size_t>(first() - memory.data());
    for (std::size_t i = 0; i < memory.size(); ++i) {
      auto const at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(before);
      bool const in_row = at >= 0 && at < rows * stride && at % stride < columns;
      if (!in_row && memory[i] != gap) return false;
    }
    return true;
  }
  std::string text() const {
    return std::to_string(rows) + " x " + std::to_string(columns) + ", stride " + std::to_string(stride) + ", offset " +
           std::to_string(offset);
  }
};

template <class T>
row_task<T> task_of(random_matrix<T>& in, random_matrix<T>& out, std::int32_t const* lengths = nullptr) {
  return {in.first(), out.first(), in.stride, out.stride, in.rows, in.columns, lengths};
}

template <class Shape, class Body>
void launch(std::int64_t rows, Body body) {
  constexpr std::int64_t each = Shape::rows_per_tile * Shape::tiles;
  host::launch_grid(static_cast<unsigned>((rows + each - 1) / each), Shape::block_threads, body);
}

template <class T>
constexpr float_limits limits_of() {
  auto const in = arithmetic_of<T>();
  return {in.most, in.least_normal, in.least};
}

/// The rows by `map`, in one of the ways that there are; said in words.
template <class T, class Map>
std::string map_somehow(case_draw& from, Map const& map, row_task<T> const& task) {
  using statistic = typename Map::statistic;
  auto const run = [&](auto shape) {
    using Shape = decltype(shape);
    launch<Shape>(task.row_count, [&](host::block block) { map_rows<Shape>(block, task, map); });
  };
  std::int64_t const vectors = (task.column_count + 3) / (16 / static_cast<int>(sizeof(T))) + 2;
  if (from.chance(30)) {
    using shape = row_shape<false, 64, 1, 1, 64>;
    auto const splits = static_cast<unsigned>(from.number(1, 4)),
               blocks = static_cast<unsigned>(task.row_count) * splits;
    std::vector<statistic> parts(static_cast<std::size_t>(task.row_count) *
                                 row_parts::of<shape, T>(task.column_count).count);
    std::vector<part_storage<shape, statistic>> storage(blocks);
    host::launch_grid(blocks, 64, [&](host::block block) {
      measure_parts<shape>(block, task, map, splits, parts.data(), storage[block.group_index().x]);
    });
    host::launch_grid(blocks, 64,
                      [&](host::block block) { map_rows_again<shape>(block, task, map, parts.data(), splits); });
    return "two reads, " + std::to_string(splits) + " blocks a row";
  }
  if (vectors <= 8) {
    run(row_shape<false, 4, 2, 1, 64>{});
    return "4 lanes a row";
  }
  if (vectors <= 32) {
    run(row_shape<false, 16, 2, 1, 64>{});
    return "16 lanes a row";
  }
  run(row_shape<false, 64, 6, 1, 64>{});
  return "64 lanes a row";
}
constexpr int most_columns_here = 64 * 6 * 2 - 8;  // of doubles

template <class T>
void check_softmax(std::uint64_t seed) {
  case_draw from(seed);
  random_matrix<T> in(from, from.number(1, 6), static_cast<int>(1 + from.size(most_columns_here - 1)));
  random_matrix<T> out(from, in.rows, in.columns);
  drawn_values values(from, limits_of<T>());
  in.fill(values);
  bool const logarithms = from.chance(50), has_lengths = from.chance(40);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(in.rows));
  for (auto& length : lengths) length = static_cast<std::int32_t>(from.number(-2, in.columns + 2));
  std::string const way =
      map_somehow(from, softmax_map<T>{logarithms}, task_of(in, out, has_lengths ? lengths.data() : nullptr));
  SCOPED_TRACE(in.text() + " to " + out.text() + ", " + values.text() + ", " + way);
  EXPECT_TRUE(out.is_intact());
  constexpr arithmetic how = arithmetic_of<T>();
  for (std::int64_t r = 0; r < in.rows && !testing::Test::HasFailure(); ++r) {
    auto const row = in.row(r), got = out.row(r);
    std::int64_t const length = has_lengths ? lengths[static_cast<std::size_t>(r)] : in.columns;
    auto const expected = expected_softmax(row, length, logarithms);
    double max = -std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < std::min<std::int64_t>(length, in.columns); ++c)
      max = std::max(max, row[static_cast<std::size_t>(c)]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      double const apart = std::abs(row[c] - max);
      double const error = softmax_error(expected[c], std::isfinite(apart) ? apart : 0, logarithms, how);
      ASSERT_TRUE((expectation{expected[c], error}).allows(got[c]))
          << "row " << r << " of length " << length << ", column " << c << ": " << got[c] << ", not " << expected[c];
    }
  }
}

template <class T>
void check_norm(std::uint64_t seed) {
  case_draw from(seed);
  random_matrix<T> in(from, from.number(1, 6), static_cast<int>(1 + from.size(most_columns_here - 1)));
  random_matrix<T> out(from, in.rows, in.columns);
  drawn_values values(from, limits_of<T>());
  in.fill(values);
  auto const n = static_cast<std::size_t>(in.columns);
  std::vector<T> weight(n), bias(n);
  double const factor = from.one_of({1.0, 1e20, 1e-20});
  for (T& w : weight) w = static_cast<T>(from.real(-2, 2) * factor);
  for (T& b : bias) b = static_cast<T>(from.real(-2, 2));
  bool const centered = from.chance(60), weighted = from.chance(50), biased = from.chance(50);
  T const epsilon = static_cast<T>(from.one_of({1e-5, 1e-5, 0.0, 1e20, 1.0}));
  norm_map<T> const map{weighted ? weight.data() : nullptr, biased ? bias.data() : nullptr, epsilon, centered};
  std::string const way = map_somehow(from, map, task_of(in, out));
  SCOPED_TRACE(in.text() + " to " + out.text() + ", " + values.text() + ", " + way +
               (centered ? ", layer norm" : ", rms norm") + ", epsilon " + std::to_string(epsilon));
  EXPECT_TRUE(out.is_intact());
  constexpr arithmetic how = arithmetic_of<T>();
  for (std::int64_t r = 0; r < in.rows && !testing::Test::HasFailure(); ++r) {
    auto const row = in.row(r), got = out.row(r);
    expected_norm const norm(row, static_cast<double>(epsilon), centered, how);
    for (std::size_t c = 0; c < n; ++c) {
      auto const expected = norm.of(row[c], weighted ? static_cast<double>(weight[c]) : 1.0,
                                    biased ? static_cast<double>(bias[c]) : 0.0, 4 + in.columns / 64.0, how);
      ASSERT_TRUE(expected.allows(got[c])) << "row " << r << ", column " << c << ": " << got[c] << ", not "
                                           << expected.value << " to within " << expected.error;
    }
  }
}

template <class T>
struct itself {
  TESSERA_FN T operator()(T x, int) const { return x; }
};

/// What each row is folded to, in one of the ways that there are.
template <class T, class Fold, class Out>
std::string fold_somehow(case_draw& from, Fold const& fold, row_task<T> const& task, std::vector<Out>& out) {
  auto const store = [&](std::int64_t row, auto const& value) { out[static_cast<std::size_t>(row)] = value; };
  if (from.chance(40)) {
    using shape = row_shape<false, 64, 1, 1, 64>;
    auto const splits = static_cast<unsigned>(from.number(1, 4)),
               blocks = static_cast<unsigned>(task.row_count) * splits;
    std::vector<typename Fold::value> parts(static_cast<std::size_t>(task.row_count) *
                                            row_parts::of<shape, T>(task.column_count).count);
    std::vector<part_storage<shape, typename Fold::value>> storage(blocks);
    std::vector<unsigned> counters(static_cast<std::size_t>(task.row_count));
    host::launch_grid(blocks, 64, [&](host::block block) {
      fold_large_rows<shape>(block, task, fold, splits, parts.data(), counters.data(), storage[block.group_index().x],
                             store);
    });
    return std::to_string(splits) + " blocks a row";
  }
  if (from.chance(50)) {
    using shape = row_shape<false, 32, 2, 1, 64>;
    launch<shape>(task.row_count, [&](host::block block) { fold_medium_rows<shape>(block, task, fold, store); });
    return "a warp a row";
  }
  using shape = row_shape<false, 16, 24, 2, 64>;
  launch<shape>(task.row_count, [&](host::block block) { fold_rows<shape>(block, task, fold, store); });
  return "16 lanes a row";
}

template <class T>
void check_folds(std::uint64_t seed) {
  case_draw from(seed);
  random_matrix<T> in(from, from.number(1, 6), static_cast<int>(from.size(most_columns_here)));
  drawn_values values(from, limits_of<T>());
  in.fill(values);
  auto const rows = static_cast<std::size_t>(in.rows);
  auto const task = task_of(in, in);
  std::vector<T> sums(rows), products(rows), least(rows);
  std::vector<tessera::moments<T>> moments(rows);
  std::string const text = in.text() + ", " + values.text() + ": ";
  std::string const ways[] = {
      text + fold_somehow(from, element_fold<T, tessera::plus, itself<T>>{}, task, sums),
      text + fold_somehow(from, element_fold<T, tessera::multiplies, itself<T>>{}, task, products),
      text + fold_somehow(from, element_fold<T, tessera::minimum, itself<T>>{}, task, least),
      text + fold_somehow(from, norm_map<T>{}, task, moments)};
  constexpr arithmetic how = arithmetic_of<T>();
  double const columns = in.columns;
  for (std::size_t r = 0; r < rows; ++r) {
    auto const row = in.row(static_cast<std::int64_t>(r));
    auto const sum = expected_sum(row, 20 + std::log2(columns + 1) + columns / 64, how);
    ASSERT_TRUE(sum.allows(sums[r])) << "sum " << sums[r] << " of row " << r << ", not " << sum.value << ", "
                                     << ways[0];
    auto const product = expected_product(row, columns + 1, how);
    ASSERT_TRUE(product.allows(products[r]))
        << "product " << products[r] << " of row " << r << ", not " << product.value << ", " << ways[1];
    double const minimum = expected_extreme(row, false, std::numeric_limits<double>::infinity());
    ASSERT_TRUE((expectation{minimum}).allows(least[r]))
        << "minimum " << least[r] << " of row " << r << ", " << ways[2];
    expected_moments const expected(row);
    double const units = 16 + 4 * std::log2(columns + 1) + columns / 64;
    ASSERT_EQ(moments[r].count, static_cast<T>(columns));
    if (std::isnan(expected.mean)) {
      ASSERT_TRUE(std::isnan(moments[r].mean) && std::isnan(moments[r].m2))
          << "moments of row " << r << ", " << ways[3];
    } else if (expected.greatest < std::sqrt(how.most / (columns + 1)) / 2) {
      double const near = units * (how.unit * expected.greatest + how.least);
      ASSERT_NEAR(static_cast<double>(moments[r].mean), static_cast<double>(expected.mean), near)
          << "mean of row " << r << ", " << ways[3];
      if (columns > 0) {
        ASSERT_NEAR(std::sqrt(static_cast<double>(moments[r].variance())), expected.deviation,
                    near + 2 * std::sqrt(how.least))
            << "row " << r << ", " << ways[3];
      }
    }
  }
}

TEST(GridRandomRowsOnHost, Reductions) {
  each_random_case(0.1,
                   [](std::uint64_t seed) { seed % 3 == 0 ? check_folds<double>(seed) : check_folds<float>(seed); });
}
TEST(GridRandomRowsOnHost, Softmax) {
  each_random_case(
      0.03, [](std::uint64_t seed) { seed % 3 == 0 ? check_softmax<double>(seed) : check_softmax<float>(seed); });
}
TEST(GridRandomRowsOnHost, Norms) {
  each_random_case(0.03,
                   [](std::uint64_t seed) { seed % 3 == 0 ? check_norm<double>(seed) : check_norm<float>(seed); });
}

/// Such a row has no variance: its norm is NaN or infinite (norm.hpp).
TEST(GridRandomRowsOnHost, TheReferenceKnowsThatEqualValuesHaveNoVariance) {
  for (double value : {-100.1, 1 / 3.0, 1e20})
    EXPECT_FALSE(expected_norm(std::vector<double>(13897, value), 0, true, arithmetic_of<double>()).in_range) << value;
}

}  // namespace
