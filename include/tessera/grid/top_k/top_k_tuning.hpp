// The shape of the kernel that selects from an array, and the numbers that were chosen. benchmark/tuning.md has what
// was tried.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/reduce/even_share.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A block of the kernel.
template <unsigned Threads, unsigned StorageBytes, unsigned DigitBits>
struct top_k_shape {
  static constexpr unsigned threads = Threads;
  /// Shared memory for entries: of those that are ranked, or wait to be appended.
  static constexpr unsigned storage_bytes = StorageBytes;
  static constexpr unsigned digit_bits = DigitBits, digits = 1u << DigitBits;
  /// Entries that a block ranks in one item: Threads / entries_per_item lanes for each. The greatest 16, 256, 4096 of
  /// 2^20 floats take 9.9, 10.0, 14.3 µs with 16, 10.2, 10.0, 13.4 with 32, 10.7, 10.8, 13.7 with 64 (H200).
  static constexpr unsigned entries_per_item = 32;
  /// Bytes of loads that a lane has outstanding.
  static constexpr unsigned bytes = 64;

  template <class Entry>
  static constexpr unsigned capacity = StorageBytes / sizeof(Entry);
  /// Entries for which there is room beside the counts of a digit.
  template <class Entry>
  static constexpr unsigned beside_counts = (StorageBytes - digits * sizeof(unsigned)) / sizeof(Entry);
  /// Up to so many results are ranked by the blocks. More are sorted by other kernels.
  template <class Entry>
  static constexpr unsigned most_ranked = capacity<Entry> / 4 * 3;
  /// Vectors that a lane loads in a step: no more elements than registers have room for, and half as many where an
  /// iterator reads them one by one.
  template <class T, class In = T const*>
  static constexpr unsigned vectors = reads_elements<In>
                                          ? (tessera::detail::vectors_in_flight<T, In> + 1) / 2
                                          : detail::vectors_of<T>(sizeof(T) < 4 ? bytes * sizeof(T) / 4 : bytes);
  template <class T, class In = T const*>
  static constexpr std::int64_t elements_of_step = std::int64_t{Threads} * vectors<T, In>* read_length<T, In>;
};

struct top_k_tuning {
  /// With 52 KiB, and what collectives of a block take, every GPU from sm_75 on has room for a block, and those with
  /// 164 KB for two.
  using shape = top_k_shape<512, 52 * 1024, 11>;
  static constexpr std::size_t most_shared_bytes = 57 * 1024;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  static constexpr std::int64_t longest_array = std::int64_t{1} << 40;
  static constexpr std::int64_t longest_part = std::int64_t{1} << 31;  // of a block, so that its counts fit in 32 bits

  // All times are those of the greatest 16, 256, 4096 of n floats in µs (H200).
  /// From so many elements on, blocks share samples: 2^20: 11.8, 11.3, 16.5 with, 9.9, 9.8, 13.2 without; 2^21: 12.3,
  /// 12.3, 15.2 with, 22.5, 22.7, 23.4 without.
  static constexpr std::int64_t shared_samples_from = std::int64_t{1} << 21;
  /// At most so many are expected before the last rank of those that are ranked. With 4, 2^16: 8.6, 9.3, 17.6 instead
  /// of 8.6, 9.0, 13.7.
  static constexpr double most_samples_before = 8;
  /// Sets of samples of the first ranks. One of 2^17 samples has one for each lane of a block: the greatest 16, 256,
  /// 4096 of 2^28 floats take 251, 252, 258 with 2^16 samples, 253, 251, 257 with 2^17, 254, 254, 256 with 2^18, of
  /// 2^24 floats 27, 28, 31 with 2^16, 26, 27, 31 with 2^17, 27, 28, 31 with 2^18.
  static constexpr unsigned sets_of_first = 256;
};

/// The numbers of groups of samples, each of neighboring threads. Few are enough for the first k elements: the first 16
/// of 2^20 take 10.5 µs with 64 groups, and 11.3 µs with 128 (H100).
struct sample_groups {
  static constexpr unsigned of_first = 64, most = 128;
};

/// The numbers 0 … 2^log2 − 1 in an order without pattern, in which neighbors form the sets and groups of samples. In
/// an array that is sorted, say, sets of every 64th sample would have their medians next to each other.
TESSERA_FN unsigned shuffled_number(unsigned i, unsigned log2) {
  unsigned const mask = (1u << log2) - 1, half = (log2 + 1) / 2;
  i = i * 0x9e3779b1u & mask;
  i ^= i >> half;
  i = i * 0x85ebca6bu & mask;
  i ^= i >> half;
  return i * 0xc2b2ae35u & mask;
}

/// The position of sample i of 2^log2: in the i-th of equal pieces of the array, where a hash of i says.
TESSERA_FN std::int64_t sample_position(std::int64_t n, unsigned i, unsigned log2) {
  auto const size = static_cast<std::uint64_t>(n);
  std::uint32_t hash = i * 0x9e3779b1u;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  std::uint64_t const width = size >> log2;  // below 2^32
  return static_cast<std::int64_t>((i * size >> log2) + (width * hash >> 32));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
