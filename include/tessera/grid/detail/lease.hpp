// A launcher's workspace for one call: the caller's, or one of its own that ends, in the stream's order, with the call.
#pragma once

#include <tessera/grid/workspace.hpp>

namespace tessera::grid::detail {

/// lease memory(given, bytes, stream);
/// if (memory.error() != cudaSuccess) return memory.error();
/// kernel<<<…>>>(memory.data(), memory.counters());
class lease {
 public:
  lease(workspace* given, std::size_t bytes, cudaStream_t stream) noexcept : stream_(stream) {
    if (given) {
      error_ = given->reserve(bytes, stream);
      data_ = given->data();
      counters_ = given->counters();
      slots_ = given->slots();
      return;
    }
    error_ = cudaMallocAsync(&own_, workspace::zero_bytes + bytes, stream);
    if (error_ != cudaSuccess) {
      own_ = nullptr;
      (void)cudaGetLastError();
      return;
    }
    error_ = cudaMemsetAsync(own_, 0, workspace::zero_bytes, stream);
    counters_ = static_cast<unsigned*>(own_);
    slots_ = reinterpret_cast<std::uint64_t*>(static_cast<char*>(own_) + workspace::counter_bytes);
    data_ = static_cast<char*>(own_) + workspace::zero_bytes;
  }
  lease(lease const&) = delete;
  lease& operator=(lease const&) = delete;
  ~lease() {
    if (own_) (void)cudaFreeAsync(own_, stream_);
  }

  cudaError_t error() const noexcept { return error_; }
  void* data() const noexcept { return data_; }
  unsigned* counters() const noexcept { return counters_; }
  std::uint64_t* slots() const noexcept { return slots_; }

 private:
  cudaStream_t stream_;
  cudaError_t error_ = cudaSuccess;
  void* own_ = nullptr;
  void* data_ = nullptr;
  unsigned* counters_ = nullptr;
  std::uint64_t* slots_ = nullptr;
};

}  // namespace tessera::grid::detail
