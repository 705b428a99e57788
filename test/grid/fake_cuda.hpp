// A CUDA whose calls fail as they are told, and that launches nothing, so that no GPU is needed. The linker gives the library's calls
// to the functions below (`--wrap` in meson.build). Included by one file of a program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

struct fake_cuda {
  cudaError_t last = cudaSuccess;  // what cudaGetLastError gives
  int calls = 0, failing = 0;      // the call with this number fails, from 1 on
  cudaError_t failure = cudaErrorUnknown;
  std::string failed;             // its name
  int shared_bytes = 227 * 1024;  // that a block can have
  int launches = 0, allocations = 0;
  int allocated = 0;  // allocations, whether or not they are free again

  cudaError_t call(char const* name);
  /// A call that asks for so much shared memory of a block.
  cudaError_t call_with(std::size_t bytes, char const* name);
};
inline fake_cuda fake;

/// A thread other than the test's has a last error of its own.
inline std::thread::id const of_the_test = std::this_thread::get_id();
inline cudaError_t& last_error() {
  static thread_local cudaError_t own = cudaSuccess;
  return std::this_thread::get_id() == of_the_test ? fake.last : own;
}
inline cudaError_t fake_cuda::call(char const* name) {
  if (++calls != failing) return cudaSuccess;
  failed = name;
  return last_error() = failure;
}
inline cudaError_t fake_cuda::call_with(std::size_t bytes, char const* name) {
  cudaError_t const error = call(name);
  if (error != cudaSuccess || bytes <= static_cast<std::size_t>(shared_bytes)) return error;
  return last_error() = cudaErrorInvalidValue;
}

extern "C" {
cudaError_t __wrap_cudaPeekAtLastError() {
  return last_error();
}
cudaError_t __wrap_cudaGetLastError() {
  cudaError_t const last = last_error();
  last_error() = cudaSuccess;
  return last;
}
cudaError_t __wrap_cudaGetDeviceCount(int* count) {
  *count = 1;
  return fake.call("cudaGetDeviceCount");
}
cudaError_t __wrap_cudaGetDevice(int* device) {
  *device = 0;
  return fake.call("cudaGetDevice");
}
cudaError_t __wrap_cudaSetDevice(int) {
  return fake.call("cudaSetDevice");
}
cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  properties->major = 9;
  return fake.call("cudaGetDeviceProperties");
}
cudaError_t __wrap_cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return __wrap_cudaGetDeviceProperties(properties, device);
}
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount            ? 132
           : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? fake.shared_bytes
                                                                  : 0;
  return fake.call("cudaDeviceGetAttribute");
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*) {
  *attributes = {};
  attributes->ptxVersion = 90;
  return fake.call("cudaFuncGetAttributes");
}
cudaError_t __wrap_cudaFuncSetAttribute(void const*, cudaFuncAttribute attribute, int value) {
  bool const is_size = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
  return fake.call_with(is_size ? static_cast<std::size_t>(value) : 0, "cudaFuncSetAttribute");
}
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return fake.call("cudaStreamIsCapturing");
}
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  cudaError_t const error = fake.call("cudaMallocAsync");
  if (error != cudaSuccess) return error;
  *memory = std::malloc(bytes);
  ++fake.allocations;
  ++fake.allocated;
  return cudaSuccess;
}
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  cudaError_t const error = fake.call("cudaMemsetAsync");
  if (error == cudaSuccess) std::memset(memory, value, bytes);
  return error;
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t) {
  std::free(memory);
  --fake.allocations;
  return fake.call("cudaFreeAsync");
}
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const*, void**) {
  ++fake.launches;
  return fake.call_with(config->dynamicSmemBytes, "cudaLaunchKernelExC");
}
// What kernel<<<…>>> becomes, in CUB: before CUDA 13 and since.
cudaError_t __wrap_cudaLaunchKernel(void const*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  ++fake.launches;
  return fake.call("cudaLaunchKernel");
}
cudaError_t __wrap___cudaLaunchKernel(void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  ++fake.launches;
  return fake.call("cudaLaunchKernel");
}
cudaError_t __wrap_cudaMemcpyAsync(void*, void const*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return fake.call("cudaMemcpyAsync");
}
cudaError_t __wrap_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const*, int,
                                                                          std::size_t, unsigned) {
  *blocks = 2;
  return fake.call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
}
}

/// An array that nobody reads.
template <class T>
T* somewhere(std::uintptr_t at) {
  return reinterpret_cast<T*>(at << 40);
}
