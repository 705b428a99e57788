// The numbers of grid::copy_batches.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
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
  /// The buffers of an entry of the list of long ones.
  static constexpr std::int64_t group = 32;
};

/// The workspace's data: an entry of 8 bytes for each group of buffers.
constexpr std::size_t copy_list_bytes(std::int64_t buffers) {
  return static_cast<std::size_t>((buffers + copy_tuning::group - 1) / copy_tuning::group) * sizeof(std::uint64_t);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
