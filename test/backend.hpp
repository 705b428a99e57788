// Runs one kernel once a lane, on host tiles or on the GPU: the same cases for both.
//
// A test file of cases is compiled twice: as C++, where `backend` is host tiles, and by nvcc from a .cu that includes
// it, where `backend` is the GPU.
#pragma once

#include <tessera/host/block.hpp>
#include <tessera/host/tile.hpp>
#include <tessera/tile.hpp>

#include <type_traits>
#include <vector>

#include "gpu.hpp"

namespace test {

/// Lanes come in whole blocks, so that no lane leaves early: blocks of this many threads, several tiles each where they fit.
constexpr unsigned block_lanes_of(unsigned tile_size) {
  return tile_size <= 64 ? 128 : tile_size <= 256 ? 512 : 1024;
}
/// Those of tiles within a warp.
inline constexpr unsigned block_lanes = block_lanes_of(32);

/// Tile sizes, for tables of them.
template <unsigned... N>
struct sizes {};
#if TESSERA_CUDA && \
    defined(TESSERA_TEST_FEW_SIZES)  // where GPU cases are compiled, but there is no GPU to run them
using small_sizes = sizes<1, 8, 32>;
using large_sizes = sizes<64, 512>;
using some_large_sizes = sizes<256>;
#else
using small_sizes = sizes<1, 2, 4, 8, 16, 32>;
using large_sizes = sizes<64, 128, 256, 512, 1024>;  // several warps
using some_large_sizes = sizes<64, 256, 1024>;
#endif

/// f(std::integral_constant<unsigned, N>) for each.
template <unsigned... N, class F>
void for_each_size(sizes<N...>, F f) {
  (f(std::integral_constant<unsigned, N>{}), ...);
}

/// Runs body(tile, lane, context) in `lanes` lanes, in blocks of block_lanes_of(N). Compiled once a size: see backend.cpp.
template <unsigned N>
void run_on_host(unsigned lanes, void (*body)(tessera::host::tile<N>, unsigned lane, void* context),
                 void* context);

/// Runs body(block, context) in each thread of one block.
void run_block_on_host(tessera::host::dim3 threads, void (*body)(tessera::host::block, void* context),
                       void* context);

/// Memory of the host, with the contents of a vector: what gpu_array is on the GPU.
template <class T>
class host_array {
 public:
  explicit host_array(std::vector<T> const& from) : data_(from) {}

  T* data() { return data_.data(); }
  std::vector<T> to_host() const { return data_; }

 private:
  std::vector<T> data_;
};

struct host_backend {
  template <class T>
  using array = host_array<T>;

  static bool usable() { return true; }

  /// kernel(block) of each thread of one block.
  template <class Out, class Kernel>
  static std::vector<Out> run_block(tessera::host::dim3 threads, Kernel kernel) {
    struct context_t {
      Out* out;
      Kernel* kernel;
    };
    std::vector<Out> out(threads.volume());
    context_t context{out.data(), &kernel};
    run_block_on_host(
        threads,
        [](tessera::host::block block, void* erased) {
          auto const& c = *static_cast<context_t*>(erased);
          c.out[block.thread_rank()] = (*c.kernel)(block);
        },
        &context);
    return out;
  }

  /// kernel(tile<N>, in[lane]) of each lane.
  template <unsigned N, class Out, class In, class Kernel>
  static std::vector<Out> run(std::vector<In> const& in, Kernel kernel) {
    struct context_t {
      In const* in;
      Out* out;
      Kernel* kernel;
    };
    std::vector<Out> out(in.size());
    context_t context{in.data(), out.data(), &kernel};
    run_on_host<N>(
        static_cast<unsigned>(in.size()),
        [](tessera::host::tile<N> tile, unsigned lane, void* erased) {
          auto const& c = *static_cast<context_t*>(erased);
          c.out[lane] = (*c.kernel)(tile, c.in[lane]);
        },
        &context);
    return out;
  }
};

#if TESSERA_CUDA

inline void check(cudaError_t status) {
  ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

/// Memory of the GPU, with the contents of a vector or poisoned.
template <class T>
class gpu_array {
 public:
  explicit gpu_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)));
    check(cudaMemset(data_, 0xcd, size * sizeof(T)));
  }
  explicit gpu_array(std::vector<T> const& from) : gpu_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  gpu_array(gpu_array const&) = delete;
  gpu_array& operator=(gpu_array const&) = delete;
  ~gpu_array() { cudaFree(data_); }

  T* data() const { return data_; }
  /// Waits for the GPU.
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
#if TESSERA_ARCH  // else the host's compiler would make code of all that is called
  auto const tile = tessera::tiled_partition<N>(cooperative_groups::this_thread_block());
  unsigned const lane = blockIdx.x * blockDim.x + threadIdx.x;
  out[lane] = kernel(tile, in[lane]);
#endif
}

template <class Out, class Kernel>
__global__ void __launch_bounds__(1024)
    run_block_kernel([[maybe_unused]] Out* out, [[maybe_unused]] Kernel kernel) {
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
    run_block_kernel<<<1, ::dim3(threads.x, threads.y, threads.z)>>>(to.data(), kernel);
    check(cudaGetLastError());
    return to.to_host();
  }

  template <unsigned N, class Out, class In, class Kernel>
  static std::vector<Out> run(std::vector<In> const& in, Kernel kernel) {
    gpu_array<In> const from(in);
    gpu_array<Out> const to(in.size());
    constexpr unsigned threads = block_lanes_of(N);
    unsigned const blocks = static_cast<unsigned>(in.size()) / threads;
    run_kernel<N><<<blocks, threads>>>(from.data(), to.data(), kernel);
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
