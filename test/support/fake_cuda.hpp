// A CUDA whose calls fail as they are told, and that launches nothing, so that no GPU is needed. The linker gives the library's calls
// to the functions below (`--wrap` in meson.build). Included by one file of a program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

struct fake_cuda {
  cudaError_t last = cudaSuccess;  // what cudaGetLastError gives
  int calls = 0, failing = 0;      // the call with this number fails, from 1 on
  cudaError_t failure = cudaErrorUnknown;
  std::string failed;             // its name
  int shared_bytes = 227 * 1024;  // that a block can have
  int multiprocessors = 132;
  int launches = 0, allocations = 0;
  unsigned blocks = 0;             // of the last kernel
  int allocated = 0;               // allocations, whether or not they are free again
  std::string after_failure;       // the name of the call after that one
  int device = 0;                  // the current one
  int waits = 0;                   // calls that wait for the device, or for a stream
  unsigned long long context = 1;  // the number of the device's context
  bool has_pools = true, caller_has_pool = false, is_captured = false;
  bool has_memory = true;          // else memsets write nothing: workspaces may be anywhere
  bool numbers_streams = false;    // else the library keeps no workspaces for streams
  std::map<void*, int> devices;    // of allocations
  std::set<cudaStream_t> streams;  // that something was done in
  std::string allocated_by;        // the last function that did
  int freed_from_another_device = 0;
  bool leaves_counters =
      false;  // a launched kernel leaves something in the workspace's counters, which the next clears

  cudaError_t call(char const* name);
  /// A call that asks for so much shared memory of a block.
  cudaError_t call_with(std::size_t bytes, char const* name);
};
inline fake_cuda fake;

/// Limits of dynamic shared memory, as they are after cudaFuncSetAttribute: in all calls of the program, of any thread.
struct fake_limits {
  std::mutex guard;
  std::map<void const*, int> of_kernel;
  int lowered = 0;                                  // how often a limit became lower
  std::function<void()> before_set, before_launch;  // called without the lock
};
inline fake_limits limits;

/// A thread other than the test's has a last error of its own.
inline std::thread::id const of_the_test = std::this_thread::get_id();
inline cudaError_t& last_error() {
  static thread_local cudaError_t own = cudaSuccess;
  return std::this_thread::get_id() == of_the_test ? fake.last : own;
}
inline std::mutex call_guard;  // Threads count their calls together.
inline cudaError_t fake_cuda::call(char const* name) {
  std::lock_guard<std::mutex> const lock(call_guard);
  if (!failed.empty() && after_failure.empty()) after_failure = name;
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
  *device = fake.device;
  return fake.call("cudaGetDevice");
}
cudaError_t __wrap_cudaSetDevice(int device) {
  cudaError_t const error = fake.call("cudaSetDevice");
  if (error == cudaSuccess) fake.device = device;
  return error;
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
  *value = attribute == cudaDevAttrMultiProcessorCount            ? fake.multiprocessors
           : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? fake.shared_bytes
           : attribute == cudaDevAttrMemoryPoolsSupported         ? fake.has_pools
                                                                  : 0;
  return fake.call("cudaDeviceGetAttribute");
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*) {
  *attributes = {};
  attributes->ptxVersion = 90;
  return fake.call("cudaFuncGetAttributes");
}
cudaError_t __wrap_cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value) {
  bool const is_size = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (is_size) {
    if (limits.before_set) limits.before_set();
    std::lock_guard<std::mutex> const lock(limits.guard);
    int& limit = limits.of_kernel[kernel];
    if (value < limit) ++limits.lowered;
    limit = value;
  }
  return fake.call_with(is_size ? static_cast<std::size_t>(value) : 0, "cudaFuncSetAttribute");
}
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = fake.is_captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return fake.call("cudaStreamIsCapturing");
}
cudaError_t __wrap_cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (!fake.numbers_streams) return cudaErrorNotSupported;
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return fake.call("cudaStreamGetId");
}

// Memory, and the pools that it comes from.
static cudaError_t fake_allocate(char const* name, void** memory, std::size_t bytes) {
  cudaError_t const error = fake.call(name);
  if (error != cudaSuccess) return error;
  *memory = std::malloc(bytes);
  fake.devices[*memory] = fake.device;
  fake.allocated_by = name;
  ++fake.allocations;
  ++fake.allocated;
  return cudaSuccess;
}
static cudaError_t fake_free(char const* name, void* memory) {
  if (fake.devices[memory] != fake.device) ++fake.freed_from_another_device;
  fake.devices.erase(memory);
  std::free(memory);
  --fake.allocations;
  return fake.call(name);
}
static char fake_own_pool, fake_first_pool, fake_pool_of_caller;
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  fake.streams.insert(stream);
  return fake_allocate("cudaMallocAsync", memory, bytes);
}
cudaError_t __wrap_cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  fake.streams.insert(stream);
  return fake_allocate("cudaMallocFromPoolAsync", memory, bytes);
}
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  return fake_allocate("cudaMalloc", memory, bytes);
}
cudaError_t __wrap_cudaFree(void* memory) {
  return fake_free("cudaFree", memory);
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  fake.streams.insert(stream);
  return fake_free("cudaFreeAsync", memory);
}
cudaError_t __wrap_cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  *pool = reinterpret_cast<cudaMemPool_t>(&fake_own_pool);
  return fake.call("cudaMemPoolCreate");
}
cudaError_t __wrap_cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return fake.call("cudaMemPoolSetAttribute");
}
cudaError_t __wrap_cudaMemPoolDestroy(cudaMemPool_t) {
  return fake.call("cudaMemPoolDestroy");
}
cudaError_t __wrap_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return fake.call("cudaThreadExchangeStreamCaptureMode");
}
cudaError_t __wrap_cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(&fake_first_pool);
  return fake.call("cudaDeviceGetDefaultMemPool");
}
cudaError_t __wrap_cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(fake.caller_has_pool ? &fake_pool_of_caller : &fake_first_pool);
  return fake.call("cudaDeviceGetMemPool");
}
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  fake.streams.insert(stream);
  cudaError_t const error = fake.call("cudaMemsetAsync");
  if (error == cudaSuccess && fake.has_memory) std::memset(memory, value, bytes);
  return error;
}
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t) {
  ++fake.waits;
  return fake.call("cudaStreamSynchronize");
}
cudaError_t __wrap_cudaDeviceSynchronize() {
  ++fake.waits;
  return fake.call("cudaDeviceSynchronize");
}

// Of the driver there is what numbers contexts.
static int fake_context_id(void*, unsigned long long* id) {
  *id = fake.context;
  return 0;
}
static cudaError_t fake_entry_point(char const* name, void** entry, cudaDriverEntryPointQueryResult* found) {
  bool const exists = std::strcmp(name, "cuCtxGetId") == 0;
  *entry = exists ? reinterpret_cast<void*>(&fake_context_id) : nullptr;
  *found = exists ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t __wrap_cudaGetDriverEntryPoint(char const* name, void** entry, unsigned long long,
                                           cudaDriverEntryPointQueryResult* found) {
  return fake_entry_point(name, entry, found);
}
cudaError_t __wrap_cudaGetDriverEntryPointByVersion(char const* name, void** entry, unsigned, unsigned long long,
                                                    cudaDriverEntryPointQueryResult* found) {
  return fake_entry_point(name, entry, found);
}

static cudaError_t fake_launch(cudaStream_t stream) {
  ++fake.launches;
  fake.streams.insert(stream);
  if (fake.leaves_counters) {
    for (auto const& [memory, device] : fake.devices) *static_cast<unsigned*>(memory) = 1;
  }
  return cudaSuccess;
}
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* kernel, void**) {
  if (limits.before_launch) limits.before_launch();
  cudaError_t const error = fake.call_with(config->dynamicSmemBytes, "cudaLaunchKernelExC");
  if (error != cudaSuccess) return error;
  {
    std::lock_guard<std::mutex> const lock(limits.guard);
    int const limit = limits.of_kernel.count(kernel) ? limits.of_kernel[kernel] : 48 * 1024;
    if (config->dynamicSmemBytes > static_cast<std::size_t>(limit)) return last_error() = cudaErrorInvalidValue;
  }
  fake.blocks = config->gridDim.x;
  return fake_launch(config->stream);
}
// What kernel<<<…>>> becomes, in CUB: before CUDA 13 and since.
cudaError_t __wrap_cudaLaunchKernel(void const*, dim3, dim3, void**, std::size_t, cudaStream_t stream) {
  cudaError_t const error = fake.call("cudaLaunchKernel");
  return error != cudaSuccess ? error : fake_launch(stream);
}
cudaError_t __wrap___cudaLaunchKernel(void*, dim3, dim3, void**, std::size_t, cudaStream_t stream) {
  cudaError_t const error = fake.call("cudaLaunchKernel");
  return error != cudaSuccess ? error : fake_launch(stream);
}
cudaError_t __wrap_cudaMemcpyAsync(void*, void const*, std::size_t, cudaMemcpyKind, cudaStream_t stream) {
  fake.streams.insert(stream);
  return fake.call("cudaMemcpyAsync");
}
cudaError_t __wrap_cudaMemcpy2DAsync(void*, std::size_t, void const*, std::size_t, std::size_t, std::size_t,
                                     cudaMemcpyKind, cudaStream_t stream) {
  fake.streams.insert(stream);
  return fake.call("cudaMemcpy2DAsync");
}
cudaError_t __wrap_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const*, int, std::size_t,
                                                                          unsigned) {
  *blocks = 2;
  return fake.call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
}
}

/// What a launcher does without: it goes on where these fail.
inline bool may_fail(std::string const& name) {
  return name == "cudaFreeAsync" || name == "cudaStreamIsCapturing" || name == "cudaStreamGetId" ||
         name == "cudaDeviceGetMemPool" || name == "cudaDeviceGetDefaultMemPool" || name == "cudaMemPoolCreate" ||
         name == "cudaMemPoolSetAttribute" || name == "cudaThreadExchangeStreamCaptureMode";
}

/// An array that nobody reads.
template <class T>
T* somewhere(std::uintptr_t at) {
  return reinterpret_cast<T*>(at << 40);
}
