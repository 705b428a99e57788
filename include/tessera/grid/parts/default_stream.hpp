// The stream that a caller means by nullptr.
//
// By nullptr, CUDA's functions mean the legacy default stream or, in a file that is compiled with --default-stream
// per-thread or CUDA_API_PER_THREAD_DEFAULT_STREAM, the thread's own. The library is compiled apart from its callers'
// files. So what is inlined into those names the thread's stream before it calls the library.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/execution.hpp>

#include <cuda_runtime_api.h>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// `stream` under a name that means the same stream in every file.
inline cudaStream_t named(cudaStream_t stream) noexcept {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  if (stream == nullptr) return cudaStreamPerThread;
#endif
  return stream;
}
inline execution named(execution on) noexcept {
  on.stream = detail::named(on.stream);
  return on;
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
