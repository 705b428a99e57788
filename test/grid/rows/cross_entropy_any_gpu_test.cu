// Cross entropy of rows, its gradient, log-sum-exp and log-probabilities, against sums in long double.
#include <tessera/grid/cross_entropy.cuh>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cross_entropy_references.hpp"
#include "gpu.hpp"
#include "row_cases.hpp"
#include "row_references.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

/// The type of losses of rows of T.
template <class T>
using number_of = typename cross_entropy_options<T>::number;

/// How far off a result in T may be, if its number may be so far off.
template <class T>
expectation rounded_to(expectation x) {
  if constexpr (is_half_float<T>) {
    double const unit = std::is_same_v<T, __half> ? 0x1p-11 : 0x1p-8;
    x.error = (x.error + unit * std::abs(x.value)) * (1 + unit) + as_double(smallest<T>());
  }
  return x;
}

template <class T>
struct losses_of {
  std::vector<number_of<T>> loss, lse, lse_alone;
  std::vector<T> gradient;
};

/// Logits, and what is done with them.
template <class T>
struct losses_case {
  layout where;
  loss_choice how;
  std::vector<T> x;
  std::vector<std::int64_t> targets;
  std::vector<number_of<T>> factors;  // empty: none

  losses_case(layout where_, loss_choice const& how_, double most, unsigned seed)
      : where(where_), how(how_), x(random_numbers<T>(where.rows * where.columns, -most, most, seed)) {
    for (std::int64_t r = 0; r < where.rows; ++r) {
      std::int64_t const c = where.columns;
      targets.push_back(c == 0 ? 0 : r % 7 == 5 ? -100 : r % 7 == 6 ? c + r : r == 0 ? c - 1 : (r * 7919 + 13) % c);
      if (seed % 2 == 1) factors.push_back(number_of<T>(1) / static_cast<number_of<T>>(r + 1));
    }
  }
  double factor(std::size_t row) const {
    return how.factor * (factors.empty() ? 1.0 : static_cast<double>(factors[row]));
  }
};

/// The results, without a gradient, with one in place, or with one beside the logits.
enum class gradients { none, in_place, apart };

template <class T, class Target>
void run(losses_case<T> const& a, gradients which, losses_of<T>& out, execution on = {}) {
  device_matrix<T> const in(a.where, a.x), beside({a.where.rows, a.where.columns, 3, 1});
  auto const rows = static_cast<std::size_t>(a.where.rows);
  device_array<Target> const targets(std::vector<Target>(a.targets.begin(), a.targets.end()));
  device_array<number_of<T>> const loss(rows), lse(rows), lse_alone(rows), factors(a.factors);
  cross_entropy_options<T> options;
  options.label_smoothing = a.how.smoothing;
  options.ignore_index = a.how.ignored;
  options.z_loss = a.how.z_loss;
  options.soft_cap = a.how.cap;
  options.grad_scale = a.how.factor;
  options.grad_scales = a.factors.empty() ? nullptr : factors.data();
  options.lse = lse.data();
  if (which != gradients::none) options.gradient = which == gradients::in_place ? in.view() : beside.view();
  ASSERT_EQ(log_sum_exp_rows(in.view(), lse_alone.data(), on), cudaSuccess);
  ASSERT_EQ(cross_entropy_rows(in.view(), targets.data(), loss.data(), options, on), cudaSuccess) << a.where.text();
  out = {loss.to_host(), lse.to_host(), lse_alone.to_host(), {}};
  if (which != gradients::none) out.gradient = (which == gradients::in_place ? in : beside).to_host();
  if (which != gradients::in_place) {
    EXPECT_TRUE(all_same_bits(in.to_host(), a.x)) << "the logits, " << a.where.text();
  }
  EXPECT_TRUE(loss.guards_intact() && lse.guards_intact() && lse_alone.guards_intact());
}

/// Checks every loss, and the gradient of every row, or of some if they have many elements.
template <class T>
void expect_right(losses_case<T> const& a, losses_of<T> const& got) {
  arithmetic const in = arithmetic_of<number_of<T>>();
  auto const columns = static_cast<std::size_t>(a.where.columns);
  std::size_t const every = a.x.size() > 200'000 && a.where.rows > 8 ? 31 : 1;
  for (std::size_t r = 0; r < a.targets.size() && !testing::Test::HasFailure(); r += every) {
    std::vector<double> row;
    for (std::size_t c = 0; c < columns; ++c) row.push_back(as_double(a.x[r * columns + c]));
    loss_choice how = a.how;
    how.factor = a.factor(r);
    expected_loss const expected(row, a.targets[r], how, in);
    loss_choice plain;
    expected_loss const without_cap(row, a.targets[r], plain, in);
    std::string const text = a.where.text() + ", row " + std::to_string(r) + ", target " +
                             std::to_string(a.targets[r]) + ", cap " + std::to_string(how.cap) + ", smoothing " +
                             std::to_string(how.smoothing) + ", z " + std::to_string(how.z_loss);
    auto const loss = expected.loss(), lse = expected.lse(), lse_alone = without_cap.lse();
    ASSERT_TRUE(loss.allows(got.loss[r])) << "loss " << got.loss[r] << ", not " << loss.value << ", " << text;
    ASSERT_TRUE(lse.allows(got.lse[r])) << "lse " << got.lse[r] << ", not " << lse.value << ", " << text;
    ASSERT_TRUE(lse_alone.allows(got.lse_alone[r])) << "lse alone " << got.lse_alone[r] << ", " << text;
    if (got.gradient.empty()) continue;
    for (std::size_t c = 0; c < columns; ++c) {
      auto const slope = rounded_to<T>(expected.gradient(c));
      double const value = as_double(got.gradient[r * columns + c]);
      bool const is_zero = slope.error == 0 && slope.value == 0 && value == 0;
      ASSERT_TRUE(is_zero || slope.allows(value)) << "gradient " << value << " at column " << c << ", not "
                                                  << slope.value << " to within " << slope.error << ", " << text;
    }
  }
}

template <class T>
void check_case(losses_case<T> const& a, gradients which, execution on = {}) {
  losses_of<T> got;
  a.where.columns % 2 == 0 ? run<T, std::int64_t>(a, which, got, on) : run<T, std::int32_t>(a, which, got, on);
  if (!testing::Test::HasFatalFailure()) expect_right(a, got);
}

loss_choice choice(int number) {
  loss_choice const some[] = {{}, {0.125, 0, 0, 1}, {0, 0x1p-12, 0, 0.5}, {0, 0, 30, -2}, {0.25, 0x1p-10, 8, 1}};
  return some[number % 5];
}

template <class T>
struct GridCrossEntropyAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
#if TESSERA_TEST_SLICES == 1
using types = row_types;
#elif TESSERA_TEST_HAS_PART(0)
using types = testing::Types<float>;
#elif TESSERA_TEST_HAS_PART(1)
using types = testing::Types<__half, __nv_bfloat16>;
#elif TESSERA_TEST_HAS_PART(2)
using types = testing::Types<double>;
#endif
TYPED_TEST_SUITE(GridCrossEntropyAny, types);

TYPED_TEST(GridCrossEntropyAny, RowsOfEveryLength) {
  unsigned seed = 0;
  for (std::int64_t const columns :
       worthwhile({0,   1,   2,   3,   5,   8,   9,    16,   17,   31,   32,   64,   65,   100,  128,
                   129, 255, 256, 500, 512, 997, 1000, 1024, 2047, 2048, 4096, 4099, 8192, 8193, 16384})) {
    for (gradients const which : {gradients::none, gradients::in_place, gradients::apart}) {
      ++seed;
      int const number = static_cast<int>(seed);
      check_case<TypeParam>({{9, columns, seed % 3 == 0 ? 0 : 16, seed % 4 == 3 ? 1 : 0}, choice(number), 12, seed},
                            which);
      check_case<TypeParam>({{3, columns, seed % 5, seed % 3}, choice(number / 2), 12, seed}, which);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(GridCrossEntropyAny, VocabulariesOfRealSize) {
  tessera::grid::workspace memory;
  unsigned seed = 100;
  for (std::int64_t const columns : worthwhile({32000, 32768, 50257, 131072, 151936})) {
    for (gradients const which : {gradients::none, gradients::in_place}) {
      ++seed;
      check_case<TypeParam>({{3, columns}, choice(static_cast<int>(seed)), 12, seed}, which, memory);
      if (testing::Test::HasFailure()) return;
    }
  }
  if (!is_worth(300 * 32768)) return;
  check_case<TypeParam>({{150, 32768}, {}, 12, 1}, gradients::in_place);
  check_case<TypeParam>({{150, 32768}, {}, 12, 2}, gradients::none);
  check_case<TypeParam>({{140, 40001}, {}, 12, 3}, gradients::in_place);
}

TYPED_TEST(GridCrossEntropyAny, ManyRows) {
  for (std::int64_t const rows : worthwhile({0, 1, 2, 31, 33, 255, 257, 1000, 4099})) {
    for (gradients const which : {gradients::none, gradients::apart}) {
      check_case<TypeParam>({{rows, 8}, choice(1), 5, 1}, which);
      check_case<TypeParam>({{rows, 5}, choice(4), 5, 2}, which);
      check_case<TypeParam>({{rows, 300}, choice(2), 5, 3}, which);
    }
  }
}

TYPED_TEST(GridCrossEntropyAny, InfinitiesNansAndHugeLogits) {
  using T = TypeParam;
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t const columns : worthwhile({1, 3, 8, 100, 1024, 8192, 40000, 131072})) {
    for (int number = 0; number < (columns > 10000 ? 2 : 5); ++number) {
      losses_case<T> a({8, columns, number % 2, number % 3}, choice(number), 9, static_cast<unsigned>(columns));
      auto const set = [&](std::int64_t row, std::int64_t column, double value) {
        a.x[static_cast<std::size_t>(row * columns + column)] = rounded<T>(value);
      };
      double const huge = std::is_same_v<T, __half> ? 60000 : 1e30;
      for (std::int64_t c = 0; c < columns; ++c) {
        set(0, c, -inf);
        set(1, c, inf);
        if (c != a.targets[2]) set(2, c, -inf);
        set(4, c, c % 3 ? huge : -huge);
      }
      set(3, a.targets[3], -inf);
      set(5, 0, nan);  // of a row that is left out
      set(6, columns / 2, inf);
      set(7, columns - 1, nan);
      check_case(a, number % 2 ? gradients::in_place : gradients::none);
      check_case(a, number % 2 ? gradients::none : gradients::apart);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A row has the same bits beside any others, at any place, with any stride.
TYPED_TEST(GridCrossEntropyAny, BitsDependOnTheRowAlone) {
  using T = TypeParam;
  for (std::int64_t const columns : worthwhile({7, 64, 100, 1000, 5000, 33000, 131072})) {
    auto const row = random_numbers<T>(columns, -9, 9, 4);
    losses_of<T> first;
    for (layout const where : {layout{1, columns}, layout{1, columns, 0, 1}, layout{5, columns, 3, 2},
                               layout{40, columns, 16, 0}, layout{300, columns, 0, 0}}) {
      if (!is_worth(where.rows * columns) || where.rows * columns > 2'000'000) continue;
      losses_case<T> a(where, {0.125, 0, 0, 1}, 9, 2);
      std::int64_t const at = where.rows / 2;
      std::copy(row.begin(), row.end(), a.x.begin() + at * columns);
      a.targets[static_cast<std::size_t>(at)] = columns / 3;
      for (gradients const which : {gradients::none, gradients::in_place}) {
        losses_of<T> got;
        run<T, std::int32_t>(a, which, got);
        if (testing::Test::HasFatalFailure()) return;
        losses_of<T> own{
            {got.loss[static_cast<std::size_t>(at)]}, {}, {got.lse_alone[static_cast<std::size_t>(at)]}, {}};
        if (which != gradients::none)
          own.gradient.assign(got.gradient.begin() + at * columns, got.gradient.begin() + (at + 1) * columns);
        if (which == gradients::none && where.rows == 1 && where.offset == 0) first = own;
        EXPECT_TRUE(all_same_bits(own.lse_alone, first.lse_alone)) << where.text();
        if (which == gradients::none) {
          EXPECT_TRUE(all_same_bits(own.loss, first.loss)) << where.text();
        } else if (first.gradient.empty()) {
          first.gradient = own.gradient;
          first.lse = own.loss;  // the loss beside a gradient
        } else {
          EXPECT_TRUE(all_same_bits(own.loss, first.lse)) << "with a gradient, " << where.text();
          EXPECT_TRUE(all_same_bits(own.gradient, first.gradient)) << where.text();
        }
      }
    }
  }
}

TYPED_TEST(GridCrossEntropyAny, LogProbabilitiesOfTokens) {
  using T = TypeParam;
  for (std::int64_t const columns : worthwhile({1, 9, 128, 1000, 32000})) {
    losses_case<T> const a({9, columns, 1, 1}, {}, 9, 8);
    device_matrix<T> const in(a.where, a.x);
    device_array<std::int64_t> const tokens(a.targets);
    device_array<std::int32_t> const same(std::vector<std::int32_t>(a.targets.begin(), a.targets.end()));
    device_array<number_of<T>> const out(9), again(9);
    ASSERT_EQ(log_probability_rows(in.view(), tokens.data(), out.data()), cudaSuccess);
    ASSERT_EQ(log_probability_rows(in.view(), same.data(), again.data()), cudaSuccess);
    auto const got = out.to_host();
    EXPECT_TRUE(all_same_bits(got, again.to_host()));
    for (std::size_t r = 0; r < 9; ++r) {
      std::vector<double> row;
      for (std::int64_t c = 0; c < columns; ++c)
        row.push_back(as_double(a.x[r * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)]));
      loss_choice how;
      how.ignores = false;
      auto const loss = expected_loss(row, a.targets[r], how, arithmetic_of<number_of<T>>()).loss();
      EXPECT_TRUE(loss.allows(-got[r])) << a.where.text() << ", row " << r << ": " << got[r] << ", not " << -loss.value;
    }
  }
}

TYPED_TEST(GridCrossEntropyAny, InAGraph) {
  using T = TypeParam;
  for (std::int64_t const columns : worthwhile({100, 8192, 200000})) {
    losses_case<T> const a({5, columns}, {}, 9, 2);
    losses_of<T> expected;
    run<T, std::int64_t>(a, gradients::apart, expected);
    if (this->HasFatalFailure()) return;
    stream const on;
    workspace memory;
    device_matrix<T> const in(a.where, a.x), gradient(a.where);
    device_array<std::int64_t> const targets(a.targets);
    device_array<number_of<T>> const loss(5), lse(5);
    cross_entropy_options<T> options;
    options.gradient = gradient.view();
    auto const call = [&] {
      ASSERT_EQ(log_sum_exp_rows(in.view(), lse.data(), {on, memory}), cudaSuccess);
      ASSERT_EQ(cross_entropy_rows(in.view(), targets.data(), loss.data(), options, {on, memory}), cudaSuccess);
    };
    call();  // so that the workspace has its size
    check(cudaStreamSynchronize(on));
    graph const captured(on, call);
    for (int i = 0; i < 3; ++i) captured.replay();
    check(cudaStreamSynchronize(on));
    EXPECT_TRUE(all_same_bits(loss.to_host(), expected.loss));
    EXPECT_TRUE(all_same_bits(lse.to_host(), expected.lse_alone));
    EXPECT_TRUE(all_same_bits(gradient.to_host(), expected.gradient));
  }
}

TYPED_TEST(GridCrossEntropyAny, BadArguments) {
  using T = TypeParam;
  using options_t = cross_entropy_options<T>;
  device_array<T> const in(100), out(100);
  device_array<std::int32_t> const targets(10);
  device_array<number_of<T>> const loss(10), other(10);
  T* const p = in.data();
  T* const q = out.data();
  number_of<T>* const to = loss.data();
  matrix<T> const good{p, 4, 4};
  auto const bad = [&](matrix<T> x, std::int32_t const* t, number_of<T>* result, options_t const& options = {}) {
    EXPECT_EQ(cross_entropy_rows(x, t, result, options), cudaErrorInvalidValue);
  };
  auto const bad_everywhere = [&](matrix<T> x, std::int32_t const* t, number_of<T>* result) {
    bad(x, t, result);
    EXPECT_EQ(log_probability_rows(x, t, result), cudaErrorInvalidValue);
    EXPECT_EQ(log_sum_exp_rows(x, result), cudaErrorInvalidValue);
  };
  bad_everywhere({nullptr, 4, 4}, targets.data(), to);
  bad_everywhere({p, -1, 4}, targets.data(), to);
  bad_everywhere({p, 4, -4}, targets.data(), to);
  bad_everywhere({p, 4, 4, 3}, targets.data(), to);
  bad_everywhere({reinterpret_cast<T*>(reinterpret_cast<char*>(p) + 1), 4, 4}, targets.data(), to);
  bad_everywhere({p, INT64_MAX / 2, 4}, targets.data(), to);
  bad_everywhere({p, 1, std::int64_t{1} << 31}, targets.data(), to);
  bad_everywhere(good, targets.data(), nullptr);
  bad_everywhere(good, targets.data(), reinterpret_cast<number_of<T>*>(p));
  bad(good, nullptr, to);
  bad(good, reinterpret_cast<std::int32_t const*>(to), to);
  EXPECT_EQ(log_probability_rows(good, static_cast<std::int32_t const*>(nullptr), to), cudaErrorInvalidValue);

  auto const bad_option = [&](auto change) {
    options_t options;
    change(options);
    bad(good, targets.data(), to, options);
  };
  bad_option([](options_t& o) { o.label_smoothing = -0.1; });
  bad_option([](options_t& o) { o.label_smoothing = 1.5; });
  bad_option([](options_t& o) { o.label_smoothing = std::nan(""); });
  bad_option([](options_t& o) { o.soft_cap = -1; });
  bad_option([](options_t& o) { o.soft_cap = std::nan(""); });
  bad_option([](options_t& o) { o.soft_cap = INFINITY; });
  bad_option([](options_t& o) { o.z_loss = INFINITY; });
  bad_option([&](options_t& o) { o.lse = to; });
  bad_option([&](options_t& o) { o.lse = reinterpret_cast<number_of<T>*>(p); });
  bad_option([&](options_t& o) { o.lse = reinterpret_cast<number_of<T>*>(reinterpret_cast<char*>(to) + 1); });
  bad_option([&](options_t& o) { o.grad_scales = to; });
  bad_option([&](options_t& o) { o.gradient = {q, 4, 3}; });
  bad_option([&](options_t& o) { o.gradient = {q, 3, 4}; });
  bad_option([&](options_t& o) { o.gradient = {nullptr, 4, 4}; });
  bad_option([&](options_t& o) { o.gradient = {p + 1, 4, 4}; });
  bad_option([&](options_t& o) { o.gradient = {p, 4, 4, 5}; });
  bad_option([&](options_t& o) { o.gradient = {reinterpret_cast<T*>(to), 4, 4}; });
  bad_option([&](options_t& o) {
    o.lse = reinterpret_cast<number_of<T>*>(q);
    o.gradient = {q, 4, 4};
  });
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched() && out.untouched() && loss.untouched());

  options_t whole;
  whole.gradient = {q, 0, 4};
  EXPECT_EQ(cross_entropy_rows(matrix<T>{p, 0, 4}, targets.data(), to, whole), cudaSuccess);
  EXPECT_EQ(cross_entropy_rows(matrix<T>{}, static_cast<std::int64_t const*>(nullptr), nullptr), cudaSuccess);
  EXPECT_EQ(log_sum_exp_rows(matrix<T>{}, nullptr), cudaSuccess);
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(loss.untouched());
}

}  // namespace
