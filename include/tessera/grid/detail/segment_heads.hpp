// Where segments begin in the tiles of segmented_scan_agent.hpp: a bit for each of a lane's elements of a row.
//
//   keys       3 3 3 8 8 1 1 1      an element whose key differs from the one before is a head
//   offsets    0 3 3 5              each offset is the index of a head; those of empty segments come twice
//   heads      1 . . 1 . 1 . .
//
// Keys are loaded in rows beside the elements. Of the offsets, one warp searches for the first of a tile while another looks back;
// then all threads load the tile's offsets side by side, and mark bits in shared memory. Every offset is read once.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/comparators.hpp>
#include <tessera/detail/gpu_call.hpp>
#include <tessera/grid/detail/row_predecessors.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>
#include <tessera/search.hpp>
#include <tessera/tile.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The elements of the array that are scanned: all that have a segment.
struct element_range {
  std::int64_t begin, count;
};

/// A tile of the array, of Elements: its first element, and how many elements the array has.
struct tile_place {
  std::int64_t first, n;
};

/// Segments are runs of equal keys.
template <class Key, class Equal>
struct key_source {
  Key const* keys;
  Equal equal;

  static constexpr bool has_marks = false;  // whether heads are marked in shared memory
  static constexpr unsigned row_elements = elements_of_row<Key>();
  template <unsigned K>
  static constexpr unsigned registers_of_row = tessera::detail::word_count<items<Key, K>>;

  TESSERA_FN element_range range(std::int64_t n) const { return {0, n}; }
};

/// Segments are given by offsets.
template <class Offset>
struct offset_source {
  Offset const* offsets;
  std::int64_t segments;

  static constexpr bool has_marks = true;
  static constexpr unsigned row_elements = 1;
  template <unsigned K>
  static constexpr unsigned registers_of_row = 0;

  TESSERA_FN element_range range(std::int64_t) const {
    std::int64_t const begin = static_cast<std::int64_t>(offsets[0]);
    return {begin, static_cast<std::int64_t>(offsets[segments]) - begin};
  }
};

/// A block's shared memory for marks: a bit for each element of a tile.
template <unsigned Elements, bool HasMarks>
struct head_storage {};
template <unsigned Elements>
struct head_storage<Elements, true> {
  static constexpr unsigned words = (Elements + 31) / 32;
  std::uint32_t marks[words];
  std::int64_t first;  // the number of the tile's first offset
};

/// The heads of a block's tiles, as one thread sees them. All threads of the block call
///   load     for each tile once the tile before has no more use for its heads
///   fetch    one barrier later, and mark after that: only of sources with marks
///   of_row   for each row in turn, with marks one more barrier later
template <unsigned Threads, unsigned K, unsigned Rows, class Warp, class Source>
class segment_heads;

template <unsigned Threads, unsigned K, unsigned Rows, class Warp, class Key, class Equal>
class segment_heads<Threads, K, Rows, Warp, key_source<Key, Equal>> {
  using source_t = key_source<Key, Equal>;

 public:
  static constexpr unsigned tile_elements = Threads * K * Rows;
  using storage_t = head_storage<tile_elements, false>;

  TESSERA_FN segment_heads(unsigned, source_t const& source, std::int64_t, storage_t&) : source_(source) {
    tessera::detail::require_call<Warp, Equal const, Key, Key>();
  }

  /// Loads the keys of the warp's rows, of which the lane's first one has `own` as its first element.
  TESSERA_FN void load(Warp const& warp, tile_place const& tile, std::int64_t own) {
    rows_.load(warp, source_.keys, tile.n, own);
  }

  /// The lane's heads in row r, whose first element is element `own` of the array.
  TESSERA_FN unsigned of_row(Warp const& warp, tile_place const&, unsigned r, std::int64_t own) const {
    auto const keys = rows_.row(r);
    Key const before = rows_.predecessor(warp, r);
    unsigned heads = own == 0 || !static_cast<bool>(source_.equal(before, keys[0])) ? 1 : 0;
    TESSERA_UNROLL
    for (unsigned i = 1; i < K; ++i)
      heads |= static_cast<bool>(source_.equal(keys[i - 1], keys[i])) ? 0u : 1u << i;
    return heads;
  }

 private:
  source_t const& source_;
  rows_with_predecessors<Key, K, Rows> rows_;
};

template <unsigned Threads, unsigned K, unsigned Rows, class Warp, class Offset>
class segment_heads<Threads, K, Rows, Warp, offset_source<Offset>> {
  using source_t = offset_source<Offset>;

 public:
  static constexpr unsigned tile_elements = Threads * K * Rows;
  using storage_t = head_storage<tile_elements, true>;

  TESSERA_FN segment_heads(unsigned rank, source_t const& source, std::int64_t begin, storage_t& storage)
      : rank_(rank), source_(source), begin_(begin), storage_(storage) {}

  /// Clears all marks. The last warp finds the tile's first offset.
  TESSERA_FN void load(Warp const& warp, tile_place const& tile, std::int64_t) {
    for (unsigned i = rank_; i < storage_t::words; i += Threads) storage_.marks[i] = 0;
    if (rank_ / 32 != Threads / 32 - 1) return;
    std::int64_t const first =
        tessera::lower_bound(warp, source_.offsets, source_.segments,
                             static_cast<Offset>(begin_ + tile.first), less{}, tessera::converged);
    if (warp.thread_rank() == 31) storage_.first = first;
  }

  /// Loads the thread's first offset.
  TESSERA_FN void fetch() { fetched_ = load_offset(storage_.first + rank_); }

  /// Marks the heads of the tile. The offsets of many empty segments at one place are skipped.
  TESSERA_FN void mark(tile_place const& tile) const {
    std::int64_t number = storage_.first;
    std::int64_t place = place_of(fetched_);
    TESSERA_LOOP
    for (;;) {
      set_mark(place - tile.first);
      if (number + Threads >= source_.segments) break;
      std::int64_t const first = load_place(number);
      number += Threads;
      std::int64_t const next = load_place(number);
      if (next - tile.first >= tile_elements) break;
      if (next == first)
        number += tessera::upper_bound(source_.offsets + number, source_.segments - number,
                                       source_.offsets[number]);
      place = load_place(number + rank_);
    }
  }

  TESSERA_FN unsigned of_row(Warp const&, tile_place const& tile, unsigned, std::int64_t own) const {
    auto const i = static_cast<unsigned>(own - tile.first);
    return storage_.marks[i / 32] >> i % 32 & ((1u << K) - 1);
  }

 private:
  /// The place of a segment's head among the elements; behind all elements if there is no such segment.
  TESSERA_FN Offset load_offset(std::int64_t segment) const {
    return source_.offsets[segment < source_.segments ? segment : source_.segments];
  }
  TESSERA_FN std::int64_t place_of(Offset offset) const { return static_cast<std::int64_t>(offset) - begin_; }
  TESSERA_FN std::int64_t load_place(std::int64_t segment) const { return place_of(load_offset(segment)); }
  TESSERA_FN void set_mark(std::int64_t i) const {
    if (i < tile_elements)
      tessera::atomic_update(&storage_.marks[i / 32], std::uint32_t{1} << i % 32, tessera::bit_or{});
  }

  unsigned rank_;
  source_t const& source_;
  std::int64_t begin_;
  Offset fetched_ = 0;
  storage_t& storage_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
