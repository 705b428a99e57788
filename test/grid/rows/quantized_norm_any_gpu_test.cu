// Quantized norms of rows, against norms that the host computes in double, and each row's bits alone and among others.
#include <cuda_fp8.h>
#include <tessera/grid/quantized_norm.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

/// The types of elements and results, whether a residual is added, and what has a scale.
template <class T_, class Q_, bool Adds, class Scales = scale_per_group_t>
struct how {
  using T = T_;
  using Q = Q_;
  using to = quantized<Q, Scales>;
  static constexpr bool adds = Adds, by_row = std::is_same_v<Scales, scale_per_row_t>;

  static std::int64_t groups(std::int64_t columns) { return by_row ? 1 : (columns + 127) / 128; }
  /// `stride` counts with groups only.
  static to of(matrix<Q> q, float* scales, [[maybe_unused]] std::int64_t stride = 0) {
    if constexpr (by_row) {
      return {q, scales};
    } else {
      return {q, scales, stride};
    }
  }
};

template <class How>
struct GridQuantizedNormAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
using types =
#if TESSERA_TEST_SLICES == 1
    testing::Types<how<__nv_bfloat16, __nv_fp8_e4m3, true>, how<__half, std::int8_t, false>,
                   how<__half, __nv_fp8_e4m3, true>, how<float, __nv_fp8_e4m3, false>, how<float, std::int8_t, true>,
                   how<__nv_bfloat16, __nv_fp8_e4m3, false>, how<__nv_bfloat16, __nv_fp8_e4m3, true, scale_per_row_t>,
                   how<__half, std::int8_t, false, scale_per_row_t>, how<float, std::int8_t, true, scale_per_row_t>,
                   how<__nv_bfloat16, __nv_fp8_e4m3, false, scale_per_row_t>>;
#elif TESSERA_TEST_HAS_PART(0)
    testing::Types<how<__nv_bfloat16, __nv_fp8_e4m3, true>, how<__half, std::int8_t, false>>;
#elif TESSERA_TEST_HAS_PART(1)
    testing::Types<how<__half, __nv_fp8_e4m3, true>, how<float, __nv_fp8_e4m3, false>, how<float, std::int8_t, true>,
                   how<__nv_bfloat16, __nv_fp8_e4m3, false>>;
#elif TESSERA_TEST_HAS_PART(2)
    testing::Types<how<__nv_bfloat16, __nv_fp8_e4m3, true, scale_per_row_t>,
                   how<__half, std::int8_t, false, scale_per_row_t>, how<float, std::int8_t, true, scale_per_row_t>,
                   how<__nv_bfloat16, __nv_fp8_e4m3, false, scale_per_row_t>>;
#endif
TYPED_TEST_SUITE(GridQuantizedNormAny, types);

double number_of(__nv_fp8_e4m3 q) {
  return static_cast<double>(static_cast<float>(q));
}
double number_of(std::int8_t q) {
  return q;
}
template <class Q>
inline constexpr double most_of = std::is_same_v<Q, std::int8_t> ? 127 : 448;

/// The greatest distance of a number from what is nearest to it in Q, in units of the scale.
template <class Q>
double rounding_of(double x) {
  return std::is_same_v<Q, std::int8_t> ? 0.5 : std::max(std::abs(x) / 16, std::ldexp(1.0, -10));
}

template <class How>
cudaError_t run(bool centered, matrix<typename How::T> in, matrix<typename How::T> residual, typename How::to out,
                typename How::T const* weight, typename How::T const* bias, execution on = {}) {
  if constexpr (How::adds) {
    return centered ? add_layer_norm_rows(in, residual, out, weight, bias, 1e-5, on)
                    : add_rms_norm_rows(in, residual, out, weight, bias, 1e-5, on);
  } else {
    return centered ? layer_norm_rows(in, out, weight, bias, 1e-5, on) : rms_norm_rows(in, out, weight, bias, 1e-5, on);
  }
}

template <class T>
std::vector<double> norm_of(std::vector<T> const& x, std::size_t first, std::size_t columns, bool centered,
                            std::vector<T> const& weight, std::vector<T> const& bias) {
  double mean = 0, squares = 0;
  auto const at = [&](std::size_t c) { return as_double(x[first + c]); };
  for (std::size_t c = 0; c < columns && centered; ++c) mean += at(c) / static_cast<double>(columns);
  for (std::size_t c = 0; c < columns; ++c) squares += (at(c) - mean) * (at(c) - mean);
  double const scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
  std::vector<double> y;
  for (std::size_t c = 0; c < columns; ++c)
    y.push_back((at(c) - mean) * scale * as_double(weight[c]) + (bias.empty() ? 0 : as_double(bias[c])));
  return y;
}

/// `stride`: of the scales; 0 if they come row after row.
template <class How>
void expect_right(layout of_in, layout of_q, bool centered, std::int64_t stride = 0) {
  using T = typename How::T;
  using Q = typename How::Q;
  std::int64_t const n = of_in.rows * of_in.columns, groups = How::groups(of_in.columns),
                     group = How::by_row ? of_in.columns : 128;
  if (How::by_row) stride = 0;
  auto const x = random_numbers<T>(n, -4, 4, 1), r = random_numbers<T>(n, -4, 4, 2);
  std::vector<T> sums = x;
  for (std::size_t i = 0; i < x.size() && How::adds; ++i) sums[i] = rounded<T>(as_double(x[i]) + as_double(r[i]));
  auto const w = random_numbers<T>(of_in.columns, 0.5, 1.5, 3);
  auto const b = centered ? random_numbers<T>(of_in.columns, -1, 1, 4) : std::vector<T>{};
  device_array<T> const weight(w, static_cast<std::size_t>(of_in.offset)), bias(b);
  device_matrix<T> const in(of_in, x), residual(of_in, r);
  device_array<Q> const q(std::vector<Q>(static_cast<std::size_t>(of_q.extent())),
                          static_cast<std::size_t>(of_q.offset));
  auto const scale_count =
      static_cast<std::size_t>(stride == 0 ? of_in.rows * groups : (groups - 1) * stride + of_in.rows);
  device_array<float> const scales(std::vector<float>(scale_count, -1.0f));
  matrix<Q> const to{q.data(), of_q.rows, of_q.columns, of_q.stride()};
  ASSERT_EQ(run<How>(centered, in.view(), residual.view(), How::of(to, scales.data(), stride), weight.data(),
                     centered ? bias.data() : nullptr),
            cudaSuccess)
      << of_in.text();
  if (How::adds) {
    EXPECT_TRUE(all_same_bits(residual.to_host(), sums)) << of_in.text();
  }
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << of_in.text();
  auto const got = q.to_host();
  auto const got_scales = scales.to_host();
  EXPECT_TRUE(q.guards_intact() && scales.guards_intact()) << of_q.text();
  for (std::int64_t row = 0; row < of_in.rows; ++row) {
    auto const columns = static_cast<std::size_t>(of_in.columns);
    auto const y = norm_of(sums, static_cast<std::size_t>(row) * columns, columns, centered, w, b);
    for (std::int64_t g = 0; g < groups; ++g) {
      auto const first = static_cast<std::size_t>(group * g),
                 end = std::min(columns, first + static_cast<std::size_t>(group));
      double most = 0;
      for (std::size_t c = first; c < end; ++c) most = std::max(most, std::abs(y[c]));
      double const scale = got_scales[static_cast<std::size_t>(stride == 0 ? row * groups + g : g * stride + row)];
      ASSERT_NEAR(scale * most_of<Q>, most, 2e-5 * (most + 1)) << of_in.text() << ", row " << row << ", group " << g;
      for (std::size_t c = first; c < end; ++c) {
        double const value = number_of(got[static_cast<std::size_t>(row * of_q.stride()) + c]);
        ASSERT_NEAR(value * scale, y[c], rounding_of<Q>(value) * 1.07 * scale + 2e-5 * (1 + std::abs(y[c])))
            << of_in.text() << ", row " << row << ", column " << c;
      }
    }
  }
}

TYPED_TEST(GridQuantizedNormAny, RowsOfEveryLength) {
  for (std::int64_t const columns : some_columns()) {
    bool const centered = columns % 2 == 0;
    expect_right<TypeParam>({37, columns}, {37, columns}, centered);
    expect_right<TypeParam>({5, columns, 16, 0}, {5, columns, 32, 0}, !centered, 8);
    expect_right<TypeParam>({6, columns, 3, 1}, {6, columns, 2, 0}, centered, 6);
    expect_right<TypeParam>({6, columns, 1, 2}, {6, columns, 5, 1}, !centered);
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(GridQuantizedNormAny, LongRows) {
  for (std::int64_t const columns : worthwhile({16384, 16385, 32768, 40000, 65536, 100003, 131072, 300032})) {
    for (std::int64_t const rows : {1, 3}) {
      expect_right<TypeParam>({rows, columns}, {rows, columns, 16, 0}, columns % 3 == 0, 4);
      expect_right<TypeParam>({rows, columns, 1, 1}, {rows, columns, 1, 0}, columns % 3 == 1);
    }
    if (testing::Test::HasFailure()) return;
  }
  if (is_worth(140 * 33000)) expect_right<TypeParam>({140, 33024}, {140, 33024}, false);
}

/// A row has the same bits alone, in any place, and among many.
TYPED_TEST(GridQuantizedNormAny, RowsDontDependOnTheBatch) {
  using T = typename TypeParam::T;
  using Q = typename TypeParam::Q;
  for (std::int64_t const columns : worthwhile({64, 128, 512, 4096, 7168, 16384, 40064})) {
    std::int64_t const rows = 150, groups = TypeParam::groups(columns);
    auto const x = random_numbers<T>(rows * columns, -4, 4, 1), zeros = std::vector<T>(x.size(), rounded<T>(0));
    device_array<T> const in(x), residual(zeros), shifted(std::vector<T>(x.begin(), x.begin() + columns), 1);
    device_array<Q> const all(static_cast<std::size_t>(rows * columns)), one(static_cast<std::size_t>(columns)),
        other(static_cast<std::size_t>(columns));
    device_array<float> const scales(static_cast<std::size_t>(rows * groups)),
        scales_of_one(static_cast<std::size_t>(groups)), other_scales(static_cast<std::size_t>(groups));
    auto const call = [&](T* from, Q* to, float* their, std::int64_t count) {
      ASSERT_EQ(run<TypeParam>(false, matrix<T>{from, count, columns}, matrix<T>{residual.data(), count, columns},
                               TypeParam::of(matrix<Q>{to, count, columns}, their), nullptr, nullptr),
                cudaSuccess);
      check(cudaMemset(residual.data(), 0, static_cast<std::size_t>(count * columns) * sizeof(T)));
    };
    call(in.data(), all.data(), scales.data(), rows);
    call(in.data(), one.data(), scales_of_one.data(), 1);
    call(shifted.data(), other.data(), other_scales.data(), 1);
    auto first = all.to_host();
    first.resize(static_cast<std::size_t>(columns));
    auto first_scales = scales.to_host();
    first_scales.resize(static_cast<std::size_t>(groups));
    EXPECT_TRUE(all_same_bits(first, one.to_host()) && all_same_bits(first, other.to_host())) << columns;
    EXPECT_TRUE(all_same_bits(first_scales, scales_of_one.to_host()) &&
                all_same_bits(first_scales, other_scales.to_host()))
        << columns;
  }
}

/// Four groups as the columns of one row, or as rows: a NaN, an infinity, zeros, and numbers.
TYPED_TEST(GridQuantizedNormAny, NanInfinityAndZeros) {
  using T = typename TypeParam::T;
  using Q = typename TypeParam::Q;
  std::int64_t const columns = TypeParam::by_row ? 128 : 512, rows = 512 / columns;
  std::vector<T> x(512, rounded<T>(2)), w(static_cast<std::size_t>(columns), rounded<T>(1));
  auto const nan = rounded<T>(std::nan("")), infinity = rounded<T>(std::numeric_limits<double>::infinity());
  if (TypeParam::by_row) {
    x[3] = nan;
    x[130] = infinity;  // whose norm is NaN
  } else {
    w[3] = nan;
    w[130] = infinity;
  }
  std::fill_n((TypeParam::by_row ? x : w).begin() + 256, 128, rounded<T>(0));
  device_array<T> const in(x), residual(std::vector<T>(512, rounded<T>(0))), weight(w);
  device_array<Q> const q(512);
  device_array<float> const scales(4);
  ASSERT_EQ(run<TypeParam>(false, matrix<T>{in.data(), rows, columns}, matrix<T>{residual.data(), rows, columns},
                           TypeParam::of(matrix<Q>{q.data(), rows, columns}, scales.data()), weight.data(), nullptr),
            cudaSuccess);
  auto const got = scales.to_host();
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_TRUE(TypeParam::by_row ? std::isnan(got[1]) : got[1] == std::numeric_limits<float>::infinity());
  EXPECT_EQ(got[2], 1e-10f / static_cast<float>(most_of<Q>));
  auto const values = q.to_host();
  for (std::size_t c = 0; c < 256; ++c) {
    double const value = number_of(values[c]);
    ASSERT_TRUE((std::is_same_v<Q, std::int8_t>) ? value == 0 : std::isnan(value)) << c;
  }
  for (std::size_t c = 256; c < 384; ++c) ASSERT_EQ(number_of(values[c]), 0);
  for (std::size_t c = 384; c < 512; ++c) ASSERT_EQ(number_of(values[c]), most_of<Q>);
}

TYPED_TEST(GridQuantizedNormAny, InAGraph) {
  using T = typename TypeParam::T;
  using Q = typename TypeParam::Q;
  for (std::int64_t const columns : worthwhile({128, 4096, 200064})) {
    layout const where{5, columns};
    auto const x = random_numbers<T>(5 * columns, -4, 4, 1), zeros = std::vector<T>(x.size(), rounded<T>(0));
    device_matrix<T> const in(where, x), residual(where, zeros);
    auto const groups = static_cast<std::size_t>(5 * TypeParam::groups(columns));
    device_array<Q> const want(x.size()), out(x.size());
    device_array<float> const want_scales(groups), scales(groups);
    stream const on;
    workspace memory;
    auto const call = [&](Q* to, float* their) {
      check(cudaMemsetAsync(residual.view().data, 0, x.size() * sizeof(T), on));
      ASSERT_EQ(run<TypeParam>(true, in.view(), residual.view(), TypeParam::of(matrix<Q>{to, 5, columns}, their),
                               nullptr, nullptr, {on, memory}),
                cudaSuccess);
    };
    call(want.data(), want_scales.data());  // so that the workspace has its size
    check(cudaStreamSynchronize(on));
    graph const captured(on, [&] { call(out.data(), scales.data()); });
    captured.replay();
    captured.replay();
    check(cudaStreamSynchronize(on));
    EXPECT_TRUE(all_same_bits(out.to_host(), want.to_host()));
    EXPECT_TRUE(all_same_bits(scales.to_host(), want_scales.to_host()));
  }
}

TYPED_TEST(GridQuantizedNormAny, BadArguments) {
  using T = typename TypeParam::T;
  using Q = typename TypeParam::Q;
  device_array<T> const in(100), sums(100);
  device_array<Q> const out(100);
  device_array<float> const scales(20);
  T *const p = in.data(), *const r = sums.data();
  Q* const o = out.data();
  float* const s = scales.data();
  auto const bad = [&](matrix<T> x, matrix<T> residual, typename TypeParam::to to, T const* weight = nullptr,
                       double epsilon = 1e-5) {
    cudaError_t error = cudaSuccess;
    if constexpr (TypeParam::adds) {
      error = add_rms_norm_rows(x, residual, to, weight, nullptr, epsilon);
    } else {
      error = rms_norm_rows(x, to, weight, nullptr, epsilon);
    }
    EXPECT_EQ(error, cudaErrorInvalidValue);
  };
  matrix<T> const x{p, 4, 4}, residual{r, 4, 4};
  auto const of = [](matrix<Q> q, float* its_scales) { return TypeParam::of(q, its_scales); };
  auto const to = of({o, 4, 4}, s);
  bad({nullptr, 4, 4}, residual, to);
  bad(x, residual, of({nullptr, 4, 4}, s));
  bad(x, residual, of({o, 4, 4}, nullptr));
  bad(x, residual, of({o, 4, 3}, s));
  bad(x, residual, of({o, 3, 4}, s));
  bad(x, residual, of({o, 4, 4, 3}, s));
  for (std::int64_t const stride : {std::int64_t{3}, std::int64_t{-4}, INT64_MAX / 2}) {
    if (!TypeParam::by_row) bad(x, residual, TypeParam::of({o, 4, 4}, s, stride));
  }
  bad(x, residual, of({reinterpret_cast<Q*>(p) + 8, 4, 4}, s));  // in place
  bad(x, residual, of({o, 4, 4}, reinterpret_cast<float*>(o)));
  bad(x, residual, of({o, 4, 4}, reinterpret_cast<float*>(p)));
  bad(x, residual, of({o, 4, 4}, reinterpret_cast<float*>(reinterpret_cast<char*>(s) + 1)));
  bad(x, residual, to, reinterpret_cast<T const*>(s));
  bad(x, residual, to, nullptr, -1);
  bad(x, residual, to, nullptr, std::nan(""));
  if (TypeParam::adds) {
    bad(x, {nullptr, 4, 4}, to);
    bad(x, {r, 3, 4}, to);
    bad(x, x, to);
    bad(x, residual, of({reinterpret_cast<Q*>(r), 4, 4}, s));
    bad(x, residual, to, r + 3);
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched() && sums.untouched() && out.untouched() && scales.untouched());
  EXPECT_EQ((run<TypeParam>(true, matrix<T>{}, matrix<T>{}, typename TypeParam::to{}, nullptr, nullptr)), cudaSuccess);
  EXPECT_EQ((run<TypeParam>(true, matrix<T>{p, 3, 0}, matrix<T>{r, 3, 0}, of({o, 3, 0}, s), nullptr, nullptr)),
            cudaSuccess);
}

#if TESSERA_TEST_HAS_PART(0)
/// Counts mantissas m for which what rounds once doesn't: the reciprocals and quotients of numbers with that mantissa.
__global__ void count_misrounded(unsigned* misrounded) {
  auto const m = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned exponent : {90u, 127u, 128u, 200u}) {
    float const by = __uint_as_float(exponent << 23 | m);
    auto const divide = detail::divisor::from(by);
    bool right = __float_as_uint(divide.reciprocal) == __float_as_uint(__frcp_rn(by));
    for (unsigned i = 1; i < 32; ++i) {
      float const x = __fmul_rn(by, static_cast<float>(m * i % 28673) / 64) * (i % 2 == 0 ? 1.0f : -1.0f);
      right = right && __float_as_uint(divide.of(x)) == __float_as_uint(__fdiv_rn(x, by));
    }
    if (!right) atomicAdd(misrounded, 1u);
  }
}
TEST(GridQuantizedNorm, DividesAsDivisionsDo) {
  SKIP_WITHOUT_GPU();
  device_array<unsigned> const misrounded(std::vector<unsigned>{0});
  count_misrounded<<<(1 << 23) / 256, 256>>>(misrounded.data());
  check(cudaGetLastError());
  EXPECT_EQ(misrounded.to_host()[0], 0u);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
/// Counts floats that the GPU rounds to e4m3 in another way than the host does: each 251st one.
__global__ void count_other_bits(unsigned* others) {
  auto const bits = (blockIdx.x * blockDim.x + threadIdx.x) * 251u;
  auto const x = __uint_as_float(bits), y = __uint_as_float(bits + 125u);
  auto const both = tessera::detail::e4m3_pair(x, y);
  if (both != (tessera::detail::e4m3_bits(x) | tessera::detail::e4m3_bits(y) << 8)) atomicAdd(others, 1u);
}

TEST(GridQuantizedNorm, RoundsToE4m3AsTheHostDoes) {
  SKIP_WITHOUT_GPU();
  device_array<unsigned> const others(std::vector<unsigned>{0});
  count_other_bits<<<(1 << 24) / 256, 256>>>(others.data());
  check(cudaGetLastError());
  EXPECT_EQ(others.to_host()[0], 0u);
}
#endif

}  // namespace
