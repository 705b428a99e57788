// What the rungs for whole arrays share: the GPU, arrays in its memory, and the line that a program prints. They are plain C++:
// a C++ compiler and the static library are all that they need.
#pragma once

#include <tessera/device.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../ladder/results.hpp"

namespace ladder {

/// What a program without a GPU exits with: it is skipped, neither right nor wrong.
inline constexpr int needs_gpu = 77;

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Chooses the GPU that the library has code for, or says why there is none.
inline bool choose_gpu() {
  tessera::device_info const found = tessera::find_device();
  if (found.usable) check(cudaSetDevice(found.index));
  if (!found.usable) std::printf("skipped, since it needs a GPU: %s\n", found.reason);
  return found.usable;
}

/// n elements in the GPU's memory. They are as cudaMalloc left them, or copies of a vector's.
template <class T>
class gpu_array {
 public:
  explicit gpu_array(std::size_t n) : size_(n) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  explicit gpu_array(std::vector<T> const& from) : gpu_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  gpu_array(gpu_array const&) = delete;
  gpu_array& operator=(gpu_array const&) = delete;
  ~gpu_array() { (void)cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// The first n elements, once the calls that were made before are done.
  std::vector<T> first(std::size_t n) const {
    std::vector<T> to(n);
    check(cudaMemcpy(to.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Prints the program's line, and returns its exit status: 1 where the difference is too large.
inline int report(char const* name, char const* input, char const* calls, double difference, double allowed = 0) {
  return print_line(name, input, calls, "GPU", difference, allowed);
}

}  // namespace ladder
