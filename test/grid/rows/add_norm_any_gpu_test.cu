// Norms of the sum of two matrices, against the norms of norm.hpp of sums that the host has computed.
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/norm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

template <class T>
struct GridAddNormAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
#if TESSERA_TEST_SLICES == 1
using types = row_types;
#elif TESSERA_TEST_HAS_PART(0)
using types = testing::Types<float, __half>;
#elif TESSERA_TEST_HAS_PART(1)
using types = testing::Types<double, __nv_bfloat16>;
#endif
TYPED_TEST_SUITE(GridAddNormAny, types);

/// Whether a result is that of the other kernel, but for what compilers contract.
template <class T>
bool is_near(T a, T b) {
  double const x = as_double(a), y = as_double(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if constexpr (is_half_float<T>) {
    return steps_between(a, b) <= 1;
  } else {
    return std::abs(x - y) <= 8 * unit<T> * (1 + std::abs(y));
  }
}

struct how {
  bool centered = false, weighted = true, biased = false, in_place = true;
};

template <class T>
cudaError_t run(how const& what, matrix<T> in, matrix<T> residual, matrix<T> out, T const* weight, T const* bias,
                execution on = {}) {
  T const* const w = what.weighted ? weight : nullptr;
  T const* const b = what.biased ? bias : nullptr;
  return what.centered ? add_layer_norm_rows(in, residual, out, w, b, 1e-5, on)
                       : add_rms_norm_rows(in, residual, out, w, b, 1e-5, on);
}

template <class T>
void expect_right(layout of_in, layout of_residual, how const& what) {
  std::int64_t const n = of_in.rows * of_in.columns;
  auto const x = random_numbers<T>(n, -4, 4, 1), r = random_numbers<T>(n, -4, 4, 2);
  std::vector<T> sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if constexpr (is_half_float<T>) {
      sums.push_back(rounded<T>(as_double(x[i]) + as_double(r[i])));
    } else {
      sums.push_back(x[i] + r[i]);
    }
  }
  auto const w = random_numbers<T>(of_in.columns, 0.5, 1.5, 3), b = random_numbers<T>(of_in.columns, -1, 1, 4);
  device_array<T> const weight(w, static_cast<std::size_t>(of_in.offset)), bias(b);
  device_matrix<T> const in(of_in, x), residual(of_residual, r), out(of_in), summed(of_in, sums), plain(of_in);
  ASSERT_EQ(run(what, in.view(), residual.view(), (what.in_place ? in : out).view(), weight.data(), bias.data()),
            cudaSuccess)
      << of_in.text();
  T const* const own_weight = what.weighted ? weight.data() : nullptr;
  T const* const own_bias = what.biased ? bias.data() : nullptr;
  ASSERT_EQ(what.centered ? layer_norm_rows(summed.view(), plain.view(), own_weight, own_bias)
                          : rms_norm_rows(summed.view(), plain.view(), own_weight, own_bias),
            cudaSuccess);
  EXPECT_TRUE(all_same_bits(residual.to_host(), sums)) << of_in.text();
  auto const got = (what.in_place ? in : out).to_host(), want = plain.to_host();
  if (!what.in_place) {
    EXPECT_TRUE(all_same_bits(in.to_host(), x)) << of_in.text();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(is_near(got[i], want[i]))
        << of_in.text() << ", element " << i << ": " << as_double(got[i]) << ", not " << as_double(want[i]);
  }
}

TYPED_TEST(GridAddNormAny, RowsOfEveryLength) {
  for (std::int64_t const columns : some_columns()) {
    how const what{columns % 2 == 0, columns % 3 != 0, columns % 4 == 0, columns % 5 != 0};
    expect_right<TypeParam>({37, columns}, {37, columns}, what);
    expect_right<TypeParam>({5, columns, 16, 0}, {5, columns, 32, 0}, what);
    expect_right<TypeParam>({6, columns, 3, 1}, {6, columns, 2, 0}, what);
    expect_right<TypeParam>({6, columns, 1, 2}, {6, columns, 5, 1}, what);
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(GridAddNormAny, LongRows) {
  for (std::int64_t const columns : worthwhile({16384, 16385, 32768, 40000, 65536, 100003, 131072, 300000})) {
    for (std::int64_t const rows : {1, 3}) {
      expect_right<TypeParam>({rows, columns}, {rows, columns, 16, 0}, {columns % 3 == 0});
      expect_right<TypeParam>({rows, columns, 1, 1}, {rows, columns, 1, 0}, {columns % 3 == 1, true, true, false});
    }
    if (testing::Test::HasFailure()) return;
  }
  if (is_worth(140 * 33000)) expect_right<TypeParam>({140, 33000}, {140, 33000}, {});
}

TYPED_TEST(GridAddNormAny, InAGraph) {
  using T = TypeParam;
  for (std::int64_t const columns : worthwhile({100, 4096, 200000})) {
    layout const where{5, columns};
    auto const x = random_numbers<T>(5 * columns, -4, 4, 1), zeros = std::vector<T>(x.size(), rounded<T>(0));
    device_matrix<T> const in(where, x), residual(where, zeros), out(where), sums(where, zeros), want(where);
    stream const on;
    workspace memory;
    auto const call = [&](auto const& to_sums, auto const& to) {
      ASSERT_EQ(add_rms_norm_rows(in.view(), to_sums.view(), to.view(), nullptr, nullptr, 1e-5, {on, memory}),
                cudaSuccess);
    };
    call(sums, want);  // so that the workspace has its size
    check(cudaStreamSynchronize(on));
    graph const captured(on, [&] { call(residual, out); });
    captured.replay();
    check(cudaStreamSynchronize(on));
    EXPECT_TRUE(all_same_bits(out.to_host(), want.to_host()));
    EXPECT_TRUE(all_same_bits(residual.to_host(), x));
    captured.replay();
    check(cudaStreamSynchronize(on));
    std::vector<T> twice;
    for (T value : x) twice.push_back(rounded<T>(2 * as_double(value)));
    EXPECT_TRUE(all_same_bits(residual.to_host(), twice));
  }
}

TYPED_TEST(GridAddNormAny, BadArguments) {
  using T = TypeParam;
  device_array<T> const in(100), sums(100), out(100);
  T *const p = in.data(), *const q = sums.data(), *const o = out.data();
  auto const bad = [&](matrix<T> x, matrix<T> residual, matrix<T> to, T const* weight = nullptr,
                       double epsilon = 1e-5) {
    EXPECT_EQ(add_rms_norm_rows(x, residual, to, weight, nullptr, epsilon), cudaErrorInvalidValue);
    EXPECT_EQ(add_layer_norm_rows(x, residual, to, nullptr, weight, epsilon), cudaErrorInvalidValue);
  };
  matrix<T> const x{p, 4, 4}, residual{q, 4, 4}, to{o, 4, 4};
  bad({nullptr, 4, 4}, residual, to);
  bad(x, {nullptr, 4, 4}, to);
  bad(x, residual, {nullptr, 4, 4});
  bad(x, {q, 3, 4}, to);
  bad(x, {q, 4, 3}, to);
  bad(x, residual, {o, 4, 3});
  bad(x, {q, 4, 4, 3}, to);
  bad(x, x, to);
  bad(x, residual, residual);
  bad(x, {p + 8, 4, 4}, to);
  bad(x, residual, {p + 1, 4, 4});
  bad(x, residual, to, o + 3);
  bad(x, residual, to, q + 3);
  bad(x, residual, to, nullptr, -1);
  bad(x, residual, to, nullptr, std::nan(""));
  bad(x, {reinterpret_cast<T*>(reinterpret_cast<char*>(q) + 1), 4, 4}, to);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched() && sums.untouched() && out.untouched());
  EXPECT_EQ(add_rms_norm_rows(matrix<T>{}, matrix<T>{}, matrix<T>{}), cudaSuccess);
  EXPECT_EQ(add_rms_norm_rows(matrix<T>{p, 3, 0}, matrix<T>{q, 3, 0}, matrix<T>{o, 3, 0}), cudaSuccess);
}

}  // namespace
