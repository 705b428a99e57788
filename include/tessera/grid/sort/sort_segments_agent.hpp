// The agent that sorts the segments of an array: what a block of the first kernel of sort_segments.cuh does.
//
// Elements and segment ends are cut into equal parts by merge path search (merge_path.hpp), one for each block. A
// block walks the segments that end in its part, window by window:
//
//   segments    a b c | d | e f g h | … 9000 of them … | i j | k          windows of up to 8 elements
//   windows     a b c   d   e f g h |                  | i j   k
//
// A window has as many whole segments as fit into the block's temporary storage, and at most a quarter and some more
// than the window before. It is loaded, sorted (segment_sorter.hpp) and stored. A segment that doesn't fit is put on
// the list of long segments, which the second kernel sorts (sort_long_segments_agent.hpp).
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/grid/parts/merge_path.hpp>
#include <tessera/grid/parts/segment_offsets.hpp>
#include <tessera/grid/sort/segment_sorter.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

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

/// Stores what `load(source)` gives for n sorted entries of a buffer: store(i, x). All are loaded before any is
/// stored, so that both may be of one array.
template <class Codec, class Tile, class Load, class Store>
TESSERA_FN void store_gathered(Tile const& tile, unsigned rank, segment_sort_storage<Codec>& storage, unsigned buffer,
                               unsigned n, entry_source const& source, Load const& load, Store const& store) {
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
TESSERA_FN void store_sorted(Tile const& tile, unsigned rank, segment_sort_storage<Codec>& storage, unsigned buffer,
                             unsigned n, Codec const& codec, typename Codec::arrays const& from,
                             entry_source const& source, typename Codec::arrays const& out, std::int64_t to) {
  constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;
  if constexpr (Codec::gathers) {
    detail::store_gathered<Codec>(
        tile, rank, storage, buffer, n, source, [&](std::int64_t i) { return codec.key(from, i); },
        [&](unsigned i, auto const& x) { codec.store_key(out, to + i, x); });
    codec.move_values(from, out, [&](auto const& load, auto const& store) {
      detail::store_gathered<Codec>(tile, rank, storage, buffer, n, source, load,
                                    [&](unsigned i, auto const& x) { store(to + i, x); });
    });
  } else {
    auto const left = static_cast<int>(n - rank);
    TESSERA_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      auto x = codec.element_of(storage.at(buffer, rank, k));            // of no use after the last one
      if constexpr (sizeof(x) == 4) x = tessera::detail::found_once(x);  // Else each would load its coding anew.
      if (left > static_cast<int>(k * threads)) codec.store(out, to + rank + k * threads, x);
    }
  }
}

/// Entries on their way from global memory to a block's temporary storage. All of a thread's loads are issued before
/// it waits for one.
template <class Codec>
class moving_entries {
  static constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;

 public:
  /// Loads n elements from `first` on.
  TESSERA_FN moving_entries(unsigned rank, unsigned n, Codec const& codec, typename Codec::arrays const& from,
                            std::int64_t first)
      : codec_(codec), rank_(rank) {
    auto const left = static_cast<int>(n - rank);
    TESSERA_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      loaded_[k] = {};
      if (left > static_cast<int>(k * threads)) loaded_[k] = codec.load(from, first + rank + k * threads);
    }
  }
  /// Fills buffer 0 with them, and with entries of no use after them: which costs less than to leave those out.
  TESSERA_FN void place(segment_sort_storage<Codec>& storage) const {
    TESSERA_UNROLL
    for (unsigned k = 0; k < each; ++k) storage.at(0, rank_, k) = codec_.entry_of(loaded_[k], rank_ + k * threads);
  }

 private:
  Codec const& codec_;
  unsigned rank_;
  decltype(stl::declval<Codec const&>().load(stl::declval<typename Codec::arrays const&>(), 0)) loaded_[each];
};

/// Loads n elements from `first` on as entries of buffer 0, from position `position` on.
template <class Codec>
TESSERA_FN void load_entries(unsigned rank, segment_sort_storage<Codec>& storage, unsigned position, unsigned n,
                             Codec const& codec, typename Codec::arrays const& from, std::int64_t first) {
  constexpr unsigned threads = segment_sort_tuning::threads, each = Codec::capacity / threads;
  TESSERA_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    unsigned const i = k * threads + rank;
    if (i < n) storage.at(0, position + rank, k) = codec.entry_of(codec.load(from, first + i), position + i);
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

  /// Sorts the segments from `segment` to `end` that fit, and lists the others. Where a window begins is in shared
  /// memory while it is sorted: networks need the registers.
  TESSERA_FN void run(std::int64_t segment, std::int64_t end) const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    if (segment >= end) return;
    if (rank_ == 0) storage_.end = end;
    auto const window_of = [](std::int64_t left, unsigned most) {
      return left < most ? static_cast<unsigned>(left) : most;
    };
    std::int64_t first = task_.offsets[segment];
    unsigned window = window_of(end - segment, tuning::least_segments), turn = 0;
    while (window > 0) {
      if (rank_ == 0) storage_.window[turn] = {segment, first};
      unsigned const count = select_window(tile, segment, window, first);
      if (count > 0) {
        unsigned const elements = sort_window(tile, count, turn);
        segment = storage_.window[turn].segment + count;
        first = storage_.window[turn].element + elements;
      } else {
        list_long(tile, segment, first);
        segment += 1;
        first = task_.offsets[segment];
      }
      unsigned const wanted = count + count / 4 + tuning::more_segments;
      window = window_of(storage_.end - segment, wanted < tuning::most_segments ? wanted : tuning::most_segments);
      turn ^= 1;
    }
  }

 private:
  /// The number of the next `limit` segments that fit: 0 if the first of them doesn't.
  template <class Tile>
  TESSERA_FN unsigned select_window(Tile const& tile, std::int64_t segment, unsigned limit, std::int64_t first) const {
    auto const end_of = [&](unsigned s) { return task_.offsets[segment + s + 1] - first; };
    for (unsigned s = rank_; s < limit; s += tuning::threads) {
      std::int64_t const end = end_of(s), next_end = s + 1 == limit ? capacity + 1 : end_of(s + 1);
      bool const fits = end <= capacity;
      if (fits) storage_.ends[s] = static_cast<std::uint16_t>(end);
      if (fits && next_end > capacity) storage_.segments = s + 1;
      if (!fits && s == 0) storage_.segments = 0;
    }
    segment_sorter<Codec, Block>(block_, rank_, storage_).clear_lists();
    tile.sync();
    return storage_.segments;
  }

  /// Returns how many elements the window has.
  template <class Tile>
  TESSERA_FN unsigned sort_window(Tile const& tile, unsigned count, unsigned turn) const {
    unsigned const n = storage_.ends[count - 1];
    if (n == 0) {
      tile.sync();
      return 0;
    }
    entry_source const source = detail::one_source(storage_.window[turn].element);
    moving_entries<Codec> const entries(rank_, n, task_.codec, task_.in, source.first);
    segment_sorter<Codec, Block>(block_, rank_, storage_).sort(count, task_.codec.order_of(task_.in, source), [&] {
      entries.place(storage_);
    });
    detail::store_sorted(tile, rank_, storage_, 0, n, task_.codec, task_.in, source, task_.out,
                         storage_.window[turn].element);
    return n;
  }

  /// Puts the tiles of a segment on the list.
  template <class Tile>
  TESSERA_FN void list_long(Tile const& tile, std::int64_t segment, std::int64_t first) const {
    auto const tiles = static_cast<std::uint64_t>(task_.offsets[segment + 1] - first + capacity - 1) / capacity;
    if (rank_ == 0) {
      storage_.shared[0] = static_cast<std::int64_t>(tessera::atomic_update(longs_.listed(), tiles));
      tessera::atomic_max(longs_.levels(), detail::merge_levels(tiles));
    }
    tile.sync();
    for (std::uint64_t t = rank_; t < tiles; t += tuning::threads)
      longs_.tiles[static_cast<std::uint64_t>(storage_.shared[0]) + t] = {segment, static_cast<std::int64_t>(t)};
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
/// Cost          two searches of log16(segments) steps; each element of a segment that fits is read and written once,
///               in order, and each offset read two or three times, mostly from the cache. A window takes four
///               barriers, one for each level of merges, and one for each array that is gathered.
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
      detail::merge_path_search(half, task.offsets, task.segments, diagonal < total ? diagonal : total).boundaries;
  tessera::this_block_tile<segment_sort_tuning::threads>(block).sync();
  sort_segments_agent<Codec, Block>(block, rank, task, longs, storage)
      .run(tessera::shuffle(warp, place, 0), tessera::shuffle(warp, place, 16));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
