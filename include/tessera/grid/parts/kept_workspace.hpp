// Workspaces that the library keeps for calls without one, so that these need no allocation and no memset of their own.
//
// A stream's calls run one after the other, and each leaves a workspace's counters 0. So all of a stream's calls can
// share one, as they can share one of the caller's. CUDA numbers streams, and no number comes back: what a destroyed
// stream had is never given to another, and never freed, since nothing tells that its last kernel has ended. That is
// why there is a limit of streams, and one of bytes for each.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The workspace that the library keeps for a stream, lent to one call until it has launched its last kernel. Null if
/// that needs more than workspace::kept_bytes, if another thread's call has it, if the stream is captured, if
/// workspace::kept_streams others have one, or if the memory would have to come from the caller's pool. `stream`
/// isn't nullptr where that is another stream in another file: see named().
[[nodiscard]] TESSERA_API workspace* borrow_workspace(cudaStream_t stream, std::size_t bytes,
                                                      std::size_t tagged_words) noexcept;
/// Ends the loan.
TESSERA_API void return_workspace(workspace* lent) noexcept;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
