// Draws from rows of subnormals, and routes by them, in kernels that take them for 0 in their own arithmetic: compiled
// with -use_fast_math, which the host's code isn't.
#include <gtest/gtest.h>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// Rows of subnormals of either sign, all different from each other but for few.
std::vector<float> subnormals(std::int64_t n, unsigned seed) {
  std::vector<float> out;
  for (unsigned bits : random_numbers<unsigned>(n, 0, 0, seed)) {
    bits &= 0x807fffffu;
    float x = 0;
    std::memcpy(&x, &bits, sizeof(x));
    out.push_back(x);
  }
  return out;
}

/// Few rows are drawn from by clusters, many by a block each.
TEST(GridFastMathRows, OrderOfSubnormals) {
  SKIP_WITHOUT_GPU();
  int const k = 20;
  for (std::int64_t columns : {100, 2048, 9000, 40000}) {
    for (std::int64_t rows : {3, 600}) {
      if (!is_worth(rows * columns)) continue;
      auto const x = subnormals(rows * columns, static_cast<unsigned>(columns + rows));
      device_array<float> const in(x), probabilities(x.size());
      device_array<int> const ids(static_cast<std::size_t>(rows));
      grid::matrix<float> const from{in.data(), rows, columns}, to{probabilities.data(), rows, columns};
      grid::sample_options greedy;
      greedy.temperature = 0;
      ASSERT_EQ(grid::sample_rows(from, nullptr, ids.data(), greedy), cudaSuccess);
      grid::sample_filters filters;
      filters.top_k = k;
      ASSERT_EQ(grid::renormalize_rows(from, to, filters), cudaSuccess);
      auto const drawn = ids.to_host();
      auto const kept = probabilities.to_host();
      for (std::int64_t r = 0; r < rows; ++r) {
        std::vector<float> const row(x.begin() + r * columns, x.begin() + (r + 1) * columns);
        auto const greatest = std::max_element(row.begin(), row.end()) - row.begin();
        ASSERT_EQ(drawn[static_cast<std::size_t>(r)], greatest) << columns << " columns, row " << r;
        auto in_order = row;
        std::nth_element(in_order.begin(), in_order.begin() + (k - 1), in_order.end(), std::greater<>());
        float const last = in_order[k - 1];
        int count = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
          bool const is_kept = kept[static_cast<std::size_t>(r * columns + c)] > 0;
          count += is_kept ? 1 : 0;
          ASSERT_TRUE(is_kept ? row[static_cast<std::size_t>(c)] >= last : row[static_cast<std::size_t>(c)] <= last)
              << columns << " columns, row " << r << ", column " << c;
        }
        ASSERT_EQ(count, k) << columns << " columns, row " << r;
      }
    }
  }
}

TEST(GridFastMathRows, RoutesBySubnormals) {
  SKIP_WITHOUT_GPU();
  std::int64_t const rows = 500;
  int const k = 6;
  for (int columns : {8, 60, 256}) {
    auto const x = subnormals(rows * columns, static_cast<unsigned>(columns));
    auto const chosen = static_cast<std::size_t>(rows * k);
    device_array<float> const in(x), weights(chosen);
    device_array<std::int32_t> const experts(chosen);
    grid::matrix<float> const from{in.data(), rows, columns};
    ASSERT_EQ(grid::route_rows(from, k, weights.data(), experts.data()), cudaSuccess);
    auto const got = experts.to_host();
    for (std::int64_t r = 0; r < rows; ++r) {
      auto const logit = [&](int c) { return x[static_cast<std::size_t>(r * columns + c)]; };
      std::vector<int> in_order(static_cast<std::size_t>(columns));
      std::iota(in_order.begin(), in_order.end(), 0);
      std::stable_sort(in_order.begin(), in_order.end(), [&](int a, int b) { return logit(a) > logit(b); });
      for (int i = 0; i < k; ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(r * k + i)], in_order[static_cast<std::size_t>(i)])
            << columns << " columns, row " << r << ", choice " << i;
    }
  }
}

}  // namespace
