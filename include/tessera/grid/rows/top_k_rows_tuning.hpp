// The shapes of the kernels of top_k_rows.
#pragma once

#include <tessera/grid/parts/vectors.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A kernel whose tiles of `Lanes` lanes each hold a row in registers, `Vectors` vectors a lane, and select up to
/// `Most` results.
template <unsigned Lanes, unsigned Vectors, unsigned Most, unsigned Threads>
struct top_k_tile_shape {
  static constexpr unsigned lanes = Lanes, vectors = Vectors, most = Most, threads = Threads;
  static constexpr unsigned rows_per_block = Threads / Lanes;
};

/// A kernel whose blocks each select from a row by digits.
template <unsigned Threads, unsigned StorageBytes, unsigned DigitBits, unsigned Vectors>
struct top_k_digit_shape {
  static constexpr unsigned threads = Threads, digit_bits = DigitBits, digits = 1u << DigitBits, vectors = Vectors;
  /// The entries that a block sorts at a time.
  template <class Entry>
  static constexpr unsigned capacity = StorageBytes / sizeof(Entry);
};

struct top_k_rows_tuning {
  /// Rows of up to so many columns have tiles, in blocks of so many threads.
  static constexpr int most_short_columns = 256;
  static constexpr unsigned threads = 128;
  /// The vectors of 16 elements, or of 8 if these have 8 bytes.
  template <class Bits>
  static constexpr unsigned vectors = (sizeof(Bits) == 8 ? 8 : 16) / row_vector_length<Bits>;

  using digits = top_k_digit_shape<512, 16 * 1024, 11, 2>;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
