// The library's access to the memory of a workspace, which users need not know.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct workspace_memory {
  /// Null before the first `reserve`, as the other pointers.
  static unsigned* counters(workspace const& of) noexcept { return of.counters(); }
  static std::uint64_t* slot_words(workspace const& of) noexcept { return of.slot_words(); }
  static std::uint64_t* tagged(workspace const& of) noexcept { return of.tagged(); }
  static std::size_t tagged_size(workspace const& of) noexcept { return of.tagged_size(); }
  static bool has(workspace const& of, std::size_t bytes, std::size_t tagged_words) noexcept {
    return of.has(bytes, tagged_words);
  }
  static cudaError_t allocate(workspace& of, std::size_t bytes, cudaStream_t stream, std::size_t tagged_words,
                              bool clears) noexcept {
    return of.allocate(bytes, stream, tagged_words, clears);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
