// sort_rows and argsort_rows on the GPU: types, sizes, alignments, strides; bad arguments; graphs.
#include <tessera/grid/sort_rows.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "own_orders.hpp"
#include "sort_rows_reference.hpp"
#include "stream.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

template <class T, bool Falling>
void expect_sorted(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::size_t offset, bool in_place,
                   int kind, unsigned seed) {
  if (!is_worth(rows * columns)) return;
  using before = std::conditional_t<Falling, tessera::greater, tessera::less>;
  std::int64_t const in_stride = columns + gap, out_stride = in_place ? in_stride : columns + gap / 2;
  auto x = top_k_numbers<T>(rows * in_stride, kind, seed);
  T const nothing = top_k_number<T>(77);
  for (std::int64_t r = 0; r < rows; ++r)
    std::fill(x.begin() + r * in_stride + columns, x.begin() + (r + 1) * in_stride, nothing);
  device_array<T> const in(x, offset),
      out(std::vector<T>(static_cast<std::size_t>(rows * out_stride), nothing), offset);
  device_array<std::int32_t> const indices(static_cast<std::size_t>(rows * columns));
  matrix<T const> const from{in.data(), rows, columns, in_stride};
  ASSERT_EQ(argsort_rows(from, indices.data(), before{}), cudaSuccess);
  constexpr bool is_wide = !std::is_same_v<T, float>;  // whose program takes longest to compile
  device_array<std::int64_t> const wide_indices(is_wide ? indices.size() : 0);
  if constexpr (is_wide) ASSERT_EQ(argsort_rows(from, wide_indices.data(), before{}), cudaSuccess);
  auto const& result = in_place ? in : out;
  matrix<T> const to{result.data(), rows, columns, out_stride};
  auto const what = std::to_string(rows) + " rows of " + std::to_string(columns) + ", kind " + std::to_string(kind);
  ASSERT_EQ(sort_rows(from, to, before{}), cudaSuccess) << what;
  auto const y = result.to_host();
  expect_sorted_rows(x.data(), y.data(), rows, columns, in_stride, out_stride, Falling, nothing, what);
  ASSERT_TRUE(in.guards_intact() && out.guards_intact()) << what;
  top_k_rows_case c{rows, columns, columns, gap, 0, Falling};
  auto const expected = expected_top_k_rows<T>(x.data(), c, nullptr, nullptr, nullptr, nothing);
  std::vector<std::int32_t> const places(expected.indices.begin(), expected.indices.end());
  ASSERT_EQ(first_difference(indices.to_host(), places), -1) << what;
  ASSERT_TRUE(indices.guards_intact() && wide_indices.guards_intact()) << what;
  if (is_wide) ASSERT_EQ(first_difference(wide_indices.to_host(), expected.indices), -1) << what;
}

template <class T>
void expect_all_sizes() {
  unsigned seed = 0;
  for (std::int64_t columns : {0,   1,   3,    8,    9,    32,   60,   64,   128,  200,  256,  257,  300,
                               512, 513, 1000, 1024, 1025, 2048, 2049, 3100, 4096, 4097, 5000, 8192, 8193}) {
    for (bool in_place : {false, true}) {
      ++seed;
      std::int64_t const rows = columns < 300 ? 77 : 5;
      expect_sorted<T, false>(rows, columns, 0, 0, in_place, static_cast<int>(seed % 2), seed);
      expect_sorted<T, true>(rows, columns, 3, seed % 8, in_place, static_cast<int>(seed % 6), seed + 100);
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST(GridSortRowsGpu, Floats) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<float>();
}

TEST(GridSortRowsGpu, FewRowsOfMany) {
  SKIP_WITHOUT_GPU();
  for (int kind : {0, 1, 4, 5, 7}) expect_sorted<float, false>(3, 300'001, kind, 1, false, kind, 900);
}

TEST(GridSortRowsGpu, BadArguments) {
  SKIP_WITHOUT_GPU();
  constexpr auto bad = cudaErrorInvalidValue;
  device_array<float> const memory(1000);
  device_array<std::int32_t> const at(1000);
  float* const in = memory.data();
  matrix<float const> const x{in, 10, 20};
  EXPECT_EQ(sort_rows(x, matrix<float>{in, 10, 20}), cudaSuccess);
  EXPECT_EQ(sort_rows(x, matrix<float>{in + 500, 10, 20, 25}), cudaSuccess);
  EXPECT_EQ(sort_rows(matrix<float>{}, matrix<float>{}), cudaSuccess);
  EXPECT_EQ(sort_rows(x, matrix<float>{in + 1, 10, 20}), bad);
  EXPECT_EQ(sort_rows(x, matrix<float>{in + 500, 9, 20}), bad);
  EXPECT_EQ(sort_rows(x, matrix<float>{in + 500, 10, 19}), bad);
  EXPECT_EQ(sort_rows(x, matrix<float>{nullptr, 10, 20}), bad);
  EXPECT_EQ(sort_rows(x, matrix<float>{in + 500, 10, 20, 19}), bad);
  EXPECT_EQ(argsort_rows(x, at.data()), cudaSuccess);
  EXPECT_EQ(argsort_rows(x, reinterpret_cast<std::int32_t*>(in)), bad);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(GridSortRowsGpu, InAGraph) {
  SKIP_WITHOUT_GPU();
  stream const on;
  for (std::int64_t columns : {50, 3000}) {
    workspace memory;
    auto const x = top_k_numbers<float>(9 * columns, 0, 5);
    device_array<float> const in(x), out(x.size());
    auto const run = [&] {
      ASSERT_EQ(sort_rows(matrix<float const>{in.data(), 9, columns}, matrix<float>{out.data(), 9, columns}, {},
                          {on, memory}),
                cudaSuccess);
    };
    run();  // which the workspace grows for
    check(cudaStreamSynchronize(on));
    graph const captured(on, run);
    for (int i = 0; i < 2; ++i) {
      check(cudaMemset(out.data(), 0, x.size() * sizeof(float)));
      check(cudaDeviceSynchronize());
      captured.replay();
      check(cudaStreamSynchronize(on));
      expect_sorted_rows(x.data(), out.to_host().data(), 9, columns, columns, columns, false, 0.0f, "graph");
    }
  }
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(GridSortRowsGpu, Doubles) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<double>();
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST(GridSortRowsGpu, Halves) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<__half>();
}
#endif
#if TESSERA_TEST_HAS_PART(3)
TEST(GridSortRowsGpu, Bytes) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<std::int8_t>();
}
#endif

#if TESSERA_TEST_HAS_PART(4)
/// Rows, and rows of keys with their numbers, in an order of the test's own; equal ones as they were.
template <class T, class Before>
void expect_in_order(std::int64_t rows, std::int64_t columns, std::int64_t gap, bool in_place, Before before) {
  if (!is_worth(rows * columns)) return;
  std::int64_t const stride = columns + gap;
  auto const x = drawn_elements<T>(rows * stride, static_cast<unsigned>(columns));
  std::vector<std::int32_t> numbers(x.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<T> sorted = x;
  std::vector<std::int32_t> moved = numbers;
  for (std::int64_t r = 0; r < rows; ++r) {
    auto const of_row = numbers.begin() + r * stride;
    std::stable_sort(moved.begin() + r * stride, moved.begin() + r * stride + columns,
                     [&](std::int32_t a, std::int32_t b) {
                       return before(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
                     });
    for (std::int64_t c = 0; c < columns; ++c)
      sorted[static_cast<std::size_t>(*of_row + c)] =
          x[static_cast<std::size_t>(moved[static_cast<std::size_t>(*of_row + c)])];
  }
  device_array<T> const keys(x), apart(x);
  device_array<std::int32_t> const values(numbers), values_apart(numbers);
  auto const& keys_out = in_place ? keys : apart;
  auto const& values_out = in_place ? values : values_apart;
  auto const at = [&](auto* data) { return matrix(data, rows, columns, stride); };
  auto const what = std::to_string(rows) + " rows of " + std::to_string(columns) + " + " + std::to_string(gap);
  ASSERT_EQ(sort_rows_by_key(at(keys.data()), at(values.data()), at(keys_out.data()), at(values_out.data()), before),
            cudaSuccess)
      << what;
  EXPECT_TRUE(keys_out.to_host() == sorted) << what;
  EXPECT_TRUE(values_out.to_host() == moved) << what;
  device_array<T> const alone(x), alone_apart(x);
  auto const& out = in_place ? alone : alone_apart;
  ASSERT_EQ(sort_rows(at(alone.data()), at(out.data()), before), cudaSuccess) << what;
  EXPECT_TRUE(out.to_host() == sorted) << what;
  EXPECT_TRUE(keys.guards_intact() && apart.guards_intact() && values.guards_intact() && values_apart.guards_intact() &&
              out.guards_intact())
      << what;
}

TEST(GridSortRowsGpu, InAnOrderOfYourOwn) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t columns : {0, 1, 2, 33, 100, 1000, 2100, 5000}) {
    for (std::int64_t gap : {0, 3}) {
      for (bool in_place : {false, true}) {
        expect_in_order<item>(columns < 300 ? 77 : 5, columns, gap, in_place, heavier{});
        expect_in_order<std::int32_t>(columns < 300 ? 77 : 5, columns, gap, in_place, by_last_digit{});
      }
    }
  }
}
#endif

}  // namespace
