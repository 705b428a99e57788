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
  /// Buffers of up to small_bytes share a warp's instructions. Those of up to large_bytes have a warp each. All warps
  /// share longer ones, in chunks of chunk_bytes.
  static constexpr std::int64_t small_bytes = 1024;
  static constexpr std::int64_t large_bytes = 16384;
  static constexpr std::int64_t chunk_bytes = 8192;
  /// The number of buffers of a group, which has one entry in the list of long buffers.
  static constexpr std::int64_t group = 32;
};

/// The workspace's data: an entry of 8 bytes for each group of buffers.
constexpr std::size_t copy_list_bytes(std::int64_t buffers) {
  return static_cast<std::size_t>((buffers + copy_tuning::group - 1) / copy_tuning::group) * sizeof(std::uint64_t);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
