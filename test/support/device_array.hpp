// Memory of the GPU for tests in plain C++.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "fills.hpp"
#include "gpu.hpp"
#include "same_bits.hpp"

namespace test {

/// An error that an earlier call left, and that the library's calls must leave: there is no device −1. To memcheck it is an error
/// of the test unless it has --report-api-errors no, as with `meson test --setup memcheck`.
inline cudaError_t leave_earlier_error() {
  cudaError_t const left = cudaSetDevice(-1);
  EXPECT_NE(left, cudaSuccess);
  return left;
}

/// Whether so many GiB of the GPU's memory are free.
inline bool has_gib(std::size_t so_many) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  return free_bytes >= so_many << 30;
}

/// So many calls leave nothing behind.
inline int many_calls() {
  return is_worth(std::int64_t{1} << 32) ? 10000 : 100;
}
/// A pool from which all stream-ordered memory comes from here on: the library's own can't be asked what is in use.
inline cudaMemPool_t pool_of_tests() {
  static cudaMemPool_t const pool = [] {
    cudaMemPool_t made = nullptr;
    cudaMemPoolProps what{};
    what.allocType = cudaMemAllocationTypePinned;
    what.location.type = cudaMemLocationTypeDevice;
    check(cudaGetDevice(&what.location.id));
    check(cudaMemPoolCreate(&made, &what));
    check(cudaDeviceSetMemPool(what.location.id, made));
    return made;
  }();
  return pool;
}
/// Bytes of stream-ordered memory in use.
inline std::uint64_t pool_bytes() {
  cudaMemPool_t const pool = pool_of_tests();
  std::uint64_t bytes = 0;
  check(cudaDeviceSynchronize());
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
  return bytes;
}

/// n elements of the GPU's memory, `offset` elements after a multiple of 256 bytes, with poison before and after them.
template <class T>
class device_array {
 public:
  /// Poisoned.
  explicit device_array(std::size_t n, std::size_t offset = 0) : device_array(nullptr, n, offset) {}
  explicit device_array(std::vector<T> const& from, std::size_t offset = 0)
      : device_array(from.data(), from.size(), offset) {}
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;
  ~device_array() { (void)cudaFree(memory_); }

  T* data() const {
    wait_for_fills();
    return begin();
  }
  std::size_t size() const { return n_; }

  /// Waits for the GPU.
  std::vector<T> to_host() const {
    std::vector<T> out(n_);
    if (n_ > 0) check(cudaMemcpy(out.data(), begin(), n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  /// Whether nobody wrote to the elements before and after the array.
  bool guards_intact() const {
    constexpr std::size_t width = guard * sizeof(T);
    std::size_t const apart = width + n_ * sizeof(T);
    std::vector<unsigned char> both(2 * width);
    if (apart < std::size_t{1} << 31) {
      check(cudaMemcpy2D(both.data(), width, begin() - guard, apart, width, 2, cudaMemcpyDeviceToHost));
    } else {  // farther apart than rows may be
      check(cudaMemcpy(both.data(), begin() - guard, width, cudaMemcpyDeviceToHost));
      check(cudaMemcpy(both.data() + width, begin() + n_, width, cudaMemcpyDeviceToHost));
    }
    return is_poison(both);
  }
  /// Whether nobody wrote to an array that was made poisoned.
  bool untouched() const {
    std::vector<unsigned char> all(bytes());
    check(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost));
    return is_poison(all);
  }

 private:
  static constexpr std::size_t guard = 256;  // elements: a multiple of 256 bytes
  static constexpr unsigned char poison = 0xcd;

  device_array(T const* from, std::size_t n, std::size_t offset) : n_(n), before_(offset + guard) {
    check(cudaMalloc(&memory_, bytes()));
    check(cudaMemset(memory_, poison, bytes()));
    if (from && n_ > 0) check(cudaMemcpy(begin(), from, n_ * sizeof(T), cudaMemcpyHostToDevice));
    note_fill();
  }
  std::size_t bytes() const { return (before_ + n_ + guard) * sizeof(T); }
  T* begin() const { return static_cast<T*>(memory_) + before_; }
  static bool is_poison(std::vector<unsigned char> const& bytes) {
    return bytes[0] == poison && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
  }

  void* memory_ = nullptr;
  std::size_t n_;
  std::size_t before_;
};

}  // namespace test
