// The common part of all kernels that compact an array: how the array is cut into tiles, the ranks of a warp's kept
// elements, and the way through shared memory by which they reach the output side by side.
//
//   a lane's elements    row 0: x . x x   row 1: . . x .    K = 4 of each row; one bit of `kept` each
//   counts               3                1                 of some rows in one word, for one scan of the warp
//   rank                 before(r) + kept elements before it in the row
//
// Stores by rank straight from registers would touch each sector of the output once for every item of a row. From
// shared memory each warp stores whole lines: a sector is written once, but for the first and last of a warp.
// Elements for which shared memory has no room are stored straight from their lanes: each of them fills several
// sectors (kept_by_lanes.hpp).
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/kept_by_lanes.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/select/select_tuning.hpp>
#include <tessera/operators.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Stores get(0) … get(count − 1) as out[0] …, 32 side by side, of which the first begins a line. Streaming stores
/// leave the cache to what is loaded. Called by a whole warp.
template <class Unit, class Get>
TESSERA_FN void store_by_lines(Unit* out, unsigned count, unsigned lane, Get get) {
  constexpr unsigned line = sizeof(Unit) < 4 ? 32 : 128 / sizeof(Unit);
  constexpr unsigned batch = 2;  // loads of a lane in flight
  constexpr auto modifier = tessera::detail::store_modifier::streaming;
  auto const shift = static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(out) / sizeof(Unit)) % line;
  int const end = static_cast<int>(count);
  int begin = static_cast<int>(lane) - static_cast<int>(shift);
  Unit* at = out + begin;
  TESSERA_LOOP
  for (; begin < end; begin += 32 * batch, at += 32 * batch) {
    Unit stored[batch];
    TESSERA_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      unsigned const i = static_cast<unsigned>(begin) + 32 * j;  // huge before the first element
      if (i < count) stored[j] = get(i);
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      unsigned const i = static_cast<unsigned>(begin) + 32 * j;
      if (i < count) tessera::detail::store_unit<modifier>(at + 32 * j, stored[j]);
    }
  }
}

/// Stores by a writer (core/iterators.hpp), which has no lines.
template <class Out, class Get>
TESSERA_FN void store_by_lines(Out const& out, unsigned count, unsigned lane, Get get) {
  TESSERA_LOOP
  for (unsigned i = lane; i < count; i += 32) tessera::detail::write_element(out, i, get(i));
}

/// Up to Count elements of T in shared memory, which the lanes of a warp put there by rank and store side by side.
///
/// The memory holds units: as many bytes as T is aligned to. After every 128 bytes a bank is left out (4 bytes, or a
/// longer unit), so that lanes which put several neighbors each, one after the other, don't meet in a bank. `As`: the
/// slots are those of elements of that type, so that they are found once for both.
template <class T, unsigned Count, class As = T>
class staged_elements {
  using unit = tessera::detail::unit_of<alignof(T)>;
  static constexpr unsigned units = sizeof(T) / sizeof(unit);
  static constexpr unsigned line = 128 / alignof(As);
  static constexpr unsigned padding = alignof(As) < 4 ? 4 / alignof(As) : 1;
  TESSERA_FN static constexpr unsigned slot(unsigned which) { return which + which / line * padding; }
  struct units_of_one {
    unit of[units];
  };

 public:
  /// Puts x, if `is_kept`. The slots are found either way, so that no lane takes a branch of its own.
  TESSERA_FN void put(unsigned rank, T const& x, bool is_kept = true) {
    auto const stored = tessera::detail::from_bits<units_of_one>(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < units; ++i) {
      unit* const at = unit_ + slot(rank * units + i);
      if (is_kept) *at = stored.of[i];
    }
  }
  TESSERA_FN T get(unsigned rank) const {
    units_of_one stored;
    TESSERA_UNROLL
    for (unsigned i = 0; i < units; ++i) stored.of[i] = unit_[slot(rank * units + i)];
    return tessera::detail::from_bits<T>(stored);
  }

  /// Stores elements first … first + count − 1 as out[0] …. Called by the whole warp.
  template <class Out>
  TESSERA_FN void store(Out const& out, unsigned first, unsigned count, unsigned lane) const {
    detail::store_by_lines(out, count, lane, [&](unsigned i) { return get(first + i); });
  }
  TESSERA_FN void store(T* out, unsigned first, unsigned count, unsigned lane) const {
    detail::store_by_lines(reinterpret_cast<unit*>(out), count * units, lane,
                           [&](unsigned i) { return unit_[slot(first * units + i)]; });
  }

 private:
  unit unit_[slot(Count * units - 1) + 1];
};

/// The types of some arrays.
template <class... T>
struct array_types;

/// The tiles of arrays, which blocks of a kind have room for: of arrays that are loaded, and those that are
/// staged in shared memory, where a warp needs so many bytes besides. A kernel that combines elements needs registers
/// for that.
template <tile_kind Kind, class Loaded, class Staged, unsigned BytesBesides = 0, bool Combines = false>
struct tile_shape;

template <tile_kind Kind, class... Loaded, class... Staged, unsigned BytesBesides, bool Combines>
struct tile_shape<Kind, array_types<Loaded...>, array_types<Staged...>, BytesBesides, Combines> {
 private:
  using tuning = select_tuning;
  using longest = typename longest_type<Loaded..., Staged...>::type;
  static constexpr unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
  static constexpr unsigned loaded_bytes = (0u + ... + static_cast<unsigned>(sizeof(Loaded)));

 public:
  static constexpr unsigned element_bytes = sizeof(longest);
  /// Elements of a lane and row, and rows of a lane, which has up to 32 elements: a word has a bit for each.
  static constexpr unsigned K = elements_of_row<longest>();

 private:
  static constexpr bool is_long = element_bytes > 8;
  static constexpr unsigned most_bytes = is_long ? tuning::bytes_of_long : tuning::bytes;
  static constexpr unsigned most_loaded = is_long ? tuning::bytes_of_all_long : tuning::bytes_of_all;
  static constexpr unsigned most_rows =
      smaller(32 / K, smaller(most_bytes / (K * element_bytes), most_loaded / (K * loaded_bytes)));

 public:
  static constexpr unsigned row_count = most_rows == 0 ? 1 : most_rows;
  static constexpr unsigned warp_elements = 32 * row_count * K;

 private:
  static constexpr unsigned staged_bytes =
      (BytesBesides + ... + static_cast<unsigned>(sizeof(staged_elements<Staged, warp_elements>)));
  static constexpr unsigned bytes_if_kept = BytesBesides + 32 * 8;  // places of runs, and some counts
  static constexpr unsigned most_warps =
      smaller(Combines ? tuning::warps_of_runs : 32, tile_tuning::most_warps(element_bytes));

 public:
  static constexpr bool in_shared =  // else lanes keep what is staged, an element of each array
      2 * staged_bytes <= tile_tuning::room(Kind);
  static constexpr unsigned warps =
      tile_tuning::warps(most_warps, Kind, 2 * (in_shared ? staged_bytes : bytes_if_kept));
  static_assert(in_shared || warp_elements == 32);
  static constexpr unsigned blocks_per_multiprocessor = 1;
  /// The warps of a small tile of the kernel for large ones, if there is room.
  static constexpr unsigned small_warps = tile_tuning::small_warps(warps, element_bytes, row_count* K* element_bytes);

  /// The number of elements of a tile of `tile_warps` warps, and of tiles of an array.
  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned tile_warps) {
    return static_cast<std::int64_t>(tile_warps) * warp_elements;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned tile_warps) {
    return n == 0 ? 1 : (n - 1) / tile_elements(tile_warps) + 1;
  }
};

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
  static constexpr unsigned fields = 32 / field_bits;     // of a word
  static constexpr unsigned words = (Rows + fields - 1) / fields;
  static_assert(Rows * K <= 32);

 public:
  /// Called by the whole warp. Bit r · K + i of `kept` is item i of the lane's row r.
  template <class Warp>
  TESSERA_FN warp_ranks(Warp const& warp, std::uint32_t kept) {
    constexpr std::uint32_t row = (1u << K) - 1;
    std::uint32_t own[words] = {};
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      unsigned const in_row = tessera::detail::bits_set((kept >> (r * K)) & row);
      own[r / fields] |= in_row << (r % fields * field_bits);
    }
    TESSERA_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      auto const through = tessera::inclusive_scan(warp, own[w], plus{}, tessera::converged | tessera::with_total);
      before_[w] = through.value - own[w];
      total_[w] = through.total;
    }
  }

  /// The number of elements that the warp keeps, and that it keeps before the lane's elements of a row.
  TESSERA_FN unsigned total() const { return before_row(Rows); }
  TESSERA_FN unsigned before(unsigned row) const { return before_row(row) + field(before_, row); }

 private:
  using counts = std::uint32_t[words];  // of each row, a field

  TESSERA_FN static unsigned field(counts const& of, unsigned row) {
    constexpr unsigned mask = (1u << field_bits) - 1;
    return of[row / fields] >> (row % fields * field_bits) & mask;
  }
  TESSERA_FN unsigned before_row(unsigned row) const {
    unsigned sum = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) sum += r < row ? field(total_, r) : 0;
    return sum;
  }

  counts before_, total_;
};

/// Where elements of T wait until they are stored: those of a warp in shared memory, or a lane's only one with itself.
template <class Shape, class T>
using shared_elements = stl::conditional_t<Shape::in_shared, staged_elements<T, Shape::warp_elements>, nothing>;
template <class Shape, class T>
using lane_element = stl::conditional_t<Shape::in_shared, nothing, kept_element<T>>;

/// The storage that is used, without the elements that the tile before has left there.
template <class Shape, class Shared, class Kept>
TESSERA_FN auto& cleared_elements(Shared& shared, Kept& kept) {
  if constexpr (!Shape::in_shared) kept.clear();
  return detail::choose_object<Shape::in_shared>(shared, kept);
}

/// Puts a lane's kept elements of a row, a bit of `kept` each, from this rank on.
template <unsigned K, class Staged, class T>
TESSERA_FN void stage_row(Staged& staged, items<T, K> const& x, std::uint32_t kept, unsigned rank) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    bool const is_kept = (kept >> i & 1) != 0;
    staged.put(rank, x[i], is_kept);
    rank += is_kept ? 1 : 0;
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
