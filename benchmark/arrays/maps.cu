#include "tasks.hpp"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/softmax.hpp>

#include <cmath>

namespace bench {

namespace {

namespace grid = tessera::grid;

__global__ void to_bf16(float const* in, __nv_bfloat16* out, std::int64_t n) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = __float2bfloat16(in[i]);
}

template <class T>
gpu_data<T> random_matrix(std::int64_t n) {
  auto floats = uniform_floats(n);
  if constexpr (std::is_same_v<T, float>) {
    return floats;
  } else {
    gpu_data<T> out(n);
    to_bf16<<<1024, 256>>>(floats.data(), out.data(), n);
    check_cuda(cudaDeviceSynchronize(), "converting an array");
    return out;
  }
}

double value(float x) {
  return static_cast<double>(x);
}
double value(__nv_bfloat16 x) {
  return static_cast<double>(__bfloat162float(x));
}

/// Compares the first rows with a plain loop in double.
template <class T, class Reference>
std::string check_rows(gpu_data<T> const& in, gpu_data<T> const& out, std::int64_t columns, Reference reference) {
  constexpr std::int64_t rows = 3;
  auto const x = in.get(rows * columns), y = out.get(rows * columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> values;
    for (std::int64_t c = 0; c < columns; ++c) values.push_back(value(x[static_cast<std::size_t>(row * columns + c)]));
    reference(values);
    for (std::int64_t c = 0; c < columns; ++c) {
      double const expected = values[static_cast<std::size_t>(c)];
      double const got = value(y[static_cast<std::size_t>(row * columns + c)]);
      if (!(std::abs(got - expected) <= (std::is_same_v<T, float> ? 1e-5 : 1e-2) * (std::abs(expected) + 1e-3)))
        return "gives " + std::to_string(got) + " in row " + std::to_string(row) + ", which should be " +
               std::to_string(expected);
    }
  }
  return {};
}

void softmax(std::vector<double>& x) {
  double sum = 0;
  for (double& v : x) sum += v = std::exp(v);  // v is from −1 to 1, so nothing overflows
  for (double& v : x) v /= sum;
}
void layer_norm(std::vector<double>& x) {
  double mean = 0, variance = 0;
  for (double v : x) mean += v / static_cast<double>(x.size());
  for (double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
  for (double& v : x) v = (v - mean) / std::sqrt(variance + 1e-5);
}

template <class T, class Call, class Reference>
std::vector<pass> maps(std::int64_t rows, std::int64_t columns, Call call, Reference reference) {
  std::int64_t const n = rows * columns;
  auto const in = random_matrix<T>(n);
  gpu_data<T> const out(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              return call(grid::matrix<T const>{in.data(), rows, columns},
                                          grid::matrix<T>{out.data(), rows, columns}, *memory);
                            },
                            [=] { return check_rows(in, out, columns, reference); }}};
  for (pass& p : copy_ceilings(in, out, n * static_cast<std::int64_t>(sizeof(T)))) passes.push_back(std::move(p));
  return passes;
}

/// Two reads and two writes of a matrix. The norm takes the place of what was added.
template <class T>
std::vector<pass> norms_of_sums(std::int64_t rows, std::int64_t columns) {
  std::int64_t const n = rows * columns;
  auto const x = random_matrix<T>(n), residual = random_matrix<T>(n), both = random_matrix<T>(2 * n);
  gpu_data<T> const other(2 * n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              grid::matrix<T> const in{x.data(), rows, columns}, sums{residual.data(), rows, columns};
                              return grid::add_rms_norm_rows(in, sums, in, nullptr, nullptr, 1e-6, *memory);
                            },
                            [=]() -> std::string {
                              double squares = 0;
                              for (T y : x.get(columns)) squares += value(y) * value(y);
                              double const mean = squares / static_cast<double>(columns);
                              bool const is_one = std::abs(mean - 1) < 0.01;
                              return is_one ? std::string() : "has a mean square of " + std::to_string(mean);
                            }}};
  for (pass& p : copy_ceilings(both, other, 2 * n * static_cast<std::int64_t>(sizeof(T))))
    passes.push_back(std::move(p));
  return passes;
}

/// Two reads of a matrix of 16 bits, a write of the sums, and a write of their norms in 8 bits with a scale of every
/// `group` columns, 128 or all: besides the scales as many bytes as three and a half matrices.
std::vector<pass> quantized_norms_of_sums(std::int64_t rows, std::int64_t columns, std::int64_t group) {
  using T = __nv_bfloat16;
  std::int64_t const n = rows * columns;
  auto const x = random_matrix<T>(n), residual = random_matrix<T>(n), both = random_matrix<T>(2 * n);
  gpu_data<T> const other(2 * n);
  gpu_data<__nv_fp8_e4m3> const q(n);
  gpu_data<float> const scales(n / group);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              grid::matrix<T> const in{x.data(), rows, columns}, sums{residual.data(), rows, columns};
                              grid::matrix<__nv_fp8_e4m3> const codes{q.data(), rows, columns};
                              if (group == columns) {
                                grid::quantized const by_row{codes, scales.data(), grid::scale_per_row};
                                return grid::add_rms_norm_rows(in, sums, by_row, nullptr, nullptr, 1e-6, *memory);
                              }
                              grid::quantized const by_group{codes, scales.data()};
                              return grid::add_rms_norm_rows(in, sums, by_group, nullptr, nullptr, 1e-6, *memory);
                            },
                            [=]() -> std::string {
                              auto const codes = q.get(columns);
                              auto const their = scales.get(columns / group);
                              double squares = 0;
                              for (std::size_t c = 0; c < codes.size(); ++c) {
                                double const y = static_cast<double>(static_cast<float>(codes[c]) *
                                                                     their[c / static_cast<std::size_t>(group)]);
                                squares += y * y;
                              }
                              double const mean = squares / static_cast<double>(columns);
                              bool const is_one = std::abs(mean - 1) < 0.01;
                              return is_one ? std::string() : "has a mean square of " + std::to_string(mean);
                            }}};
  for (pass& p : copy_ceilings(both, other, 7 * n / 2)) passes.push_back(std::move(p));
  return passes;
}

template <class T, class Call, class Reference>
void add(std::vector<task>& tasks, char const* what, std::string const& size, std::int64_t rows, std::int64_t columns,
         Call call, Reference reference) {
  double const bytes = 2.0 * sizeof(T) * static_cast<double>(rows) * static_cast<double>(columns);
  tasks.push_back({what, size, bytes, [=] { return maps<T>(rows, columns, call, reference); }});
}

}  // namespace

void add_maps(std::vector<task>& tasks) {
  auto const softmax_call = [](auto in, auto out, grid::execution on) {
    return grid::softmax_rows(in, out, nullptr, on);
  };
  auto const norm_call = [](auto in, auto out, grid::execution on) {
    return grid::layer_norm_rows(in, out, nullptr, nullptr, 1e-5, on);
  };
  char const* what = "float softmax";
  add<float>(tasks, what, "4096 x 1024", 4096, 1024, softmax_call, softmax);
  add<float>(tasks, what, "65536 x 1024", 65536, 1024, softmax_call, softmax);
  add<float>(tasks, what, "8192 x 8192", 8192, 8192, softmax_call, softmax);
  add<float>(tasks, what, "4096 x 32768", 4096, 32768, softmax_call, softmax);
  add<float>(tasks, what, "2^21 x 64", 1 << 21, 64, softmax_call, softmax);
  add<float>(tasks, what, "1024 x 131072", 1024, 131072, softmax_call, softmax);
  // Few rows, which clusters share, and rows that don't begin at multiples of 16 bytes.
  add<float>(tasks, what, "16 x 8192", 16, 8192, softmax_call, softmax);
  add<float>(tasks, what, "16 x 32768", 16, 32768, softmax_call, softmax);
  add<float>(tasks, what, "16 x 65536", 16, 65536, softmax_call, softmax);
  for (int columns : {61, 1001, 8189, 32765})
    add<float>(tasks, what, std::to_string((1 << 26) / columns) + " x " + std::to_string(columns), (1 << 26) / columns,
               columns, softmax_call, softmax);
  what = "bf16 softmax";
  add<__nv_bfloat16>(tasks, what, "2^20 x 128", 1 << 20, 128, softmax_call, softmax);
  add<__nv_bfloat16>(tasks, what, "65536 x 2048", 65536, 2048, softmax_call, softmax);
  what = "float layer norm";
  for (std::int64_t columns : {64, 256, 1024})
    add<float>(tasks, what, std::to_string(columns), (1 << 27) / columns, columns, norm_call, layer_norm);
  for (std::int64_t columns : {1024, 4096, 8192}) {
    std::int64_t const rows = (1 << 25) / columns;
    tasks.push_back({"bf16 rms norm with residual", std::to_string(rows) + " x " + std::to_string(columns),
                     8.0 * static_cast<double>(rows * columns),
                     [=] { return norms_of_sums<__nv_bfloat16>(rows, columns); }});
    tasks.push_back({"bf16 rms norm with residual, to fp8", std::to_string(rows) + " x " + std::to_string(columns),
                     (7.0 + 4.0 / 128) * static_cast<double>(rows * columns),
                     [=] { return quantized_norms_of_sums(rows, columns, 128); }});
    tasks.push_back({"bf16 rms norm with residual, to fp8 by rows",
                     std::to_string(rows) + " x " + std::to_string(columns),
                     7.0 * static_cast<double>(rows * columns) + 4.0 * static_cast<double>(rows),
                     [=] { return quantized_norms_of_sums(rows, columns, columns); }});
  }
}

}  // namespace bench
