#include "tasks.hpp"

#include <cuda_bf16.h>
#include <tessera/grid/cross_entropy.cuh>

#include <cmath>
#include <cstdint>

namespace bench {

namespace {

namespace grid = tessera::grid;

using bf16 = __nv_bfloat16;

__global__ void to_logits(float const* in, bf16* out, std::int64_t n) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = __float2bfloat16(in[i] * 8);
}

/// Logits from −8 to 8.
gpu_data<bf16> logits_of(std::int64_t n) {
  auto const floats = uniform_floats(n);
  gpu_data<bf16> out(n);
  to_logits<<<1024, 256>>>(floats.data(), out.data(), n);
  check_cuda(cudaDeviceSynchronize(), "making logits");
  return out;
}
gpu_data<std::int32_t> targets_of(std::int64_t rows, std::int64_t columns) {
  std::vector<std::int32_t> targets;
  for (std::int64_t r = 0; r < rows; ++r) targets.push_back(static_cast<std::int32_t>((r * 7919 + 13) % columns));
  return gpu_data<std::int32_t>(targets);
}

/// Compares the first rows with a plain loop in double: log Σ exp, less the target's logit if there are targets.
std::string check_losses(gpu_data<bf16> const& x, gpu_data<float> const& got, std::int64_t columns,
                         gpu_data<std::int32_t> const* targets) {
  constexpr std::int64_t rows = 3;
  auto const values = x.get(rows * columns);
  auto const results = got.get(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    auto const at = [&](std::int64_t c) {
      return static_cast<double>(__bfloat162float(values[static_cast<std::size_t>(r * columns + c)]));
    };
    for (std::int64_t c = 0; c < columns; ++c) sum += std::exp(at(c));
    double const expected = std::log(sum) - (targets ? at(targets->get(rows)[static_cast<std::size_t>(r)]) : 0);
    double const result = static_cast<double>(results[static_cast<std::size_t>(r)]);
    if (!(std::abs(result - expected) <= 1e-4))
      return "gives " + std::to_string(result) + " in row " + std::to_string(r) + ", which should be " +
             std::to_string(expected);
  }
  return {};
}

enum class loss { log_sum_exp, cross_entropy };

/// Reads the logits once.
std::vector<pass> losses(std::int64_t rows, std::int64_t columns, loss what) {
  std::int64_t const n = rows * columns;
  auto const x = logits_of(n);
  auto const targets = targets_of(rows, columns);
  gpu_data<float> const out(rows);
  auto const memory = std::make_shared<grid::workspace>();
  grid::matrix<bf16 const> const logits{x.data(), rows, columns};
  std::vector<pass> passes{
      {"tessera", pass_kind::ours,
       [=] {
         return what == loss::log_sum_exp ? grid::log_sum_exp_rows(logits, out.data(), *memory)
                                          : grid::cross_entropy_rows(logits, targets.data(), out.data(), {}, *memory);
       },
       [=] { return check_losses(x, out, columns, what == loss::log_sum_exp ? nullptr : &targets); }}};
  for (pass& p : read_ceilings(x, n / 2)) passes.push_back(std::move(p));
  return passes;
}

/// Replaces the logits by their gradient, and that by its own in the next run. A row's elements add up to 0.
std::vector<pass> gradients(std::int64_t rows, std::int64_t columns, bool with_options) {
  std::int64_t const n = rows * columns;
  auto const x = logits_of(n);
  gpu_data<bf16> const other(n);
  auto const targets = targets_of(rows, columns);
  gpu_data<float> const out(rows), lse(rows);
  auto const memory = std::make_shared<grid::workspace>();
  grid::cross_entropy_options<bf16> options;
  grid::matrix<bf16> const logits{x.data(), rows, columns};
  options.gradient = logits;
  if (with_options) {
    options.label_smoothing = 0.1;
    options.z_loss = 1e-4;
    options.soft_cap = 30;
    options.lse = lse.data();
  }
  std::vector<pass> passes{
      {"tessera", pass_kind::ours,
       [=] { return grid::cross_entropy_rows(logits, targets.data(), out.data(), options, *memory); },
       [=]() -> std::string {
         double sum = 0;
         for (bf16 y : x.get(columns)) sum += static_cast<double>(__bfloat162float(y));
         bool const is_near = with_options || std::abs(sum) < 0.02;
         return is_near ? std::string() : "has a gradient that adds up to " + std::to_string(sum);
       }}};
  for (pass& p : copy_ceilings(x, other, 2 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_losses(std::vector<task>& tasks) {
  struct shape {
    std::int64_t rows, columns;
  };
  for (shape const s : {shape{8192, 32768}, shape{4096, 131072}, shape{65536, 1024}}) {
    std::string const size = std::to_string(s.rows) + " x " + std::to_string(s.columns);
    double const bytes = 2.0 * static_cast<double>(s.rows) * static_cast<double>(s.columns);
    tasks.push_back({"bf16 log-sum-exp", size, bytes, [=] { return losses(s.rows, s.columns, loss::log_sum_exp); }});
    tasks.push_back(
        {"bf16 cross entropy", size, bytes, [=] { return losses(s.rows, s.columns, loss::cross_entropy); }});
    tasks.push_back(
        {"bf16 cross entropy, gradient", size, 2 * bytes, [=] { return gradients(s.rows, s.columns, false); }});
    tasks.push_back({"bf16 cross entropy, gradient, all options", size, 2 * bytes,
                     [=] { return gradients(s.rows, s.columns, true); }});
  }
}

}  // namespace bench
