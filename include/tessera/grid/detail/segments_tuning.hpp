// The numbers of grid::reduce_segments that were chosen by measuring.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Sums of 2^27 floats, in µs, in segments whose lengths follow Zipf's law, with mean 8 / 64 / 1024. Reading alone takes 119.
/// On one H200:
///
///   128 threads, 4 blocks, 32 elements for a lane; 1 boundary for a lane from a mean of 24 on, else 4;
///   load_default, tiles at multiples of 16 bytes          202 / 159 / 148
///   … at lines of 128 bytes                               201 / 159 / 146
///   …… load_streaming                                     214 / 147 / 142
///   …… 2, not 1, from 48 on; 1 from 96 on                 190 / 159 / 146; 191 / 160 / 146
///   …… 6, not 4, and 1 from 96 on                         185 / 160 / 146
///   …… 2; 3 times as many blocks as fit                   227 / 176 / 155; 234 / 187 / 176
///   … as many boundaries as the last tile, at most 4; 6   193 / 160 / 148; 187 / 161 / 148
///   … a boundary weighs as 2; 3; 5 elements               208 / 157 / 147; 212 / 157 / 147; 222 / 157 / 147
///
/// On another H200, on which the first of these took 198 / 148 / 136:
///
///   loads by cp.async, not through registers: 4 blocks    243 / 177 / 164
///   … 2; 3; 5 blocks                                      265 / 177 / 163; 249 / 176 / 164; 235 / 182 / 170
///   … .L2::128B; .L2::256B; load_streaming                234 / 169 / 156; 255 / 181 / 173; 257 / 167 / 161
///   … cp.async.bulk.prefetch.L2 4 KiB ahead               265 / 201 / 200
///   … 256 threads, 16 elements; 3; 5 blocks               237 / 206 / 196; 241 / 203 / 193; 247 / 209 / 196
///   …… 2; 3 boundaries, not 4, mean 8                     267; 239
///   …… 1 boundary from a mean of 8; 16; 40 on, mean 8     284; 246; 237
struct segments_tuning {
  static constexpr unsigned threads = 128;
  /// At most so many: fewer if shared memory has no room for them.
  static constexpr unsigned blocks_per_multiprocessor = 4;
  static constexpr unsigned shared_bytes_per_multiprocessor = 227 * 1024;
  /// How many bytes of elements a lane reduces at a time, and at most how many elements: 32.
  static constexpr unsigned bytes = 128;
  static constexpr unsigned most_items = 32;
  /// How many boundaries a lane looks at for that many elements: `few_boundaries` if the mean length in a warp's part is at
  /// least `long_mean` elements, else `many_boundaries`. A tile with more boundaries has fewer elements. If boundaries are
  /// few, elements are loaded with load_streaming.
  static constexpr unsigned few_boundaries = 2;
  static constexpr unsigned many_boundaries = 4;
  static constexpr unsigned long_mean = 32;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
