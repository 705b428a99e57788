// The pooled workspace of one call: the caller's, or else one from the stream's memory pool, freed in the stream's order
// when the call ends.
#pragma once

#include <tessera/config.hpp>

#include <tessera/grid/workspace.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// pooled_workspace const scratch(given, bytes, stream);
/// if (scratch.error() != cudaSuccess) return scratch.error();
/// return launch<kernel>({blocks, threads}, stream, scratch.data(), scratch.counters());
class pooled_workspace {
 public:
  pooled_workspace(workspace* given, std::size_t bytes, cudaStream_t stream,
                   std::size_t tagged_words = 0) noexcept
      : used_(given ? *given : own_),
        error_(given ? given->reserve(bytes, stream, tagged_words)
                     : own_.allocate(bytes, stream, tagged_words)) {}
  pooled_workspace(pooled_workspace const&) = delete;
  pooled_workspace& operator=(pooled_workspace const&) = delete;

  cudaError_t error() const noexcept { return error_; }
  void* data() const noexcept { return used_.data(); }
  unsigned* counters() const noexcept { return used_.counters(); }
  std::uint64_t* slot_words() const noexcept { return used_.slot_words(); }
  std::uint64_t* tagged() const noexcept { return used_.tagged(); }
  std::size_t tagged_size() const noexcept { return used_.tagged_size(); }

 private:
  workspace own_;
  workspace& used_;
  cudaError_t error_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
