// What the programs of the ladder share: arrays and a launch; results.hpp has the line that a program prints. A kernel is
// an object with its arguments as members; its operator()(block) is what a __global__ function would do.
//
// Compiled by nvcc, a program runs on the GPU, or on host tiles where it finds none; compiled by a C++
// compiler, on host tiles. A program has no other code for either.
#pragma once

#include <tessera/core/scratch.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/host/launch.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "results.hpp"

namespace ladder {

// ---- The GPU

#if TESSERA_CUDA

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class Kernel>
__global__ void call(Kernel kernel) {
  kernel(cooperative_groups::this_thread_block());
}

template <class Shared, class Kernel>
__global__ void call_with(Kernel kernel) {
  __shared__ Shared memory;
  kernel(cooperative_groups::this_thread_block(), memory);
}

template <class>
__global__ void probe() {}

/// Whether there is a GPU that this program has code for.
inline bool has_gpu() {
  cudaFuncAttributes found;
  static bool const usable = cudaFuncGetAttributes(&found, probe<void>) == cudaSuccess;
  return usable;
}

template <class Function, class... Arguments>
void launch(Function function, unsigned blocks, unsigned threads, Arguments... arguments) {
  function<<<blocks, threads>>>(arguments...);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

#else

inline bool has_gpu() {
  return false;
}

#endif

// ---- Memory that both the program and its kernel can address

template <class T>
struct allocator {
  using value_type = T;
  allocator() = default;
  template <class U>
  allocator(allocator<U> const&) {}

  T* allocate(std::size_t n) {
#if TESSERA_CUDA
    if (has_gpu()) {
      void* memory = nullptr;
      check(cudaMallocManaged(&memory, n * sizeof(T)));
      return static_cast<T*>(memory);
    }
#endif
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate(T* memory, std::size_t n) {
#if TESSERA_CUDA
    if (has_gpu()) return check(cudaFree(memory));
#endif
    std::allocator<T>{}.deallocate(memory, n);
  }
  friend bool operator==(allocator const&, allocator const&) {
    return true;
  }
  friend bool operator!=(allocator const&, allocator const&) {
    return false;
  }
};

template <class T>
using array = std::vector<T, allocator<T>>;

/// What a block on the host is given as shared memory: the memory itself, or for a scratch that of host tiles.
template <class T>
T& shared_on_host(tessera::host::block const&, T& memory) {
  return memory;
}
template <class T, unsigned Threads>
auto shared_on_host(tessera::host::block const& block, tessera::scratch<T, Threads>&) {
  return tessera::host::scratch<T, Threads>(block);
}

// ---- A launch

/// Calls kernel(block) in each thread of a grid of blocks, and waits for the results.
template <class Kernel>
void run(unsigned blocks, unsigned threads, Kernel kernel) {
#if TESSERA_CUDA
  if (has_gpu()) return launch(call<Kernel>, blocks, threads, kernel);
#endif
  tessera::host::launch_grid(blocks, threads, kernel);
}

/// Calls kernel(block, memory), where a block's threads share the memory: a T[N] or a tessera::scratch<T, Threads>.
template <class Shared, class Kernel>
void run_with(unsigned blocks, unsigned threads, Kernel kernel) {
#if TESSERA_CUDA
  if (has_gpu()) return launch(call_with<Shared, Kernel>, blocks, threads, kernel);
#endif
  Shared memory;  // blocks run one after another
  tessera::host::launch_grid(blocks, threads, [&](tessera::host::block const& block) {
    auto&& shared = shared_on_host(block, memory);
    kernel(block, shared);
  });
}

/// How many parts of `size` hold n.
constexpr unsigned parts(unsigned n, unsigned size) {
  return (n + size - 1) / size;
}

/// Prints the program's line, and returns its exit status: 1 where the difference is too large.
inline int report(char const* name, char const* input, char const* lanes, double difference, double allowed = 0) {
  return print_line(name, input, lanes, has_gpu() ? "GPU" : "host", difference, allowed);
}

}  // namespace ladder
