// The agent that sorts the segments of an array: what a block of the first kernel of sort_segments.cuh does.
//
// Elements and segment ends are cut into equal parts by merge path search (merge_path.hpp), one for each block. A block walks the
// segments that end in its part, window by window:
//
//   segments    a b c | d | e f g h | … 9000 of them … | i j | k          windows of up to 8 elements
//   windows     a b c   d   e f g h |                  | i j   k
//
// A window has as many whole segments as fit into the block's temporary storage, at most about twice as many as the window before, is loaded, sorted (segment_sorter.hpp) and stored.
// A segment that doesn't fit is put on the list of long segments, which the second kernel sorts (long_segments_agent.hpp).
#pragma once

#include <tessera/grid/detail/merge_path.hpp>
#include <tessera/grid/detail/segment_sorter.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Offsets of 32 or 64 bits. One kernel serves both.
struct segment_offsets {
  void const* data;
  bool is_wide;

  TESSERA_FN std::int64_t operator[](std::int64_t i) const {
    return is_wide ? static_cast<std::int64_t const*>(data)[i] : static_cast<std::int32_t const*>(data)[i];
  }
};

/// The arguments of sort_segments. `spare`: arrays as long as the others, for merges of long segments.
template <class Codec>
struct segment_sort_task {
  using arrays = typename Codec::arrays;
  Codec codec;
  arrays in, out, spare;
  segment_offsets offsets;
  std::int64_t segments;
};

/// A piece of a long segment: as many elements as a block sorts at a time.
struct long_segment_tile {
  std::int64_t segment, tile;
};

/// The long segments, in the workspace. The words are 0 before the first kernel and after the second.
struct long_segment_list {
  long_segment_tile* tiles;
  std::uint64_t*
      words;  // tiles listed, most levels of merges, tickets taken, then for each level the tiles that are done

  TESSERA_FN std::uint64_t* listed() const { return words; }
  TESSERA_FN std::uint64_t* levels() const { return words + 1; }
  TESSERA_FN std::uint64_t* tickets() const { return words + 2; }
  TESSERA_FN std::uint64_t* done(std::uint64_t level) const { return words + 3 + level; }
};

/// Stores what `load(source)` gives for n sorted entries of a buffer: store(i, x). All are loaded before any is stored, so that both
/// may be of one array.
template <class Codec, class Tile, class Load, class Store>
TESSERA_FN void store_gathered(Tile const& tile, unsigned rank, segment_sort_storage<Codec>& storage,
                               unsigned buffer, unsigned n, entry_source const& source, Load const& load,
                               Store const& store) {
  constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;
  decltype(load(std::int64_t{})) x[each];
  TESSERA_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    unsigned const i = k * threads + rank;
    if (i < n) x[k] = load(source.at(Codec::position(storage.at(buffer, rank, k))));
  }
  tile.sync();
  TESSERA_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    unsigned const i = k * threads + rank;
    if (i < n) store(i, x[k]);
  }
}

/// Stores n sorted entries of a buffer as elements from `to` on.
template <class Codec, class Tile>
TESSERA_FN void store_sorted(Tile const& tile, unsigned rank, segment_sort_storage<Codec>& storage,
                             unsigned buffer, unsigned n, Codec const& codec,
                             typename Codec::arrays const& from, entry_source const& source,
                             typename Codec::arrays const& out, std::int64_t to) {
  constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;
  if constexpr (Codec::gathers) {
    store_gathered<Codec>(
        tile, rank, storage, buffer, n, source, [&](std::int64_t i) { return codec.key(from, i); },
        [&](unsigned i, auto const& x) { codec.store_key(out, to + i, x); });
    codec.move_values(from, out, [&](auto const& load, auto const& store) {
      store_gathered<Codec>(tile, rank, storage, buffer, n, source, load,
                            [&](unsigned i, auto const& x) { store(to + i, x); });
    });
  } else {
    TESSERA_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      unsigned const i = k * threads + rank;
      if (i < n) codec.store(out, to + i, storage.at(buffer, rank, k));
    }
  }
}

/// Loads n elements from `first` on as entries of buffer 0, from position `position` on.
template <class Codec>
TESSERA_FN void load_entries(unsigned rank, segment_sort_storage<Codec>& storage, unsigned position,
                             unsigned n, Codec const& codec, typename Codec::arrays const& from,
                             std::int64_t first) {
  constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;
  TESSERA_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    unsigned const i = k * threads + rank;
    if (i < n) storage.at(0, position + rank, k) = codec.load(from, first + i, position + i);
  }
}

template <class Codec, class Block>
class sort_segments_agent {
  using storage_t = segment_sort_storage<Codec>;
  using tuning = segment_sort_tuning;
  static constexpr unsigned capacity = Codec::capacity;

 public:
  TESSERA_FN sort_segments_agent(Block const& block, unsigned rank, segment_sort_task<Codec> const& task,
                                 long_segment_list const& longs, storage_t& storage)
      : block_(block), rank_(rank), task_(task), longs_(longs), storage_(storage) {}

  /// Sorts the segments from `segment` to `end` that fit, and lists the others.
  TESSERA_FN void run(std::int64_t segment, std::int64_t end) const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    unsigned looked_at = tuning::least_segments;
    while (segment < end) {
      std::int64_t const first = task_.offsets[segment];
      unsigned const limit = end - segment < looked_at ? static_cast<unsigned>(end - segment) : looked_at;
      unsigned const count = select_window(tile, segment, limit, first);
      looked_at = 2 * count + tuning::least_segments;
      if (looked_at > tuning::most_segments) looked_at = tuning::most_segments;
      if (count > 0) {
        sort_window(tile, count, first);
        segment += count;
      } else {
        list_long(tile, segment, first);
        segment += 1;
      }
    }
  }

 private:
  /// How many of the next `limit` segments fit: 0 if the first of them doesn't.
  template <class Tile>
  TESSERA_FN unsigned select_window(Tile const& tile, std::int64_t segment, unsigned limit,
                                    std::int64_t first) const {
    for (unsigned s = rank_; s < limit; s += tuning::threads) {
      std::int64_t const elements = task_.offsets[segment + s + 1] - first;
      storage_.ends[s] = static_cast<std::uint16_t>(elements < capacity + 1 ? elements : capacity + 1);
    }
    segment_sorter<Codec, Block>(block_, rank_, storage_).clear_lists();
    tile.sync();
    for (unsigned s = rank_; s < limit; s += tuning::threads) {
      bool const fits = storage_.ends[s] <= capacity;
      if (fits && (s + 1 == limit || storage_.ends[s + 1] > capacity)) storage_.segments = s + 1;
      if (!fits && s == 0) storage_.segments = 0;
    }
    tile.sync();
    return storage_.segments;
  }

  template <class Tile>
  TESSERA_FN void sort_window(Tile const& tile, unsigned count, std::int64_t first) const {
    unsigned const n = storage_.ends[count - 1];
    if (n == 0) {
      tile.sync();
      return;
    }
    entry_source const source = one_source(first);
    load_entries(rank_, storage_, 0, n, task_.codec, task_.in, first);
    tile.sync();
    segment_sorter<Codec, Block>(block_, rank_, storage_).sort(count, task_.codec.order_of(task_.in, source));
    store_sorted(tile, rank_, storage_, 0, n, task_.codec, task_.in, source, task_.out, first);
  }

  /// Puts the tiles of a segment on the list.
  template <class Tile>
  TESSERA_FN void list_long(Tile const& tile, std::int64_t segment, std::int64_t first) const {
    auto const tiles =
        static_cast<std::uint64_t>(task_.offsets[segment + 1] - first + capacity - 1) / capacity;
    if (rank_ == 0) {
      storage_.shared[0] = static_cast<std::int64_t>(tessera::atomic_update(longs_.listed(), tiles));
      tessera::atomic_max(longs_.levels(), merge_levels(tiles));
    }
    tile.sync();
    for (std::uint64_t t = rank_; t < tiles; t += tuning::threads)
      longs_.tiles[static_cast<std::uint64_t>(storage_.shared[0]) + t] = {segment,
                                                                          static_cast<std::int64_t>(t)};
    tile.sync();
  }

  Block const& block_;
  unsigned rank_;
  segment_sort_task<Codec> const& task_;
  long_segment_list const& longs_;
  storage_t& storage_;
};

/// Runs the agent.
///
/// Called by     all threads of a block, of a grid of `blocks`.
/// storage       shared memory of the block.
/// Cost          two searches of log16(segments) steps; each element of a segment that fits is read and written once, in order,
///               and each offset read two or three times, mostly from the cache. A window takes six barriers, one for each level of merges, and
///               one for each array that is gathered.
template <class Codec, class Block>
TESSERA_FN void run_sort_segments_agent(Block const& block, unsigned rank, unsigned which, unsigned blocks,
                                        segment_sort_task<Codec> const& task, long_segment_list const& longs,
                                        segment_sort_storage<Codec>& storage) {
  auto const warp = tessera::tiled_partition<32>(block);
  auto const half = tessera::tiled_partition<16>(block);
  std::int64_t const total = task.offsets[task.segments] - task.offsets[0] + task.segments;
  std::int64_t const fair = (total + blocks - 1) / blocks;
  std::int64_t const share = fair < segment_sort_tuning::least_part ? segment_sort_tuning::least_part : fair;
  std::int64_t const diagonal = (static_cast<std::int64_t>(which) + rank % 32 / 16) * share;
  std::int64_t const place =
      merge_path_search(half, task.offsets, task.segments, diagonal < total ? diagonal : total).boundaries;
  this_block_tile<segment_sort_tuning::threads>(block).sync();
  sort_segments_agent<Codec, Block>(block, rank, task, longs, storage)
      .run(tessera::shuffle(warp, place, 0), tessera::shuffle(warp, place, 16));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
