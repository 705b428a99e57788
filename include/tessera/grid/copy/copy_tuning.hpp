// The numbers of grid::copy_batches.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernels.
struct copy_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 3;
  /// The most bytes of a buffer that shares a warp's instructions with others, and of one that a warp copies alone; all
  /// warps share longer ones, in chunks of so many bytes.
  static constexpr std::int64_t small_bytes = 1024;
  static constexpr std::int64_t large_bytes = 16384;
  static constexpr std::int64_t chunk_bytes = 8192;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
