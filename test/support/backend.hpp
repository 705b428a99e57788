// Runs a kernel once for each lane, on host tiles or on the GPU, so that both have the same cases.
//
// A file of cases is compiled twice. Compiled as C++, `backend` is host tiles. Compiled by nvcc, from a .cu
// that includes the file, `backend` is the GPU.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/host/run/dim3.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu.hpp"
#if TESSERA_CUDA
#include "check.hpp"
#include "fills.hpp"
#else
#include "host_backend.hpp"
#endif

namespace test {

/// The number of threads of a block. All blocks are full, so that no lane exits early; a block has several
/// tiles if they fit.
constexpr unsigned block_lanes_of(unsigned tile_size) {
  return tile_size <= 64 ? 128 : tile_size <= 256 ? 512 : 1024;
}
/// The number of threads of a block for tiles within a warp.
inline constexpr unsigned block_lanes = block_lanes_of(32);

/// Tile sizes, for tables of them.
template <unsigned... N>
struct sizes {};
#if TESSERA_CUDA && defined(TESSERA_TEST_FEW_SIZES)
// The GPU cases are compiled, but there is no GPU to run them. Of each list a program has every other size, and the
// next program the others.
using small_sizes = sizes<8, 32>;
using mask_sizes = small_sizes;
using large_sizes = sizes<64, 512>;
using some_large_sizes = sizes<256>;
/// The tile sizes for which code is generated. For other sizes the compiler only checks the kernels, which
/// takes half as long.
template <unsigned N>
inline constexpr bool has_code = N == 8 || N == 64;
#elif defined(TESSERA_TEST_SOME_SIZES)
// The short run, without a GPU.
using small_sizes = sizes<1, 8, 32>;
using mask_sizes = small_sizes;
using large_sizes = sizes<64, 256>;
using some_large_sizes = sizes<64>;
template <unsigned>
inline constexpr bool has_code = true;
#elif !TESSERA_CUDA
// On host tiles. Tiles of the other sizes take the branches of these; the oracle has every size. A host tile that is a
// whole warp differs from a part of one in its mask alone.
using small_sizes = sizes<1, 8>;
using mask_sizes = sizes<1, 8, 32>;
using large_sizes = sizes<64, 1024>;
using some_large_sizes = sizes<64>;
template <unsigned>
inline constexpr bool has_code = true;
#else
// On the GPU. Code tells apart a lane, a part of a warp, a warp and several; plain kernels and the oracle have every size.
#if TESSERA_TEST_SLICES == 1
using small_sizes = sizes<1, 8, 32>;
#else
using small_sizes = sizes<1, 2, 8, 32>;  // the first of three slices has a lane and a warp
#endif
using mask_sizes = sizes<1, 2, 4, 8, 16, 32>;  // in tests of what a mask of lanes holds
using large_sizes = sizes<64, 256, 1024>;      // several warps
using some_large_sizes = large_sizes;
template <unsigned>
inline constexpr bool has_code = true;
#endif
/// In tests of joint algorithms, which tell apart one lane, a part of a warp and a warp; the oracle has every size.
#if TESSERA_CUDA && !defined(TESSERA_TEST_FEW_SIZES)
using joint_sizes = sizes<1, 8, 32>;
#else
using joint_sizes = small_sizes;
#endif

/// Whether a program has what is at this place of a list. One that has slice s of n has every n-th from place s
/// on; of a shorter list it has one.
constexpr bool is_in_slice(std::size_t place, std::size_t length) {
  std::size_t const slices = length < TESSERA_TEST_SLICES ? length : TESSERA_TEST_SLICES;
  return place % slices == TESSERA_TEST_SLICE % slices;
}
template <bool Called, unsigned N, class F>
void call_if(F& f) {
  if constexpr (Called) f(std::integral_constant<unsigned, N>{});
}
template <std::size_t... Place, unsigned... N, class F>
void for_each_size_in_slice(std::index_sequence<Place...>, sizes<N...>, F& f) {
  (call_if<is_in_slice(Place, sizeof...(N)), N>(f), ...);
}
/// Calls f(std::integral_constant<unsigned, N>) for each size N, or for those of the program's slice.
template <unsigned... N, class F>
void for_each_size(sizes<N...> of, F f) {
  for_each_size_in_slice(std::make_index_sequence<sizeof...(N)>{}, of, f);
}

#if TESSERA_CUDA

/// An array in the GPU's memory. It has the contents of a vector, or a poison value.
template <class T>
class gpu_array {
 public:
  explicit gpu_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)));
    check(cudaMemset(data_, 0xcd, size * sizeof(T)));
    note_fill();
  }
  explicit gpu_array(std::vector<T> const& from) : gpu_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  gpu_array(gpu_array const&) = delete;
  gpu_array& operator=(gpu_array const&) = delete;
  ~gpu_array() { cudaFree(data_); }

  T* data() const {
    wait_for_fills();
    return data_;
  }
  /// For kernels on the default stream.
  T* data_in_order() const { return data_; }
  /// Waits for the GPU, and copies the array.
  std::vector<T> to_host() const {
    std::vector<T> out(size_);
    check(cudaMemcpy(out.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

template <unsigned N, class Out, class In, class Kernel>
__global__ __launch_bounds__(block_lanes_of(N)) void run_kernel([[maybe_unused]] In const* in,
                                                                [[maybe_unused]] Out* out,
                                                                [[maybe_unused]] Kernel kernel) {
#if TESSERA_ARCH  // otherwise the host's compiler would generate code for all that the kernel calls
  auto const tile = tessera::tiled_partition<N>(cooperative_groups::this_thread_block());
  unsigned const lane = blockIdx.x * blockDim.x + threadIdx.x;
  if (has_code<N>) out[lane] = kernel(tile, in[lane]);
#endif
}

template <class Out, class Kernel>
__global__ void __launch_bounds__(1024) run_block_kernel([[maybe_unused]] Out* out, [[maybe_unused]] Kernel kernel) {
#if TESSERA_ARCH
  auto const block = cooperative_groups::this_thread_block();
  out[block.thread_rank()] = kernel(block);
#endif
}

struct gpu_backend {
  template <class T>
  using array = gpu_array<T>;

  static bool usable() { return gpu().usable; }

  template <class Out, class Kernel>
  static std::vector<Out> run_block(tessera::host::dim3 threads, Kernel kernel) {
    gpu_array<Out> const to(threads.volume());
    run_block_kernel<<<1, ::dim3(threads.x, threads.y, threads.z)>>>(to.data_in_order(), kernel);
    check(cudaGetLastError());
    return to.to_host();
  }

  template <unsigned N, class Out, class In, class Kernel>
  static std::vector<Out> run(std::vector<In> const& in, Kernel kernel) {
    gpu_array<In> const from(in);
    gpu_array<Out> const to(in.size());
    constexpr unsigned threads = block_lanes_of(N);
    unsigned const blocks = static_cast<unsigned>(in.size()) / threads;
    run_kernel<N><<<blocks, threads>>>(from.data_in_order(), to.data_in_order(), kernel);
    check(cudaGetLastError());
    return to.to_host();
  }
};

using backend = gpu_backend;
#else
using backend = host_backend;
#endif

}  // namespace test

/// The first line of a case that runs on `backend`.
#define SKIP_WITHOUT_BACKEND() \
  if (!test::backend::usable()) GTEST_SKIP() << "needs a GPU: " << test::gpu().reason
