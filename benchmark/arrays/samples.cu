#include "tasks.hpp"

#include <cuda_bf16.h>
#include <tessera/grid/sample_rows.cuh>

#if __has_include(<flashinfer/sampling.cuh>)
#include <flashinfer/sampling.cuh>
#define BENCH_HAS_FLASHINFER 1
#else
#define BENCH_HAS_FLASHINFER 0
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// Logits as language models have them: most near each other, and some that are far above. Several copies, so that no
/// pass finds its rows in the cache.
struct logits {
  static constexpr std::int64_t copies = 10;
  std::int64_t rows, columns;
  gpu_data<__nv_bfloat16> data;
  std::shared_ptr<std::int64_t> turn = std::make_shared<std::int64_t>(0);

  logits(std::int64_t rows_, std::int64_t columns_) : rows(rows_), columns(columns_), data(copies * rows_ * columns_) {
    std::int64_t const drawn = std::min<std::int64_t>(rows, 4);  // and repeated
    std::mt19937_64 random(1);
    std::vector<__nv_bfloat16> x;
    for (std::int64_t i = 0; i < drawn * columns; ++i) {
      float sum = 0;
      for (int part = 0; part < 4; ++part) sum += static_cast<float>(random() >> 40) * 0x1p-23f - 1;
      if (random() % 2000 == 0) sum += 4 + static_cast<float>(random() % 1000) * 4e-3f;
      x.push_back(__float2bfloat16(2 * sum));
    }
    for (std::int64_t row = 0; row < copies * rows; ++row) {
      auto const* const from = x.data() + row % drawn * columns;
      check_cuda(cudaMemcpy(at(0) + row * columns, from, static_cast<std::size_t>(columns) * sizeof(x[0]),
                            cudaMemcpyHostToDevice),
                 "copying logits");
    }
  }
  __nv_bfloat16* at(std::int64_t copy) const { return data.data() + copy * rows * columns; }
  __nv_bfloat16* next() const { return at((*turn)++ % copies); }
};

grid::sample_options options_of(float temperature, int k, float p, float least) {
  grid::sample_options options;
  options.temperature = temperature;
  options.top_k = k;
  options.top_p = p;
  options.min_p = least;
  return options;
}

/// Reads as many bytes.
std::vector<pass> reads_of(logits const& x) {
  std::vector<std::vector<pass>> all;
  for (std::int64_t copy = 0; copy < logits::copies; ++copy)
    all.push_back(read_ceilings(reinterpret_cast<float const*>(x.at(copy)), x.rows * x.columns / 2));
  std::vector<pass> passes = all[0];
  for (std::size_t i = 0; i < passes.size(); ++i)
    passes[i].run = [=] { return all[static_cast<std::size_t>((*x.turn)++ % logits::copies)][i].run(); };
  return passes;
}

#if BENCH_HAS_FLASHINFER
/// FlashInfer's softmax and its draw with both filters, which takes logits as floats: these are made before.
pass flashinfer_samples(logits const& x, grid::sample_options const& options) {
  constexpr std::size_t scratch_bytes = 1 << 24;
  std::vector<float> numbers;
  for (auto const& logit : x.data.get(x.rows * x.columns)) numbers.push_back(__bfloat162float(logit));
  gpu_data<float> const floats(logits::copies * x.rows * x.columns), probabilities(x.rows * x.columns);
  for (std::int64_t copy = 0; copy < logits::copies; ++copy)
    check_cuda(cudaMemcpy(floats.data() + copy * x.rows * x.columns, numbers.data(), numbers.size() * sizeof(float),
                          cudaMemcpyHostToDevice),
               "copying logits");
  gpu_data<char> const scratch(scratch_bytes);
  gpu_data<std::int32_t> const ids(x.rows);
  gpu_data<bool> const valid(x.rows);
  return {
      "FlashInfer", pass_kind::peer, [=] {
        auto const row_count = static_cast<std::uint32_t>(x.rows), column_count = static_cast<std::uint32_t>(x.columns);
        float* const in = floats.data() + (*x.turn)++ % logits::copies * x.rows * x.columns;
        cudaError_t const error = flashinfer::sampling::OnlineSoftmax<float>(
            in, probabilities.data(), row_count, column_count, nullptr, 1.0f, scratch.data(), scratch_bytes, false);
        if (error != cudaSuccess) return error;
        return flashinfer::sampling::TopKTopPSamplingFromProb<float, std::int32_t>(
            probabilities.data(), nullptr, nullptr, ids.data(), valid.data(), nullptr, row_count, options.top_k.value,
            options.top_p.value, column_count, true, nullptr, 1, nullptr, static_cast<std::uint64_t>(*x.turn));
      }};
}
#endif

std::vector<pass> samples(std::int64_t rows, std::int64_t columns, grid::sample_options const& options) {
  logits const x(rows, columns);
  gpu_data<std::int32_t> const ids(rows), alone(rows);
  std::vector<std::uint64_t> numbers;
  for (std::int64_t r = 0; r < rows; ++r) numbers.push_back(static_cast<std::uint64_t>(r) * 77);
  gpu_data<std::uint64_t> const seeds(numbers);
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              grid::matrix<__nv_bfloat16 const> const in(x.next(), rows, columns);
                              return grid::sample_rows(in, seeds.data(), ids.data(), options);
                            },
                            [=]() -> std::string {
                              for (std::int64_t r = 0; r < rows; ++r) {
                                grid::matrix<__nv_bfloat16 const> const row(x.at(0) + r * columns, 1, columns);
                                check_cuda(grid::sample_rows(row, seeds.data() + r, alone.data() + r, options),
                                           "drawing from a row");
                              }
                              return compare(ids.get(), alone.get(), 0);
                            }}};
#if BENCH_HAS_FLASHINFER
  if (options.top_k.value > 0 && options.top_p.value < 1) passes.push_back(flashinfer_samples(x, options));
#endif
  for (pass& p : reads_of(x)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> probabilities(std::int64_t rows, std::int64_t columns, grid::sample_options const& options) {
  logits const x(rows, columns);
  gpu_data<__nv_bfloat16> const out(rows * columns);
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              grid::matrix<__nv_bfloat16 const> const in(x.next(), rows, columns);
                              grid::matrix<__nv_bfloat16> const to(out.data(), rows, columns);
                              return grid::renormalize_rows(in, to, options);
                            },
                            [=]() -> std::string {
                              double sum = 0;
                              for (auto p : out.get(columns)) sum += static_cast<double>(__bfloat162float(p));
                              return std::abs(sum - 1) < 0.02 ? "" : "adds up to " + std::to_string(sum);
                            }}};
  for (pass& p : copy_ceilings(x.data, out, rows * columns * 2)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_samples(std::vector<task>& tasks) {
  auto const add = [&](char const* what, grid::sample_options const& options) {
    for (auto const& [rows, columns] : {std::pair{1, 131'072}, {64, 32'768}, {64, 131'072}, {256, 131'072}}) {
      std::int64_t const of_rows = rows, of_columns = columns;
      double const bytes = 2.0 * static_cast<double>(of_rows * of_columns);
      tasks.push_back({what, std::to_string(rows) + " x " + std::to_string(columns), bytes,
                       [=] { return samples(of_rows, of_columns, options); }});
    }
  };
  add("sample, top-k 50, top-p 0.9", options_of(1, 50, 0.9f, 0));
  add("sample", options_of(1, 0, 1, 0));
  add("sample, greedy", options_of(0, 0, 1, 0));
  add("sample, top-p 0.9", options_of(1, 0, 0.9f, 0));
  add("sample, min-p 0.1", options_of(1, 0, 1, 0.1f));
  add("sample, top-k 1000", options_of(1, 1000, 1, 0));
  tasks.push_back({"renormalize, top-k 50, top-p 0.9", "64 x 131072", 4.0 * 64 * 131072,
                   [] { return probabilities(64, 131'072, options_of(1, 50, 0.9f, 0)); }});
}

}  // namespace bench
