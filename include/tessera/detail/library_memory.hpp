// The shared memory that the library declares for tiles of several warps, where the caller gives no scratch.
//
//   [inputs of each tile ]    what lanes or warps exchange: written | barrier | read | trailing barrier
//   [outputs of each tile]    what few warps find for the others: written between a call's barriers, read until the next call's
//                             first one. One a warp.
//
// A kernel has such an array for each tile size and each power of two of bytes that its calls need for inputs; all types and all
// collectives share it. It has room for all tiles of a block, which are one where the tile's type says that it is the block, else
// as many as 1024 threads have. A tile's part of it is the same for all types.
//
// `TESSERA_SHARED_BYTES` (16384) bounds the inputs of an array; where a tile is a part of the block, a quarter of it does. Most types
// have a slot for each lane then. A kernel that needs the shared memory for itself defines it smaller before its first
// #include of the library, down to 0: then a value moves between warps in rounds, and each warp reduces its own lanes.
#pragma once

#include <tessera/config.hpp>

#ifndef TESSERA_SHARED_BYTES
#define TESSERA_SHARED_BYTES 16384
#endif

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// How many values of `bytes` a warp has slots for, where each of `warps` has `room` bytes: a power of two up to 32, or 0.
TESSERA_FN constexpr unsigned row_in(unsigned room, unsigned bytes) {
  unsigned row = 32;
  while (row != 0 && row * bytes > room) row /= 2;
  return row;
}

/// The bytes of an array for so many bytes: half a byte for each lane at least, so that few bytes share one array.
TESSERA_FN constexpr unsigned bytes_of_array(unsigned lanes, unsigned bytes) {
  unsigned power = lanes <= 256 ? 128 : lanes / 2;
  while (power < bytes) power *= 2;
  return power;
}

/// The library's memory of tiles that are a block of `Lanes` threads or a part of one, in arrays of up to `Most` bytes.
template <unsigned Lanes, unsigned Most>
struct library_layout {
  static constexpr unsigned warps = Lanes / 32;
  static constexpr bool has_trailing_barrier = true;
  /// With how many slots a warp there is a result of it.
  static constexpr unsigned least_row_with_result = 16;
  /// Slots of T a warp: two at least.
  template <class T>
  static constexpr unsigned row = row_in(Most / warps, sizeof(T)) < 2 ? 2 : row_in(Most / warps, sizeof(T));

  /// The array of calls that need Row inputs of T a warp, and a result a warp.
  template <class T, unsigned Row>
  struct array {
    static constexpr unsigned inputs = bytes_of_array(Lanes, warps* Row * sizeof(T));
    static constexpr unsigned outputs = Row == 1 ? inputs : Row < 16 ? 0 : inputs / 16;
    static constexpr bool has_room = outputs >= warps * sizeof(T);
    /// The bytes of a tile of N.
    template <unsigned N>
    static constexpr unsigned inputs_of = inputs / (Lanes / N);
    template <unsigned N>
    static constexpr unsigned outputs_of = outputs / (Lanes / N);
  };
};

template <unsigned N, bool IsBlock>
using library_layout_of =
    library_layout<IsBlock ? N : 1024, IsBlock ? TESSERA_SHARED_BYTES : TESSERA_SHARED_BYTES / 4>;

}  // namespace detail
TESSERA_NAMESPACE_END
