#include <tessera/grid/detail/cuda_status.hpp>
#include <tessera/grid/workspace.hpp>

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
  std::swap(stream_, other.stream_);
}

cudaError_t workspace::reserve(std::size_t bytes, cudaStream_t stream) noexcept {
  if (memory_ && bytes <= size_) {
    stream_ = stream;
    return cudaSuccess;
  }
  return is_captured(stream) ? cudaErrorStreamCaptureUnsupported : allocate(bytes, stream);
}

cudaError_t workspace::allocate(std::size_t bytes, cudaStream_t stream) noexcept {
  void* larger = nullptr;
  cudaError_t error = own_status(cudaMallocAsync(&larger, zero_bytes + bytes, stream));
  if (error == cudaSuccess) {
    error = own_status(cudaMemsetAsync(larger, 0, zero_bytes, stream));
    if (error != cudaSuccess) (void)own_status(cudaFreeAsync(larger, stream));
  }
  if (error != cudaSuccess) return error;
  stream_ = stream;
  if (memory_) (void)own_status(cudaFreeAsync(memory_, stream));
  memory_ = larger;
  size_ = bytes;
  return cudaSuccess;
}

cudaError_t workspace::release() noexcept {
  cudaError_t error = cudaSuccess;
  if (memory_) error = own_status(cudaFreeAsync(memory_, stream_));
  memory_ = nullptr;
  size_ = 0;
  return error;
}

}  // namespace grid
TESSERA_NAMESPACE_END
