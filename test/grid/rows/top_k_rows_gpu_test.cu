// top_k_rows on the GPU, against a stable sort of each row: types, sizes, alignments, ties, rows with a k, a begin and
// a length of their own; bad arguments; graphs.
#include <tessera/grid/top_k_rows.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "stream.hpp"
#include "top_k_rows_reference.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

/// The arrays of a case on the GPU.
template <class T, class Index>
struct top_k_arrays {
  top_k_rows_case c;
  std::vector<T> x;
  std::vector<std::int32_t> k_of_row, begins, lengths;
  device_array<T> in, values;
  device_array<Index> indices;
  device_array<std::int32_t> device_k, device_begins, device_lengths;
  T nothing = top_k_number<T>(77);

  top_k_arrays(top_k_rows_case const& what, unsigned seed)
      : c(what),
        x(top_k_numbers<T>(what.rows * what.stride(), what.kind, seed)),
        k_of_row(drawn_for_rows(what.rows, what.k, seed + 1)),
        begins(drawn_for_rows(what.rows, what.columns, seed + 2)),
        lengths(drawn_for_rows(what.rows, what.columns, seed + 3)),
        in(x, what.offset),
        values(std::vector<T>(static_cast<std::size_t>(what.rows * (what.results() + what.value_gap)),
                              top_k_number<T>(77))),
        indices(std::vector<Index>(static_cast<std::size_t>(what.rows * (what.results() + what.index_gap)), Index(-7))),
        device_k(k_of_row),
        device_begins(begins),
        device_lengths(lengths) {}

  cudaError_t run(bool with_values, bool with_indices, execution on = {}) const {
    top_k_rows_options options;
    options.ties = c.higher_column ? top_k_ties::higher_column : top_k_ties::lower_column;
    options.order = c.in_any_order ? top_k_order::any : top_k_order::sorted;
    options.value_stride = c.results() + c.value_gap;
    options.index_stride = c.results() + c.index_gap;
    if (c.per_row) {
      if (!c.only_last && !c.median) options.k_of_row = device_k.data();
      options.begins = device_begins.data();
      options.lengths = device_lengths.data();
    }
    matrix<T const> const view{in.data(), c.rows, c.columns, c.stride()};
    T* const v = with_values ? values.data() : nullptr;
    Index* const i = with_indices ? indices.data() : nullptr;
    if (c.median) return median_rows(view, v, i, options, on);
    if (c.only_last && c.falling) return kth_value_rows(view, c.k - 1, v, i, tessera::greater{}, options, on);
    if (c.only_last) return kth_value_rows(view, c.k - 1, v, i, tessera::less{}, options, on);
    if (c.falling) return top_k_rows(view, c.k, v, i, tessera::greater{}, options, on);
    return top_k_rows(view, c.k, v, i, tessera::less{}, options, on);
  }
  void expect(bool with_values, bool with_indices) const {
    auto const expected =
        expected_top_k_rows<T>(x.data(), c, c.per_row && !c.only_last && !c.median ? k_of_row.data() : nullptr,
                               c.per_row ? begins.data() : nullptr, c.per_row ? lengths.data() : nullptr, nothing);
    if (with_values) {
      ASSERT_EQ(first_difference(values.to_host(), expected.values), -1) << c.text();
    }
    if (with_indices) {
      std::vector<Index> columns(expected.indices.begin(), expected.indices.end());
      ASSERT_EQ(first_difference(indices.to_host(), columns), -1) << c.text();
    }
    ASSERT_TRUE(values.guards_intact() && indices.guards_intact()) << c.text();
    ASSERT_EQ(first_difference(in.to_host(), x), -1) << c.text();
  }
};

template <class T, class Index = std::int32_t>
void expect_top_k(top_k_rows_case c, unsigned seed) {
  if (!is_worth(c.rows * c.columns)) return;
  c.in_any_order = seed % 4 == 3;
  bool const by_column =
      c.columns > 4096 && (sizeof(T) == 8 ? c.k > 1024 || c.columns < 65536 : c.k > 2048 || 16 * c.k > c.columns);
  c.by_column = c.in_any_order && by_column && !c.only_last && !c.median;
  bool const with_values = seed % 5 != 1, with_indices = seed % 5 != 2;
  top_k_arrays<T, Index> const arrays(c, seed);
  ASSERT_EQ(arrays.run(with_values, with_indices), cudaSuccess) << c.text();
  arrays.expect(with_values, with_indices);
}

/// Every kernel, with columns around where another one begins.
template <class T>
void expect_all_sizes() {
  unsigned seed = 10;
  for (std::int64_t columns :
       {0, 1, 7, 15, 16, 24, 31, 32, 33, 64, 100, 128, 200, 255, 256, 257, 400, 1000, 3000, 4096, 4097, 20000}) {
    for (std::int64_t k : {1, 8, 9, 16, 32, 33, 64, 65, 200, 3000}) {
      if (k > 3 * columns + 8) continue;
      ++seed;
      bool const aligned = seed % 2 == 0, are_few = columns > 300 && (k <= 64 || seed % 3 == 0);
      expect_top_k<T>({are_few ? 5 : 77, columns, k, aligned ? (columns + 15) / 16 * 16 - columns : 1,
                       aligned ? std::size_t{0} : std::size_t{seed % 8}, seed % 3 != 0, seed % 7 < 2,
                       static_cast<int>(seed % 11 % 9)},
                      seed);
    }
  }
  for (std::int64_t columns : {30, 250, 600, 5000}) {
    for (std::int64_t k : {5, 30, 60, 100}) {
      expect_top_k<T, std::int64_t>(
          {50, columns, k, 2, 1, seed % 2 == 0, seed % 3 == 0, static_cast<int>(seed % 2), true, 3, 1}, ++seed);
    }
  }
}

/// Rows that clusters hold, and some that they leave to digits, for they are full of equal elements.
template <class T>
void expect_held_rows() {
  unsigned seed = 700;
  for (std::int64_t columns : {1100, 8192, 16387, 32768, 65536, 131072}) {
    for (std::int64_t k : {3, 60, 100, 512, 1000, 2048}) {
      for (std::int64_t rows : {1, 20}) {
        if (16 / static_cast<std::int64_t>(sizeof(T)) * k > columns) continue;
        bool const aligned = ++seed % 2 == 0;
        expect_top_k<T>({rows, columns, k, aligned ? (columns + 15) / 16 * 16 - columns : 1,
                         aligned ? std::size_t{0} : std::size_t{seed % 8}, seed % 3 != 0, seed % 7 < 2,
                         rows == 1 ? static_cast<int>(seed % 8) : 0, rows > 1 && seed % 5 == 0},
                        seed);
      }
    }
  }
  // More rows than blocks of the most run at once: they have fewer.
  for (std::int64_t k : {100, 512}) expect_top_k<T>({300, 16384, k, 0, 0, true, k > 100}, ++seed);
}

#if TESSERA_TEST_HAS_PART(0)
TEST(GridTopKRowsGpu, Floats) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<float>();
}
TEST(GridTopKRowsGpu, HeldFloats) {
  SKIP_WITHOUT_GPU();
  expect_held_rows<float>();
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(GridTopKRowsGpu, Doubles) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<double>();
}
TEST(GridTopKRowsGpu, LongIntegers) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<std::int64_t>();
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST(GridTopKRowsGpu, Halves) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<__half>();
  expect_all_sizes<__nv_bfloat16>();
  expect_held_rows<__half>();
}
TEST(GridTopKRowsGpu, Bytes) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<std::uint8_t>();
  expect_held_rows<std::uint8_t>();
}
#endif

#if TESSERA_TEST_HAS_PART(0)
TEST(GridTopKRowsGpu, LongRows) {
  SKIP_WITHOUT_GPU();
  unsigned seed = 50;
  for (int kind : {0, 1, 2, 3}) {
    for (std::int64_t k : {8, 64, 512, 5000})
      expect_top_k<float>({1, 150000, k, 1, 0, kind != 3, kind == 2, kind}, ++seed);
  }
  expect_top_k<std::int32_t>({1, 1'000'000, 2048, 0, 0, true, false, 0}, ++seed);
}

TEST(GridTopKRowsGpu, OneRankAndMedians) {
  SKIP_WITHOUT_GPU();
  unsigned seed = 80;
  for (std::int64_t columns : {0, 1, 10, 63, 64, 200, 256, 257, 1000, 30000}) {
    for (int kind : {0, 1, 3}) {
      for (bool per_row : {false, true}) {
        top_k_rows_case c{9, columns, columns / 2 + 1, 1, 1, columns % 4 != 0, columns % 3 == 0, kind, per_row};
        c.only_last = true;
        expect_top_k<float>(c, ++seed);
        c.k = 3;
        expect_top_k<float>(c, ++seed);
        c.only_last = false;
        c.median = true;
        c.falling = false;
        c.k = 1;
        expect_top_k<float>(c, ++seed);
      }
    }
  }
}

/// A row has the same results wherever it is, and whatever is beside it.
TEST(GridTopKRowsGpu, RowsDontDependOnOthers) {
  SKIP_WITHOUT_GPU();
  auto const others = top_k_numbers<float>(10007, 4, 9);
  for (std::int64_t columns : {16, 100, 256, 1000, 40000}) {
    for (std::int64_t k : {4, 40}) {
      auto const row = top_k_numbers<float>(columns, 1, static_cast<unsigned>(columns));
      std::vector<float> first;
      for (std::int64_t rows : {1, 2, 7, 300}) {
        for (std::size_t offset : {0, 1, 3}) {
          if (!is_worth(rows * columns)) continue;
          std::vector<float> all(static_cast<std::size_t>(rows * columns));
          for (std::size_t i = 0; i < all.size(); ++i) all[i] = others[i % others.size()];
          std::copy(row.begin(), row.end(), all.begin() + (rows - 1) * columns);
          device_array<float> const in(all, offset), values(static_cast<std::size_t>(rows * k));
          device_array<std::int64_t> const indices(static_cast<std::size_t>(rows * k));
          matrix<float const> const x{in.data(), rows, columns};
          ASSERT_EQ(top_k_rows(x, k, values.data(), indices.data()), cudaSuccess);
          auto const v = values.to_host();
          auto const i = indices.to_host();
          std::vector<float> last(v.end() - k, v.end());
          for (auto at = i.end() - k; at != i.end(); ++at) last.push_back(static_cast<float>(*at));
          if (first.empty()) first = last;
          ASSERT_EQ(first_difference(first, last), -1) << columns << " columns, " << rows << " rows";
        }
      }
    }
  }
}

/// More rows than there are warps: their results are those of some rows at a time.
TEST(GridTopKRowsGpu, ManyRows) {
  SKIP_WITHOUT_GPU();
  constexpr std::int64_t rows = 140'003, columns = 300, k = 8, part = 10'000;
  if (!is_worth(rows * columns)) GTEST_SKIP() << "long arrays";
  device_array<float> const in(top_k_numbers<float>(rows * columns, 0, 47)), values(rows * k), expected(rows * k);
  device_array<std::int32_t> const indices(rows * k), expected_indices(rows * k);
  ASSERT_EQ(top_k_rows(matrix<float const>(in.data(), rows, columns), k, values.data(), indices.data()), cudaSuccess);
  for (std::int64_t first = 0; first < rows; first += part) {
    matrix<float const> const some(in.data() + first * columns, std::min(part, rows - first), columns);
    ASSERT_EQ(top_k_rows(some, k, expected.data() + first * k, expected_indices.data() + first * k), cudaSuccess);
  }
  EXPECT_EQ(first_difference(values.to_host(), expected.to_host()), -1);
  EXPECT_EQ(indices.to_host(), expected_indices.to_host());
}

TEST(GridTopKRowsGpu, BadArguments) {
  SKIP_WITHOUT_GPU();
  constexpr auto bad = cudaErrorInvalidValue;
  device_array<float> const memory(1000);
  device_array<std::int32_t> const at(1000);
  float* const in = memory.data();
  float* const values = in + 500;
  std::int32_t* const none = nullptr;
  matrix<float const> const x{in, 10, 20};
  EXPECT_EQ(top_k_rows(x, 3, values, at.data()), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 3, values, nullptr), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 3, nullptr, at.data()), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 0, nullptr, none), cudaSuccess);
  EXPECT_EQ(top_k_rows(matrix<float const>{nullptr, 0, 20}, 3, nullptr, none), cudaSuccess);
  EXPECT_EQ(top_k_rows(matrix<float const>{nullptr, 5, 0}, 3, values, none), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 3, nullptr, none), bad);
  EXPECT_EQ(top_k_rows(x, -1, values, none), bad);
  EXPECT_EQ(top_k_rows(matrix<float const>{nullptr, 10, 20}, 3, values, none), bad);
  EXPECT_EQ(top_k_rows(matrix<float const>{in, 10, 20, 19}, 3, values, none), bad);
  EXPECT_EQ(top_k_rows(matrix<float const>{in, -1, 20}, 3, values, none), bad);
  EXPECT_EQ(top_k_rows(matrix<float const>{in, 10, -1}, 3, values, none), bad);
  EXPECT_EQ(top_k_rows(x, 3, in + 199, none), bad);
  EXPECT_EQ(top_k_rows(x, 3, in + 200, none), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 3, values, reinterpret_cast<std::int32_t*>(values) + 29), bad);
  EXPECT_EQ(kth_value_rows(x, 19, values, none), cudaSuccess);
  EXPECT_EQ(kth_value_rows(x, -1, values, none), bad);
  EXPECT_EQ(kth_value_rows(x, 3, nullptr, none), bad);
  EXPECT_EQ(median_rows(x, values, none), cudaSuccess);
  EXPECT_EQ(median_rows(x, nullptr, none), bad);
  top_k_rows_options options;
  options.k_of_row = at.data() + 500;
  EXPECT_EQ(median_rows(x, values, none, options), bad);
  EXPECT_EQ(kth_value_rows(x, 3, values, none, tessera::less{}, options), bad);
  options = {};
  options.value_stride = 2;
  EXPECT_EQ(top_k_rows(x, 3, values, none, tessera::less{}, options), bad);
  options = {};
  options.index_stride = 2;
  EXPECT_EQ(top_k_rows(x, 3, values, at.data(), {}, options), bad);
  options = {};
  options.lengths = at.data() + 5;
  EXPECT_EQ(top_k_rows(x, 3, values, at.data(), {}, options), bad);
  EXPECT_EQ(top_k_rows(x, 3, values, at.data() + 15, {}, options), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(GridTopKRowsGpu, InAGraph) {
  SKIP_WITHOUT_GPU();
  stream const on;
  for (std::int64_t columns : {50, 5000}) {
    top_k_arrays<float, std::int32_t> const arrays({9, columns, 8, 1, 1, true, false, 0, true}, 3);
    graph const captured(on, [&] { ASSERT_EQ(arrays.run(true, true, on), cudaSuccess); });
    for (int i = 0; i < 2; ++i) {
      check(cudaMemset(arrays.indices.data(), 0, arrays.indices.size() * sizeof(std::int32_t)));
      check(cudaDeviceSynchronize());
      captured.replay();
      check(cudaStreamSynchronize(on));
      arrays.expect(true, true);
    }
  }
}
#endif

}  // namespace
