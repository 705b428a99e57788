// A row's bits depend on its values, its number of columns and the types alone: on host tiles, by every shape of the
// tables, with other rows beside it, other alignments, strides and numbers of blocks.
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "oracle/halves.hpp"
#include "rows_on_host.hpp"

namespace {

using namespace tessera::grid::detail;
namespace host = tessera::host;

template <class T>
T element(double x) {
  if constexpr (has_16_bits<T>) {
    return tessera::detail::convert<T>(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

/// A row whose sums are rounded: numbers of several magnitudes.
template <class T>
std::vector<T> random_row(std::size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> row;
  for (std::size_t c = 0; c < columns; ++c) {
    double const x = static_cast<double>(random() % 20001) / 5000.0 - 2.0;
    row.push_back(element<T>(random() % 7 == 0 ? 40 * x : x));
  }
  return row;
}

/// Where the row stands that is looked at.
struct place {
  std::int64_t rows, row;
  int offset;  // of the first row, in elements, from a multiple of 16 bytes
  int gap;     // between rows
};

/// A matrix with `row` in its place, among others.
template <class T>
struct matrix_of {
  std::vector<T> memory;
  T* first;
  std::int64_t stride;

  matrix_of(std::vector<T> const& row, place const& at)
      : memory(static_cast<std::size_t>(at.rows) * (row.size() + static_cast<std::size_t>(at.gap)) + 64,
               element<T>(7 + static_cast<int>(at.rows))),  // what is between rows mustn't matter
        stride(static_cast<std::int64_t>(row.size()) + at.gap) {
    first = memory.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    first += at.offset;
    for (std::int64_t r = 0; r < at.rows; ++r) {
      auto const other = random_row<T>(row.size(), 100 + static_cast<unsigned>(r));
      auto const& from = r == at.row ? row : other;
      for (std::size_t c = 0; c < row.size(); ++c) first[r * stride + static_cast<std::int64_t>(c)] = from[c];
    }
  }
  bool is_aligned(std::size_t columns) const {
    constexpr std::size_t width = row_vector_length<T>;
    return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && static_cast<std::size_t>(stride) % width == 0 &&
           columns % width == 0;
  }
};

/// Places that differ in all that mustn't matter. The first is the one that others are compared with. Long rows have
/// fewer, since they take time.
template <class T>
std::vector<place> places(std::size_t columns) {
  constexpr int width = row_vector_length<T>;
  std::vector<place> all{{1, 0, 0, 0}, {5, 3, 0, width}, {2, 1, 0, 3}};
  for (int offset = 1; offset < width; offset += columns < 1000 ? 1 : width / 2)
    all.push_back({1 + offset % 3, offset % 3, offset, offset % 2});
  return all;
}

/// Columns at the edges of the shapes, up to so many vectors.
template <class T>
std::vector<std::size_t> edges(std::size_t most_vectors) {
  constexpr std::size_t width = row_vector_length<T>;
  std::vector<std::size_t> all{1, 2, 3, 5};
  for (std::size_t vectors = 2; vectors <= most_vectors; vectors *= 2) {
    for (std::size_t columns : {vectors * width - 1, vectors * width, vectors * width + 1, (vectors + 1) * width})
      all.push_back(columns);
  }
  return all;
}

template <class Value>
std::string bits_of(Value const& x) {
  std::string bits(sizeof(Value), ' ');
  std::memcpy(&bits[0], &x, sizeof(Value));
  return bits;
}

struct itself {
  template <class A>
  TESSERA_FN A operator()(A x, int) const {
    return x;
  }
};

/// Checks that fold's value of a row has the same bits everywhere.
template <class ShortRows, class T, class Fold>
void expect_same_folds(std::size_t columns, Fold const& fold) {
  auto const row = random_row<T>(columns, static_cast<unsigned>(columns));
  std::string expected;
  for (place const& at : places<T>(columns)) {
    matrix_of<T> const in(row, at);
    row_task<T> const task{in.first, nullptr, in.stride, 0, at.rows, static_cast<int>(columns), nullptr};
    bool const is_long = vectors_of_columns<T>(task.column_count) > 1024;
    for (unsigned const splits : {1u, 2u, 3u, 1000u}) {
      auto const got = test::folded_on_host<ShortRows>(task, in.is_aligned(columns), fold, splits);
      std::string const bits = bits_of(got[static_cast<std::size_t>(at.row)]);
      if (expected.empty()) expected = bits;
      ASSERT_EQ(bits, expected) << columns << " columns, row " << at.row << " of " << at.rows << ", offset "
                                << at.offset << ", gap " << at.gap << ", " << splits << " blocks a row";
      if (!is_long) break;
    }
  }
}

template <class T>
class invariant_rows : public testing::Test {};
using row_types = testing::Types<float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(invariant_rows, row_types);

TYPED_TEST(invariant_rows, Sums) {
  using fold = element_fold<TypeParam, tessera::plus, itself>;
  for (std::size_t const columns : edges<TypeParam>(2048))
    expect_same_folds<fold_tuning::short_rows, TypeParam>(columns, fold{});
  for (std::size_t const columns : {1, 7, 100, 513, 5000})
    expect_same_folds<fold_tuning::few_short_rows, TypeParam>(columns, fold{});
  // More parts than a warp has lanes, and parts of several steps.
  expect_same_folds<fold_tuning::short_rows, TypeParam>(40 * 1024 * row_vector_length<TypeParam> + 3, fold{});
}

TYPED_TEST(invariant_rows, Moments) {
  for (std::size_t const columns : edges<TypeParam>(2048))
    expect_same_folds<fold_tuning::short_rows, TypeParam>(columns, norm_map<TypeParam>{});
}

/// Values of 72 bytes: fewer parts between two barriers.
struct long_value {
  float part[18];
};
struct add_long_values {
  TESSERA_FN long_value operator()(long_value a, long_value const& b) const {
    for (int i = 0; i < 18; ++i) a.part[i] += b.part[i];
    return a;
  }
};
struct to_long_value {
  TESSERA_FN long_value operator()(float x, int column) const {
    long_value v{};
    v.part[column % 18] = x;
    return v;
  }
};

}  // namespace

template <>
struct tessera::operator_traits<add_long_values, long_value> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  template <class Op>
  TESSERA_FN static long_value identity(Op const&) {
    return long_value{};
  }
};

namespace {

/// x -> a · x + b, and one such function after the other.
struct line {
  float a, b;
};
struct then {
  TESSERA_FN line operator()(line f, line g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
struct to_line {
  TESSERA_FN line operator()(float x, int) const { return {1.0f + x / 300.0f, x}; }
};

}  // namespace

template <>
struct tessera::operator_traits<then, line> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = false;
  template <class Op>
  TESSERA_FN static line identity(Op const&) {
    return {1.0f, 0.0f};
  }
};

namespace {

TEST(InvariantRows, InOrder) {
  for (std::size_t const columns : edges<float>(300)) {
    auto const row = random_row<float>(columns, static_cast<unsigned>(columns));
    std::string expected;
    line in_sequence{1, 0};
    for (std::size_t c = 0; c < columns; ++c) in_sequence = then{}(in_sequence, to_line{}(row[c], 0));
    for (place const& at : places<float>(columns)) {
      matrix_of<float> const in(row, at);
      row_task<float> const task{in.first, nullptr, in.stride, 0, at.rows, static_cast<int>(columns), nullptr};
      line got{};
      host::launch_grid(1, 256, [&](host::block block) {
        fold_rows_in_order(block, task, then{}, to_line{}, [&](std::int64_t r, line const& x) {
          if (r == at.row) got = x;
        });
      });
      if (expected.empty()) expected = bits_of(got);
      ASSERT_EQ(bits_of(got), expected) << columns << " columns, offset " << at.offset << ", gap " << at.gap;
      ASSERT_NEAR(got.a, in_sequence.a, 1e-3 * (1 + std::abs(in_sequence.a)));
      ASSERT_NEAR(got.b, in_sequence.b, 1e-3 * (100 + std::abs(in_sequence.b)));
    }
  }
}

/// A function of the element and its column, which is one of the row's. The sums are exact.
template <class T>
struct by_column {
  int columns;
  TESSERA_FN int operator()(T x, int column) const {
    EXPECT_TRUE(column >= 0 && column < columns) << column << " of " << columns;
    return static_cast<int>(x) * (column + 1);
  }
};

template <class T>
void expect_right_sums() {
  for (int const columns : {1, 7, 16, 33, 250, 1000, 5000}) {
    for (int offset = 0; offset < static_cast<int>(row_vector_length<T>); ++offset) {
      std::vector<T> row(static_cast<std::size_t>(columns));
      int expected = 0;
      for (int c = 0; c < columns; ++c) {
        row[static_cast<std::size_t>(c)] = static_cast<T>((c * 37 + offset) % 101);
        expected += (c * 37 + offset) % 101 * (c + 1);
      }
      matrix_of<T> const in(row, {2, 1, offset, 0});
      row_task<T> const task{in.first, nullptr, in.stride, 0, 2, columns, nullptr};
      using fold = element_fold<T, tessera::plus, by_column<T>>;
      EXPECT_EQ(test::folded_on_host<fold_tuning::few_short_rows>(task, false, fold{{}, {columns}})[1], expected)
          << columns << " columns of " << sizeof(T) << " bytes, offset " << offset;
      EXPECT_EQ(test::folded_on_host<fold_tuning::short_rows>(task, false, fold{{}, {columns}})[1], expected)
          << columns << " columns of " << sizeof(T) << " bytes, offset " << offset;
    }
  }
}

TEST(InvariantRows, AreRightAtEveryOffset) {
  expect_right_sums<std::uint8_t>();
  expect_right_sums<std::int16_t>();
  expect_right_sums<int>();
  expect_right_sums<std::int64_t>();
}

TEST(InvariantRows, LongValues) {
  for (std::size_t const columns : {3, 100, 2048, 9001, 70000})
    expect_same_folds<fold_tuning::few_short_rows, float>(columns,
                                                          element_fold<float, add_long_values, to_long_value>{});
}

/// Checks that a row's result has the same bits everywhere: as it is placed in `in`, in `out`, and by any number of
/// blocks.
template <class T, class Map>
void expect_same_maps(std::size_t columns, Map const& map, bool has_parameters) {
  auto const row = random_row<T>(columns, static_cast<unsigned>(columns) + 1);
  std::vector<T> expected;
  auto const all = places<T>(columns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    place const& at = all[i];
    place to = all[(i * 3) % all.size()];  // of another alignment, or of the same
    to.rows = at.rows;
    matrix_of<T> in(row, at);
    matrix_of<T> out(std::vector<T>(columns), {at.rows, -1, to.offset, to.gap});
    auto const before = out.memory;
    row_task<T> const task{in.first, out.first, in.stride, out.stride, at.rows, static_cast<int>(columns), nullptr};
    bool const aligned = !has_parameters && in.is_aligned(columns) && out.is_aligned(columns);
    auto const vectors = vectors_of_columns<T>(static_cast<int>(columns));
    for (unsigned const blocks : {0u, 4u, 8u}) {
      test::map_on_host(task, aligned, map, blocks, 1 + blocks / 3);
      for (std::size_t c = 0; c < columns; ++c) {
        T const got = out.first[at.row * out.stride + static_cast<std::int64_t>(c)];
        if (expected.size() < columns) expected.push_back(got);
        ASSERT_EQ(bits_of(got), bits_of(expected[c]))
            << "column " << c << " of " << columns << ", row " << at.row << " of " << at.rows << ", offset "
            << at.offset << ", gap " << at.gap << ", to offset " << to.offset << ", gap " << to.gap << ", " << blocks
            << " blocks a row";
      }
      for (std::size_t m = 0; m < before.size(); ++m) {
        auto const i_out = static_cast<std::int64_t>(m) - (out.first - out.memory.data());
        bool const in_row =
            i_out >= 0 && i_out < at.rows * out.stride && i_out % out.stride < static_cast<std::int64_t>(columns);
        if (!in_row) {
          ASSERT_EQ(bits_of(out.memory[m]), bits_of(before[m])) << "beside the rows of " << columns;
        }
      }
      if (vectors < map_tuning::few_rows_vectors) break;
    }
    // In place.
    row_task<T> const in_place{in.first, in.first, in.stride, in.stride, at.rows, static_cast<int>(columns), nullptr};
    test::map_on_host(in_place, !has_parameters && in.is_aligned(columns), map);
    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_EQ(bits_of(in.first[at.row * in.stride + static_cast<std::int64_t>(c)]), bits_of(expected[c]))
          << "in place, column " << c << " of " << columns << ", offset " << at.offset << ", gap " << at.gap;
  }
}

template <class T>
std::vector<std::size_t> map_edges() {
  auto columns = edges<T>(512);
  columns.push_back(2048 * row_vector_length<T>);
  columns.push_back(4096 * row_vector_length<T> + 2);
  return columns;
}

TYPED_TEST(invariant_rows, Softmax) {
  for (std::size_t const columns : map_edges<TypeParam>()) {
    expect_same_maps<TypeParam>(columns, softmax_map<TypeParam>{false}, false);
    if (columns % 3 == 0) expect_same_maps<TypeParam>(columns, softmax_map<TypeParam>{true}, false);
  }
}

TYPED_TEST(invariant_rows, Norms) {
  using number = arithmetic_t<TypeParam>;
  for (std::size_t const columns : map_edges<TypeParam>()) {
    auto const weight = random_row<TypeParam>(columns + 1, 5), bias = random_row<TypeParam>(columns + 1, 6);
    expect_same_maps<TypeParam>(columns, norm_map<TypeParam>{nullptr, nullptr, number(1e-5), columns % 2 == 0}, false);
    expect_same_maps<TypeParam>(
        columns, norm_map<TypeParam>{weight.data() + 1, bias.data(), number(1e-5), columns % 2 == 1}, true);
  }
}

TEST(InvariantRows, BeyondAllBlocks) {
  std::size_t const columns = 4 * static_cast<std::size_t>(map_tuning::most_shared_vectors) + 6;
  expect_same_maps<float>(columns, softmax_map<float>{false}, false);
  expect_same_maps<float>(columns, norm_map<float>{nullptr, nullptr, 1e-5f, true}, false);
}

/// Blocks of a cluster, and blocks in passes, give what one block gives.
TEST(InvariantRows, ClustersAndPasses) {
  using shape = block_shape<false, 8, 512>;
  for (std::size_t const columns : {8192, 8001, 5000}) {
    matrix_of<float> const in(random_row<float>(columns, 3), {2, 1, 2, 5});
    auto const run = [&](auto body) {
      matrix_of<float> out(std::vector<float>(columns), {2, -1, 1, 0});
      body(row_task<float>{in.first, out.first, in.stride, out.stride, 2, static_cast<int>(columns), nullptr});
      return std::vector<float>(out.first, out.first + 2 * out.stride);
    };
    softmax_map<float> const softmax{};
    norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
    auto const expect_same = [&](auto const& map) {
      auto const whole = run([&](auto const& task) { test::map_on_host(task, false, map); });
      EXPECT_EQ(whole, run([&](auto const& task) { test::map_by_host_clusters<shape, 64>(task, map, 4); }));
      EXPECT_EQ(whole, run([&](auto const& task) { test::map_by_host_clusters<shape, 32>(task, map, 8); }));
      EXPECT_EQ(whole, run([&](auto const& task) { test::map_by_host_clusters<shape, 128>(task, map, 2); }));
      EXPECT_EQ(whole, run([&](auto const& task) { test::map_in_host_passes<shape>(task, map, 2, 128); }));
    };
    expect_same(softmax);
    expect_same(norm);
  }
}

}  // namespace
