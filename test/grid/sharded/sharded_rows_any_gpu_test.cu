// Calls on rows whose columns are on several GPUs, or with several ranks on one, beside the calls on whole rows.
#include <tessera/grid/sharded_rows.cuh>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "cross_entropy_references.hpp"
#include "gpu_columns.hpp"
#include "gpu_ranks.hpp"
#include "row_cases.hpp"
#include "row_references.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using grid::shard;

template <class T>
using number_of = grid::detail::arithmetic_t<T>;

template <class T>
struct ShardedRows : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
/// One whose arithmetic is its own, and one that is computed with as float.
#if TESSERA_TEST_SLICES == 1
using types_of_rows = testing::Types<double, __nv_bfloat16>;
#else
using types_of_rows = testing::Types<std::conditional_t<TESSERA_TEST_SLICE % 2 == 0, double, __nv_bfloat16>>;
#endif
TYPED_TEST_SUITE(ShardedRows, types_of_rows, );

#if TESSERA_TEST_HAS_PART(0) || TESSERA_TEST_HAS_PART(1)
/// Results that don't depend on the order: those of whole rows.
TYPED_TEST(ShardedRows, ReductionsOfAnyOrder) {
  using T = TypeParam;
  using best = tessera::indexed<T, int>;
  using both = tessera::min_max<T>;
  for (row_size const& size : sizes_of_rows()) {
    auto const rows = static_cast<std::size_t>(size.rows);
    auto const x = random_numbers<T>(size.rows * size.columns, -100, 100, 1);
    device_matrix<T> const whole({size.rows, size.columns}, x);
    device_array<best> const most(rows), least(rows);
    device_array<both> const ends(rows);
    device_array<T> const maxima(rows);
    ASSERT_EQ(grid::argmax_rows(whole.view(), most.data()), cudaSuccess);
    ASSERT_EQ(grid::argmin_rows(whole.view(), least.data()), cudaSuccess);
    ASSERT_EQ(grid::minmax_rows(whole.view(), ends.data()), cudaSuccess);
    ASSERT_EQ(grid::reduce_rows(whole.view(), maxima.data(), tessera::maximum{}), cudaSuccess);
    auto const expected_most = most.to_host(), expected_least = least.to_host();
    auto const expected_ends = ends.to_host();
    auto const expected_maxima = maxima.to_host();
    with_columns(x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
      device_array<best> const own_most(rows), own_least(rows);
      device_array<both> const own_ends(rows);
      device_array<T> const own_maxima(rows);
      meet();
      EXPECT_EQ(grid::argmax_rows(ranks, in.view(), part, own_most.data(), on), cudaSuccess);
      EXPECT_EQ(grid::argmin_rows(ranks, in.view(), part, own_least.data(), on), cudaSuccess);
      EXPECT_EQ(grid::minmax_rows(ranks, in.view(), part, own_ends.data(), on), cudaSuccess);
      EXPECT_EQ(grid::reduce_rows(ranks, in.view(), part, own_maxima.data(), tessera::maximum{}, on), cudaSuccess);
      check(cudaStreamSynchronize(on));
      auto const got_most = own_most.to_host(), got_least = own_least.to_host();
      auto const got_ends = own_ends.to_host();
      EXPECT_TRUE(all_same_bits(own_maxima.to_host(), expected_maxima)) << size.columns << " over " << ranks.count();
      for (std::size_t r = 0; r < rows; ++r) {
        EXPECT_EQ(got_most[r].index, expected_most[r].index) << size.columns << " over " << ranks.count();
        EXPECT_EQ(got_least[r].index, expected_least[r].index);
        EXPECT_EQ(as_double(got_most[r].value), as_double(expected_most[r].value));
        EXPECT_EQ(as_double(got_least[r].value), as_double(expected_least[r].value));
        EXPECT_EQ(as_double(got_ends[r].min), as_double(expected_ends[r].min));
        EXPECT_EQ(as_double(got_ends[r].max), as_double(expected_ends[r].max));
      }
    });
  }
}

/// The first of whole rows, with many equal ones.
TYPED_TEST(ShardedRows, TopK) {
  using T = TypeParam;
  for (row_size const& size : sizes_of_rows()) {
    auto const rows = static_cast<std::size_t>(size.rows);
    auto const drawn = random_numbers<float>(size.rows * size.columns, -100, 100, 5);
    std::vector<T> x;
    for (float value : drawn) x.push_back(rounded<T>(std::floor(static_cast<double>(value))));
    device_matrix<T> const whole({size.rows, size.columns}, x);
    for (std::int64_t k : {1, 8, 50, 300}) {
      std::size_t const results = rows * static_cast<std::size_t>(k);
      device_array<T> const values(results);
      device_array<std::int32_t> const columns(results);
      ASSERT_EQ(grid::top_k_rows(whole.view(), k, values.data(), columns.data()), cudaSuccess);
      auto const expected = values.to_host();
      auto const expected_columns = columns.to_host();
      with_columns(
          x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
            device_array<T> const own(results);
            device_array<std::int32_t> const own_columns(results);
            meet();
            EXPECT_EQ(
                grid::top_k_rows(ranks, in.view(), part, k, own.data(), own_columns.data(), tessera::greater{}, on),
                cudaSuccess);
            check(cudaStreamSynchronize(on));
            EXPECT_TRUE(all_same_bits(own.to_host(), expected))
                << size.columns << ", k " << k << " over " << ranks.count();
            EXPECT_TRUE(own_columns.to_host() == expected_columns) << size.columns << ", k " << k;
          });
    }
  }
}

#endif

#if TESSERA_TEST_HAS_PART(2) || TESSERA_TEST_HAS_PART(3)
/// Sums, moments, softmaxes and norms, beside long double.
TYPED_TEST(ShardedRows, SumsAndMaps) {
  using T = TypeParam;
  using number = number_of<T>;
  using moments_t = tessera::moments<number>;
  arithmetic const in_type = arithmetic_of<number>();
  double const unit = std::is_same_v<T, __half> ? 0x1p-10 : std::is_same_v<T, __nv_bfloat16> ? 0x1p-7 : 0;
  for (row_size const& size : sizes_of_rows()) {
    auto const rows = static_cast<std::size_t>(size.rows);
    auto const columns = static_cast<std::size_t>(size.columns);
    auto const x = random_numbers<T>(size.rows * size.columns, -5, 5, 2);
    with_columns(x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
      device_array<number> const sums(rows), lses(rows);
      device_array<moments_t> const moments(rows);
      layout const where{size.rows, part.count, 1, 1};
      device_matrix<T> const soft(where), logs(where), layer(where), rms(where);
      meet();
      EXPECT_EQ(grid::reduce_rows(ranks, in.view(), part, sums.data(), tessera::plus{}, on), cudaSuccess);
      EXPECT_EQ(grid::log_sum_exp_rows(ranks, in.view(), part, lses.data(), on), cudaSuccess);
      EXPECT_EQ(grid::moments_rows(ranks, in.view(), part, moments.data(), on), cudaSuccess);
      EXPECT_EQ(grid::softmax_rows(ranks, in.view(), part, soft.view(), on), cudaSuccess);
      EXPECT_EQ(grid::log_softmax_rows(ranks, in.view(), part, logs.view(), on), cudaSuccess);
      EXPECT_EQ(grid::layer_norm_rows(ranks, in.view(), part, layer.view(), nullptr, nullptr, 1e-5, on), cudaSuccess);
      EXPECT_EQ(grid::rms_norm_rows(ranks, in.view(), part, rms.view(), nullptr, nullptr, 1e-5, on), cudaSuccess);
      check(cudaStreamSynchronize(on));
      auto const got_sums = sums.to_host(), got_lses = lses.to_host();
      auto const got_moments = moments.to_host();
      auto const got_soft = soft.to_host(), got_logs = logs.to_host(), got_layer = layer.to_host(),
                 got_rms = rms.to_host();
      meet.expect_same("sums", got_sums);
      meet.expect_same("log-sum-exps", got_lses);
      meet.expect_same("moments", got_moments);
      for (std::size_t r = 0; r < rows && !testing::Test::HasFailure(); r += size.rows > 9 ? 17 : 1) {
        std::vector<double> row;
        for (std::size_t c = 0; c < columns; ++c) row.push_back(as_double(x[r * columns + c]));
        double const n = static_cast<double>(columns), k = 40 + n / 512 + 4 * ranks.count();
        EXPECT_TRUE(expected_sum(row, k, in_type).allows(static_cast<double>(got_sums[r])))
            << columns << " over " << ranks.count();
        loss_choice how;
        how.columns_per_rounding = n > 0 ? n / k : 1;
        EXPECT_TRUE(expected_loss(row, 0, how, in_type).lse().allows(static_cast<double>(got_lses[r])));
        expected_moments const expected(row);
        EXPECT_EQ(got_moments[r].count, static_cast<number>(columns));
        EXPECT_NEAR(static_cast<double>(got_moments[r].mean), static_cast<double>(expected.mean), k * 5 * in_type.unit);
        auto const of_soft = expected_softmax(row, size.columns, false),
                   of_logs = expected_softmax(row, size.columns, true);
        expected_norm const of_layer(row, 1e-5, true, in_type), of_rms(row, 1e-5, false, in_type);
        for (std::int64_t c = 0; c < part.count; ++c) {
          auto const at = static_cast<std::size_t>(part.begin + c),
                     own = r * static_cast<std::size_t>(part.count) + static_cast<std::size_t>(c);
          auto const is_near = [&](T const& got, double value, double error) {
            return std::abs(as_double(got) - value) <= error + unit * std::abs(value) + 0x1p-24 * (unit > 0 ? 1 : 0);
          };
          ASSERT_TRUE(is_near(got_soft[own], of_soft[at], (k + 10) * in_type.unit * of_soft[at]));
          ASSERT_TRUE(is_near(got_logs[own], of_logs[at], k * in_type.unit * (2 + std::abs(of_logs[at]))));
          ASSERT_TRUE(is_near(got_layer[own], of_layer.of(row[at], 1, 0, k, in_type).value,
                              of_layer.of(row[at], 1, 0, k, in_type).error));
          ASSERT_TRUE(is_near(got_rms[own], of_rms.of(row[at], 1, 0, k, in_type).value,
                              of_rms.of(row[at], 1, 0, k, in_type).error));
        }
      }
    });
  }
}

/// Losses, and the gradient in place and apart.
TYPED_TEST(ShardedRows, CrossEntropy) {
  using T = TypeParam;
  using number = number_of<T>;
  arithmetic const in_type = arithmetic_of<number>();
  double const unit = std::is_same_v<T, __half> ? 0x1p-10 : std::is_same_v<T, __nv_bfloat16> ? 0x1p-7 : 0;
  loss_choice const choices[] = {{}, {0.125, 0, 0, 1}, {0, 0x1p-12, 0, 0.5}, {0.25, 0x1p-10, 8, -2}};
  int turn = 0;
  for (row_size const& size : sizes_of_rows()) {
    auto const rows = static_cast<std::size_t>(size.rows);
    auto const columns = static_cast<std::size_t>(size.columns);
    auto const x = random_numbers<T>(size.rows * size.columns, -8, 8, 3);
    loss_choice const& how = choices[turn++ % 4];
    std::vector<std::int64_t> targets;
    for (std::int64_t r = 0; r < size.rows; ++r) {
      std::int64_t const c = size.columns;
      targets.push_back(c == 0 ? 0 : r % 7 == 5 ? -100 : r % 7 == 6 ? c + r : r == 0 ? c - 1 : (r * 7919 + 13) % c);
    }
    for (bool in_place : {true, false}) {
      with_columns(
          x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
            device_array<std::int64_t> const at(targets);
            device_array<number> const loss(rows), again(rows), lse(rows), logprob(rows);
            device_matrix<T> const apart({size.rows, part.count, 3, 1});
            grid::cross_entropy_options<T> options;
            options.label_smoothing = how.smoothing;
            options.z_loss = how.z_loss;
            options.soft_cap = how.cap;
            options.grad_scale = how.factor;
            options.lse = lse.data();
            meet();
            EXPECT_EQ(grid::log_probability_rows(ranks, in.view(), part, at.data(), logprob.data(), on), cudaSuccess);
            EXPECT_EQ(grid::cross_entropy_rows(ranks, in.view(), part, at.data(), again.data(), options, on),
                      cudaSuccess);
            options.gradient = in_place ? in.view() : apart.view();
            EXPECT_EQ(grid::cross_entropy_rows(ranks, in.view(), part, at.data(), loss.data(), options, on),
                      cudaSuccess);
            check(cudaStreamSynchronize(on));
            auto const got = loss.to_host(), got_lse = lse.to_host(), got_logprob = logprob.to_host();
            EXPECT_TRUE(all_same_bits(got, again.to_host())) << "with and without a gradient";
            meet.expect_same("losses", got);
            meet.expect_same("log-sum-exps", got_lse);
            auto const gradient = (in_place ? in : apart).to_host();
            for (std::size_t r = 0; r < rows && !testing::Test::HasFailure(); r += size.rows > 9 ? 17 : 1) {
              std::vector<double> row;
              for (std::size_t c = 0; c < columns; ++c) row.push_back(as_double(x[r * columns + c]));
              loss_choice of_row = how;
              double const n = static_cast<double>(columns);
              of_row.columns_per_rounding = n > 0 ? n / (n / 512 + 4 * ranks.count()) : 1;
              expected_loss const expected(row, targets[r], of_row, in_type);
              ASSERT_TRUE(expected.loss().allows(static_cast<double>(got[r])))
                  << got[r] << ", not " << expected.loss().value << ", " << columns << " over " << ranks.count();
              ASSERT_TRUE(expected.lse().allows(static_cast<double>(got_lse[r])));
              loss_choice plain;
              plain.ignores = false;
              plain.columns_per_rounding = of_row.columns_per_rounding;
              auto logarithm = expected_loss(row, targets[r], plain, in_type).loss();
              logarithm.value = -logarithm.value;
              ASSERT_TRUE(logarithm.allows(static_cast<double>(got_logprob[r]))) << got_logprob[r];
              for (std::int64_t c = 0; c < part.count; ++c) {
                auto slope = expected.gradient(static_cast<std::size_t>(part.begin + c));
                slope.error += unit * std::abs(slope.value) + (unit > 0 ? 0x1p-24 : 0);
                double const value =
                    as_double(gradient[r * static_cast<std::size_t>(part.count) + static_cast<std::size_t>(c)]);
                ASSERT_TRUE(slope.allows(value) || (slope.value == 0 && value == 0))
                    << "gradient " << value << ", not " << slope.value << " to within " << slope.error << ", column "
                    << part.begin + c << " of " << columns << " over " << ranks.count();
              }
            }
          });
    }
  }
}

#endif

#if TESSERA_TEST_HAS_PART(1)
/// x · a + b. Two of them, one after the other, are another one.
struct line {
  std::uint32_t a, b;
};
struct compose {
  __host__ __device__ line operator()(line const& x, line const& y) const { return {x.a * y.a, x.b * y.a + y.b}; }
};
struct line_of {
  __host__ __device__ line operator()(std::uint32_t x, int column) const {
    return {2 * x + 1, static_cast<std::uint32_t>(column)};
  }
};

/// An operator that doesn't commute, by a function of the column of the whole row.
TEST(ShardedRowsOfStructs, InOrder) {
  SKIP_WITHOUT_GPU();
  auto const op = tessera::make_operator(compose{}, line{1, 0});
  std::int64_t const rows = 37, columns = 700;
  auto const x = random_numbers<std::uint32_t>(rows * columns, 0, 1000, 4);
  std::vector<line> expected;
  for (std::int64_t r = 0; r < rows; ++r) {
    line all{1, 0};
    for (std::int64_t c = 0; c < columns; ++c)
      all = compose{}(all, line_of{}(x[static_cast<std::size_t>(r * columns + c)], static_cast<int>(c)));
    expected.push_back(all);
  }
  with_columns(x, rows, columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
    device_array<line> const out(static_cast<std::size_t>(rows));
    meet();
    EXPECT_EQ(grid::transform_reduce_rows(ranks, in.view(), part, out.data(), op, line_of{}, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << ranks.count();
  });
}

/// Errors are found before anything is launched.
TEST(ShardedRowsArguments, AreChecked) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(1, [](grid::communicator& ranks, cudaStream_t on) {
    device_matrix<float> const x({4, 10});
    device_array<float> const out(4);
    device_array<int> const targets(std::vector<int>(4, 1));
    grid::cross_entropy_options<float> wrong;
    wrong.label_smoothing = 2;
    for (shard const& part :
         {shard{0, 9, 10}, shard{1, 10, 10}, shard{-1, 10, 10}, shard{0, 10, std::int64_t{1} << 40}}) {
      EXPECT_EQ(grid::reduce_rows(ranks, x.view(), part, out.data(), tessera::plus{}, on), cudaErrorInvalidValue);
      EXPECT_EQ(grid::log_sum_exp_rows(ranks, x.view(), part, out.data(), on), cudaErrorInvalidValue);
      EXPECT_EQ(grid::softmax_rows(ranks, x.view(), part, x.view(), on), cudaErrorInvalidValue);
      EXPECT_EQ(grid::rms_norm_rows(ranks, x.view(), part, x.view(), nullptr, nullptr, 1e-5, on),
                cudaErrorInvalidValue);
      EXPECT_EQ(grid::cross_entropy_rows(ranks, x.view(), part, targets.data(), out.data(), {}, on),
                cudaErrorInvalidValue);
    }
    shard const part{0, 10, 10};
    EXPECT_EQ(grid::cross_entropy_rows(ranks, x.view(), part, targets.data(), out.data(), wrong, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::reduce_rows(ranks, x.view(), part, x.view().data, tessera::plus{}, on), cudaErrorInvalidValue);
    EXPECT_EQ(grid::layer_norm_rows(ranks, x.view(), part, x.view(), nullptr, nullptr, -1.0, on),
              cudaErrorInvalidValue);
    EXPECT_TRUE(out.untouched());
  });
}
#endif

#if TESSERA_TEST_HAS_PART(3)
/// The examples of the headers.
TEST(ShardedRowsExamples, OfTheHeaders) {
  SKIP_WITHOUT_GPU();
  using T = __nv_bfloat16;
  std::int64_t const tokens = 4, vocabulary = 1000;
  auto const x = random_numbers<T>(tokens * vocabulary, -3, 3, 7);
  for (int count : {1, 2}) {
    if (count > gpu_ranks::most()) continue;
    results_of_ranks meet;
    gpu_ranks::run(count, [&](grid::communicator& given, cudaStream_t stream) {
      ncclComm_t const comm = given.get();
      shard const own = given.shard_of(vocabulary);
      device_array<T> const memory(columns_of(x, tokens, own));
      device_array<std::int64_t> const labels(std::vector<std::int64_t>{1, 999, -100, 5});
      device_array<tessera::indexed<T, int>> const greatest(static_cast<std::size_t>(tokens));
      device_array<float> const losses(4), losses_again(4);
      T* const data = memory.data();
      auto* const targets = labels.data();
      auto* const best = greatest.data();
      float* loss = losses_again.data();
      cudaError_t error = cudaSuccess;
      meet();
      // [tessera/grid/sharded_rows.cuh]
      tessera::grid::communicator ranks(comm);                 // see sharded.hpp
      auto const part = ranks.shard_of(vocabulary);            // this rank's columns; see shard.hpp
      tessera::grid::matrix logits{data, tokens, part.count};  // all rows, and its columns of them
      error = tessera::grid::argmax_rows(ranks, logits, part, best, stream);
      // [end]
      EXPECT_EQ(error, cudaSuccess);
      // [tessera/grid/sharded_rows.cuh]
      error = tessera::grid::cross_entropy_rows(ranks, logits, part, targets, loss, {}, stream);
      // [end]
      EXPECT_EQ(error, cudaSuccess);
      loss = losses.data();
      // [tessera/grid/sharded_rows.cuh]
      tessera::grid::cross_entropy_options<__nv_bfloat16> options;
      options.gradient = logits;  // in place: its columns of the gradient
      error = tessera::grid::cross_entropy_rows(ranks, logits, part, targets, loss, options, stream);
      // [end]
      EXPECT_EQ(error, cudaSuccess);
      check(cudaStreamSynchronize(stream));
      EXPECT_TRUE(all_same_bits(losses.to_host(), losses_again.to_host()));
      EXPECT_EQ(losses.to_host()[2], 0.0f);  // ignored
      EXPECT_GT(losses.to_host()[0], 0.0f);
      meet.expect_same("losses", losses.to_host());
      meet();
    });
  }
}
#endif

}  // namespace
