// The memory that a launcher needs besides its arrays.
//
//   tessera::grid::workspace memory;                               // serves any number of calls, one after the other
//   error = tessera::grid::reduce(in, n, out, plus{}, {stream, memory});
//   error = tessera::grid::reduce(in, n, out, plus{}, stream);     // or the library has one for the stream
//
// Without a workspace, a call uses one that the library keeps for the stream. It is made at the stream's first call,
// has up to kept_bytes on top of its zero_bytes, and is never freed; the first kept_streams streams of a device have
// one. Calls that need more memory, that are captured, or that are made while another thread makes a call on the same
// stream, can't use it: such a call allocates memory, and clears it, before its kernel. That memory comes from the pool
// that you gave the device by cudaDeviceSetMemPool, and from then on no workspace is made for a stream; or else from a
// pool of the library's, which keeps up to 64 MiB of each device's free memory. On a device without memory pools it
// comes from cudaMalloc, and a call that finds no workspace waits for its kernel before it frees the memory.
//
// A workspace can also be in memory of yours. It never allocates: a call that needs more returns cudaErrorInvalidValue,
// and scratch_bytes.hpp says beforehand, and without a device, how many bytes a call takes.
//
//   tessera::grid::workspace given(pointer, bytes);
//   error = tessera::grid::reduce(in, n, out, plus{}, {stream, given});
//
// A graph can capture calls without a workspace, on a device that has memory pools: their memory is then the graph's,
// and CUDA allows such a graph one cudaGraphExec_t at a time. It can also capture calls with a workspace that has
// served the same calls before, and so doesn't grow. The graph's kernels use the memory that the workspace had when
// it was captured: replay the graph only until the workspace next grows, is released or ends, and only in one
// stream's order with the workspace's other calls. A call that is captured with a workspace in memory of yours clears
// its part of that memory in the graph: the memory may serve others whenever the graph doesn't run.
//
// Streams   nullptr is the default stream of the file that makes the call: the legacy one or, with --default-stream
//           per-thread or CUDA_API_PER_THREAD_DEFAULT_STREAM, the thread's own, cudaStreamPerThread. That is another
//           stream in each thread.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {
struct workspace_memory;
}

/// Stream-ordered memory of the device of its first call, until it is released: calls on another return
/// cudaErrorInvalidDevice. It grows if calls need more, and never shrinks. Calls that share a workspace must be made in
/// the order of one stream, or of streams that wait for each other: two streams at once need two workspaces. A
/// workspace can be moved, but not copied.
///
/// The counters and slots at its start are 0 between calls: each call leaves them 0, also one that fails. After them
/// come tagged words, which kernels leave as they are: each word carries the number of the launch that wrote it
/// (grid/parts/look_back.hpp).
class workspace {
 public:
  /// Bytes at the start that are kept 0: counters, and slots through which blocks publish values.
  static constexpr std::size_t counter_bytes = detail::workspace_layout::counter_bytes;
  static constexpr std::size_t slot_bytes = detail::workspace_layout::slot_bytes;
  static constexpr std::size_t zero_bytes = detail::workspace_layout::zero_bytes;
  /// The number of a device's streams for which the library keeps a workspace, and the most bytes that one has after
  /// its zero_bytes.
  static constexpr unsigned kept_streams = 64;
  static constexpr std::size_t kept_bytes = std::size_t{1} << 20;

  /// Allocates no memory before the first call needs some.
  workspace() noexcept = default;
  /// A workspace in memory of the caller's, which is not freed, and may hold anything. It needs no release() before a
  /// stream is destroyed.
  ///
  /// memory  on the device of the calls, at a multiple of 256 bytes. From the first call on it is the workspace's,
  ///         until the last call's kernels have ended or the workspace is released; a workspace that is made anew for
  ///         each call lets the memory serve others in between.
  /// bytes   those that scratch_bytes gives for the call; for several calls, one after the other, the greatest number.
  /// Cost    a memset of up to 32 KiB and the tagged words before the first call, before one that needs another
  ///         layout than the call before, and before each that is captured.
  workspace(void* memory, std::size_t bytes) noexcept : is_given_(true), given_(memory), given_bytes_(bytes) {}
  workspace(workspace const&) = delete;  // a call takes it last, after an operator: {stream, memory}
  workspace(workspace&& other) noexcept { swap(other); }
  workspace& operator=(workspace&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Frees the memory in the order of the stream that the workspace was last used on. That stream must still exist
  /// when the workspace ends, is released, or is next used on another stream: end or release it before you destroy
  /// the stream. Any device may be the current one. If the stream was cudaStreamPerThread, and another thread ends
  /// the workspace, that waits for the device.
  ~workspace() { (void)release(); }

  /// Makes sure that data() has at least `bytes` bytes, and that there are `tagged_words` tagged words, from now on, in
  /// the order of `stream`. If the workspace grows, its content is lost, and all tagged words are 0. It can't grow in a
  /// captured stream: cudaErrorStreamCaptureUnsupported. nullptr is the legacy default stream here. Memory of the
  /// caller's can't grow at all: cudaErrorInvalidValue.
  [[nodiscard]] TESSERA_API cudaError_t reserve(std::size_t bytes, cudaStream_t stream,
                                                std::size_t tagged_words = 0) noexcept;
  /// Frees the memory, as the destructor does. Memory of the caller's is the caller's again; the next call takes it
  /// anew.
  TESSERA_API cudaError_t release() noexcept;

  /// The memory after the tagged words, and its size; null and 0 before the first `reserve`.
  void* data() const noexcept { return at(zero_bytes + tagged_size_ * sizeof(std::uint64_t)); }
  std::size_t size() const noexcept { return size_; }

 private:
  friend struct detail::workspace_memory;

  /// As reserve, with new memory: while `stream` is captured, the memory is the graph's, for calls captured with it.
  /// Unless `clears`, the counters, slots and tagged words aren't 0: for one call, which doesn't use them.
  [[nodiscard]] TESSERA_API cudaError_t allocate(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words = 0,
                                                 bool clears = true) noexcept;
  unsigned* counters() const noexcept { return static_cast<unsigned*>(memory_); }
  std::uint64_t* slot_words() const noexcept { return static_cast<std::uint64_t*>(at(counter_bytes)); }
  std::uint64_t* tagged() const noexcept { return static_cast<std::uint64_t*>(at(zero_bytes)); }
  std::size_t tagged_size() const noexcept { return tagged_size_; }
  bool has(std::size_t bytes, std::size_t tagged_words) const noexcept {
    return memory_ != nullptr && bytes <= size_ && tagged_words <= tagged_size_;
  }
  void* at(std::size_t byte) const noexcept { return memory_ ? static_cast<char*>(memory_) + byte : nullptr; }
  TESSERA_API void swap(workspace& other) noexcept;
  void use_on(cudaStream_t stream) noexcept;
  cudaError_t lay_out(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words) noexcept;
  cudaError_t free(void* memory, cudaStream_t stream) const noexcept;

  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t tagged_size_ = 0;  // a multiple of 32 words, so that data() is at a multiple of 256 bytes
  cudaStream_t stream_ = nullptr;
  std::uint64_t thread_ = 0;  // whose stream cudaStreamPerThread is; else 0
  int device_ = 0;
  bool is_pooled_ = true;
  bool is_given_ = false;  // in memory of the caller's
  bool is_clear_ = false;  // a call has cleared the caller's memory, and not in a graph alone
  void* given_ = nullptr;
  std::size_t given_bytes_ = 0;
};

}  // namespace grid
TESSERA_NAMESPACE_END
