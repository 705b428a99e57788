// sample_rows and renormalize_rows on the GPU: the ids that plain loops on the host draw, whatever the batch, the
// alignment and the stride; refusals; graphs.
#include <tessera/grid/sample_rows.cuh>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backend.hpp"
#include "sample_reference.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSampleAny = WithWorkspace;

/// Rows of logits with ties, infinities and NaN, at any address.
template <class T>
struct logits_on_gpu {
  std::int64_t rows, columns, stride;
  unsigned offset;
  std::vector<std::vector<float>> host;
  gpu_array<T> data;

  logits_on_gpu(std::int64_t rows_, std::int64_t columns_, std::int64_t gap, unsigned offset_)
      : rows(rows_),
        columns(columns_),
        stride(columns_ + gap),
        offset(offset_),
        data(static_cast<std::size_t>(rows_ * (columns_ + gap)) + offset_) {
    std::vector<T> all(static_cast<std::size_t>(rows * stride) + offset, tessera::detail::convert<T>(500.0f));
    for (std::int64_t r = 0; r < rows; ++r) {
      random_engine random(static_cast<std::uint64_t>(r * 77 + columns));
      host.emplace_back();
      for (std::int64_t c = 0; c < columns; ++c) {
        T const x = tessera::detail::convert<T>(element(random, r));
        all[static_cast<std::size_t>(r * stride + c) + offset] = x;
        host.back().push_back(tessera::detail::convert<float>(x));
      }
    }
    gpu_check(cudaMemcpy(data.data(), all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  static void gpu_check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess); }
  static float element(random_engine& random, std::int64_t r) {
    float const infinity = std::numeric_limits<float>::infinity();
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<float>(random() % 10'000) / 2500.0f - 2.0f;
    switch (r % 7) {
      case 1:
        return sum * std::fabs(sum);
      case 2:
        return static_cast<float>(random() % 4);
      case 3:
        return random() % 100 == 0 ? std::numeric_limits<float>::quiet_NaN() : sum;
      case 4:
        return random() % 3 == 0 ? sum : -infinity;
      case 5:
        return 1.5f;
      case 6:
        return random() % 1000 == 0 ? infinity : sum;
      default:
        return 2 * sum;
    }
  }
  grid::matrix<T const> view() const { return {data.data() + offset, rows, columns, stride}; }
};

std::vector<std::uint64_t> some_seeds(std::int64_t rows) {
  std::vector<std::uint64_t> out;
  for (std::int64_t r = 0; r < rows; ++r) out.push_back(static_cast<std::uint64_t>(r) * 0x9E3779B97F4A7C15u + 3);
  return out;
}
void set(grid::sample_filters& to, row_filters const& by) {
  to.temperature = by.temperature;
  to.top_k = by.top_k;
  to.top_p = by.top_p;
  to.min_p = by.min_p;
}
std::string name(row_filters const& by, std::int64_t columns) {
  return "temperature " + std::to_string(by.temperature) + ", top_k " + std::to_string(by.top_k) + ", top_p " +
         std::to_string(by.top_p) + ", min_p " + std::to_string(by.min_p) + ", columns " + std::to_string(columns);
}

row_filters const all_filters[] = {
    {1, 0, 1, 0},      {0.8f, 50, 0.9f, 0},    {0, 0, 1, 0}, {1, 0, 0.9f, 0},     {0.3f, 0, 0.5f, 0},   {1, 0, 1, 0.1f},
    {1.2f, 400, 1, 0}, {1, 3000, 0.8f, 0.01f}, {1, 1, 1, 0}, {2, 5, 0.99f, 0.2f}, {0.5f, 0, 0.2f, 0.5f}};

template <class T, class Index>
void check_sampled(std::int64_t rows, std::int64_t columns, std::int64_t gap, unsigned offset) {
  logits_on_gpu<T> const in(rows, columns, gap, offset);
  auto const seeds = some_seeds(rows);
  gpu_array<std::uint64_t> const on_gpu(seeds);
  gpu_array<Index> const ids(static_cast<std::size_t>(rows));
  gpu_array<float> const logprobs(static_cast<std::size_t>(rows));
  for (auto const& by : all_filters) {
    if (columns > 500'000 && (by.top_k > 0 || by.top_p < 0.9f)) continue;  // to sort them takes long
    grid::sample_options options;
    set(options, by);
    options.step = std::uint64_t{5} << 33;
    options.logprobs = logprobs.data();
    ASSERT_EQ(grid::sample_rows(in.view(), on_gpu.data(), ids.data(), options), cudaSuccess);
    auto const got = ids.to_host();
    auto const got_logprobs = logprobs.to_host();
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      auto const want =
          sample_reference(in.host[r], by, tessera::detail::random_bits(seeds[r], std::uint64_t{5} << 33));
      ASSERT_EQ(static_cast<int>(got[r]), want.column) << "row " << r << ", " << name(by, columns);
      if (want.column < 0) {
        ASSERT_EQ(got_logprobs[r], -std::numeric_limits<float>::infinity());
      } else {
        ASSERT_NEAR(static_cast<double>(got_logprobs[r]), want.log_probability, 4e-6 - want.log_probability * 1e-6)
            << "row " << r << ", " << name(by, columns);
      }
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridSampleAny, Floats) {
  for (std::int64_t columns : {1, 5, 255, 256, 257, 1000, 8191, 8192, 20'003, 131'072}) {
    if (is_worth(columns))
      check_sampled<float, std::int32_t>(columns < 1000 ? 15 : columns < 100'000 ? 7 : 2, columns, columns % 3, 1);
    if (HasFatalFailure()) return;
  }
}
TEST_F(GridSampleAny, Bfloat16s) {
  for (std::int64_t columns : {7, 300, 8000, 32'000, 131'072}) {
    if (is_worth(columns))
      check_sampled<__nv_bfloat16, std::int64_t>(columns < 100'000 ? 7 : 3, columns, columns % 5, 3);
    if (HasFatalFailure()) return;
  }
  if (is_worth(1 << 20)) check_sampled<__nv_bfloat16, std::int64_t>(1, 1 << 20, 0, 0);
}

/// Each row alone, elsewhere, and among so many others that a block has each: the same ids, and the same bits of
/// logarithms.
TEST_F(GridSampleAny, RowsAmongOthers) {
  constexpr std::int64_t rows = 700, columns = 10'001;
  logits_on_gpu<float> const in(rows, columns, 0, 0);
  auto const seeds = some_seeds(rows);
  gpu_array<std::uint64_t> const on_gpu(seeds);
  gpu_array<std::int32_t> const ids(rows), alone(1);
  gpu_array<float> const logprobs(rows), logprob(1), moved(columns + 3);
  for (auto const& by : all_filters) {
    grid::sample_options options;
    set(options, by);
    options.logprobs = logprobs.data();
    ASSERT_EQ(grid::sample_rows(in.view(), on_gpu.data(), ids.data(), options), cudaSuccess);
    auto const all = ids.to_host();
    auto const all_logprobs = logprobs.to_host();
    for (std::int64_t r = 0; r < rows; r += r < 7 ? 1 : 99) {
      auto const at = static_cast<std::size_t>(r);
      float* const to = moved.data() + r % 4;
      ASSERT_EQ(cudaMemcpy(to, in.data.data() + r * columns, columns * sizeof(float), cudaMemcpyDeviceToDevice),
                cudaSuccess);
      options.logprobs = logprob.data();
      ASSERT_EQ(grid::sample_rows(grid::matrix<float const>(to, 1, columns, columns + 7), on_gpu.data() + r,
                                  alone.data(), options),
                cudaSuccess);
      ASSERT_EQ(alone.to_host()[0], all[at]) << "row " << r << ", " << name(by, columns);
      float const again = logprob.to_host()[0];
      ASSERT_EQ(std::memcmp(&again, &all_logprobs[at], 4), 0) << "row " << r << ", " << name(by, columns);
    }
  }
}

TEST_F(GridSampleAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(100, 1.0f));
  gpu_array<std::uint64_t> const seeds(std::vector<std::uint64_t>(10, 1));
  gpu_array<std::int32_t> const ids(10);
  grid::matrix<float const> const in(x.data(), 10, 10);
  float* const null_floats = nullptr;
  std::uint64_t const* const no_seeds = nullptr;
  std::int32_t* const nowhere = nullptr;
  auto const refuses = [&](auto change) {
    grid::sample_options options;
    change(options);
    return grid::sample_rows(in, seeds.data(), ids.data(), options) == cudaErrorInvalidValue;
  };
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(refuses([&](auto& o) { o.temperature = -1.0f; }));
  EXPECT_TRUE(refuses([&](auto& o) { o.temperature = nan; }));
  EXPECT_TRUE(refuses([&](auto& o) { o.top_k = -1; }));
  EXPECT_TRUE(refuses([&](auto& o) { o.top_p = nan; }));
  EXPECT_TRUE(refuses([&](auto& o) { o.min_p = -0.5f; }));
  EXPECT_TRUE(refuses([&](auto& o) { o.logprobs = reinterpret_cast<float*>(ids.data()); }));
  EXPECT_TRUE(refuses([&](auto& o) { o.logprobs = x.data(); }));
  EXPECT_TRUE(refuses([&](auto& o) { o.logprobs = reinterpret_cast<float*>(seeds.data()); }));
  EXPECT_TRUE(refuses([&](auto& o) { o.uniforms = reinterpret_cast<float*>(ids.data()); }));
  EXPECT_TRUE(refuses([&](auto& o) { o.top_k = ids.data(); }));
  EXPECT_TRUE(refuses([&](auto& o) { o.temperature = reinterpret_cast<float*>(1); }));
  EXPECT_EQ(grid::sample_rows(in, no_seeds, ids.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sample_rows(in, seeds.data(), nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sample_rows(grid::matrix<float>(null_floats, 1, 1), seeds.data(), ids.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sample_rows(grid::matrix<float>(x.data(), -1, 1), seeds.data(), ids.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sample_rows(grid::matrix<float>(x.data(), 2, 10, 9), seeds.data(), ids.data()),
            cudaErrorInvalidValue);
  // Nothing is read of what isn't needed.
  EXPECT_EQ(grid::sample_rows(grid::matrix<float>(null_floats, 0, 10), no_seeds, nowhere), cudaSuccess);
  EXPECT_EQ(grid::sample_rows(grid::matrix<float>(null_floats, 3, 0), seeds.data(), ids.data()), cudaSuccess);
  EXPECT_EQ(ids.to_host()[2], -1);
  grid::sample_options greedy;
  greedy.temperature = 0.0f;
  EXPECT_EQ(grid::sample_rows(in, no_seeds, ids.data(), greedy), cudaSuccess);
  EXPECT_EQ(ids.to_host()[9], 0);
}

/// A captured call reads steps that change between replays.
TEST_F(GridSampleAny, Graph) {
  constexpr std::int64_t rows = 4, columns = 3000;
  logits_on_gpu<float> const in(rows, columns, 0, 0);
  auto const seeds = some_seeds(rows);
  gpu_array<std::uint64_t> const on_gpu(seeds), steps(rows);
  gpu_array<std::int32_t> const ids(rows);
  grid::sample_options options;
  options.top_p = 0.9f;
  options.step = steps.data();
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(grid::sample_rows(in.view(), on_gpu.data(), ids.data(), options, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::vector<std::uint64_t> const numbers(rows, step);
    ASSERT_EQ(cudaMemcpy(steps.data(), numbers.data(), rows * sizeof(std::uint64_t), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    auto const got = ids.to_host();
    for (std::size_t r = 0; r < rows; ++r) {
      auto const random = tessera::detail::random_bits(seeds[r], step);
      EXPECT_EQ(got[r], sample_reference(in.host[r], {1, 0, 0.9f, 0}, random).column) << "row " << r;
    }
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
/// In place and elsewhere: against doubles, and the same bits.
template <class T>
void check_probabilities(std::int64_t rows, std::int64_t columns, std::int64_t gap, unsigned offset) {
  logits_on_gpu<T> const in(rows, columns, gap, offset);
  gpu_array<T> const out(static_cast<std::size_t>(rows * columns) + 1);
  unsigned which = 0;
  for (auto const& by : all_filters) {
    if (columns > 10'000 && ++which % 2 == 0) continue;
    logits_on_gpu<T> const again(rows, columns, gap, offset);
    grid::sample_filters filters;
    set(filters, by);
    grid::matrix<T> const to(out.data() + 1, rows, columns),
        same(again.data.data() + offset, rows, columns, columns + gap);
    ASSERT_EQ(grid::renormalize_rows(in.view(), to, filters), cudaSuccess);
    ASSERT_EQ(grid::renormalize_rows(same, same, filters), cudaSuccess);
    auto const got = out.to_host(), in_place = again.data.to_host();
    for (std::int64_t r = 0; r < rows; ++r) {
      auto const want = sample_reference(in.host[static_cast<std::size_t>(r)], by, 0);
      for (std::int64_t c = 0; c < columns; ++c) {
        T const x = got[static_cast<std::size_t>(r * columns + c + 1)];
        T const y = in_place[static_cast<std::size_t>(r * (columns + gap) + c) + offset];
        ASSERT_EQ(std::memcmp(&x, &y, sizeof(T)), 0) << "row " << r << ", " << name(by, columns);
        double const p = static_cast<double>(tessera::detail::convert<float>(x));
        double const expected = want.probabilities[static_cast<std::size_t>(c)];
        double const unit = sizeof(T) == 4 ? 4e-5 : std::is_same_v<T, __half> ? 0x1p-10 : 0x1p-7;
        ASSERT_NEAR(p, expected, unit * expected + (sizeof(T) == 4 ? 1e-19 : 1e-7))
            << "row " << r << ", column " << c << ", " << name(by, columns);
        if (expected == 0) {
          ASSERT_EQ(p, 0) << "row " << r << ", column " << c << ", " << name(by, columns);
        }
      }
    }
  }
}
TEST_F(GridSampleAny, Probabilities) {
  for (std::int64_t columns : {1, 300, 5000, 33'001}) {
    if (!is_worth(columns)) continue;
    check_probabilities<float>(7, columns, columns % 2, 1);
    check_probabilities<__half>(7, columns, columns % 3, 5);
    if (HasFatalFailure()) return;
  }
}
TEST_F(GridSampleAny, Halves) {
  for (std::int64_t columns : {100, 9000}) check_sampled<__half, std::int32_t>(7, columns, 1, 1);
}
TEST_F(GridSampleAny, RefusalsOfProbabilities) {
  gpu_array<float> const x(std::vector<float>(100, 1.0f)), y(100);
  grid::matrix<float> const in(x.data(), 10, 10), out(y.data(), 10, 10);
  grid::sample_filters filters;
  EXPECT_EQ(grid::renormalize_rows(in, grid::matrix<float>(y.data(), 5, 10)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::renormalize_rows(in, grid::matrix<float>(x.data() + 1, 9, 10)), cudaErrorInvalidValue);
  filters.temperature = y.data();
  EXPECT_EQ(grid::renormalize_rows(in, out, filters), cudaErrorInvalidValue);
  filters.temperature = -1.0f;
  EXPECT_EQ(grid::renormalize_rows(in, out, filters), cudaErrorInvalidValue);
  EXPECT_EQ(grid::renormalize_rows(grid::matrix<float>(x.data(), 10, 0, 10), grid::matrix<float>(y.data(), 10, 0, 10)),
            cudaSuccess);
}
#endif

}  // namespace
