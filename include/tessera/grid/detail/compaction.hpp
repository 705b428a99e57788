// What all kernels that compact an array share: how the array is cut into tiles, the ranks of a tile's kept elements, and the way
// through shared memory by which they reach the output side by side.
//
//   a lane's elements    row 0: x . x x   row 1: . . x .    K = 4 of each row; one bit of `kept` each
//   counts               3                1                 of all rows in one word: a single scan of the warp has them all
//   rank                 before(r) + kept elements before it in the row
//
// Stores by rank straight from registers would touch each sector of the output once for every item of a row. From shared memory
// each warp stores whole lines: a sector is written once, but for the first and last of a tile.
#pragma once

#include <tessera/detail/load_store.hpp>
#include <tessera/grid/detail/select_tuning.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>
#include <tessera/items.hpp>
#include <tessera/lane_mask.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How arrays of First, Others … are cut into tiles: rows of as many elements as the longest type has. A lane has up to MostBytes of
/// all arrays together.
template <unsigned MostBytes, class First, class... Others>
struct tile_shape {
  using tuning = select_tuning;

 private:
  template <class T, class... More>
  static constexpr unsigned size_of_longest() {
    unsigned longest = sizeof(T);
    ((longest = sizeof(More) > longest ? static_cast<unsigned>(sizeof(More)) : longest), ...);
    return longest;
  }
  template <class T, class... More>
  static constexpr unsigned row_of_longest() {
    if constexpr (sizeof...(More) == 0) {
      return elements_of_row<T>();
    } else {
      return size_of_longest<T, More...>() == sizeof(T) ? elements_of_row<T>() : row_of_longest<More...>();
    }
  }
  static constexpr unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
  static constexpr unsigned larger(unsigned a, unsigned b) { return a < b ? b : a; }

 public:
  static constexpr unsigned longest = size_of_longest<First, Others...>();
  static constexpr unsigned bytes_of_all = sizeof(First) + (0u + ... + static_cast<unsigned>(sizeof(Others)));
  /// Elements of a lane and row, and rows of a lane: a word has a bit for each element, and another the counts of the rows.
  static constexpr unsigned K = row_of_longest<First, Others...>();
  static constexpr unsigned most_rows = K < 8 ? 4 : 2;
  static constexpr unsigned rows =
      larger(1, smaller(most_rows, smaller(tuning::bytes / (K * longest), MostBytes / (K * bytes_of_all))));

 private:
  static constexpr unsigned fitting_threads(unsigned most) {
    return most > 32 && most * rows * K * bytes_of_all > tuning::shared_bytes ? fitting_threads(most / 2)
                                                                              : most;
  }

 public:
  static constexpr unsigned threads =
      fitting_threads(longest > tuning::large ? tuning::threads_of_large : tuning::threads);
  static constexpr unsigned blocks_per_multiprocessor = tuning::blocks_per_multiprocessor;

  /// How many elements a tile of so many threads has, and how many tiles an array.
  TESSERA_FN static constexpr unsigned tile_elements(unsigned block_threads) {
    return block_threads * rows * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned block_threads) {
    return n == 0 ? 1 : (n - 1) / tile_elements(block_threads) + 1;
  }
};

template <class First, class... Others>
using compact_shape = tile_shape<select_tuning::bytes_of_all, First, Others...>;

/// The bits of the lane's elements that the array has. `first` is the index of the lane's first element of row 0.
template <unsigned K, unsigned Rows>
TESSERA_FN std::uint32_t bits_within(std::int64_t n, std::int64_t first) {
  constexpr std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << (K * Rows)) - 1);
  if (first + static_cast<std::int64_t>((Rows - 1) * 32 * K + K) <= n) return all;
  std::uint32_t bits = 0;
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const left = n - first - static_cast<std::int64_t>(r * 32 * K);
    unsigned const count = left <= 0 ? 0 : left < K ? static_cast<unsigned>(left) : K;
    bits |= ((1u << count) - 1) << (r * K);
  }
  return bits;
}

/// The ranks of a warp's kept elements, and how many there are.
template <unsigned K, unsigned Rows>
class warp_ranks {
  static constexpr unsigned field_bits = K < 8 ? 8 : 16;  // of counts up to 32 · K
  static_assert(Rows * field_bits <= 32 && Rows * K <= 32);

 public:
  /// Called by the whole warp. Bit r · K + i of `kept` is item i of the lane's row r.
  template <class Warp>
  TESSERA_FN void count(Warp const& warp, std::uint32_t kept) {
    constexpr std::uint32_t row = (1u << K) - 1;
    std::uint32_t own = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      unsigned const in_row = tessera::detail::bits_set((kept >> (r * K)) & row);
      own |= in_row << (r * field_bits);
    }
    auto const through = tessera::inclusive_scan(warp, own, plus{}, tessera::converged | tessera::with_total);
    before_ = through.value - own;
    total_ = through.total;
  }

  /// How many elements the warp keeps, and how many before the lane's elements of a row.
  TESSERA_FN unsigned total() const { return before_row(Rows); }
  TESSERA_FN unsigned before(unsigned row) const { return before_row(row) + field(before_, row); }

 private:
  TESSERA_FN static unsigned field(std::uint32_t counts, unsigned row) {
    constexpr unsigned mask = (1u << field_bits) - 1;
    return counts >> (row * field_bits) & mask;
  }
  TESSERA_FN unsigned before_row(unsigned row) const {
    unsigned sum = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) sum += r < row ? field(total_, r) : 0;
    return sum;
  }

  std::uint32_t before_, total_;  // of each row, a field
};

/// The counts of a tile's warps before this one, and of all of them.
struct tile_counts {
  unsigned before, total;
};
template <unsigned Warps, class Warp>
TESSERA_FN tile_counts counts_of_warps(Warp const& warp, unsigned warp_rank, unsigned const* totals) {
  unsigned const lane = warp.thread_rank();
  unsigned const count = lane < Warps ? totals[lane] : 0;
  return {tessera::reduce(warp, lane < warp_rank ? count : 0u, plus{}, tessera::converged),
          tessera::reduce(warp, count, plus{}, tessera::converged)};
}

/// Up to Count elements of T in shared memory, which threads put there by rank and store side by side.
///
/// The memory holds units: as many bytes as T is aligned to. After every 128 bytes a bank is left out (4 bytes, or a longer unit), so
/// that lanes which put several neighbors each, one after the other, don't meet in a bank.
template <class T, unsigned Count>
class staged_elements {
  using unit = tessera::detail::unit_of<alignof(T)>;
  static constexpr unsigned units = sizeof(T) / sizeof(unit);
  static constexpr unsigned line = 128 / sizeof(unit);
  static constexpr unsigned padding = sizeof(unit) < 4 ? 4 / sizeof(unit) : 1;
  TESSERA_FN static constexpr unsigned slot(unsigned which) { return which + which / line * padding; }
  struct units_of_one {
    unit of[units];
  };

 public:
  TESSERA_FN void put(unsigned rank, T const& x) {
    auto const stored = tessera::detail::from_bits<units_of_one>(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < units; ++i) unit_[slot(rank * units + i)] = stored.of[i];
  }

  /// Stores elements first … first + count − 1 as out[0] …. Called by all Threads of the block.
  template <unsigned Threads>
  TESSERA_FN void store(T* out, unsigned first, unsigned count, unsigned thread) const {
    auto* const to = reinterpret_cast<unit*>(out);
    // The first lane of each warp stores the first unit of a line, so that none is stored by two warps.
    auto const shift = static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(out) / sizeof(unit)) % line;
    unsigned const end = shift + count * units;
    TESSERA_LOOP
    for (unsigned begin = thread; begin < end; begin += batch * Threads) {
      unit stored[batch];
      TESSERA_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        unsigned const i = begin + j * Threads;
        if (i >= shift && i < end) stored[j] = unit_[slot(first * units + i - shift)];
      }
      TESSERA_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        unsigned const i = begin + j * Threads;
        if (i >= shift && i < end) store_unit(to + (i - shift), stored[j]);
      }
    }
  }

 private:
  static constexpr unsigned batch = sizeof(unit) <= 4 ? 2 : 1;  // loads of a lane in flight: more would spill

  TESSERA_FN static void store_unit(unit* to, unit const& x) {
#if TESSERA_ARCH
    *to = x;
#else
    tessera::detail::copy_bytes(to, &x, sizeof(unit));
#endif
  }

  unit unit_[slot(Count * units - 1) + 1];
};

/// Puts a lane's kept elements of a row, a bit of `kept` each, from this rank on.
template <unsigned K, class Staged, class T>
TESSERA_FN void stage_row(Staged& staged, items<T, K> const& x, std::uint32_t kept, unsigned rank) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    bool const is_kept = (kept >> i & 1) != 0;
    if (is_kept) staged.put(rank, x[i]);
    rank += is_kept ? 1 : 0;
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
