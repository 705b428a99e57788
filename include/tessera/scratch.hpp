// scratch: shared memory of the caller's, through which tiles of several warps exchange.
//
//   __shared__ tessera::scratch<float, 256> scratch;                                   // a kernel of up to 256 threads
//   float const sum = tessera::reduce(tile, x, tessera::plus{}, tessera::shared(scratch));
//
// Without it, the library declares 32 · sizeof(T) bytes for each type and tile size (64 for movement, which then goes in 32
// rounds). With it, a reduction or scan is done by one warp, which takes the others less time, and movement goes in one round. It
// needs no initialization. It is for tiles of one size, all of a block; calls of any type may follow each other without a
// barrier of the caller's. Threads is at least the number of the block's threads, and at least the tile's size, also for a
// padded tile of a smaller block: less is an error at compile time where the tile's size says so, else one that host tiles and
// TESSERA_CHECK report.
//
// Where there is such a barrier anyway, or only one call, `fresh(scratch)` leaves out the last one of the call:
//
//   float const sum = tessera::reduce(tile, x, tessera::plus{}, tessera::fresh(scratch));   // exactly one barrier
//
// Calls that exchange once take it: reduce, reduce_batch, atomic_reduce, the votes, elect, invoke_one, compact, and the movements
// of lanes.hpp. (Where floats are added with where(pred) a vote comes before, with barriers of its own.) To the others, which
// would overwrite what their own slow warps still read, or have no barrier at their end, it is an error at compile time.
//
// On host tiles: host::scratch<float, 256> scratch(block).
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN

namespace detail {

/// How many values of `bytes` fit into the place of 32 of `room` bytes each: a power of two up to 32, or 0.
TESSERA_FN constexpr unsigned row_of_scratch(unsigned room, unsigned bytes) {
  unsigned row = 32;
  while (row != 0 && row * bytes > 32 * room) row /= 2;
  return row;
}
TESSERA_FN constexpr bool scratch_holds_results(unsigned threads, unsigned bytes) {
  return (2 * threads + threads / 32) * bytes <= 48 * 1024;
}

}  // namespace detail

/// Room for a T of each thread of a block of up to Threads, for a result of each, which scans need, where both fit into the 48
/// KiB that a kernel may declare, and for a result of each warp.
template <class T, unsigned Threads>
struct scratch {
  static_assert(Threads >= 64 && Threads <= 1024 && Threads % 32 == 0,
                "scratch<T, Threads>: Threads is a block's size in whole warps: 64, 96, ... 1024.");
  static constexpr unsigned threads = Threads, warps = Threads / 32;
  static constexpr unsigned item_bytes = sizeof(T);
  static constexpr bool holds_results = detail::scratch_holds_results(Threads, sizeof(T));

  alignas(16) unsigned char bytes[((holds_results ? 2 : 1) * Threads + warps) * sizeof(T)];
};

TESSERA_NAMESPACE_END
