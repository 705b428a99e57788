// Arrays in the GPU's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// Throws `std::runtime_error` if `error` is an error.
inline void check_cuda(cudaError_t error, char const* doing) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(error));
}

/// n elements of T in the GPU's memory. Copies share them, and the last copy frees them.
template <class T>
class gpu_data {
 public:
  explicit gpu_data(std::int64_t n) : size_(n) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(n) * sizeof(T)), "allocating GPU memory");
    data_.reset(static_cast<T*>(memory), [](T* p) { cudaFree(p); });
  }
  explicit gpu_data(std::vector<T> const& from) : gpu_data(static_cast<std::int64_t>(from.size())) { put(from); }

  T* data() const { return data_.get(); }
  void put(std::vector<T> const& from) const {
    check_cuda(cudaMemcpy(data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU");
  }
  std::vector<T> get() const { return get(size_); }
  /// Copies the first n elements to the host.
  std::vector<T> get(std::int64_t n) const {
    std::vector<T> to(static_cast<std::size_t>(n));
    check_cuda(cudaMemcpy(to.data(), data(), to.size() * sizeof(T), cudaMemcpyDeviceToHost), "copying from the GPU");
    return to;
  }
  /// Sets every byte to `byte`.
  void fill(int byte) const {
    check_cuda(cudaMemset(data(), byte, static_cast<std::size_t>(size_) * sizeof(T)), "filling GPU memory");
  }

 private:
  std::shared_ptr<T> data_;
  std::int64_t size_;
};

}  // namespace bench
