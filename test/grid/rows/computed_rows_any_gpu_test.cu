// Rows by iterators (computed_rows.cuh): against a loop and the calls by pointers; the same bits among other rows.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cuda/std/tuple>

#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/scratch_bytes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "memory_of_caller.hpp"
#include "row_references.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridComputedRowsAny = WithWorkspace;

struct shape {
  std::int64_t rows, columns, stride;
};
shape const shapes[] = {{0, 5, 5},           {3, 0, 0},           {100'000, 1, 1},      {30'001, 8, 9},
                        {10'001, 9, 9},      {5000, 64, 70},      {5000, 65, 65},       {999, 512, 512},
                        {999, 513, 515},     {130, 2048, 2048},   {77, 2049, 2051},     {33, 4097, 4097},
                        {9, 16'384, 16'384}, {5, 16'385, 16'390}, {2, 300'001, 300'001}};

/// Many are 0, and few are equal.
struct spread {
  TESSERA_FN unsigned operator()(std::int64_t i) const {
    unsigned const h = static_cast<unsigned>(i) * 2654435761u;
    return h % 5 == 0 ? h >> 8 : 0;
  }
};
struct take_first {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return a == 0 ? b : a; }
};
struct above_its_column {
  TESSERA_FN int operator()(unsigned x, int column) const { return x > static_cast<unsigned>(column) ? 1 : 0; }
};

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridComputedRowsAny, Integers) {
  auto const in = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), spread{});
  for (shape const& of : shapes) {
    if (!is_worth(of.rows * of.stride)) continue;
    auto const rows = grid::matrix_of(in, of.rows, of.columns, of.stride);
    auto const room = static_cast<std::size_t>(of.rows) + 1;
    gpu_array<unsigned> const sums(room), firsts(room);
    gpu_array<int> const above(room);
    gpu_array<tessera::indexed<unsigned, int>> const least(room), greatest(room);
    gpu_array<tessera::min_max<unsigned>> const both(room);
    ASSERT_EQ(grid::reduce_rows(rows, sums.data(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_rows(rows, firsts.data(), tessera::make_operator(take_first{}, 0u), memory), cudaSuccess);
    ASSERT_EQ(grid::transform_reduce_rows(rows, above.data(), tessera::plus{}, above_its_column{}), cudaSuccess);
    ASSERT_EQ(grid::argmin_rows(rows, least.data(), memory), cudaSuccess);
    ASSERT_EQ(grid::argmax_rows(rows, greatest.data(), memory), cudaSuccess);
    ASSERT_EQ(grid::minmax_rows(rows, both.data(), memory), cudaSuccess);
    auto const got = sums.to_host(), got_firsts = firsts.to_host();
    auto const got_above = above.to_host();
    auto const got_least = least.to_host(), got_greatest = greatest.to_host();
    auto const got_both = both.to_host();
    for (std::int64_t r = 0; r < of.rows; ++r) {
      auto const at = static_cast<std::size_t>(r);
      unsigned sum = 0, first = 0, low = ~0u, high = 0;
      int count = 0, low_at = 0, high_at = 0;
      for (int c = 0; c < of.columns; ++c) {
        unsigned const x = spread{}(r * of.stride + c);
        sum += x;
        first = take_first{}(first, x);
        count += above_its_column{}(x, c);
        if (c == 0 || x < low) {
          low = x;
          low_at = c;
        }
        if (c == 0 || x > high) {
          high = x;
          high_at = c;
        }
      }
      ASSERT_EQ(got[at], sum) << of.columns << ", row " << r;
      ASSERT_EQ(got_firsts[at], first) << of.columns << ", row " << r;
      ASSERT_EQ(got_above[at], count) << of.columns << ", row " << r;
      if (of.columns == 0) continue;
      ASSERT_EQ(got_least[at].value, low) << of.columns << ", row " << r;
      ASSERT_EQ(got_least[at].index, low_at) << of.columns << ", row " << r;
      ASSERT_EQ(got_greatest[at].value, high) << of.columns << ", row " << r;
      ASSERT_EQ(got_greatest[at].index, high_at) << of.columns << ", row " << r;
      ASSERT_EQ(got_both[at].min, low) << of.columns << ", row " << r;
      ASSERT_EQ(got_both[at].max, high) << of.columns << ", row " << r;
    }
  }
}

#endif

template <class T>
struct halved {
  TESSERA_FN T operator()(T x) const { return x * T(0.5f); }
};
std::vector<float> drawn_numbers(shape const& of) {
  random_engine random(static_cast<std::uint64_t>(of.columns));
  std::vector<float> x(static_cast<std::size_t>(of.rows * of.stride) + 16);
  for (float& value : x) value = static_cast<float>(random() % 4000) / 100 - 20;
  for (std::int64_t r = 0; r < of.rows && of.columns > 0; ++r) {
    std::int64_t const first = r * of.stride;
    float& one = x[static_cast<std::size_t>(first + static_cast<std::int64_t>(random()) % of.columns)];
    if (r % 7 == 1) one = std::numeric_limits<float>::quiet_NaN();
    if (r % 7 == 3) one = std::numeric_limits<float>::infinity();
    if (r % 7 == 5) std::fill_n(x.begin() + first, of.columns, -0.0f);
  }
  return x;
}
template <class T>
bool same_floats(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

#if TESSERA_TEST_HAS_PART(1)
/// Sums, moments and softmax of floats, in double; and those of the last row alone.
TEST_F(GridComputedRowsAny, Floats) {
  for (shape const& of : shapes) {
    if (!is_worth(of.rows * of.stride)) continue;
    auto const x = drawn_numbers(of);
    gpu_array<float> const in(x), out(x.size());
    auto const room = static_cast<std::size_t>(of.rows) + 1;
    gpu_array<float> const sums(room), sum_alone(std::size_t{1}), out_alone(x.size());
    gpu_array<tessera::moments<float>> const moments(room), moments_alone(std::size_t{1});
    auto const half = thrust::make_transform_iterator(static_cast<float const*>(in.data()), halved<float>{});
    auto const rows = grid::matrix_of(half, of.rows, of.columns, of.stride);
    ASSERT_EQ(grid::reduce_rows(rows, sums.data(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::moments_rows(rows, moments.data(), memory), cudaSuccess);
    ASSERT_EQ(grid::softmax_rows(rows, grid::matrix{out.data(), of.rows, of.columns}, nullptr, memory), cudaSuccess);
    if (of.rows > 0) {
      auto const last = grid::matrix_of(half + (of.rows - 1) * of.stride, 1, of.columns);
      ASSERT_EQ(grid::reduce_rows(last, sum_alone.data()), cudaSuccess);
      ASSERT_EQ(grid::moments_rows(last, moments_alone.data()), cudaSuccess);
      ASSERT_EQ(grid::softmax_rows(last, grid::matrix{out_alone.data(), 1, of.columns}), cudaSuccess);
    }
    auto const got = sums.to_host(), mapped = out.to_host(), mapped_alone = out_alone.to_host();
    auto const got_moments = moments.to_host();
    double const columns = static_cast<double>(of.columns);
    double const units = of.columns <= 2048 ? columns / 32 + 16 : columns / 0x1p18 + 128;
    auto const in_float = arithmetic_of<float>();
    for (std::int64_t r = 0; r < of.rows; ++r) {
      std::vector<double> row;
      double max = -std::numeric_limits<double>::infinity();
      for (std::int64_t c = 0; c < of.columns; ++c) {
        row.push_back(0.5 * x[static_cast<std::size_t>(r * of.stride + c)]);
        max = std::max(max, row.back());
      }
      auto const at = static_cast<std::size_t>(r);
      ASSERT_TRUE(expected_sum(row, units, in_float).allows(got[at])) << of.columns << ", row " << r;
      expected_moments const want(row);
      ASSERT_EQ(got_moments[at].count, static_cast<float>(of.columns));
      if (std::isfinite(static_cast<double>(want.mean))) {
        double const error = (16 + 4 * std::log2(columns + 1) + columns / 2048) * in_float.unit * want.greatest;
        ASSERT_NEAR(got_moments[at].mean, static_cast<double>(want.mean), error) << of.columns << ", row " << r;
      } else {
        ASSERT_TRUE(std::isnan(got_moments[at].mean)) << of.columns << ", row " << r;
      }
      auto const parts = expected_softmax(row, of.columns, false);
      for (std::size_t c = 0; c < row.size(); ++c) {
        double const result = mapped[at * row.size() + c];
        if (std::isnan(parts[c])) {
          ASSERT_TRUE(std::isnan(result)) << of.columns << ", row " << r << ", column " << c;
        } else {
          double const apart = std::isinf(max) ? 0 : max - row[c];
          ASSERT_NEAR(result, parts[c], softmax_error(parts[c], apart, false, in_float))
              << of.columns << ", row " << r << ", column " << c;
        }
      }
    }
    if (of.rows == 0) continue;
    auto const last = static_cast<std::size_t>(of.rows - 1);
    EXPECT_TRUE(same_floats(sum_alone.to_host()[0], got[last])) << of.columns;
    EXPECT_TRUE(same_floats(moments_alone.to_host()[0], got_moments[last])) << of.columns;
    for (std::size_t c = 0; c < static_cast<std::size_t>(of.columns); ++c)
      ASSERT_TRUE(same_floats(mapped_alone[c], mapped[last * static_cast<std::size_t>(of.columns) + c])) << of.columns;
  }
}

/// 16-bit floats and doubles, with lengths, against the calls by pointers; into a proxy's array.
template <class T>
void check_types(grid::workspace& memory, double units) {
  for (shape const& of : shapes) {
    if (!is_worth(4 * of.rows * of.stride) || of.rows == 0) continue;
    std::vector<T> x, doubled;
    for (float value : drawn_numbers(of)) {
      x.push_back(T(value));
      doubled.push_back(T(2 * value));
    }
    std::vector<std::int32_t> some;
    for (std::int64_t r = 0; r < of.rows; ++r)
      some.push_back(static_cast<std::int32_t>((r * 31) % (of.columns + 3)) - 1);
    gpu_array<T> const in(doubled), same(x), out(std::vector<T>(2 * x.size(), T(7.0f))), want(x);
    gpu_array<std::int32_t> const lengths(some);
    auto const half = thrust::make_transform_iterator(static_cast<T const*>(in.data()), halved<T>{});
    grid::matrix const pointers{same.data(), of.rows, of.columns, of.stride};
    ASSERT_EQ(grid::log_softmax_rows(grid::matrix_of(half, of.rows, of.columns, of.stride),
                                     grid::matrix_of(strided<T, 2>{out.data()}, of.rows, of.columns, of.stride),
                                     lengths.data(), memory),
              cudaSuccess);
    ASSERT_EQ(grid::log_softmax_rows(pointers, grid::matrix{want.data(), of.rows, of.columns, of.stride},
                                     lengths.data(), memory),
              cudaSuccess);
    auto const got = out.to_host(), expected = want.to_host();
    for (std::size_t i = 0; i < static_cast<std::size_t>(of.rows * of.stride); ++i) {
      auto const result = static_cast<double>(got[2 * i]);
      bool const is_between = static_cast<std::int64_t>(i) % of.stride >= of.columns;
      double const value = is_between ? 7 : static_cast<double>(expected[i]);
      ASSERT_EQ(static_cast<double>(got[2 * i + 1]), 7);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(result)) << of.columns << ", element " << i;
      } else if (std::isinf(value)) {
        ASSERT_EQ(result, value) << of.columns << ", element " << i;
      } else {
        ASSERT_NEAR(result, value, units * (1 + std::abs(value))) << of.columns << ", element " << i;
      }
    }
  }
}
TEST_F(GridComputedRowsAny, Types) {
  check_types<double>(memory, 0x1p-46);
  check_types<__half>(memory, 0x1p-9);
}

struct product {
  template <class Pair>
  TESSERA_FN float operator()(Pair const& x) const {
    return cuda::std::get<0>(x) * cuda::std::get<1>(x);
  }
};
/// Row r of the transposed matrix is column r.
struct transposed {
  std::int64_t height, width;
  TESSERA_FN std::int64_t operator()(std::int64_t i) const { return i % height * width + i / height; }
};

/// Iterators of Thrust, in sums that are exact.
TEST_F(GridComputedRowsAny, Iterators) {
  std::int64_t const height = 300, width = 70;
  std::vector<float> a, b;
  for (std::int64_t i = 0; i < height * width; ++i) {
    a.push_back(static_cast<float>(i % 13));
    b.push_back(static_cast<float>(i % 7));
  }
  thrust::device_vector<float> const x(a.begin(), a.end()), y(b.begin(), b.end());
  gpu_array<float> const dots(static_cast<std::size_t>(height)), sums(static_cast<std::size_t>(width)),
      plain(static_cast<std::size_t>(height));
  auto const pairs = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  auto const products = thrust::make_transform_iterator(pairs, product{});
  auto const places =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), transposed{height, width});
  auto const columns = thrust::make_permutation_iterator(x.begin(), places);
  auto const contiguous = grid::matrix_of(x.begin(), height, width);
  static_assert(std::is_same_v<decltype(contiguous), grid::matrix<float const> const>);
  ASSERT_EQ(grid::reduce_rows(grid::matrix_of(products, height, width), dots.data(), tessera::plus{}, memory),
            cudaSuccess);
  ASSERT_EQ(grid::reduce_rows(grid::matrix_of(columns, width, height), sums.data(), tessera::plus{}, memory),
            cudaSuccess);
  ASSERT_EQ(grid::reduce_rows(contiguous, plain.data(), tessera::plus{}, memory), cudaSuccess);
  auto const got = dots.to_host(), got_columns = sums.to_host(), got_plain = plain.to_host();
  for (std::int64_t r = 0; r < height; ++r) {
    float dot = 0, sum = 0;
    for (std::int64_t c = 0; c < width; ++c) {
      auto const i = static_cast<std::size_t>(r * width + c);
      dot += a[i] * b[i];
      sum += a[i];
    }
    ASSERT_EQ(got[static_cast<std::size_t>(r)], dot) << r;
    ASSERT_EQ(got_plain[static_cast<std::size_t>(r)], sum) << r;
  }
  for (std::int64_t c = 0; c < width; ++c) {
    float sum = 0;
    for (std::int64_t r = 0; r < height; ++r) sum += a[static_cast<std::size_t>(r * width + c)];
    ASSERT_EQ(got_columns[static_cast<std::size_t>(c)], sum) << c;
  }
}

/// Norms with weights and biases, in and out by iterators, and of the last row alone.
template <class T>
void check_norms(grid::workspace& memory) {
  constexpr arithmetic how = arithmetic_of<T>();
  for (shape const& of : shapes) {
    if (!is_worth(2 * of.rows * of.stride) || of.rows == 0 || of.columns == 0) continue;
    auto const drawn = drawn_numbers(of);
    std::vector<T> const x(drawn.begin(), drawn.end());
    std::vector<T> w, b;
    for (std::int64_t c = 0; c < of.columns; ++c) {
      w.push_back(static_cast<T>(c % 7) - T(2.5));
      b.push_back(static_cast<T>(c % 5) / 4);
    }
    gpu_array<T> const in(x), out(std::vector<T>(2 * x.size(), T(7))), last_out(x.size()), weight(w), bias(b);
    auto const half = thrust::make_transform_iterator(static_cast<T const*>(in.data()), halved<T>{});
    auto const rows = grid::matrix_of(half, of.rows, of.columns, of.stride);
    auto const last = grid::matrix_of(half + (of.rows - 1) * of.stride, 1, of.columns);
    grid::matrix const to_last{last_out.data(), 1, of.columns};
    for (bool const centered : {true, false}) {
      auto const to = grid::matrix_of(strided<T, 2>{out.data()}, of.rows, of.columns, of.stride);
      if (centered) {
        ASSERT_EQ(grid::layer_norm_rows(rows, to, weight.data(), bias.data(), 1e-5, memory), cudaSuccess);
        ASSERT_EQ(grid::layer_norm_rows(last, to_last, weight.data(), bias.data()), cudaSuccess);
      } else {
        ASSERT_EQ(grid::rms_norm_rows(rows, to, weight.data(), nullptr, 1e-5, memory), cudaSuccess);
        ASSERT_EQ(grid::rms_norm_rows(last, to_last, weight.data()), cudaSuccess);
      }
      auto const got = out.to_host(), alone = last_out.to_host();
      for (std::int64_t r = 0; r < of.rows; ++r) {
        std::vector<double> row;
        auto const first = static_cast<std::size_t>(r * of.stride);
        for (std::int64_t c = 0; c < of.columns; ++c)
          row.push_back(static_cast<double>(halved<T>{}(x[first + static_cast<std::size_t>(c)])));
        expected_norm const norm(row, static_cast<double>(T(1e-5)), centered, how);
        for (std::size_t c = 0; c < row.size(); ++c) {
          auto const want = norm.of(row[c], static_cast<double>(w[c]), centered ? static_cast<double>(b[c]) : 0.0,
                                    4 + static_cast<double>(of.columns) / 4096, how);
          T const result = got[2 * (first + c)];
          ASSERT_TRUE(want.allows(result)) << of.columns << ", row " << r << ", column " << c << ": " << result;
          ASSERT_EQ(got[2 * (first + c) + 1], T(7));
          if (r == of.rows - 1) {
            ASSERT_TRUE(same_floats(result, alone[c])) << of.columns << ", column " << c;
          }
        }
        for (std::size_t c = row.size(); c < static_cast<std::size_t>(of.stride); ++c)
          ASSERT_EQ(got[2 * (first + c)], T(7)) << "between rows";
      }
    }
  }
}
TEST_F(GridComputedRowsAny, Norms) {
  check_norms<float>(memory);
}
TEST_F(GridComputedRowsAny, NormsOfDoubles) {
  check_norms<double>(memory);
}

/// The residual takes the sums, and the results are the norms of these by an iterator: bit for bit.
TEST_F(GridComputedRowsAny, NormsOfSums) {
  for (shape const& of : shapes) {
    if (!is_worth(3 * of.rows * of.stride) || of.rows == 0 || of.columns == 0) continue;
    auto const x = drawn_numbers(of);
    std::vector<float> before(x.size()), sums(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      before[i] = static_cast<float>(i % 61) / 8;
      auto const place = static_cast<std::int64_t>(i);
      bool const is_element = place / of.stride < of.rows && place % of.stride < of.columns;
      sums[i] = is_element ? 0.5f * x[i] + before[i] : before[i];
    }
    gpu_array<float> const in(x), weight(std::vector<float>(static_cast<std::size_t>(of.columns), 0.75f)), added(sums),
        out(x.size()), apart(std::vector<float>(2 * x.size(), 7.0f));
    auto const half = thrust::make_transform_iterator(static_cast<float const*>(in.data()), halved<float>{});
    auto const rows = grid::matrix_of(half, of.rows, of.columns, of.stride);
    auto const to = grid::matrix_of(strided<float, 2>{apart.data()}, of.rows, of.columns, of.stride);
    auto const by_iterator = grid::matrix_of(strided<float, 1>{added.data()}, of.rows, of.columns, of.stride);
    grid::matrix const out_rows{out.data(), of.rows, of.columns, of.stride};
    for (bool const centered : {true, false}) {
      gpu_array<float> const residual(before);
      grid::matrix const residual_rows{residual.data(), of.rows, of.columns, of.stride};
      if (centered) {
        ASSERT_EQ(grid::add_layer_norm_rows(rows, residual_rows, to, weight.data(), nullptr, 1e-5, memory),
                  cudaSuccess);
        ASSERT_EQ(grid::layer_norm_rows(by_iterator, out_rows, weight.data(), nullptr, 1e-5, memory), cudaSuccess);
      } else {
        ASSERT_EQ(grid::add_rms_norm_rows(rows, residual_rows, to, weight.data(), nullptr, 1e-5, memory), cudaSuccess);
        ASSERT_EQ(grid::rms_norm_rows(by_iterator, out_rows, weight.data(), nullptr, 1e-5, memory), cudaSuccess);
      }
      auto const after = residual.to_host();
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_TRUE(after[i] == sums[i] || (std::isnan(after[i]) && std::isnan(sums[i]))) << of.columns << ", " << i;
      auto const got = apart.to_host(), want = out.to_host();
      for (std::int64_t r = 0; r < of.rows; ++r) {
        for (std::int64_t c = 0; c < of.columns; ++c) {
          auto const i = static_cast<std::size_t>(r * of.stride + c);
          ASSERT_TRUE(same_floats(got[2 * i], want[i])) << of.columns << ", row " << r << ", column " << c;
        }
      }
      EXPECT_EQ(grid::add_rms_norm_rows(rows, residual_rows, residual_rows), cudaErrorInvalidValue);
    }
  }
}

/// In as many bytes as scratch_bytes says, and in graphs.
TEST_F(GridComputedRowsAny, MemoryOfTheCaller) {
  shape const of{3, 100'003, 100'005};
  auto const x = drawn_numbers(of);
  gpu_array<float> const in(x), out(x.size()), sums(std::size_t{3});
  auto const rows =
      grid::matrix_of(thrust::make_transform_iterator(static_cast<float const*>(in.data()), halved<float>{}), of.rows,
                      of.columns, of.stride);
  grid::type_sizes const floats(sizeof(float), sizeof(float));
  ASSERT_EQ(grid::reduce_rows(rows, sums.data()), cudaSuccess);
  auto const want = sums.to_host();
  check_in_memory_of_caller(
      grid::scratch_bytes(grid::call::reduce_rows, {of.rows, of.columns}, floats),
      [&](grid::execution on) { return grid::reduce_rows(rows, sums.data(), tessera::plus{}, on); },
      [&](char const* how) {
        auto const got = sums.to_host();
        EXPECT_EQ(std::memcmp(got.data(), want.data(), 3 * sizeof(float)), 0) << how;
        check(cudaMemset(sums.data(), 0, 3 * sizeof(float)));
      });
  grid::matrix const to{out.data(), of.rows, of.columns};
  ASSERT_EQ(grid::softmax_rows(rows, to), cudaSuccess);
  auto const mapped = out.to_host();
  check_in_memory_of_caller(
      grid::scratch_bytes(grid::call::softmax_rows, {of.rows, of.columns}, floats),
      [&](grid::execution on) { return grid::softmax_rows(rows, to, nullptr, on); },
      [&](char const* how) {
        auto const got = out.to_host();
        EXPECT_EQ(std::memcmp(got.data(), mapped.data(), static_cast<std::size_t>(3 * of.columns) * sizeof(float)), 0)
            << how;
        check(cudaMemset(out.data(), 0, x.size() * sizeof(float)));
      });
  ASSERT_EQ(grid::layer_norm_rows(rows, to), cudaSuccess);
  auto const normed = out.to_host();
  check_in_memory_of_caller(
      grid::scratch_bytes(grid::call::layer_norm_rows, {of.rows, of.columns}, floats),
      [&](grid::execution on) { return grid::layer_norm_rows(rows, to, nullptr, nullptr, 1e-5, on); },
      [&](char const* how) {
        auto const got = out.to_host();
        EXPECT_EQ(std::memcmp(got.data(), normed.data(), static_cast<std::size_t>(3 * of.columns) * sizeof(float)), 0)
            << how;
        check(cudaMemset(out.data(), 0, x.size() * sizeof(float)));
      });
}

TEST_F(GridComputedRowsAny, Refusals) {
  gpu_array<unsigned> const out(std::size_t{8});
  gpu_array<float> const mapped(std::size_t{64});
  auto const in = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), spread{});
  unsigned* const nowhere = nullptr;
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, -1, 5), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 5, -1), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 5, 5, 4), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 5, (std::int64_t{1} << 30) + 1), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 5, 5, INT64_MAX / 2), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 5, 5), nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix_of(in, 0, 5), nowhere), cudaSuccess);
  auto const numbers = thrust::make_transform_iterator(static_cast<float const*>(mapped.data()), halved<float>{});
  auto const rows = grid::matrix_of(numbers, 5, 5);
  grid::matrix const to{mapped.data(), 5, 5}, other_rows{mapped.data(), 4, 5}, other_columns{mapped.data(), 5, 6},
      overlapping{mapped.data(), 5, 5, 4};
  EXPECT_EQ(grid::softmax_rows(rows, other_rows), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(rows, other_columns), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(rows, overlapping), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(rows, to, reinterpret_cast<std::int32_t const*>(mapped.data())), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(grid::matrix_of(numbers, 0, 5), grid::matrix<float>(nullptr, 0, 5)), cudaSuccess);
  float const* const within = mapped.data() + 1;
  EXPECT_EQ(grid::layer_norm_rows(rows, other_columns), cudaErrorInvalidValue);
  EXPECT_EQ(grid::layer_norm_rows(rows, to, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::rms_norm_rows(rows, to, nullptr, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::rms_norm_rows(rows, to, nullptr, nullptr, -1.0), cudaErrorInvalidValue);
  EXPECT_EQ(grid::rms_norm_rows(grid::matrix_of(numbers, 0, 5), grid::matrix<float>(nullptr, 0, 5)), cudaSuccess);
}

#endif

}  // namespace
