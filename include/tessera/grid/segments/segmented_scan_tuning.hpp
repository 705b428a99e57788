// The numbers of scans by key and of segments.
#pragma once

#include <tessera/grid/parts/tile_tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernel, chosen as those of scan_tuning.hpp are, so that nothing spills.
struct segmented_scan_tuning {
  /// The most warps that scan, so that a thread has 80 registers. Of 31 warps it has 64, which hold no more than 48
  /// bytes of a tile without spills.
  static constexpr unsigned most_warps = 23;
  /// The bytes of a tile that a lane has, of floats in segments. A tile has at least one row. Of 2^27 floats in
  /// segments of mean 8, 64, 1024 an inclusive scan takes 394, 331, 314 µs with 128, 434, 389, 350 with 96 (H200).
  static constexpr unsigned bytes_of_floats = 128;
  /// The bytes of other elements, and of keys, of up to 8 bytes: with 112 sums of integers would spill 8.
  static constexpr unsigned bytes_of_8 = 96;
  /// The bytes of elements and their keys of up to 4 bytes.
  static constexpr unsigned bytes_of_4_with_keys = 128;
  /// The bytes of elements and keys of up to 16 bytes, whose tiles have fewer warps.
  static constexpr unsigned bytes_of_16 = 128;

  /// Small tiles of segments, which have a kernel of their own: in large ones a lane has so many elements that few
  /// warps of a short array would be busy, and one kernel for both would spill.
  static constexpr unsigned bytes_of_small = 32;
  static constexpr unsigned warps_of_small = 15;

  template <class R>
  TESSERA_FN static constexpr unsigned bytes(unsigned widest, bool has_keys) {
    if (widest > 8) return bytes_of_16;
    if (has_keys) return widest > 4 ? bytes_of_8 : bytes_of_4_with_keys;
    return stl::is_same_v<R, float> ? bytes_of_floats : bytes_of_8;
  }

  /// The vectors of offsets that a thread loads at a time: a second pass over a tile's offsets would wait for what it
  /// loads. With the guess of where they are, segments of mean 8 and 64 take 0.71 and 0.77 of the time that one
  /// vector took (H200).
  static constexpr unsigned vectors_of_offsets = 2;
  /// The number of offsets at which a lane looks in a round of the search for a tile's.
  static constexpr unsigned probes = 4;

  /// The most bytes of a lane's neighboring elements.
  static constexpr unsigned row_bytes = 64;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
