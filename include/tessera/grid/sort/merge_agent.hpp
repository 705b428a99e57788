// The agent that merges two sorted arrays: a block of the kernel of merge.cuh makes a tile of the result.
//
//   merged        tile 0   tile 1   tile 2   …          equally long parts of the result
//   of a          0 … 4    5 … 6    7 … 14              a search tells how many elements of a come before a tile;
//   of b          0 … 2    3 … 8    9 … 8               the others that come before it are of b
//
//   search        Two warps search for the tile's ends, in both arrays. Of long arrays a kernel before has found all
//                 ends.
//   load          The tile's elements of a, followed by those of b, into shared memory.
//   merge         Each thread searches for its own part of the tile, and merges it in registers.
//   exchange      The results go through shared memory.
//   store         The threads store them side by side.
//
// While a block searches and loads, others on its multiprocessor merge: so many fit that none needs to load ahead.
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/sort/merge_tuning.hpp>
#include <tessera/tile/gpu_call.hpp>
#include <tessera/tile/load_store.hpp>
#include <tessera/tile/search.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before>
struct merge_task {
  T const* a;
  std::int64_t na;
  T const* b;
  std::int64_t nb;
  T* out;
  Before before;
};

/// The number of elements of a among the first `diagonal` merged ones. Called by a whole tile; every lane gets it.
/// Invariant: the answer is from `low` to `high`. A lane looks at the last element of one of N parts.
template <class Tile, class T, class Before>
TESSERA_FN std::int64_t find_on_diagonal(Tile const& tile, merge_task<T, Before> const& task, std::int64_t diagonal) {
  constexpr unsigned N = tile_size_v<Tile>;
  std::int64_t low = diagonal > task.nb ? diagonal - task.nb : 0;
  std::int64_t high = diagonal < task.na ? diagonal : task.na;
  TESSERA_LOOP
  while (low < high) {
    std::int64_t const part = (high - low + N - 1) / N;
    std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
    bool const is_left = last < high && !static_cast<bool>(task.before(task.b[diagonal - 1 - last], task.a[last]));
    unsigned const parts = tessera::count_if(tile, is_left, tessera::isolated);
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  return low;
}

/// The tiles of a merge by blocks of Threads, and where they begin and end in a.
template <unsigned Threads, class T, class Before>
class merge_tiles {
  static constexpr std::int64_t elements = merge_shape<T>::tile_elements(Threads);  // but of the last one
  /// An end that was found before is kept where results will be stored: so many of them have room for it.
  static constexpr unsigned size_of_end = (sizeof(std::int64_t) + sizeof(T) - 1) / sizeof(T);
  struct end_bytes {
    unsigned char bytes[size_of_end * sizeof(T)];
  };

 public:
  TESSERA_FN explicit merge_tiles(merge_task<T, Before> const& task) : task_(task), all_(task.na + task.nb) {}

  TESSERA_FN std::int64_t count() const { return merge_shape<T>::tile_count(all_, Threads); }
  /// The number of results before a tile.
  TESSERA_FN std::int64_t begin(std::int64_t tile) const { return tile * elements < all_ ? tile * elements : all_; }
  /// The number of elements of a before a tile. Called by a whole tile of lanes; every lane gets it.
  template <class Tile>
  TESSERA_FN std::int64_t find_end(Tile const& lanes, std::int64_t tile) const {
    return detail::find_on_diagonal(lanes, task_, begin(tile));
  }

  /// True if a tile has room for both its ends: all but a short last one.
  TESSERA_FN bool keeps_ends(std::int64_t tile) const { return begin(tile + 1) - begin(tile) >= 2 * size_of_end; }
  /// Keeps a tile's first (0) or other (1) end, or tells what was kept.
  TESSERA_FN void keep_end(std::int64_t tile, unsigned which, std::int64_t of_a) const {
    end_bytes end{};
    tessera::detail::copy_bytes(end.bytes, &of_a, sizeof of_a);
    TESSERA_UNROLL
    for (unsigned i = 0; i < size_of_end; ++i) {
      tessera::detail::words<T> part{};
      tessera::detail::copy_bytes(part.word, end.bytes + i * sizeof(T), sizeof(T));
      tessera::detail::store_element(place(tile, which) + i, tessera::detail::from_words<T>(part));
    }
  }
  TESSERA_FN std::int64_t kept_end(std::int64_t tile, unsigned which) const {
    end_bytes end{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < size_of_end; ++i) {
      T const part = place(tile, which)[i];
      tessera::detail::copy_bytes(end.bytes + i * sizeof(T), TESSERA_ADDRESS_OF(part), sizeof(T));
    }
    std::int64_t of_a = 0;
    tessera::detail::copy_bytes(&of_a, end.bytes, sizeof of_a);
    return of_a;
  }

 private:
  TESSERA_FN T* place(std::int64_t tile, unsigned which) const { return task_.out + begin(tile) + which * size_of_end; }

  merge_task<T, Before> const& task_;
  std::int64_t all_;
};

/// Finds where a tile begins and the one before it ends, from tile 0 to one after the last, and keeps it. Called by a
/// whole tile of lanes, before the kernel that merges.
template <unsigned Threads, class Tile, class T, class Before>
TESSERA_FN void find_merge_ends(Tile const& lanes, merge_task<T, Before> const& task, std::int64_t tile) {
  merge_tiles<Threads, T, Before> const tiles(task);
  if (tile > tiles.count()) return;
  std::int64_t const of_a = tiles.find_end(lanes, tile);
  if (lanes.thread_rank() != 0) return;
  if (tile < tiles.count() && tiles.keeps_ends(tile)) tiles.keep_end(tile, 0, of_a);
  if (tile > 0 && tiles.keeps_ends(tile - 1)) tiles.keep_end(tile - 1, 1, of_a);
}

/// The block's shared memory.
template <unsigned Threads, class T>
struct merge_storage {
  alignas(16) alignas(T) unsigned char bytes[Threads * merge_shape<T>::items * sizeof(T)];
  std::int64_t ends[2];  // how many elements of a come before the tile, and before its end

  TESSERA_FN T* elements() { return reinterpret_cast<T*>(bytes); }
};

template <unsigned Threads, class Block, class T, class Before>
class merge_agent {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using word_t = tessera::detail::words<T>;
  static constexpr unsigned items = merge_shape<T>::items;

 public:
  using storage_t = merge_storage<Threads, T>;

  TESSERA_FN merge_agent(Block const& block, merge_task<T, Before> const& task, storage_t& storage)
      : block_(block), rank_(block.thread_rank()), task_(task), storage_(storage), tiles_(task) {}

  TESSERA_FN void run(std::int64_t tile, bool are_found) {
    std::int64_t end = 0;
    if (are_found && tiles_.keeps_ends(tile)) {
      before_a_ = tiles_.kept_end(tile, 0);
      end = tiles_.kept_end(tile, 1);  // before the barriers that stores come after
    } else {
      find_ends(tile);
      block_.sync();
      before_a_ = storage_.ends[0];
      end = storage_.ends[1];
    }
    begin_ = tiles_.begin(tile);
    count_ = static_cast<unsigned>(tiles_.begin(tile + 1) - begin_);
    of_a_ = static_cast<unsigned>(end - before_a_);
    load();
    block_.sync();
    merge();
    block_.sync();
    exchange();
    block_.sync();
    store();
  }

 private:
  TESSERA_FN void find_ends(std::int64_t tile) const {
    warp_t const warp = tessera::tiled_partition<32>(block_);
    TESSERA_LOOP
    for (unsigned which = rank_ / 32; which < 2; which += Threads / 32) {
      std::int64_t const of_a = tiles_.find_end(warp, tile + which);
      if (warp.thread_rank() == 0) storage_.ends[which] = of_a;
    }
  }

  /// Loads elements that are Threads apart.
  TESSERA_FN void load() {
    T const* const a = task_.a + before_a_ + rank_;
    T const* const b = task_.b + (begin_ - before_a_ - of_a_) + rank_;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = rank_ + i * Threads;
      if (place >= count_) continue;
      T const* const from = place < of_a_ ? a : b;
      T const x = from[i * Threads];
      values_[i] = tessera::detail::to_words(x);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = rank_ + i * Threads;
      if (place < count_) put(place, values_[i]);
    }
  }
  TESSERA_FN void put(unsigned place, word_t const& x) const {
    tessera::detail::store_element(storage_.elements() + place, tessera::detail::from_words<T>(x));
  }
  TESSERA_FN word_t get(unsigned place) const {
    T const x = storage_.elements()[place];
    return tessera::detail::to_words(x);
  }

  /// Merges the thread's part of the tile in registers. Of equal elements those of a come first. There are no
  /// branches: where one array has no more elements, or neither, others of the tile are compared, and that isn't
  /// used.
  TESSERA_FN void merge() {
    unsigned const own = rank_ * items;
    unsigned const begin = own < count_ ? own : count_;
    T const* const a = storage_.elements();
    unsigned place_a = tessera::detail::merge_path_of(a, of_a_, a + of_a_, count_ - of_a_, begin, task_.before);
    unsigned place_b = of_a_ + (begin - place_a);
    word_t next_a = get_in_tile(place_a), next_b = get_in_tile(place_b);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bool const has_a = place_a != of_a_, has_b = place_b < count_, is_less = is_before(next_b, next_a);
      bool const from_b = (has_b & is_less) | !has_a;
      values_[i] = tessera::detail::select(from_b, next_b, next_a);
      place_a += from_b ? 0 : 1;
      place_b += from_b ? 1 : 0;
      word_t const next = get_in_tile(from_b ? place_b : place_a);
      next_a = tessera::detail::select(from_b, next_a, next);
      next_b = tessera::detail::select(from_b, next, next_b);
    }
  }
  /// The element at a place, or the last one.
  TESSERA_FN word_t get_in_tile(unsigned place) const { return get(place < count_ ? place : count_ - 1); }
  TESSERA_FN bool is_before(word_t const& x, word_t const& y) const {
    return static_cast<bool>(task_.before(tessera::detail::from_words<T>(x), tessera::detail::from_words<T>(y)));
  }
  /// Stores the thread's results into shared memory. What follows the tile's end is nobody's.
  TESSERA_FN void exchange() const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) put(rank_ * items + i, values_[i]);
  }
  TESSERA_FN void store() const {
    T const* const merged = storage_.elements();
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = rank_ + i * Threads;
      if (place < count_) tessera::detail::store_element(task_.out + begin_ + place, merged[place]);
    }
  }

  Block const& block_;
  unsigned rank_;
  merge_task<T, Before> const& task_;
  storage_t& storage_;
  merge_tiles<Threads, T, Before> tiles_;
  std::int64_t begin_ = 0,
               before_a_ = 0;      // how many elements come before the tile, and how many of them are of a
  unsigned count_ = 0, of_a_ = 0;  // how many elements the tile has, and how many of them are of a
  word_t values_[items]{};
};

/// Makes a tile. Called by all threads of a block of Threads. are_found: find_merge_ends was called for all tiles
/// before.
template <unsigned Threads, class Block, class T, class Before>
TESSERA_FN void run_merge_agent(Block const& block, merge_task<T, Before> const& task, std::int64_t tile,
                                bool are_found, merge_storage<Threads, T>& storage) {
  tessera::detail::require_call<Block, Before const, T, T>();
  merge_agent<Threads, Block, T, Before>(block, task, storage).run(tile, are_found);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
