// The numbers of grid::copy_batches.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/memory_ops.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernel. Not measured yet. With more blocks, or more vectors of short buffers in flight, registers
/// would spill.
struct copy_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 3;
  /// The most bytes of a buffer that shares a warp's instructions with others, and of one that a warp copies alone; all
  /// warps share longer ones, in chunks of so many bytes.
  static constexpr std::int64_t small_bytes = 1024;
  static constexpr std::int64_t large_bytes = 16384;
  static constexpr std::int64_t chunk_bytes = 16384;
  /// The most buffers that are shared. Where there are more, each warp has enough of its own.
  static constexpr unsigned most_shared = 4096;
  /// The polls of a warp that waits until all blocks have listed their long buffers: some hundred microseconds. Host
  /// blocks wait in vain, since they run one after the other.
  static constexpr unsigned most_polls = blocks_take_turns ? 1 : 512;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
