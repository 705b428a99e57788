// The sort of segments that lie in a block's temporary storage.
//
//   segments     5 2 | 9 | 3 1 2 | 8 … (700 of them)
//   list         segments of up to 8, 32, 64 and 128 elements, each kind together; chunks of 256 of those that are
//                longer
//   sort         a warp sorts 32, 8, 4 or 2 of them at a time in registers, or one chunk
//   merge        chunks of a segment are merged, two, then four, …: each warp makes a slice as long as a chunk
//
// The whole block sorts segments of more than 1024 keys of 4 bytes, in parts of up to 2048 keys. Two parts are merged.
//
// Chunks are sorted into one of two buffers and merged back and forth, so that all segments end in buffer 0.
//
// Source: the networks of tessera/sort.hpp; merge path as in S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk,
// "Merge Path", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/sort/segment_sort_codec.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/sort.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A block's temporary storage.
template <class Codec>
struct segment_sort_storage {
  using entry = typename Codec::entry;
  using tuning = segment_sort_tuning;
  using networks = segment_networks<Codec::has_few_networks>;
  static constexpr unsigned capacity = Codec::capacity;
  static constexpr unsigned row = 128 / sizeof(entry);  // of all banks
  static constexpr unsigned most_chunks = capacity / networks::not_in_chunks;
  static constexpr unsigned most_parts = capacity / tuning::most_by_warps;

  entry buffers[2][capacity + capacity / row];
  std::int64_t shared[3];  // a place in the list or a ticket; two splits
  struct {
    std::int64_t segment, element;         // the first of a window
  } window[2];                             // alternately
  std::int64_t end;                        // of the block's segments
  unsigned counts[networks::classes + 1];  // listed segments of each class, and chunks
  unsigned levels;                         // merges of the longest segment
  unsigned segments;                       // of the window
  unsigned chunks[most_chunks];            // segment ‖ which of its chunks, 16 bits
  unsigned parts_listed;                   // of segments that the block sorts
  unsigned parts[most_parts];              // segment ‖ which of its parts, 16 bits
  std::uint16_t ends[tuning::most_segments];
  std::uint16_t list[tuning::most_segments];

  /// After each row of 128 bytes one slot is left free, so that lanes that read neighboring segments have few bank
  /// conflicts.
  TESSERA_FN entry& at(unsigned buffer, unsigned i) { return buffers[buffer][i + i / row]; }
  /// The entry k · threads after entry i, at a distance that the compiler knows.
  TESSERA_FN entry& at(unsigned buffer, unsigned i, unsigned k) {
    static_assert(tuning::threads % row == 0);
    return buffers[buffer][i + i / row + k * (tuning::threads + tuning::threads / row)];
  }
  TESSERA_FN unsigned begin_of(unsigned segment) const { return segment == 0 ? 0 : ends[segment - 1]; }
};

/// The number of levels of merges that make one run of `runs`.
TESSERA_FN unsigned merge_levels(std::uint64_t runs) {
  unsigned levels = 0;
  while (runs > std::uint64_t{1} << levels) ++levels;
  return levels;
}

/// Two neighboring sorted runs in a buffer: [begin, middle) and [middle, end).
struct run_pair {
  unsigned begin, middle, end;
};

/// Sorts segments in the storage of a block.
template <class Codec, class Block>
class segment_sorter {
  using entry = typename Codec::entry;
  using order = typename Codec::order;
  using storage_t = segment_sort_storage<Codec>;
  using tuning = segment_sort_tuning;
  using networks = typename storage_t::networks;
  static constexpr unsigned rounds = tuning::most_segments / tuning::threads;

 public:
  TESSERA_FN segment_sorter(Block const& block, unsigned rank, storage_t& storage)
      : block_(block), rank_(rank), warp_(rank / 32), lane_(rank % 32), storage_(storage) {}

  /// Sorts `count` segments. Before: storage.ends has their ends, the lists are clear, and the block has synchronized.
  /// place() writes the entries into buffer 0. It is called after the first half of the listing, so that loads for it
  /// overlap with that. The block synchronizes again before this returns.
  template <class Place>
  TESSERA_FN void sort(unsigned count, order const& before, Place const& place) const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    list_segments(tile, count, place);
    tile.sync();
    sort_listed(tile, before, [&](unsigned turn) {
      unsigned begin = 0;
      for (unsigned c = 0; c < networks::classes; ++c) begin += storage_.counts[c];
      sort_classes<networks::classes>(turn, begin, before);
    });
  }

  /// Sorts the n entries of buffer 0 as one segment. Otherwise as `sort`, but always in chunks or parts, so that fewer
  /// networks are compiled.
  TESSERA_FN void sort_one(unsigned n, order const& before) const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    if (rank_ == 0) {
      storage_.ends[0] = static_cast<std::uint16_t>(n);
      list_long(0, n);
    }
    tile.sync();
    sort_listed(tile, before, [](unsigned) {});
  }

  /// Clears the lists before `sort`. Called by all threads; a barrier must follow.
  TESSERA_FN void clear_lists() const {
    if (rank_ <= networks::classes) storage_.counts[rank_] = 0;
    if (rank_ == 0) storage_.levels = storage_.parts_listed = 0;
  }

  /// Merges two runs from one buffer into the other: one chunk of the result, which begins at `first`. Called by a
  /// warp.
  TESSERA_FN void merge_slice(unsigned from, run_pair const& runs, unsigned first, order const& before) const {
    unsigned const na = runs.middle - runs.begin, nb = runs.end - runs.middle;
    unsigned const diagonal = first + lane_ * networks::chunk_items;
    if (diagonal >= na + nb) return;
    auto const a = [&](unsigned i) -> entry const& { return storage_.at(from, runs.begin + i); };
    auto const b = [&](unsigned i) -> entry const& { return storage_.at(from, runs.middle + i); };
    // Invariant: the first `low` of a are before the diagonal, and at most the first `high`.
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
      unsigned const middle = (low + high) / 2;
      if (before(b(diagonal - 1 - middle), a(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    // After its end a run reads as Codec::last(). No entry comes after that, and an entry that compares equal to it is
    // identical, so either may be taken. One load serves both runs, so that lanes don't diverge.
    unsigned next_in_a = runs.begin + low, next_in_b = runs.middle + diagonal - low;
    auto const entry_of = [&](unsigned i, unsigned end) { return i < end ? storage_.at(from, i) : Codec::last(); };
    entry next_a = entry_of(next_in_a, runs.middle), next_b = entry_of(next_in_b, runs.end);
    auto const left = static_cast<int>(na + nb - diagonal);
    TESSERA_UNROLL
    for (unsigned k = 0; k < networks::chunk_items; ++k) {
      bool const from_b = before(next_b, next_a);
      if (left > static_cast<int>(k)) storage_.at(from ^ 1, runs.begin + diagonal + k) = from_b ? next_b : next_a;
      next_in_a += from_b ? 0 : 1;
      next_in_b += from_b ? 1 : 0;
      entry const next = entry_of(from_b ? next_in_b : next_in_a, from_b ? runs.end : runs.middle);
      next_a = from_b ? next_a : next;
      next_b = from_b ? next : next_b;
    }
  }

 private:
  /// Lists each segment of more than one element by its class, or its chunks. Calls place() after the barrier.
  template <class Tile, class Place>
  TESSERA_FN void list_segments(Tile const& tile, unsigned count, Place const& place) const {
    auto const warp = tessera::tiled_partition<32>(block_);
    unsigned listed[rounds];  // class ‖ which of its segments, 16 bits
    TESSERA_UNROLL
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned which = networks::classes;
      listed[r] = which << 16;
      if (r * tuning::threads + warp_ * 32 >= count) continue;  // by the whole warp
      unsigned const s = r * tuning::threads + rank_;
      unsigned const size = s < count ? storage_.ends[s] - storage_.begin_of(s) : 0;
      if (size > 1) which = networks::class_of(size);
      auto const alike = tessera::peers(warp, which, tessera::converged);
      unsigned begin = 0;
      if (which < networks::classes && alike.is_leader())
        begin = tessera::atomic_update(&storage_.counts[which], alike.count());
      listed[r] = which << 16 | (tessera::shuffle(warp, begin, alike.leader, tessera::converged) + alike.rank);
      if (size > 1 && which == networks::classes) list_long(s, size);
    }
    tile.sync();
    place();
    TESSERA_UNROLL
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned const which = listed[r] >> 16;
      if (which == networks::classes) continue;
      unsigned at = listed[r] & 0xffff;
      TESSERA_UNROLL
      for (unsigned c = 0; c + 1 < networks::classes; ++c) at += c < which ? storage_.counts[c] : 0;
      storage_.list[at] = static_cast<std::uint16_t>(r * tuning::threads + rank_);
    }
  }
  TESSERA_FN void list_long(unsigned segment, unsigned size) const {
    bool const by_block = Codec::has_block_network && size > tuning::most_by_warps;
    unsigned const length = by_block ? tuning::part : networks::chunk, pieces = (size + length - 1) / length;
    unsigned const begin =
        tessera::atomic_update(by_block ? &storage_.parts_listed : &storage_.counts[networks::classes], pieces);
    unsigned* const list = by_block ? storage_.parts : storage_.chunks;
    for (unsigned k = 0; k < pieces; ++k) list[begin + k] = segment << 16 | k;
    tessera::atomic_max(&storage_.levels, detail::merge_levels(pieces));
  }

  /// Sorts all that is listed. Each of the 8 warps takes every eighth turn: first the chunks; then the segments that
  /// are sorted in one go, the longer ones first, by sort_others(the warp's first turn of these).
  template <class Tile, class SortOthers>
  TESSERA_FN void sort_listed(Tile const& tile, order const& before, SortOthers const& sort_others) const {
    unsigned const levels = storage_.levels;
    if constexpr (Codec::has_block_network) {
      for (unsigned p = 0; p < storage_.parts_listed; ++p) sort_part(tile, storage_.parts[p], before);
    }
    unsigned const chunks = storage_.counts[networks::classes];
    unsigned turn = warp_;
    for (; turn < chunks; turn += tuning::warps) sort_chunk(storage_.chunks[turn], before);
    sort_others(turn - chunks);
    tile.sync();
    for (unsigned level = 0; level < levels; ++level) {
      merge_chunks(level, before);
      if constexpr (Codec::has_block_network) {
        if (level == 0) merge_parts(before);
      }
      tile.sync();
    }
  }
  template <unsigned Classes>
  TESSERA_FN void sort_classes(unsigned turn, unsigned begin, order const& before) const {
    sort_class<Classes - 1>(turn, begin, before);
    if constexpr (Classes > 1) sort_classes<Classes - 1>(turn, begin, before);
  }
  /// Sorts the segments of a class, which are listed before `begin`. Then `turn` is the warp's first turn of the next
  /// class, counted from 0.
  template <unsigned Class>
  TESSERA_FN void sort_class(unsigned& turn, unsigned& begin, order const& before) const {
    constexpr unsigned lanes = networks::template lanes<Class>, at_once = 32 / lanes;
    unsigned const listed = storage_.counts[Class], turns = (listed + at_once - 1) / at_once;
    begin -= listed;
    for (; turn < turns; turn += tuning::warps) {
      unsigned const i = turn * at_once + lane_ / lanes;
      unsigned const segment = i < listed ? storage_.list[begin + i] : 0;
      unsigned const first = storage_.begin_of(segment);
      unsigned const size = i < listed ? storage_.ends[segment] - first : 0;
      sort_by_tile<lanes, networks::template items<Class>>(first, size, 0, before);
    }
    turn -= turns;
  }
  TESSERA_FN void sort_chunk(unsigned listed, order const& before) const {
    unsigned const segment = listed >> 16, begin = storage_.begin_of(segment), end = storage_.ends[segment];
    unsigned const first = begin + (listed & 0xffff) * networks::chunk;
    unsigned const chunks = (end - begin + networks::chunk - 1) / networks::chunk;
    sort_by_tile<32, networks::chunk_items>(first, end - first < networks::chunk ? end - first : networks::chunk,
                                            detail::merge_levels(chunks) % 2, before);
  }

  /// Sorts up to Lanes · Items entries by each tile of a warp, from buffer 0 into buffer `into`.
  template <unsigned Lanes, unsigned Items>
  TESSERA_FN void sort_by_tile(unsigned first, unsigned size, unsigned into, order const& before) const {
    auto const tile = tessera::tiled_partition<Lanes>(block_);
    unsigned const own = lane_ % Lanes * Items;
    auto const left = static_cast<int>(size - own);
    items<entry, Items> x;
    TESSERA_UNROLL
    for (unsigned k = 0; k < Items; ++k)
      x[k] = left > static_cast<int>(k) ? storage_.at(0, first + own + k) : Codec::last();
    x = tessera::sort(tile, x, before, tessera::converged);
    TESSERA_UNROLL
    for (unsigned k = 0; k < Items; ++k) {
      if (left > static_cast<int>(k)) storage_.at(into, first + own + k) = x[k];
    }
  }

  /// The part of a segment that the block sorts.
  struct part_of_segment {
    unsigned begin, end;  // of the segment
    unsigned first, n;    // the part's first entry, and its entries
    bool is_only;
  };
  TESSERA_FN part_of_segment part_of(unsigned listed) const {
    unsigned const begin = storage_.begin_of(listed >> 16), end = storage_.ends[listed >> 16];
    unsigned const first = begin + (listed & 0xffff) * tuning::part;
    return {begin, end, first, end - first < tuning::part ? end - first : tuning::part, end - begin <= tuning::part};
  }
  /// Sorts a part by the whole block: in buffer 0 if it is a whole segment, else from there into buffer 1.
  template <class Tile>
  TESSERA_FN void sort_part(Tile const& tile, unsigned listed, order const& before) const {
    constexpr unsigned K = tuning::block_items;
    part_of_segment const part = part_of(listed);
    auto const left = static_cast<int>(part.n - rank_ * K);
    items<entry, K> x;
    TESSERA_UNROLL
    for (unsigned k = 0; k < K; ++k)
      x[k] = left > static_cast<int>(k) ? storage_.at(0, part.first + rank_ * K + k) : Codec::last();
    x = tessera::sort(tile, x, before);
    TESSERA_UNROLL
    for (unsigned k = 0; k < K; ++k) {
      if (left > static_cast<int>(k)) storage_.at(part.is_only ? 0 : 1, part.first + rank_ * K + k) = x[k];
    }
  }
  TESSERA_FN void merge_parts(order const& before) const {
    for (unsigned p = 0; p < storage_.parts_listed; ++p) {
      part_of_segment const part = part_of(storage_.parts[p]);
      if (part.is_only) continue;
      for (unsigned slice = warp_ * networks::chunk; slice < part.n; slice += tuning::warps * networks::chunk)
        merge_slice(1, {part.begin, part.begin + tuning::part, part.end}, part.first - part.begin + slice, before);
    }
  }

  /// One level of merges: at level 0 of single chunks, and at each later level of runs twice as long.
  TESSERA_FN void merge_chunks(unsigned level, order const& before) const {
    for (unsigned t = warp_; t < storage_.counts[networks::classes]; t += tuning::warps) {
      unsigned const listed = storage_.chunks[t], segment = listed >> 16;
      unsigned const begin = storage_.begin_of(segment), end = storage_.ends[segment];
      unsigned const levels = detail::merge_levels((end - begin + networks::chunk - 1) / networks::chunk);
      if (level >= levels) continue;
      unsigned const width = networks::chunk << level, slice = (listed & 0xffff) * networks::chunk;
      unsigned const pair = begin + slice / (2 * width) * (2 * width);
      auto const within = [&](unsigned i) { return i < end ? i : end; };
      merge_slice((levels - level) % 2, {pair, within(pair + width), within(pair + 2 * width)}, begin + slice - pair,
                  before);
    }
  }

  Block const& block_;
  unsigned rank_, warp_, lane_;
  storage_t& storage_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
