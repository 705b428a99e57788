// The heads of segments in the tiles of segmented_scan_agent.hpp: a bit for each of a lane's elements of a row.
//
//   keys       3 3 3 8 8 1 1 1      an element whose key differs from the one before is a head
//   offsets    0 3 3 5              each offset is the index of a head; those of empty segments come twice
//   heads      1 . . 1 . 1 . .
//
// Keys are loaded in rows beside the elements. Of the offsets, the warp that looks back finds those of a tile, two
// tiles ahead: it looks where they are if segments are about as long as they were between the block's last two tiles,
// and is content with a range that all warps load at once. These load it side by side, a few neighbors each, and mark
// bits in shared memory, while the tile's elements are on their way. Marks have three turns: while a tile is scanned,
// its own marks are read, those of the next tile set, and those of the one after cleared. Every offset is read about
// once.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/row_predecessors.hpp>
#include <tessera/grid/parts/segment_offsets.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/segments/segmented_scan_tuning.hpp>
#include <tessera/tile/gpu_call.hpp>
#include <tessera/vote.hpp>

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
template <class Key, class Equal, class Keys = Key const*>
struct key_source {
  Keys keys;
  Equal equal;

  static constexpr bool has_marks = false;  // whether heads are marked in shared memory
  static constexpr unsigned row_elements = elements_of_row<Key>();
  static constexpr unsigned element_bytes = sizeof(Key);

  TESSERA_FN element_range range(std::int64_t n) const { return {0, n}; }
};

/// Segments are given by offsets.
template <class Wide = bool>
struct offset_source {
  offsets_by_width<Wide> offsets;
  std::int64_t segments;

  static constexpr bool has_marks = true;
  static constexpr unsigned row_elements = 1;
  static constexpr unsigned element_bytes = 0;

  TESSERA_FN element_range range(std::int64_t) const { return {offsets[0], offsets[segments] - offsets[0]}; }
};

/// A block's shared memory for marks: a bit for each element of a tile of up to so many warps.
template <unsigned MostWarps, unsigned WordsOfWarp, bool HasMarks>
struct head_storage {};
template <unsigned MostWarps, unsigned WordsOfWarp>
struct head_storage<MostWarps, WordsOfWarp, true> {
  static constexpr unsigned turns = 3;
  std::uint32_t marks[turns][MostWarps * WordsOfWarp];
  element_range all;
  struct offset_range {
    std::int64_t begin, end;
  } range[2];  // the offsets that may lie in a tile
};

/// The heads of a block's tiles, as one thread sees them: of the tiles' warps for all but look_ahead.
///   look_ahead   for each tile by a warp more: only of sources with marks
///   load         for each tile in turn, a barrier later, once the tile before has no more use for its heads
///   mark         right after it, once the tile's elements are on their way, too
///   of_row       for each row in turn, with marks one more barrier later
///   fetch        between them for the next tile, if there is one, so that what it loads arrives until `mark`
/// all() gives the range of all elements, a barrier after they are constructed.
template <unsigned MostWarps, unsigned K, unsigned Rows, class Warp, class Source>
class segment_heads;

template <unsigned MostWarps, unsigned K, unsigned Rows, class Warp, class Key, class Equal, class Keys>
class segment_heads<MostWarps, K, Rows, Warp, key_source<Key, Equal, Keys>> {
  using source_t = key_source<Key, Equal, Keys>;

 public:
  using storage_t = head_storage<MostWarps, K * Rows, false>;

  TESSERA_FN segment_heads(unsigned, unsigned, source_t const& source, element_range const& all, storage_t&)
      : source_(source), n_(all.count) {
    tessera::detail::require_call<Warp, Equal const, Key, Key>();
  }
  TESSERA_FN element_range all() const { return {0, n_}; }

  /// Loads the keys of the warp's rows, of which the lane's first one has `own` as its first element.
  TESSERA_FN void load(Warp const& warp, tile_place const& tile, std::int64_t own) {
    rows_.load(warp, source_.keys, tile.n, own);
  }
  TESSERA_FN void mark(tile_place const&) const {}
  TESSERA_FN void fetch() const {}

  /// The lane's heads in row r, whose first element is element `own` of the array.
  TESSERA_FN unsigned of_row(Warp const& warp, tile_place const&, unsigned r, std::int64_t own) const {
    auto const keys = rows_.row(r);
    Key const before = rows_.predecessor(warp, r);
    unsigned heads = own == 0 || !static_cast<bool>(source_.equal(before, keys[0])) ? 1 : 0;
    TESSERA_UNROLL
    for (unsigned i = 1; i < K; ++i) heads |= static_cast<bool>(source_.equal(keys[i - 1], keys[i])) ? 0u : 1u << i;
    return heads;
  }

 private:
  source_t const& source_;
  std::int64_t n_;
  rows_with_predecessors<Key, K, Rows> rows_;
};

template <unsigned MostWarps, unsigned K, unsigned Rows, class Warp, class Wide>
class segment_heads<MostWarps, K, Rows, Warp, offset_source<Wide>> {
  using source_t = offset_source<Wide>;

 public:
  using storage_t = head_storage<MostWarps, K * Rows, true>;

  /// Clears the first tile's marks, a barrier before they are set. The range of all elements is in shared memory,
  /// where it fills no registers.
  TESSERA_FN segment_heads(unsigned rank, unsigned warps, source_t const& source, element_range const& all,
                           storage_t& storage)
      : rank_(rank), warps_(warps), source_(source), storage_(storage) {
    clear(0);
    if (rank == threads()) {
      storage.all = all;
      storage.range[1] = {0, 0};  // There may be no second tile.
    }
  }
  TESSERA_FN element_range all() const { return storage_.all; }

  /// Finds the offsets of a tile, and some around them. The offsets left are between `begin` and `end`; in a round
  /// the lanes look at the ends of many equal parts: in the first one, of twice as many offsets as lay between the
  /// last two tiles. Tiles come in their order.
  TESSERA_FN void look_ahead(Warp const& warp, tile_place const& tile, unsigned half) {
    std::int64_t begin = searched_, end = source_.segments;
    std::int64_t guess = skipped_ > 0 ? skipped_ / (probed / 2) + 1 : INT64_MAX;
    TESSERA_LOOP
    for (;;) {
      std::int64_t const even = (end - begin) / (probed + 1) + 1;
      std::int64_t const part = guess < even ? guess : even;
      guess = INT64_MAX;
      std::int64_t places[probes];  // all of them are on their way at once
      TESSERA_UNROLL
      for (unsigned p = 0; p < probes; ++p) {
        std::int64_t const at = begin + (p * 32 + warp.thread_rank() + 1) * part - 1;
        places[p] = at < end ? source_.offsets[at] - storage_.all.begin : INT64_MAX;
      }
      unsigned before = 0, through = 0;
      TESSERA_UNROLL
      for (unsigned p = 0; p < probes; ++p) {
        before += tessera::ballot(warp, places[p] < tile.first, tessera::converged).count();
        through += tessera::ballot(warp, places[p] < end_of(tile), tessera::converged).count();
      }
      std::int64_t const last_end = begin + (through + 1) * part - 1;
      begin += before * part;
      if (through == probed && part < even) continue;  // The tile ends after all that were probed.
      end = last_end < end ? last_end : end;
      if (end - begin <= loaded_at_a_time() || through - before >= enough) break;
    }
    skipped_ = begin - searched_;
    searched_ = begin;
    if (warp.thread_rank() == 0) storage_.range[half] = {begin - beyond_vector(begin), end};
  }

  /// Begins to load the thread's first offsets of the tile after this one.
  TESSERA_FN void fetch() {
    if (source_.offsets.is_wide) {
      fetch_from<std::uint64_t>(next_range(), next_range().begin);
    } else {
      fetch_from<std::uint32_t>(next_range(), next_range().begin);
    }
  }

  TESSERA_FN void load(Warp const&, tile_place const&, std::int64_t) {
    if (loaded_ == 0) fetch();  // It's the first tile.
  }

  /// Marks the heads of the tile, and clears the marks of the next one.
  TESSERA_FN void mark(tile_place const& tile) {
    auto const range = next_range();
    loaded_ = loaded_ < 6 ? loaded_ + 1 : 1;
    clear(loaded_ % storage_t::turns);
    if (source_.offsets.is_wide) {
      mark_range<std::uint64_t>(tile, range);
    } else {
      mark_range<std::uint32_t>(tile, range);
    }
  }

  TESSERA_FN unsigned of_row(Warp const&, tile_place const& tile, unsigned, std::int64_t own) const {
    auto const i = static_cast<unsigned>(own - tile.first);
    return storage_.marks[turn()][i / 32] >> i % 32 & ((1u << K) - 1);
  }

 private:
  static constexpr unsigned vectors = segmented_scan_tuning::vectors_of_offsets;  // that a thread loads at a time
  template <class Offset>
  static constexpr unsigned neighbors = 16 / sizeof(Offset);         // of a vector
  static constexpr unsigned probes = segmented_scan_tuning::probes;  // of a lane and round of the search
  static constexpr unsigned probed = 32 * probes;
  static constexpr unsigned enough =
      16;  // parts of a round that lie in the tile: the ones at its ends are few beside them

  TESSERA_FN unsigned threads() const { return 32 * warps_; }
  TESSERA_FN unsigned tile_elements() const { return threads() * K * Rows; }
  template <class Offset>
  TESSERA_FN unsigned at_a_time() const {
    return vectors * neighbors<Offset> * threads();
  }
  template <class Offset>
  TESSERA_FN Offset const* offsets() const {
    return static_cast<Offset const*>(source_.offsets.data);
  }
  /// The marks whose turn it is while the last loaded tile is current, and the next tile's offsets.
  TESSERA_FN unsigned turn() const { return (loaded_ + 2) % storage_t::turns; }
  TESSERA_FN typename storage_t::offset_range const& next_range() const { return storage_.range[loaded_ % 2]; }
  TESSERA_FN std::int64_t end_of(tile_place const& tile) const {
    std::int64_t const end = tile.first + tile_elements();
    return end < tile.n ? end : tile.n;
  }
  /// The number of offsets that the threads load at a time.
  TESSERA_FN std::int64_t loaded_at_a_time() const {
    return source_.offsets.is_wide ? at_a_time<std::uint64_t>() : at_a_time<std::uint32_t>();
  }
  /// The index of the first offset from `at` on that is greater than offset `at`.
  TESSERA_FN std::int64_t first_greater(std::int64_t at, std::int64_t end) const {
    std::int64_t const place = source_.offsets[at];
    // Invariant: offsets before `at` are at most `place`, and those from `end` on are greater.
    TESSERA_LOOP
    while (at < end) {
      std::int64_t const middle = at + (end - at) / 2;
      if (source_.offsets[middle] <= place) {
        at = middle + 1;
      } else {
        end = middle;
      }
    }
    return at;
  }
  /// The thread's first offset of a vector, from the first one of all threads on.
  template <class Offset>
  TESSERA_FN std::int64_t own_first(unsigned vector) const {
    return std::int64_t{vector * threads() + rank_} * neighbors<Offset>;
  }

  /// The number of offsets before this one in the same vector of 16 bytes.
  TESSERA_FN std::int64_t beyond_vector(std::int64_t offset) const {
    unsigned const bytes = source_.offsets.bytes();
    std::int64_t const beyond =
        (reinterpret_cast<stl::uintptr_t>(source_.offsets.data) / bytes + static_cast<stl::uintptr_t>(offset)) %
        (16 / bytes);
    return beyond <= offset ? beyond : offset;
  }

  TESSERA_FN void clear(unsigned turn) const {
    static_assert(K * Rows <= 32, "A thread has a word at most.");
    if (rank_ < warps_ * (K * Rows)) storage_.marks[turn][rank_] = 0;
  }

  /// Loads the thread's vectors among the offsets that begin at `first`.
  template <class Offset>
  TESSERA_FN void fetch_from(typename storage_t::offset_range const& range, std::int64_t first) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) fetch_vector<Offset>(range, first + own_first<Offset>(v), v);
  }
  template <class Offset>
  TESSERA_FN void fetch_vector(typename storage_t::offset_range const& range, std::int64_t own, unsigned v) {
    constexpr unsigned count_of_vector = neighbors<Offset>;
    using wide = tessera::detail::wide_row<Offset, count_of_vector>;
    auto vector = tessera::detail::from_words<items<Offset, count_of_vector>>({});
    if (own + count_of_vector <= source_.segments && wide::distance(offsets<Offset>() + own) == 0) {
      if (own < range.end) vector = wide::load_aligned(offsets<Offset>() + own);
    } else if (own < range.end) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < count_of_vector; ++j)
        vector[j] = offsets<Offset>()[detail::nearest_index(own + j, source_.segments)];
    }
    auto const words = tessera::detail::to_words(vector);
    tessera::detail::copy_bytes(fetched_[v].word, words.word, 16);
  }
  /// Sets the marks of the offsets of a range, of which the thread's first are fetched. Those of very many empty
  /// segments at one place are skipped.
  template <class Offset>
  TESSERA_FN void mark_range(tile_place const& tile, typename storage_t::offset_range const& range) {
    std::int64_t const last = range.end - 1;
    bool const has_many = range.end - range.begin > 2 * std::int64_t{tile_elements()};
    TESSERA_LOOP
    for (std::int64_t at = range.begin;; fetch_from<Offset>(range, at)) {
      TESSERA_UNROLL
      for (unsigned v = 0; v < vectors; ++v) {
        if (at + own_first<Offset>(v) <= last) set_marks<Offset>(tile, v);
      }
      at += at_a_time<Offset>();
      if (at > last) break;
      if (has_many && offsets<Offset>()[at] == offsets<Offset>()[at - at_a_time<Offset>()])
        at = first_greater(at, range.end);
    }
  }
  /// Sets the marks of a vector of offsets, those of a word at once. 32 bits are enough for the differences of
  /// offsets of 32 bits: a tile ends at an offset or before it, so that one before the tile, which is negative, is no
  /// place in the tile modulo 2^32, either.
  template <class Offset>
  TESSERA_FN void set_marks(tile_place const& tile, unsigned v) const {
    using distance = Offset;
    constexpr unsigned count_of_vector = neighbors<Offset>;
    tessera::detail::words<items<Offset, count_of_vector>> fetched;
    tessera::detail::copy_bytes(fetched.word, fetched_[v].word, 16);
    auto const vector = tessera::detail::from_words<items<Offset, count_of_vector>>(fetched);
    auto const first = static_cast<distance>(storage_.all.begin + tile.first);
    auto const count = static_cast<distance>(end_of(tile) - tile.first);
    std::uint32_t bits = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < count_of_vector; ++j) {
      auto const place = static_cast<distance>(vector[j] - first);
      auto const next = static_cast<distance>(vector[j + 1 < count_of_vector ? j + 1 : j] - first);
      if (place < count) bits |= std::uint32_t{1} << place % 32;
      if (bits != 0 && (j + 1 == count_of_vector || next / 32 != place / 32)) {
        tessera::atomic_update(&storage_.marks[turn()][place / 32], bits, tessera::bit_or{});
        bits = 0;
      }
    }
  }

  unsigned rank_, warps_;
  source_t const& source_;
  storage_t& storage_;
  std::int64_t searched_ = 0;  // the offsets before come before the tiles ahead
  std::int64_t skipped_ = 0;   // how many the last search passed
  unsigned loaded_ = 0;        // how many tiles, but for multiples of 6
  tessera::detail::words<items<std::uint32_t, 4>> fetched_[vectors]{};
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
