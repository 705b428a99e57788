// The numbers of grid reductions that were chosen by measuring.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernels and how an array is cut among blocks. What else was measured is in benchmark/tuning.md.
struct reduce_tuning {
  /// The size of a block. A multiprocessor holds two such blocks with up to 64 registers for each thread.
  static constexpr unsigned threads = 512;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// The most bytes of elements that a lane computes at a time by an iterator that reads one at a time.
  static constexpr unsigned bytes_of_readers = 64;
  /// The most blocks that run at once: more than any GPU has room for, and few enough for a workspace's slots.
  static constexpr unsigned most_resident_blocks = 496;
  /// The bytes of loads that a lane has outstanding. Agents have fewer if results need many registers.
  static constexpr unsigned bytes = 128;
  /// The bytes of elements that are worth a block of their own.
  static constexpr std::int64_t bytes_per_block = 16384;
  /// Larger arrays that begin with a line are loaded with load_streaming.
  static constexpr std::int64_t cached_bytes = 32 << 20;
  /// From so many bytes on, argmin and argmax of elements of up to 32 bits are packed, with so many steps for a block.
  static constexpr std::int64_t packed_argmin_bytes = 16 << 20;
  static constexpr std::int64_t packed_argmin_steps = 2;
  /// The number of multiprocessors that order::any_device assumes: those of an H200.
  static constexpr int multiprocessors = 132;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
