// Kernels on whole arrays, compiled with the fewest optimizations (-Ofc=max): threads of a warp then come to barriers one
// after the other, and only a barrier that waits for each of them keeps shared memory right.
#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/sort_rows.cuh>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "device_array.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using std::int64_t;
using std::uint32_t;

using GridUnoptimized = WithWorkspace;

/// One tile, tiles of a block each, and tiles that blocks take.
int64_t const sizes[] = {1000, 100003, 3000001};

/// Numbers below 1000, and some of them again and again.
std::vector<uint32_t> numbers(int64_t n) {
  auto x = drawn<uint32_t>(n);
  for (auto& value : x) value %= 1000;
  return x;
}

TEST_F(GridUnoptimized, Scans) {
  for (int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto expected = numbers(n);
    device_array<uint32_t> const x(expected);
    ASSERT_EQ(grid::inclusive_scan(x.data(), n, x.data(), tessera::bit_xor{}, memory), cudaSuccess);
    std::partial_sum(expected.begin(), expected.end(), expected.begin(), [](uint32_t a, uint32_t b) { return a ^ b; });
    EXPECT_EQ(x.to_host(), expected) << n;
  }
}

struct is_odd {
  TESSERA_FN bool operator()(uint32_t x) const { return x % 2 != 0; }
};
TEST_F(GridUnoptimized, Selects) {
  for (int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const values = numbers(n);
    std::vector<uint32_t> expected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), is_odd{});
    device_array<uint32_t> const x(values), out(values.size());
    device_array<int64_t> const count(1);
    ASSERT_EQ(grid::select(x.data(), n, out.data(), count.data(), is_odd{}, memory), cudaSuccess);
    ASSERT_EQ(count.to_host()[0], static_cast<int64_t>(expected.size()));
    auto got = out.to_host();
    got.resize(expected.size());
    EXPECT_EQ(got, expected) << n;
  }
}

struct later {
  TESSERA_FN bool operator()(uint32_t a, uint32_t b) const { return a > b; }
};
TEST_F(GridUnoptimized, SortsAndMerges) {
  for (int64_t n : {int64_t{1000}, int64_t{100003}}) {
    if (!is_worth(n)) continue;
    auto sorted = numbers(n);
    device_array<uint32_t> const x(sorted), by_digits(sorted.size()), by_order(sorted.size());
    ASSERT_EQ(grid::sort(x.data(), n, by_digits.data(), tessera::greater{}, memory), cudaSuccess);
    ASSERT_EQ(grid::sort(x.data(), n, by_order.data(), later{}, memory), cudaSuccess);
    std::sort(sorted.begin(), sorted.end(), later{});
    EXPECT_EQ(by_digits.to_host(), sorted) << n;
    EXPECT_EQ(by_order.to_host(), sorted) << n;
    device_array<uint32_t> const both(2 * sorted.size());
    ASSERT_EQ(grid::merge(by_digits.data(), n, by_order.data(), n, both.data(), later{}, memory), cudaSuccess);
    auto expected = sorted;
    expected.insert(expected.end(), sorted.begin(), sorted.end());
    std::sort(expected.begin(), expected.end(), later{});
    EXPECT_EQ(both.to_host(), expected) << n;
  }
}

/// Rows that no block holds: they are sorted as one array, with their lengths.
TEST_F(GridUnoptimized, SortsRows) {
  int64_t const row_count = 2000, column_count = 5000;
  if (!is_worth(row_count * column_count)) GTEST_SKIP() << "too many for a sanitizer";
  std::vector<unsigned char> x(static_cast<std::size_t>(row_count * column_count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<unsigned char>(i * 167 + i / 5000);
  device_array<unsigned char> const rows_of_x(x);
  grid::matrix<unsigned char> const all{rows_of_x.data(), row_count, column_count};
  ASSERT_EQ(grid::sort_rows(all, all, tessera::less{}, memory), cudaSuccess);
  for (int64_t row = 0; row < row_count; ++row)
    std::sort(x.begin() + row * column_count, x.begin() + (row + 1) * column_count);
  EXPECT_TRUE(rows_of_x.to_host() == x);
}

TEST_F(GridUnoptimized, GroupsByLabel) {
  for (int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const labels = numbers(n);
    device_array<uint32_t> const x(labels);
    device_array<std::int32_t> const offsets(1001), order(labels.size());
    ASSERT_EQ(grid::group_by_label(x.data(), n, 1000, offsets.data(), order.data(), {}, memory), cudaSuccess);
    std::vector<std::int32_t> expected(labels.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
      return labels[static_cast<std::size_t>(a)] < labels[static_cast<std::size_t>(b)];
    });
    EXPECT_EQ(order.to_host(), expected) << n;
  }
}

}  // namespace
