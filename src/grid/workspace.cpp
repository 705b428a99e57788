#include <tessera/grid/workspace.hpp>

#include <utility>

namespace tessera::grid {

namespace {

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
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
  cudaError_t error = cudaMallocAsync(&larger, zero_bytes + bytes, stream);
  if (error == cudaSuccess) {
    error = cudaMemsetAsync(larger, 0, zero_bytes, stream);
    if (error != cudaSuccess) (void)cudaFreeAsync(larger, stream);
  }
  if (error != cudaSuccess) {
    (void)cudaGetLastError();  // it is returned, and no later call's
    return error;
  }
  stream_ = stream;
  if (memory_) (void)cudaFreeAsync(memory_, stream);
  memory_ = larger;
  size_ = bytes;
  return cudaSuccess;
}

cudaError_t workspace::release() noexcept {
  cudaError_t error = cudaSuccess;
  if (memory_) error = cudaFreeAsync(memory_, stream_);
  memory_ = nullptr;
  size_ = 0;
  return error;
}

}  // namespace tessera::grid
