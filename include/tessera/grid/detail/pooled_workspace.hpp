// A launcher's workspace for one call: the caller's, or one of its own that ends, in the stream's order, with the call.
#pragma once

#include <tessera/grid/workspace.hpp>

namespace tessera::grid::detail {

/// pooled_workspace memory(given, bytes, stream);
/// if (memory.error() != cudaSuccess) return memory.error();
/// return launch(kernel, {blocks, threads}, stream, memory.data(), memory.counters());
class pooled_workspace {
 public:
  pooled_workspace(workspace* given, std::size_t bytes, cudaStream_t stream) noexcept
      : used_(given ? *given : own_),
        error_(given ? given->reserve(bytes, stream) : own_.allocate(bytes, stream)) {}
  pooled_workspace(pooled_workspace const&) = delete;
  pooled_workspace& operator=(pooled_workspace const&) = delete;

  cudaError_t error() const noexcept { return error_; }
  void* data() const noexcept { return used_.data(); }
  unsigned* counters() const noexcept { return used_.counters(); }
  std::uint64_t* slots() const noexcept { return used_.slots(); }

 private:
  workspace own_;
  workspace& used_;
  cudaError_t error_;
};

}  // namespace tessera::grid::detail
