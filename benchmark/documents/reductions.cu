// Sums of 16 Mi elements by the methods that documents on reductions teach, in the order in which they
// teach them.
//
//   one atomic an element          every thread adds its element to the result
//   global memory, in place        each block halves its part of the array, in global memory, until one element is left
//   shared memory                  the same in shared memory: each thread loads one element, and each halving has a barrier
//   …, unrolled by 8               each thread adds 8 elements before the first halving
//   shuffles                       warps reduce by shuffles, and their sums go through shared memory to the first warp
//   …, unrolled by 8               as above
//   grid stride, one atomic a block   as many blocks as fit, loads of 16 bytes, shuffles, and one atomicAdd per block
//
// The other methods store one value per block, which a second launch of the same kernel reduces in another
// pass.
#include "tasks.hpp"

#include <cub/device/device_reduce.cuh>
#include <tessera/grid/reduce.hpp>

#include <cmath>
#include <numeric>
#include <type_traits>

namespace bench {

namespace {

namespace grid = tessera::grid;

constexpr unsigned threads = 256;
constexpr std::int64_t count = std::int64_t{1} << 24;

template <class T>
__global__ void one_atomic_each(T const* in, std::int64_t n, T* out) {
  std::int64_t const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

/// The sum of this thread's Unroll elements. The block has Unroll · threads elements.
template <unsigned Unroll, class T>
__device__ T load(T const* in, std::int64_t n) {
  std::int64_t const first = std::int64_t{blockIdx.x} * threads * Unroll + threadIdx.x;
  T sum{};
#pragma unroll
  for (unsigned u = 0; u < Unroll; ++u) {
    std::int64_t const i = first + u * threads;
    if (i < n) sum += in[i];
  }
  return sum;
}

/// Halves the array in place, which overwrites it.
template <unsigned Unroll, class T>
__global__ void fold_global(T* in, std::int64_t n, T* out) {
  std::int64_t const first = std::int64_t{blockIdx.x} * threads * Unroll;
  T const mine = load<Unroll>(in, n);
  __syncthreads();
  T* const part = in + first;
  if (first + threadIdx.x < n) part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && first + threadIdx.x + half < n) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

template <unsigned Unroll, class T>
__global__ void fold_shared(T const* in, std::int64_t n, T* out) {
  __shared__ T part[threads];
  part[threadIdx.x] = load<Unroll>(in, n);
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

template <class T>
__device__ T sum_of_warp(T x) {
#pragma unroll
  for (unsigned delta = 16; delta > 0; delta /= 2) x += __shfl_down_sync(~0u, x, delta);
  return x;
}
/// The sum of the block, in thread 0.
template <class T>
__device__ T sum_of_block(T x) {
  __shared__ T warps[threads / 32];
  x = sum_of_warp(x);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) x = sum_of_warp(threadIdx.x < threads / 32 ? warps[threadIdx.x] : T{});
  return x;
}

template <unsigned Unroll, class T>
__global__ void by_shuffles(T const* in, std::int64_t n, T* out) {
  T const sum = sum_of_block(load<Unroll>(in, n));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T>
__global__ void by_grid_stride(T const* in, std::int64_t n, T* out) {
  using four = std::conditional_t<std::is_same_v<T, float>, float4, int4>;
  auto const* const vectors = reinterpret_cast<four const*>(in);
  std::int64_t const step = std::int64_t{gridDim.x} * threads;
  T sum{};
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n / 4; i += step) {
    four const x = vectors[i];
    sum += x.x + x.y + x.z + x.w;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

unsigned blocks_for(std::int64_t n, unsigned unroll) {
  return static_cast<unsigned>((n + threads * unroll - 1) / (threads * unroll));
}

template <class T>
struct arrays {
  gpu_data<T> in, work, partial, sums, out;

  explicit arrays(gpu_data<T> const& from)
      : in(from), work(count), partial(blocks_for(count, 1)), sums(blocks_for(blocks_for(count, 1), 1)), out(1) {}
};

/// Launches a kernel that leaves one value per block until one value is left.
template <unsigned Unroll, class T, class Kernel>
cudaError_t in_passes(arrays<T> const& a, Kernel kernel, T* first) {
  std::int64_t n = count;
  T* from = first;
  T* to = a.partial.data();
  while (n > 1) {
    unsigned const blocks = blocks_for(n, Unroll);
    kernel<<<blocks, threads>>>(from, n, blocks == 1 ? a.out.data() : to);
    n = blocks;
    from = to;
    to = to == a.partial.data() ? a.sums.data() : a.partial.data();
  }
  return cudaGetLastError();
}

template <class T>
std::string check(arrays<T> const& a, double expected) {
  double const got = static_cast<double>(a.out.get(1)[0]);
  // The values are small integers. Sums of ints are exact, and sums of floats up to 2^24 are too; larger
  // sums are rounded at most 2^24 times.
  double const apart = std::is_same_v<T, int> ? 0 : 1e-2 * expected;
  return std::abs(got - expected) <= apart ? "" : "gives " + std::to_string(got) + ", not " + std::to_string(expected);
}

template <class T>
gpu_data<T> numbers(double& sum) {
  auto const ints = weighted_ints(count, {1, 1, 1, 1}).get(count);  // 0 … 3
  sum = 0;
  for (int x : ints) sum += x;
  return gpu_data<T>(std::vector<T>(ints.begin(), ints.end()));
}

template <class T>
std::vector<pass> reductions() {
  double sum = 0;
  arrays<T> const a(numbers<T>(sum));
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
  auto const add = [&](char const* name, pass_kind kind, std::function<cudaError_t()> run) {
    passes.push_back({name, kind, std::move(run), [=] { return check(a, sum); }});
  };
  auto const clear = [=] { return cudaMemsetAsync(a.out.data(), 0, sizeof(T)); };
  std::size_t const bytes = count * sizeof(T);
  auto const on_host = std::make_shared<std::vector<T> const>(a.in.get(count));
  add("CPU, one core", pass_kind::peer, [=] {  // adds a copy of the array, which is in the host's memory
    T const total = std::accumulate(on_host->begin(), on_host->end(), T{});
    return cudaMemcpy(a.out.data(), &total, sizeof(T), cudaMemcpyHostToDevice);
  });
  add("one atomic an element", pass_kind::peer, [=] {
    (void)clear();
    one_atomic_each<<<blocks_for(count, 1), threads>>>(a.in.data(), count, a.out.data());
    return cudaGetLastError();
  });
  // The kernel overwrites its input, so it gets a copy. Another row measures the copy alone.
  add("global memory, with a copy", pass_kind::peer, [=] {
    cudaError_t const error = cudaMemcpyAsync(a.work.data(), a.in.data(), bytes, cudaMemcpyDeviceToDevice);
    return error == cudaSuccess ? in_passes<1>(a, fold_global<1, T>, a.work.data()) : error;
  });
  add("…, unrolled by 8", pass_kind::peer, [=] {
    cudaError_t const error = cudaMemcpyAsync(a.work.data(), a.in.data(), bytes, cudaMemcpyDeviceToDevice);
    return error == cudaSuccess ? in_passes<8>(a, fold_global<8, T>, a.work.data()) : error;
  });
  passes.push_back({"the copy alone", pass_kind::ceiling,
                    [=] { return cudaMemcpyAsync(a.work.data(), a.in.data(), bytes, cudaMemcpyDeviceToDevice); }});
  add("shared memory", pass_kind::peer, [=] { return in_passes<1>(a, fold_shared<1, T>, a.in.data()); });
  add("shared memory, unrolled by 8", pass_kind::peer, [=] { return in_passes<8>(a, fold_shared<8, T>, a.in.data()); });
  add("shuffles", pass_kind::peer, [=] { return in_passes<1>(a, by_shuffles<1, T>, a.in.data()); });
  add("shuffles, unrolled by 8", pass_kind::peer, [=] { return in_passes<8>(a, by_shuffles<8, T>, a.in.data()); });
  add("grid stride, atomic a block", pass_kind::peer, [=] {
    (void)clear();
    by_grid_stride<<<1056, threads>>>(a.in.data(), count, a.out.data());
    return cudaGetLastError();
  });
  auto const cub_call = [=](void* storage, std::size_t& size) {
    return cub::DeviceReduce::Sum(storage, size, a.in.data(), a.out.data(), count);
  };
  add("CUB", pass_kind::peer, cub_pass("CUB", cub_call).run);
  add("tessera", pass_kind::ours,
      [=] { return grid::reduce(a.in.data(), count, a.out.data(), tessera::plus{}, *memory); });
  for (pass& p : read_ceilings(reinterpret_cast<float const*>(a.in.data()), count)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_reductions(std::vector<task>& tasks) {
  tasks.push_back({"sum of 16 Mi", "float", 4.0 * count, [] { return reductions<float>(); }});
  tasks.push_back({"sum of 16 Mi", "int", 4.0 * count, [] { return reductions<int>(); }});
}

}  // namespace bench
