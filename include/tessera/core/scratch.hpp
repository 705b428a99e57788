// scratch: shared memory of the caller's, through which tiles of several warps exchange.
//
//   __shared__ tessera::scratch<float, 256> scratch;                             // a kernel of up to 256 threads
//   float const sum = tessera::reduce(tile, x, tessera::plus{}, tessera::shared(scratch));
//
// Without it the library declares the memory that its calls need, which is as fast; a scratch is for a kernel that has
// the memory anyway. It needs no initialization. It serves tiles of one size, all of a block; calls of any type may
// follow each other without a barrier of the caller's.
//
// Values larger than T take several rounds of barriers, and values larger than 32 T are moved in pieces by sorts,
// shuffles, merges and top_k. Reductions and scans need a slot a warp for each value, and a smaller scratch is an error
// at compile time. Threads is at least the number of the block's threads and the tile's size, also for a padded tile of
// a smaller block. A smaller number is an error at compile time if the tile's size shows it; otherwise host tiles and
// TESSERA_CHECK report it.
//
// If a barrier follows anyway, or there is only one call, `fresh(scratch)` omits the last barrier of the call:
//
//   float const sum = tessera::reduce(tile, x, tessera::plus{}, tessera::fresh(scratch));   // exactly one barrier
//
// It is for calls that exchange once: reduce, reduce_batch, atomic_reduce, the votes, elect, invoke_one, compact, and
// the movements of lanes.hpp. (Sums of floats with where(pred) begin with a vote, which has barriers of its own.) With
// other calls it is an error at compile time: they would overwrite slots that slow warps still read, or have no barrier
// at their end.
//
// The library's own memory: a kernel has a few arrays for each tile size, which all types and calls share. A call takes
// the smallest with room for its inputs, which its contract states. L is N for a tile whose type says that it is the
// block (this_block_tile), else 1024:
//
//   a slot a warp     L / 32 · sizeof(T) bytes
//   a slot a lane     L · sizeof(T) bytes, for K items K times that
//
//   the tile is       inputs of an array, in bytes     and its results                  all arrays of one tile size
//   the block         256, 1024, 4096, 16384           L, at most as many as inputs     24.5 KiB
//   a part of it      256, 4096                        likewise                         5.5 KiB
//
// So calls of any kind on tiles of all sizes fit into the 48 KiB that a kernel may declare. A kernel with one sum of
// floats declares 5 KiB for 1024 lanes and 320 bytes for 64. Large values take more: results of more than 32 bytes are
// in an array of their own, of 4 · L bytes or, above 128 bytes, 16 · L; and values too large for one slot a warp (above
// 512 bytes for 1024 lanes, above 128 if the tile is a part of its block) are in arrays of the next power of two of
// bytes.
//
// The inputs of an array have at most TESSERA_SHARED_BYTES (16384 unless defined; a quarter of it if the tile is a part
// of its block). Values without a slot a lane are moved in rounds of two barriers, the largest in pieces, and
// reductions combine in each warp, or in pairs of lanes, first. A kernel that needs the shared memory for itself
// defines it smaller, down to 0, which leaves two slots a warp.
//
// On host tiles: host::scratch<float, 256> scratch(block).
#pragma once

#include <tessera/core/scratch_layout.hpp>

TESSERA_NAMESPACE_BEGIN

/// Memory for a T of each thread of a block of up to Threads, and for a result of each warp.
template <class T, unsigned Threads>
struct scratch {
  static_assert(Threads >= 64 && Threads <= 1024 && Threads % 32 == 0,
                "scratch<T, Threads>: Threads is a block's size in whole warps: 64, 96, ... 1024.");
  static constexpr unsigned threads = Threads;
  using layout = detail::scratch_layout<sizeof(T), Threads>;

  alignas(16) unsigned char bytes[layout::bytes];
};

TESSERA_NAMESPACE_END
