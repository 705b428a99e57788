// The numbers of grid::reduce_segments that were chosen by measuring.
#pragma once

namespace tessera::grid::detail {

/// Sums of 2^27 floats, µs, in segments of lengths by Zipf's law, mean 8 / 64 / 1024; reading alone 119. On one H200:
///
///   128 threads, 4 blocks, 32 elements a lane; 1 end a lane from a mean of 24 on, else 4; elements as usual,
///   tiles at multiples of 16 bytes                        202 / 159 / 148
///   … at lines of 128 bytes                               201 / 159 / 146
///   …… loaded to be evicted first                         214 / 147 / 142
///   …… 2 ends for 1, from 48 on; 1 from 96 on             190 / 159 / 146; 191 / 160 / 146
///   …… 6 ends for 4, 1 from 96 on                         185 / 160 / 146
///   …… in 2; 3 times as many blocks as fit                227 / 176 / 155; 234 / 187 / 176
///   … as many ends as the last tile had, 4; 6 at most     193 / 160 / 148; 187 / 161 / 148
///   … an end for 2; 3; 5 elements of a warp's part        208 / 157 / 147; 212 / 157 / 147; 222 / 157 / 147
///
/// On another, where the first of these took 198 / 148 / 136:
///
///   by cp.async, not through registers: 4 blocks          243 / 177 / 164
///   … 2; 3; 5 blocks                                      265 / 177 / 163; 249 / 176 / 164; 235 / 182 / 170
///   … .L2::128B; .L2::256B; loaded to be evicted first    234 / 169 / 156; 255 / 181 / 173; 257 / 167 / 161
///   … cp.async.bulk.prefetch.L2 4 KiB ahead               265 / 201 / 200
///   … 256 threads, 16 elements; 3; 5 blocks               237 / 206 / 196; 241 / 203 / 193; 247 / 209 / 196
///   …… 2; 3 ends for 4, mean 8                            267; 239
///   …… 1 end from a mean of 8; 16; 40 on, mean 8          284; 246; 237
struct segments_tuning {
  static constexpr unsigned threads = 128;
  /// At most: fewer where the shared memory of so many has no room.
  static constexpr unsigned blocks_per_multiprocessor = 4;
  static constexpr unsigned shared_bytes_per_multiprocessor = 227 * 1024;
  /// Bytes of elements that a lane reduces at a time, and how many elements they are at most: 32.
  static constexpr unsigned bytes = 128;
  static constexpr unsigned most_items = 32;
  /// Ends of segments that a lane looks at for that many elements: `few` where the mean length in a warp's part is
  /// `long_mean` elements or more, else `many`. A tile with more ends has fewer elements. Where they are few, elements
  /// are loaded to be evicted first.
  static constexpr unsigned few_boundaries = 2;
  static constexpr unsigned many_boundaries = 4;
  static constexpr unsigned long_mean = 32;
};

}  // namespace tessera::grid::detail
