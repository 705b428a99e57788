#include <tessera/grid/parts/cuda_status.hpp>
#include <tessera/grid/parts/workspace_memory.hpp>
#include <tessera/grid/workspace.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include "kept_workspaces.hpp"
#include "memory_pool.hpp"

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace {

using detail::own_status;
using layout = detail::workspace_layout;

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return own_status(cudaStreamIsCapturing(stream, &status)) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

/// A number that no other thread has or had.
std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> threads{0};
  static thread_local std::uint64_t const number = ++threads;
  return number;
}

/// Makes a device the current one, until it ends.
class current_device {
 public:
  explicit current_device(int device) {
    if (own_status(cudaGetDevice(&before_)) != cudaSuccess || before_ == device) return;
    is_other_ = own_status(cudaSetDevice(device)) == cudaSuccess;
  }
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;
  ~current_device() {
    if (is_other_) (void)own_status(cudaSetDevice(before_));
  }

 private:
  int before_ = 0;
  bool is_other_ = false;
};

}  // namespace

void workspace::swap(workspace& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(tagged_size_, other.tagged_size_);
  std::swap(stream_, other.stream_);
  std::swap(thread_, other.thread_);
  std::swap(device_, other.device_);
  std::swap(is_pooled_, other.is_pooled_);
  std::swap(is_given_, other.is_given_);
  std::swap(is_clear_, other.is_clear_);
  std::swap(given_, other.given_);
  std::swap(given_bytes_, other.given_bytes_);
}

void workspace::use_on(cudaStream_t stream) noexcept {
  stream_ = stream;
  thread_ = stream == cudaStreamPerThread ? this_thread() : 0;
}

cudaError_t workspace::free(void* memory, cudaStream_t stream) const noexcept {
  if (is_pooled_) return own_status(cudaFreeAsync(memory, stream));
  cudaError_t const error = own_status(cudaStreamSynchronize(stream));
  cudaError_t const freed = own_status(cudaFree(memory));
  return error != cudaSuccess ? error : freed;
}

cudaError_t workspace::reserve(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words) noexcept {
  if (is_given_) return lay_out(bytes, stream, tagged_words);
  if (memory_) {
    int device = 0;
    cudaError_t const error = own_status(cudaGetDevice(&device));
    if (error != cudaSuccess) return error;
    if (device != device_) return cudaErrorInvalidDevice;
    if (has(bytes, tagged_words)) {
      use_on(stream);
      return cudaSuccess;
    }
  }
  if (is_captured(stream)) return cudaErrorStreamCaptureUnsupported;
  return allocate(std::max(bytes, size_), stream, std::max(tagged_words, tagged_size_));
}

cudaError_t workspace::allocate(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words,
                                bool clears) noexcept {
  std::size_t const cleared = layout::cleared(tagged_words);
  workspace larger;
  cudaError_t error = own_status(cudaGetDevice(&larger.device_));
  if (error == cudaSuccess)
    error = detail::allocate_on(larger.device_, cleared + bytes, stream, is_captured(stream), larger.memory_,
                                larger.is_pooled_);
  if (error != cudaSuccess) {
    larger.memory_ = nullptr;
    return error;
  }
  larger.size_ = bytes;
  larger.tagged_size_ = layout::tagged(tagged_words);
  larger.use_on(stream);
  if (clears) error = own_status(cudaMemsetAsync(larger.memory_, 0, cleared, stream));
  if (error != cudaSuccess) return error;
  if (memory_ && device_ == larger.device_) use_on(stream);  // which the old memory is free after
  swap(larger);
  return cudaSuccess;
}

cudaError_t workspace::lay_out(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words) noexcept {
  int device = 0;
  cudaError_t error = own_status(cudaGetDevice(&device));
  if (error != cudaSuccess) return error;
  if (memory_ && device != device_) return cudaErrorInvalidDevice;
  // What is cleared in a graph isn't cleared here, and before the graph runs again others may have used the memory.
  bool const captured = is_captured(stream);
  if (memory_ && is_clear_ && !captured && has(bytes, tagged_words)) return cudaSuccess;
  std::size_t const cleared = layout::cleared(tagged_words);
  bool const has_room = given_ != nullptr && cleared <= given_bytes_ && bytes <= given_bytes_ - cleared;
  if (!has_room || reinterpret_cast<std::uintptr_t>(given_) % layout::line != 0) return cudaErrorInvalidValue;
  (void)release();
  error = own_status(cudaMemsetAsync(given_, 0, cleared, stream));
  if (error != cudaSuccess) return error;
  memory_ = given_;
  size_ = given_bytes_ - cleared;
  tagged_size_ = layout::tagged(tagged_words);
  device_ = device;
  is_clear_ = !captured;
  return cudaSuccess;
}

cudaError_t workspace::release() noexcept {
  if (!memory_) return cudaSuccess;
  void* const memory = memory_;
  memory_ = nullptr;
  size_ = 0;
  tagged_size_ = 0;
  if (is_given_) return cudaSuccess;
  current_device const current(device_);
  cudaError_t error = cudaSuccess;
  // No stream of this thread's waits for the other's.
  if (stream_ == cudaStreamPerThread && thread_ != this_thread()) error = own_status(cudaDeviceSynchronize());
  cudaError_t const freed = free(memory, stream_);
  return error != cudaSuccess ? error : freed;
}

namespace detail {

workspace* borrow_workspace(cudaStream_t stream, std::size_t bytes, std::size_t tagged_words) noexcept {
  std::size_t const needed = bytes + tagged_words * sizeof(std::uint64_t);
  unsigned long long id = 0;
  if (needed > workspace::kept_bytes || is_captured(stream) || own_status(cudaStreamGetId(stream, &id)) != cudaSuccess)
    return nullptr;
  unsigned long long const context = current_context();
  if (context == 0) return nullptr;
  workspace* const kept = kept_workspaces::instance().borrow(context, id);
  if (kept == nullptr || workspace_memory::has(*kept, bytes, tagged_words)) return kept;
  // It has to grow: not by the caller's pool, nor beyond its limit by more bytes in one call and more words in another.
  int device = 0;
  std::size_t const grown = std::max(bytes, kept->size()) +
                            std::max(tagged_words, workspace_memory::tagged_size(*kept)) * sizeof(std::uint64_t);
  if (grown <= workspace::kept_bytes && own_status(cudaGetDevice(&device)) == cudaSuccess &&
      !has_pool_of_caller(device))
    return kept;
  return_workspace(kept);
  return nullptr;
}

void return_workspace(workspace* lent) noexcept {
  kept_workspaces::give_back(lent);
}

}  // namespace detail

}  // namespace grid
TESSERA_NAMESPACE_END
