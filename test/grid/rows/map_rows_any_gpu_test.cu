// Rows by a row operation of a user's own, against sequential sums in long double, and the same rows in other batches.
#include <tessera/grid/map_rows.cuh>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu.hpp"
#include "row_cases.hpp"
#include "row_operations.hpp"
#include "row_references.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

template <class T, class F>
void check_rows(layout where, layout to, F const& f, double unit) {
  auto const count = where.rows * where.columns;
  auto const x = random_numbers<T>(count, -2, 6, 5);
  device_matrix<T> const in(where, x), out(to), alone({1, where.columns, 0, 0});
  ASSERT_EQ(map_rows(in.view(), out.view(), f), cudaSuccess) << where.text();
  auto const got = out.to_host();
  auto const columns = static_cast<std::size_t>(where.columns);
  std::int64_t const last = where.rows - 1;
  matrix<T> const last_row{in.view().data + last * in.view().stride, 1, where.columns};
  ASSERT_EQ(map_rows(last_row, alone.view(), f), cudaSuccess);
  EXPECT_TRUE(all_same_bits(alone.to_host(), std::vector<T>(got.end() - where.columns, got.end()))) << where.text();
  for (std::size_t r = 0; r<got.size() / columns; r += where.rows> 64 ? 37 : 1) {
    std::vector<double> row;
    for (std::size_t c = 0; c < columns; ++c) row.push_back(as_double(x[r * columns + c]));
    auto const expected = F::expected(row);
    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_NEAR(as_double(got[r * columns + c]), expected[c], 64 * unit * (1 + std::abs(expected[c])))
          << where.text() << ", row " << r << ", column " << c;
  }
  ASSERT_EQ(map_rows(in.view(), in.view(), f), cudaSuccess);
  EXPECT_TRUE(all_same_bits(in.to_host(), got)) << "in place, " << where.text();
}

template <class T, class N>
void check_operations(double unit) {
  for (std::int64_t const columns : {2, 7, 64, 333, 1024, 4096, 5001, 40'000, 70'001, 600'000}) {
    for (std::int64_t const row_count : {std::int64_t{1}, std::int64_t{5}, std::int64_t{300}}) {
      if (row_count * columns > 4'000'000) continue;
      layout const aligned{row_count, columns, 0, 0}, apart{row_count, columns, 3, 1};
      check_rows<T>(aligned, aligned, l2_normalize<N>{}, unit);
      check_rows<T>(apart, aligned, min_max_scale<N>{}, unit);
      check_rows<T>(aligned, apart, mean_distance<N>{static_cast<N>(columns)}, unit);
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST(MapRows, OfFloats) {
  SKIP_WITHOUT_GPU();
  check_operations<float, float>(0x1p-23);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST(MapRows, OfDoubles) {
  SKIP_WITHOUT_GPU();
  check_operations<double, double>(0x1p-52);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST(MapRows, OfBfloat16) {
  SKIP_WITHOUT_GPU();
  check_operations<__nv_bfloat16, float>(0x1p-13);
}

TEST(MapRows, RefusesWhatIsNoMatrixAndOverlaps) {
  SKIP_WITHOUT_GPU();
  device_array<float> const x(64);
  matrix<float> const good{x.data(), 4, 8};
  EXPECT_EQ(map_rows(good, matrix<float>{x.data() + 1, 4, 8}, l2_normalize<float>{}), cudaErrorInvalidValue);
  EXPECT_EQ(map_rows(good, matrix<float>{x.data() + 32, 2, 8}, l2_normalize<float>{}), cudaErrorInvalidValue);
  EXPECT_EQ(map_rows(good, matrix<float>{nullptr, 4, 8}, mean_distance<float>{8}), cudaErrorInvalidValue);
  EXPECT_EQ(map_rows(matrix<float>{x.data(), 0, 8}, matrix<float>{x.data(), 0, 8}, mean_distance<float>{8}),
            cudaSuccess);
}
#endif

}  // namespace
