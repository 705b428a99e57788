// The shared memory that the library declares for tiles of several warps if the caller gives no scratch.
//
//   [inputs of each tile ]    what lanes or warps exchange: written | barrier | read | trailing barrier
//   [outputs of each tile]    results of the first warps for the others: written between a call's barriers, read until
//                             the next call's first barrier. One a warp, of up to 32 bytes.
//
// A compiler adds up all arrays that a kernel may use, so there are few. Each tile size has arrays for inputs of 256,
// 1024, 4096 and 16384 bytes, or of 256 and 4096 if the tile is a part of its block. A call takes the smallest that
// suffices; all types and all collectives share them. Together, calls of any kind on tiles of all sizes fit into the 48
// KiB that a kernel may declare. An array has room for all tiles of a block: one if the tile's type says that it is the
// block, else as many as 1024 threads have. A tile's part of it is the same for all types.
//
// Larger outputs are in arrays of their own, of up to 128 and up to 512 bytes a warp. (Small ones aren't: computing the
// address of a second array takes time. See benchmark/README.md.) Values too large for one slot a warp in the largest
// array have arrays of their own, too, one for each power of two of bytes.
//
// `TESSERA_SHARED_BYTES` (16384) bounds an array's inputs, or a quarter of it if the tile is a part of the block. By
// default most types have a slot for each lane. A kernel that needs the shared memory for itself defines it smaller,
// down to 0, before its first #include of the library: then values move between warps in rounds, and each warp reduces
// its own lanes.
#pragma once

#include <tessera/core/config.hpp>

#ifndef TESSERA_SHARED_BYTES
#define TESSERA_SHARED_BYTES 16384
#endif

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The number of slots of `bytes` that each of `warps` has in `room` bytes: a power of two up to 32, or 0.
TESSERA_FN constexpr unsigned row_in(unsigned room, unsigned bytes) {
  unsigned row = 32;
  while (row != 0 && row * bytes > room) row /= 2;
  return row;
}

/// The size of the array for `bytes`: `least` times a power of `step`; above `most` the next power of two.
TESSERA_FN constexpr unsigned bytes_of_array(unsigned bytes, unsigned least, unsigned step, unsigned most) {
  unsigned size = least;
  while (size < bytes) size *= step;
  while (size > most && size > least && size / 2 >= bytes) size /= 2;
  return size;
}

/// The library's memory for tiles that are a block of `Lanes` threads or a part of one. Inputs have up to `Most` bytes;
/// sizes of arrays grow by factors of `Step`.
template <unsigned Lanes, unsigned Most, unsigned Step>
struct library_layout {
  static constexpr unsigned warps = Lanes / 32;
  static constexpr bool has_trailing_barrier = true;
  /// The least number of slots a warp with which the lanes of a reduction exchange through slots.
  static constexpr unsigned least_row_with_result = 16;
  /// The number of slots of T a warp, at least two.
  template <class T>
  static constexpr unsigned row = detail::row_in(Most / warps, sizeof(T)) < 2 ? 2
                                                                              : detail::row_in(Most / warps, sizeof(T));
  /// The size of the largest value that is moved whole; larger ones are moved in pieces.
  static constexpr unsigned most_moved = Most / warps / 2 < 32 ? 32 : Most / warps / 2 / 16 * 16;

  /// The array of calls that need Row inputs of T a warp, and their outputs in it.
  template <class T, unsigned Row>
  struct array {
    static constexpr unsigned inputs = detail::bytes_of_array(warps * Row * sizeof(T), 256, Step, Most);
    static constexpr unsigned outputs = inputs < 32 * warps ? inputs : 32 * warps;
    static constexpr bool has_room = outputs >= warps * sizeof(T);
    /// The bytes of a tile of N.
    template <unsigned N>
    static constexpr unsigned inputs_of = inputs / (Lanes / N);
    template <unsigned N>
    static constexpr unsigned outputs_of = outputs / (Lanes / N);
  };
  /// The array of larger outputs.
  template <class T>
  struct output_array {
    static constexpr unsigned bytes = detail::bytes_of_array(warps * sizeof(T), 128 * warps, 4, 512 * warps);
    template <unsigned N>
    static constexpr unsigned bytes_of = bytes / (Lanes / N);
  };
};

template <unsigned N, bool IsBlock>
using library_layout_of =
    library_layout<IsBlock ? N : 1024, IsBlock ? TESSERA_SHARED_BYTES : TESSERA_SHARED_BYTES / 4, IsBlock ? 4 : 16>;

}  // namespace detail
TESSERA_NAMESPACE_END
