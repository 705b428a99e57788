// The layout of a caller's scratch: [inputs of each tile][one result a warp, those of a tile together].
//
//   scratch<five words, 128>, tiles of 64    inputs at bytes 0 and 1280, results of 40 bytes at 2560 and 2608
//
// One instruction accesses several values, up to 16 bytes, at a multiple of its size. So each tile's part begins at a
// multiple of 16 bytes, or of the most bytes that its values may be accessed by at once.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/library_memory.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The most bytes that one instruction accesses, of `bytes`: a power of two up to 16.
TESSERA_FN constexpr unsigned widest_access(unsigned bytes) {
  unsigned width = 16;
  while (width > bytes) width /= 2;
  return width;
}
TESSERA_FN constexpr unsigned rounded_up(unsigned bytes, unsigned step) {
  return (bytes + step - 1) / step * step;
}

/// The layout of a scratch with an item of ItemBytes for each of Threads.
template <unsigned ItemBytes, unsigned Threads>
struct scratch_layout {
  static constexpr unsigned inputs = Threads * ItemBytes;
  /// The bytes of a tile of N.
  template <unsigned N>
  static constexpr unsigned inputs_of = N* ItemBytes;
  template <unsigned N>
  static constexpr unsigned results_of = detail::rounded_up(N / 32 * ItemBytes,
                                                            detail::widest_access(N / 32 * ItemBytes));

  /// Tiles of two warps have the most unused bytes.
  static constexpr unsigned bytes = inputs + (Threads + 63) / 64 * results_of<64>;

  /// The number of slots of T a warp; 0 if a warp's items are smaller than one slot.
  template <class T>
  static constexpr unsigned row = detail::row_in(32 * ItemBytes, sizeof(T));
  /// The size of the largest value that is moved whole; larger ones are moved in pieces.
  static constexpr unsigned most_moved = 32 * ItemBytes;

  template <class T, unsigned Row>
  static constexpr bool has_inputs = Row * sizeof(T) <= 32 * ItemBytes;
  template <class T>
  static constexpr bool has_results = sizeof(T) <= ItemBytes;
};

template <bool HasRoom>
TESSERA_FN constexpr void require_scratch_room() {
  static_assert(HasRoom,
                "shared(scratch): the scratch is too small for values of this type: write scratch<T, Threads> with "
                "the T that is exchanged.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
