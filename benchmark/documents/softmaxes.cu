// Softmax of 4096 rows of 1024 floats, by the methods that documents teach. Each row has one block.
//
//   three passes, shared memory   the maximum, the sum of exponentials and the quotients are a pass over the row in global
//                                 memory each; both reductions halve the row in shared memory
//   two passes of shuffles        the row stays in registers; both reductions use shuffles, and shared memory between warps
//   online                        one reduction of pairs (maximum, rescaled sum) by shuffles, and then the quotients
#include "tasks.hpp"

#include <tessera/grid/softmax.hpp>
#include <tessera/operators.hpp>

#include <cmath>

namespace bench {

namespace {

namespace grid = tessera::grid;

constexpr int rows = 4096, columns = 1024;
constexpr unsigned threads = 256;
constexpr unsigned items = columns / threads;

struct add_floats {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class Op>
__device__ float fold(float x, Op op) {
  __shared__ float part[threads];
  __syncthreads();  // after all threads have read the previous result
  part[threadIdx.x] = x;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = op(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  return part[0];
}

__global__ void in_three_passes(float const* in, float* out) {
  float const* const row = in + std::int64_t{blockIdx.x} * columns;
  float top = -INFINITY;
  for (unsigned c = threadIdx.x; c < columns; c += threads) top = fmaxf(top, row[c]);
  top = fold(top, larger{});
  float sum = 0;
  for (unsigned c = threadIdx.x; c < columns; c += threads) sum += __expf(row[c] - top);
  sum = fold(sum, add_floats{});
  for (unsigned c = threadIdx.x; c < columns; c += threads)
    out[std::int64_t{blockIdx.x} * columns + c] = __expf(row[c] - top) / sum;
}

template <class T, class Op>
__device__ T by_shuffles(T x, Op op, T identity) {
  __shared__ T warps[threads / 32];
#pragma unroll
  for (unsigned bit = 16; bit > 0; bit /= 2) {
    T other = x;
    if constexpr (sizeof(T) == sizeof(float)) {
      other = __shfl_xor_sync(~0u, x, bit);
    } else {
      other = {__shfl_xor_sync(~0u, x.top, bit), __shfl_xor_sync(~0u, x.sum, bit)};
    }
    x = op(x, other);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  T all = identity;
#pragma unroll
  for (unsigned w = 0; w < threads / 32; ++w) all = op(all, warps[w]);
  return all;
}

__global__ void in_two_passes(float4 const* in, float4* out) {
  float4 x = in[std::int64_t{blockIdx.x} * threads + threadIdx.x];
  float const top = by_shuffles(fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), larger{}, -INFINITY);
  x = {__expf(x.x - top), __expf(x.y - top), __expf(x.z - top), __expf(x.w - top)};
  float const sum = by_shuffles(x.x + x.y + x.z + x.w, add_floats{}, 0.0f);
  out[std::int64_t{blockIdx.x} * threads + threadIdx.x] = {x.x / sum, x.y / sum, x.z / sum, x.w / sum};
}

struct state {
  float top, sum;
};
struct merge {
  __device__ state operator()(state a, state b) const {
    float const top = fmaxf(a.top, b.top);
    return {top, a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top)};  // no row here consists of −∞ only
  }
};

__global__ void online(float4 const* in, float4* out) {
  float4 const x = in[std::int64_t{blockIdx.x} * threads + threadIdx.x];
  merge const op;
  state const own = op(op({x.x, 1}, {x.y, 1}), op({x.z, 1}, {x.w, 1}));
  state const all = by_shuffles(own, op, state{-1e30f, 0});
  auto const quotient = [&](float v) { return __expf(v - all.top) / all.sum; };
  out[std::int64_t{blockIdx.x} * threads + threadIdx.x] = {quotient(x.x), quotient(x.y), quotient(x.z), quotient(x.w)};
}

std::string check(gpu_data<float> const& in, gpu_data<float> const& out) {
  auto const x = in.get(columns), y = out.get(columns);
  double sum = 0;
  for (float v : x) sum += std::exp(static_cast<double>(v));
  for (std::size_t c = 0; c < columns; ++c) {
    double const expected = std::exp(static_cast<double>(x[c])) / sum;
    if (!(std::abs(static_cast<double>(y[c]) - expected) <= 1e-5 * expected))
      return "gives " + std::to_string(y[c]) + " in column " + std::to_string(c) + ", not " + std::to_string(expected);
  }
  return {};
}

std::vector<pass> softmaxes() {
  constexpr std::int64_t n = std::int64_t{rows} * columns;
  static_assert(items == 4);
  auto const in = uniform_floats(n);
  gpu_data<float> const out(n);
  auto const memory = std::make_shared<grid::workspace>();
  auto const* const vectors = reinterpret_cast<float4 const*>(in.data());
  auto* const results = reinterpret_cast<float4*>(out.data());
  std::vector<pass> passes;
  auto const add = [&](char const* name, pass_kind kind, std::function<cudaError_t()> run) {
    passes.push_back({name, kind, std::move(run), [=] { return check(in, out); }});
  };
  add("three passes, shared memory", pass_kind::peer, [=] {
    in_three_passes<<<rows, threads>>>(in.data(), out.data());
    return cudaGetLastError();
  });
  add("two passes of shuffles", pass_kind::peer, [=] {
    in_two_passes<<<rows, threads>>>(vectors, results);
    return cudaGetLastError();
  });
  add("online", pass_kind::peer, [=] {
    online<<<rows, threads>>>(vectors, results);
    return cudaGetLastError();
  });
  add("tessera", pass_kind::ours, [=] {
    return grid::softmax_rows(grid::matrix<float const>{in.data(), rows, columns},
                              grid::matrix<float>{out.data(), rows, columns}, nullptr, *memory);
  });
  for (pass& p : copy_ceilings(in, out, n * 4)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_softmaxes(std::vector<task>& tasks) {
  tasks.push_back({"softmax of 4096 x 1024", "float", 8.0 * rows * columns, softmaxes});
}

}  // namespace bench
