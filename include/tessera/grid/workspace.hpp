// The memory that a launcher needs beside its arrays.
//
//   tessera::grid::workspace memory;                                   // for any number of calls, one after the other
//   error = tessera::grid::reduce(in, n, out, plus{}, stream, &memory);
//   error = tessera::grid::reduce(in, n, out, plus{}, stream);         // or one made inside, for this call alone
//
// A workspace spares the call an allocation and a memset in front of the kernel, some microseconds.
//
// Into a graph go calls without a workspace, whose memory is the graph's then; or with one that has served the same calls
// before, and so doesn't grow. The graph's kernels keep to the memory that it has: replay it only until the workspace next
// grows, is released or ends, and in one stream's order with its other calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tessera::grid {

/// Stream-ordered memory of one device, which grows as calls need it and stays. Calls that share one are made in the
/// order of one stream, or of streams that wait for each other; two streams at once need two. It is no value: it moves,
/// but isn't copied.
///
/// The counters and slots at its start are 0 between calls: each kernel leaves them so.
class workspace {
 public:
  /// Bytes at the start that are kept 0: counters, and slots through which blocks hand values on.
  static constexpr std::size_t counter_bytes = 1024;
  static constexpr std::size_t slot_bytes = 31 * 1024;
  static constexpr std::size_t zero_bytes = counter_bytes + slot_bytes;

  /// Takes no memory before the first call needs some.
  workspace() noexcept = default;
  workspace(workspace&& other) noexcept { swap(other); }
  workspace& operator=(workspace&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Frees in the order of the stream that it was last used on. That stream must still exist when the workspace ends,
  /// is released, or is next used on another stream: end or release it before you destroy the stream.
  ~workspace() { (void)release(); }

  /// At least so many bytes behind these from now on, in the order of `stream`. What they hold is lost where it grows.
  /// While `stream` is captured into a graph it can't grow: cudaErrorStreamCaptureUnsupported.
  [[nodiscard]] cudaError_t reserve(std::size_t bytes, cudaStream_t stream) noexcept;
  /// The same for the calls that are captured with it: there the memory is the graph's.
  [[nodiscard]] cudaError_t allocate(std::size_t bytes, cudaStream_t stream) noexcept;
  cudaError_t release() noexcept;

  /// Behind the zeros; null and 0 before the first `reserve`.
  void* data() const noexcept { return memory_ ? static_cast<char*>(memory_) + zero_bytes : nullptr; }
  std::size_t size() const noexcept { return size_; }
  unsigned* counters() const noexcept { return static_cast<unsigned*>(memory_); }
  std::uint64_t* slots() const noexcept {
    return reinterpret_cast<std::uint64_t*>(memory_ ? static_cast<char*>(memory_) + counter_bytes : nullptr);
  }

 private:
  void swap(workspace& other) noexcept;

  void* memory_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

}  // namespace tessera::grid
