// top_k_rows, kth_value_rows, median_rows and argsort_rows by comparators on the GPU: types, sizes, ties, rows with a k,
// a begin and a length of their own; bad arguments; graphs.
#include <tessera/grid/sort_rows.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "own_orders.hpp"
#include "stream.hpp"
#include "top_k_rows_reference.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

/// The arrays of a case on the GPU.
template <class T, class Index>
struct compared_arrays {
  top_k_rows_case c;
  std::vector<T> x;
  T nothing = made(static_cast<T*>(nullptr), 7, -1);
  std::vector<std::int32_t> k_of_row, begins, lengths;
  device_array<T> in, values;
  device_array<Index> indices;
  device_array<std::int32_t> device_k, device_begins, device_lengths;

  compared_arrays(top_k_rows_case const& what, unsigned seed)
      : c(what),
        x(drawn_elements<T>(what.rows * what.stride(), seed)),
        k_of_row(drawn_for_rows(what.rows, what.k, seed + 1)),
        begins(drawn_for_rows(what.rows, what.columns, seed + 2)),
        lengths(drawn_for_rows(what.rows, what.columns, seed + 3)),
        in(x),
        values(std::vector<T>(static_cast<std::size_t>(what.rows * (what.results() + what.value_gap)), nothing)),
        indices(std::vector<Index>(static_cast<std::size_t>(what.rows * (what.results() + what.index_gap)), Index(-7))),
        device_k(k_of_row),
        device_begins(begins),
        device_lengths(lengths) {}

  matrix<T const> view() const { return {in.data(), c.rows, c.columns, c.stride()}; }
  bool has_k_of_row() const { return c.per_row && !c.only_last && !c.median; }

  template <class Before>
  cudaError_t run(Before before, bool with_values, bool with_indices, execution on = {}) const {
    top_k_rows_options options;
    options.ties = c.higher_column ? top_k_ties::higher_column : top_k_ties::lower_column;
    options.value_stride = c.results() + c.value_gap;
    options.index_stride = c.results() + c.index_gap;
    if (has_k_of_row()) options.k_of_row = device_k.data();
    if (c.per_row) {
      options.begins = device_begins.data();
      options.lengths = device_lengths.data();
    }
    T* const v = with_values ? values.data() : nullptr;
    Index* const i = with_indices ? indices.data() : nullptr;
    if (c.median) return median_rows(view(), v, i, before, options, on);
    if (c.only_last) return kth_value_rows(view(), c.k - 1, v, i, before, options, on);
    return top_k_rows(view(), c.k, v, i, before, options, on);
  }
  template <class Before>
  void expect(Before before, bool with_values, bool with_indices) const {
    auto const expected =
        first_of_rows(x.data(), c, has_k_of_row() ? k_of_row.data() : nullptr, c.per_row ? begins.data() : nullptr,
                      c.per_row ? lengths.data() : nullptr, nothing, nothing, before);
    if (with_values) {
      ASSERT_TRUE(values.to_host() == expected.values) << c.text();
    }
    if (with_indices) {
      std::vector<Index> const columns(expected.indices.begin(), expected.indices.end());
      ASSERT_TRUE(indices.to_host() == columns) << c.text();
    }
    ASSERT_TRUE(values.guards_intact() && indices.guards_intact()) << c.text();
    ASSERT_TRUE(in.to_host() == x) << c.text();
  }
};

template <class T, class Index = std::int32_t, class Before>
void expect_first(top_k_rows_case const& c, Before before, unsigned seed) {
  if (!is_worth(c.rows * c.columns)) return;
  bool const with_values = seed % 5 != 1, with_indices = seed % 5 != 2;
  compared_arrays<T, Index> const arrays(c, seed);
  ASSERT_EQ(arrays.run(before, with_values, with_indices), cudaSuccess) << c.text();
  arrays.expect(before, with_values, with_indices);
}

/// Sizes around those where another kernel begins, and another way to sort segments.
template <class T, class Before>
void expect_all(Before before) {
  unsigned seed = 10;
  for (std::int64_t columns : {0, 1, 31, 32, 33, 200, 256, 257, 1000, 2100, 5000}) {
    for (std::int64_t k : {std::int64_t{1}, std::int64_t{20}, columns, columns + 3}) {
      if (k < 1) continue;
      top_k_rows_case c{columns < 300 ? 77 : 5, columns, k, ++seed % 3, 0, true, seed % 2 == 0, 0, seed % 4 < 2};
      c.value_gap = seed % 3;
      c.index_gap = seed % 5;
      expect_first<T>(c, before, seed);
      c.only_last = true;
      expect_first<T>(c, before, ++seed);
      c.only_last = false;
      c.median = true;
      expect_first<T>(c, before, ++seed);
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST(GridComparedRowsGpu, Structs) {
  SKIP_WITHOUT_GPU();
  expect_all<item>(heavier{});
  expect_first<item, std::int64_t>({20, 3000, 100, 1, 0, true, false, 0, true}, heavier{}, 95);
}

TEST(GridComparedRowsGpu, Argsort) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t columns : {1, 30, 250, 4000}) {
    top_k_rows_case const c{9, columns, columns, 2};
    compared_arrays<item, std::int32_t> const arrays(c, 5);
    ASSERT_EQ(argsort_rows(arrays.view(), arrays.indices.data(), heavier{}), cudaSuccess);
    arrays.expect(heavier{}, false, true);
  }
}

TEST(GridComparedRowsGpu, BadArguments) {
  SKIP_WITHOUT_GPU();
  constexpr auto bad = cudaErrorInvalidValue;
  device_array<item> const memory(std::vector<item>(1000));
  device_array<std::int32_t> const at(1000);
  item* const in = memory.data();
  item* const values = in + 500;
  matrix<item const> const x{in, 10, 20};
  heavier const before;
  EXPECT_EQ(top_k_rows(x, 3, values, at.data(), before), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 3, values, nullptr, before), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, 0, values, nullptr, before), cudaSuccess);
  EXPECT_EQ(top_k_rows(matrix<item const>{nullptr, 0, 20}, 3, values, nullptr, before), cudaSuccess);
  EXPECT_EQ(top_k_rows(x, -1, values, at.data(), before), bad);
  EXPECT_EQ(top_k_rows(matrix<item const>{in, 10, 20, 19}, 3, values, nullptr, before), bad);
  EXPECT_EQ(top_k_rows(x, 3, in + 199, nullptr, before), bad);
  EXPECT_EQ(median_rows(x, values, nullptr, before), cudaSuccess);
  top_k_rows_options options;
  options.k_of_row = at.data() + 500;
  EXPECT_EQ(median_rows(x, values, nullptr, before, options), bad);
  EXPECT_EQ(kth_value_rows(x, 1, values, nullptr, before, options), bad);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(GridComparedRowsGpu, InAGraph) {
  SKIP_WITHOUT_GPU();
  stream const on;
  for (std::int64_t columns : {30, 3000}) {
    for (bool per_row : {false, true}) {
      workspace memory;
      compared_arrays<item, std::int32_t> const arrays({9, columns, 8, 1, 0, true, false, 0, per_row}, 3);
      auto const run = [&] { ASSERT_EQ(arrays.run(heavier{}, true, true, {on, memory}), cudaSuccess); };
      run();  // which the workspace grows for
      check(cudaStreamSynchronize(on));
      graph const captured(on, run);
      for (int i = 0; i < 2; ++i) {
        check(cudaMemset(arrays.indices.data(), 0, arrays.indices.size() * sizeof(std::int32_t)));
        check(cudaDeviceSynchronize());
        captured.replay();
        check(cudaStreamSynchronize(on));
        arrays.expect(heavier{}, true, true);
      }
    }
  }
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST(GridComparedRowsGpu, NumbersInAnOrderOfYourOwn) {
  SKIP_WITHOUT_GPU();
  expect_all<std::int32_t>(by_last_digit{});
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST(GridComparedRowsGpu, AnOrderWithState) {
  SKIP_WITHOUT_GPU();
  expect_all<parcel>(heavy_enough{30});
}
#endif

}  // namespace
