// Memory of a device, in the order of a stream: a part of workspace.cpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/cuda_status.hpp>
#include <tessera/grid/parts/driver_function.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline constexpr std::uint64_t most_kept_bytes = std::uint64_t{64} << 20;

/// A number that no other context has or had: after cudaDeviceReset a device's context is another one. 0 if there is
/// none.
inline unsigned long long current_context() {
  using get_id_t = int (*)(void*, unsigned long long*);
  static auto const get_id = reinterpret_cast<get_id_t>(driver_function("cuCtxGetId"));
  unsigned long long id = 0;
  return get_id != nullptr && get_id(nullptr, &id) == 0 ? id : 0;
}

inline cudaMemPool_t make_keeping_pool(int device) {
  cudaMemPoolProps what{};
  what.allocType = cudaMemAllocationTypePinned;
  what.location.type = cudaMemLocationTypeDevice;
  what.location.id = device;
  cudaMemPool_t pool = nullptr;
  if (own_status(cudaMemPoolCreate(&pool, &what)) != cudaSuccess) return nullptr;
  std::uint64_t most = most_kept_bytes;
  if (own_status(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most)) == cudaSuccess) return pool;
  (void)own_status(cudaMemPoolDestroy(pool));
  return nullptr;
}
inline cudaMemPool_t make_pool(int device) {
  // While another thread captures, calls that it forbids this one are allowed here: they are none of the graph's.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  bool const is_relaxed = own_status(cudaThreadExchangeStreamCaptureMode(&mode)) == cudaSuccess;
  cudaMemPool_t const pool = make_keeping_pool(device);
  if (is_relaxed) (void)own_status(cudaThreadExchangeStreamCaptureMode(&mode));
  return pool;
}

/// The library's pool in the current context, made at the first call there; null if there can be none. A pool of a
/// context that is gone is gone, too.
inline cudaMemPool_t pool_of(int device) {
  struct owned {
    unsigned long long context;
    cudaMemPool_t pool;
  };
  constexpr unsigned most_contexts = 64;
  static owned pools[most_contexts];
  static unsigned known = 0;
  static std::mutex one_at_a_time;
  unsigned long long const context = current_context();
  if (context == 0) return nullptr;
  std::lock_guard<std::mutex> const lock(one_at_a_time);
  unsigned i = 0;
  while (i < known && pools[i].context != context) ++i;
  if (i == most_contexts) return nullptr;
  if (i == known) pools[known++] = {context, make_pool(device)};
  return pools[i].pool;
}

inline bool has_pool_of_caller(int device) {
  cudaMemPool_t current = nullptr, first = nullptr;
  return own_status(cudaDeviceGetMemPool(&current, device)) != cudaSuccess ||
         own_status(cudaDeviceGetDefaultMemPool(&first, device)) != cudaSuccess || current != first;
}

/// Allocates memory on `device`, the current one, in the order of `stream`.
///
/// is_captured  whether `stream` is captured: then the memory is the graph's.
/// is_pooled    is set: whether cudaFreeAsync frees the memory, or else, on a device without memory pools, cudaFree.
///
/// The memory comes from the pool that the caller has given the device by cudaDeviceSetMemPool, if there is one. Else
/// it comes from a pool of the library's, which keeps up to 64 MiB of what is free. The device's own pool gives
/// everything back at each synchronization, so that the next call maps it anew: a scan of 2^17 floats without a
/// workspace and a synchronization take 133 µs by that on an H100, 19.5 µs where the pool keeps its memory, and 12.7
/// µs with a workspace.
inline cudaError_t allocate_on(int device, std::size_t bytes, cudaStream_t stream, bool is_captured, void*& memory,
                               bool& is_pooled) noexcept {
  int has_pools = 0;
  cudaError_t const error = own_status(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device));
  if (error != cudaSuccess) return error;
  is_pooled = has_pools != 0;
  if (!is_pooled) return is_captured ? cudaErrorStreamCaptureUnsupported : own_status(cudaMalloc(&memory, bytes));
  cudaMemPool_t const pool = is_captured || has_pool_of_caller(device) ? nullptr : pool_of(device);
  return own_status(pool != nullptr ? cudaMallocFromPoolAsync(&memory, bytes, pool, stream)
                                    : cudaMallocAsync(&memory, bytes, stream));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
