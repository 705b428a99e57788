// The workspace of one call: the caller's, or else the one that the library keeps for the stream, or else one from a
// memory pool, which is freed in the stream's order when the call ends.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/execution.hpp>

#include <tessera/grid/parts/cuda_status.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/kept_workspace.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/parts/workspace_memory.hpp>
#include <tessera/grid/workspace.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// pooled_workspace const scratch(on, bytes);
/// if (scratch.error() != cudaSuccess) return scratch.error();
/// return launch<kernel>({blocks, threads}, on.stream, scratch.data(), scratch.counters());
///
/// uses_counters   whether the call uses the counters, slots or tagged words
class pooled_workspace {
 public:
  pooled_workspace(execution on, std::size_t bytes, std::size_t tagged_words = 0, bool uses_counters = true) noexcept
      : stream_(detail::named(on.stream)),
        kept_(on.memory ? nullptr : detail::borrow_workspace(stream_, bytes, tagged_words)),
        used_(on.memory ? *on.memory
              : kept_   ? *kept_
                        : own_),
        error_(on.memory || kept_ ? used_.reserve(bytes, stream_, tagged_words)
                                  : workspace_memory::allocate(own_, bytes, stream_, tagged_words, uses_counters)) {}
  pooled_workspace(pooled_workspace const&) = delete;
  pooled_workspace& operator=(pooled_workspace const&) = delete;
  ~pooled_workspace() {
    if (kept_ != nullptr) detail::return_workspace(kept_);
  }

  cudaError_t error() const noexcept { return error_; }
  /// The execution of a call inside this one, in the same workspace. This call has reserved all memory and tagged words
  /// that the inner call takes. The inner call's memory begins at data(); this call's own arrays are at the end. If the
  /// workspace is the caller's and the call is captured, each inner call lays it out anew, so that data() may move
  /// towards the start.
  execution inside() const noexcept { return {stream_, used_}; }
  void* data() const noexcept { return used_.data(); }
  /// The array after the `bytes` bytes that the calls inside take.
  template <class T>
  T* array_after(std::size_t bytes) const noexcept {
    return reinterpret_cast<T*>(static_cast<char*>(used_.data()) + detail::on_lines(bytes));
  }
  unsigned* counters() const noexcept { return workspace_memory::counters(used_); }
  std::uint64_t* slot_words() const noexcept { return workspace_memory::slot_words(used_); }
  std::uint64_t* tagged() const noexcept { return workspace_memory::tagged(used_); }
  std::size_t tagged_size() const noexcept { return workspace_memory::tagged_size(used_); }

  /// Returns the status of a launch to which the kernel before left counters or slots. If it failed, nobody else makes
  /// them 0, and so they are cleared here.
  cudaError_t clear_after(cudaError_t status) const noexcept {
    if (status == cudaSuccess) return status;
    cudaError_t const cleared =
        detail::own_status(cudaMemsetAsync(workspace_memory::counters(used_), 0, workspace::zero_bytes, stream_));
    if (cleared != cudaSuccess) (void)used_.release();
    return status;
  }

 private:
  workspace own_;
  cudaStream_t stream_;
  workspace* kept_;
  workspace& used_;
  cudaError_t error_;
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
