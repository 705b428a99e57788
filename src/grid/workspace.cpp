#include <tessera/grid/detail/cuda_status.hpp>
#include <tessera/grid/workspace.hpp>

#include <algorithm>
#include <utility>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace {

using detail::own_status;

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return own_status(cudaStreamIsCapturing(stream, &status)) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

}  // namespace

void workspace::swap(workspace& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(tagged_size_, other.tagged_size_);
  std::swap(stream_, other.stream_);
}

cudaError_t workspace::reserve(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words) noexcept {
  if (memory_ && bytes <= size_ && tagged_words <= tagged_size_) {
    stream_ = stream;
    return cudaSuccess;
  }
  if (is_captured(stream)) return cudaErrorStreamCaptureUnsupported;
  return allocate(std::max(bytes, size_), stream, std::max(tagged_words, tagged_size_));
}

cudaError_t workspace::allocate(std::size_t bytes, cudaStream_t stream, std::size_t tagged_words) noexcept {
  std::size_t const tagged = (tagged_words + 31) / 32 * 32;
  std::size_t const cleared = zero_bytes + tagged * sizeof(std::uint64_t);
  void* larger = nullptr;
  cudaError_t error = own_status(cudaMallocAsync(&larger, cleared + bytes, stream));
  if (error == cudaSuccess) {
    error = own_status(cudaMemsetAsync(larger, 0, cleared, stream));
    if (error != cudaSuccess) (void)own_status(cudaFreeAsync(larger, stream));
  }
  if (error != cudaSuccess) return error;
  stream_ = stream;
  if (memory_) (void)own_status(cudaFreeAsync(memory_, stream));
  memory_ = larger;
  size_ = bytes;
  tagged_size_ = tagged;
  return cudaSuccess;
}

cudaError_t workspace::release() noexcept {
  cudaError_t error = cudaSuccess;
  if (memory_) error = own_status(cudaFreeAsync(memory_, stream_));
  memory_ = nullptr;
  size_ = 0;
  tagged_size_ = 0;
  return error;
}

}  // namespace grid
TESSERA_NAMESPACE_END
