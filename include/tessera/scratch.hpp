// scratch: shared memory of the caller's, through which tiles of several warps exchange.
//
//   __shared__ tessera::scratch<float, 256> scratch;                                   // a kernel of up to 256 threads
//   float const sum = tessera::reduce(tile, x, tessera::plus{}, tessera::shared(scratch));
//
// Without it the library declares what its calls need, which is as fast; a scratch is for a kernel that has the memory anyway. It
// needs no initialization. It is for tiles of one size, all of a block; calls of any type may follow each other without a
// barrier of the caller's. Values larger than T take rounds of barriers, and those larger than 32 of T are moved in pieces: sorts,
// shuffles, merges and top_k take any. Where a call keeps a value of each warp, as reductions and scans do, one that has no room is an
// error at compile time. Threads is at least the number of the block's threads, and at least the tile's size, also for a
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
// The library's own memory: a kernel has few arrays for each tile size, which all types and calls share. A call takes the smallest
// that has room for its inputs. Contracts say what these are. L is N for a tile whose type says that it is the block
// (this_block_tile), else 1024:
//
//   a slot a warp     L / 32 · sizeof(T) bytes
//   a slot a lane     L · sizeof(T) bytes, for K items K times that
//
//   the tile is       inputs of an array, in bytes     with the results       all arrays of one tile size
//   the block         256, 1024, 4096, 16384           L bytes more, at       at most 25,088
//   a part of it      256, 4096                        most as the inputs     5,632
//
// So calls of any kind on tiles of all sizes fit into the 48 KiB that a kernel may declare: 47,616 bytes. A kernel with one sum of floats
// has 5,120 for 1024 lanes and 320 for 64. Large values take more: results of more than 32 bytes are in an array of their own, of
// 4 · L or, above 128 bytes, 16 · L bytes (those of one tile that is the block have 45,568 with it), and values that don't fit once
// for each warp, above 512 bytes of 1024 lanes and above 128 where the tile is a part of its block, in arrays of theirs, of the next
// power of two.
//
// The inputs of an array have at most TESSERA_SHARED_BYTES (16384 if not defined; a quarter of that where the tile is a part of its
// block): values for which there is no slot a lane are moved in rounds of two barriers, of which the largest are moved in pieces,
// and each warp, or each pair of lanes first, reduces its own. A kernel that is short of shared memory defines it smaller, down to
// 0, which leaves two slots a warp.
//
// On host tiles: host::scratch<float, 256> scratch(block).
#pragma once

#include <tessera/detail/scratch_layout.hpp>

TESSERA_NAMESPACE_BEGIN

/// Room for a T of each thread of a block of up to Threads, and for a result of each warp.
template <class T, unsigned Threads>
struct scratch {
  static_assert(Threads >= 64 && Threads <= 1024 && Threads % 32 == 0,
                "scratch<T, Threads>: Threads is a block's size in whole warps: 64, 96, ... 1024.");
  static constexpr unsigned threads = Threads;
  using layout = detail::scratch_layout<sizeof(T), Threads>;

  alignas(16) unsigned char bytes[layout::bytes];
};

TESSERA_NAMESPACE_END
