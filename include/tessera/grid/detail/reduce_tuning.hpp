// The numbers of grid reductions that were chosen by measuring.
#pragma once

#include <tessera/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// On an H200, a sum of floats, in µs per call: 16 calls in a row, or one call after a read of something else for 2^28. Loads
/// are streaming unless a line says default:
///
///   threads, blocks per multiprocessor, bytes  2^22    2^24    2^26    2^28    2^28, off by one
///   512, 2, 128                                 6.8    18.6    61.5   233.5   239.6
///   512, 4, 64                                  6.8    19.0    62.0   233.6   239.7
///   …, default                                  5.8    19.7    62.5   234.0   235.4
///   512, 3, 64                                  7.2    18.8    61.7   234.1   239.9
///   1024, 2, 64                                 6.6    18.9    61.7   233.7   241.9
///   256, 4, 128                                 6.8    19.9    62.9   234.7   240.2
///   …, default                                  5.5    20.4    63.5   234.5   235.8
///   256, 6, 64                                  8.5    20.0    63.8   236.7   250.9
///   512, 2, 128, in 4 to 16 times as many blocks as fit     18.4    63.3   235.9   236.6
///   reading alone, the best of four ways        4.1    17.1    60.9   231.2
///
/// The tail has pieces of these numbers of steps, one of each size for each resident block. 2^28, on two GPUs on which
/// reading alone takes 231.1 / 235.0:
///
///   none 233.6 / 238.3; two of 3 233.2 / 237.8; 1 233.9; 2, 1 234.0; 4, 2, 1 233.1 / 237.8; 8 … 1 233.7; 16 … 1 233.6
///
/// The same if a step has two parts, one visited while the loads of the other are outstanding: no tail – / 240.0; 4, 2, 1
/// – / 237.5; argmax, which has no tail, 236.0 / 241.7 instead of 238.2 / 243.6. One `reduce` in the code for both a block's
/// lanes and all blocks, instead of two: – / 237.1 instead of 237.7, and at 2^24 19.1 instead of 18.9.
///
/// Argmax by persistent blocks, without a tail, of 2^20, 2^24 and 2^28, where reading alone takes 235.0: 6.0, 23.0, 242.1 if
/// each lane looks which element is better than its own best; 5.7, 20.3, 240.0 if lanes know their warp's best; 5.2, 20.1,
/// 239.1 with partials through slots, all words of one loaded at once (6.1, 21.1, 240.3 if one after the other); 4.9, 19.7,
/// 238.9 with the warp's best by `redux`. These were tried besides, for 2^28, not all from the same base:
///
///   a tail of 4, 2, 1 steps 240.3; of 1 step 239.5; a tail whose blocks first look what others have found 240.6
///   the warps of a block take 4 KiB at a time in turn 238.4; blocks take 128 KiB in turn, too, 0.5 less
///   values and indices by selections without a branch, five instructions for each element 258
///
/// Packed argmin (packed_argmin_agent.hpp) instead, for random / rising / equal values, where reading alone takes 235.1:
///
///                                         2^24                  2^26                  2^28
///   persistent blocks, as above    20.8 / 21.9 / 20.7    65.2 / 66.9 / 65.4    239.1 / 241.8 / 239.1
///   1 step for each block          19.7 / 20.9 / 20.3    64.3 / 68.4 / 64.9    236.5 / 256.6 / 237.2
///   2 steps in a row               19.6 / 20.2 / 19.8    63.6 / 65.0 / 63.6    236.5 / 237.6 / 236.6
///   4                              20.5 / 20.7 / 20.3    64.1 / 65.1 / 64.0    237.5 / 238.3 / 237.8
///   8                              22.3 / 23.8 / 22.3    64.9 / 65.6 / 64.5    238.2 / 239.2 / 237.5
///   1 step of 64 bytes for a lane                                              238.6 / 281.3 / 239.1
///   values packed with their index from the start, 4 steps                     238.8
///   every warp loads the packed best, not one warp                             296
///
/// In another run of the same program, 1 step and 2 steps took 238.5 for 2^28. Persistent blocks / 1 step / 2 steps took, for
/// 2^20, 7.2 / 6.6 / 7.6; for 2^22, 10.4 / 9.3 / 10.4; for 2^23, 13.9 / 13.1 / 12.8; and 5.0 / 4.8 / 5.7, 7.0 / 6.0 / 6.8,
/// 8.7 / 8.7 / 8.2 if the cache holds the array. Sums in the same way, with a partial of each such block in memory that the
/// last block adds up, took 237.4 to 239.6 for 2^28, instead of 237.6 with 1024 threads and 244 with 512.
///
/// With at least 8, 16, 32, 64 KiB for each block: 4.2, 3.7, 3.8, 3.8 at 2^20 (50 in a row; an empty kernel takes 3.5).
struct reduce_tuning {
  /// The size of a block. A multiprocessor holds two such blocks with up to 64 registers for each thread.
  static constexpr unsigned threads = 512;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// At most so many blocks run at once: there are eight slots for each, for its own partial and those of the tail.
  static constexpr unsigned most_resident_blocks = 496;
  /// How many bytes of loads a lane has outstanding. Agents have fewer if results need many registers.
  static constexpr unsigned bytes = 128;
  /// How many sizes the tail's pieces have: each is twice the next one. The smallest have one step for every
  /// `steps_per_tail_unit` steps of a resident block.
  static constexpr unsigned tail_sizes = 3;
  static constexpr std::int64_t steps_per_tail_unit = 48;
  static constexpr unsigned most_blocks = most_resident_blocks * (1 + tail_sizes);
  /// So many bytes of elements are worth a block of their own.
  static constexpr std::int64_t bytes_per_block = 16384;
  /// Larger arrays that begin with a line are loaded with load_streaming.
  static constexpr std::int64_t cached_bytes = 32 << 20;
  /// From so many bytes on, argmin and argmax of elements of up to 32 bits are packed, with so many steps for a block.
  static constexpr std::int64_t packed_argmin_bytes = 16 << 20;
  static constexpr std::int64_t packed_argmin_steps = 2;
  /// How many multiprocessors order::any_device assumes: those of an H200.
  static constexpr int multiprocessors = 132;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
