// The agent that merges two sorted arrays: a block of the kernel of merge.cuh makes a tile of the result.
//
//   merged        tile 0   tile 1   tile 2   …          equally long parts of the result
//   of a          0 … 4    5 … 6    7 … 14              a search tells how many elements of a come before a tile;
//   of b          0 … 2    3 … 8    9 … 8               the others that come before it are of b
//
//   search        Two warps search for the tile's ends, in both arrays. For long arrays, a first kernel has found all
//                 ends (find_on_diagonals). Either search stops where an end is known to within some hundred elements.
//   load          A window of a, followed by one of b, into shared memory: the tile's elements, those that may be the
//                 tile's, and so many after them that no thread reaches a window's end before the array's.
//   merge         Each thread searches for its own part of the tile, and merges it in registers.
//   exchange      The results go through shared memory.
//   store         The threads store them side by side.
//
// The last rounds of an exact search would read from memory what the tile's block reads anyway. They aren't needed: a
// diagonal meets the merge path at the same place in any windows that contain the place.
//
// While a block searches and loads, others on its multiprocessor merge: so many fit that none needs to load ahead.
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sort/merge_tuning.hpp>
#include <tessera/grid/sort/sorted_pair.hpp>
#include <tessera/tile/gpu_call.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before, class A = T const*, class B = T const*, class Out = T*>
struct merge_task {
  using element = T;
  /// True if a first kernel can keep the ends of tiles in the output, where results are stored later.
  static constexpr bool keeps_ends = stl::is_pointer_v<Out>;

  sorted_pair<T, Before, A, B> in;
  Out out;

  TESSERA_FN void set_numbers(std::int64_t of_a, std::int64_t of_b) {
    in.na = of_a;
    in.nb = of_b;
  }
};

/// The tiles of a merge by blocks of Threads, and where they begin and end in a: lower bounds, by the shape's
/// uncertainty.
template <unsigned Threads, class Task>
class merge_tiles {
  using T = typename Task::element;
  static constexpr std::int64_t elements = merge_shape<T>::tile_elements(Threads);  // but of the last one
  /// The number of results whose place has room for an end, which a first kernel keeps there.
  static constexpr unsigned size_of_end = (sizeof(std::int64_t) + sizeof(T) - 1) / sizeof(T);
  struct end_bytes {
    unsigned char bytes[size_of_end * sizeof(T)];
  };

 public:
  TESSERA_FN explicit merge_tiles(Task const& task) : task_(task), all_(task.in.na + task.in.nb) {}

  TESSERA_FN std::int64_t count() const { return merge_shape<T>::tile_count(all_, Threads); }
  /// The number of results before a tile.
  TESSERA_FN std::int64_t begin(std::int64_t tile) const { return tile * elements < all_ ? tile * elements : all_; }
  /// Finds how many elements of a come before a tile. Called by a whole tile of lanes; every lane gets it.
  template <class Tile>
  TESSERA_FN std::int64_t find_end(Tile const& lanes, std::int64_t tile) const {
    return detail::find_on_diagonal<merge_shape<T>::uncertainty(Threads)>(lanes, task_.in, begin(tile));
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

  Task const& task_;
  std::int64_t all_;
};

/// Finds where each tile begins and the one before it ends, from tile 0 to one after the last, and keeps it. Called by
/// the blocks of a grid that has Lanes threads for each, before the kernel that merges. `found` is shared.
template <unsigned Threads, unsigned Lanes, class Block, class Task>
TESSERA_FN void find_merge_ends(Block const& block, Task const& task, std::int64_t (&found)[2]) {
  merge_tiles<Threads, Task> const tiles(task);
  detail::find_on_diagonals<merge_shape<typename Task::element>::uncertainty(Threads), Lanes>(
      block, task.in, tiles.count() + 1, [&](std::int64_t tile) { return tiles.begin(tile); },
      [&](auto const& lanes, std::int64_t tile, std::int64_t of_a) {
        if (lanes.thread_rank() != 0) return;
        if (tile < tiles.count() && tiles.keeps_ends(tile)) tiles.keep_end(tile, 0, of_a);
        if (tile > 0 && tiles.keeps_ends(tile - 1)) tiles.keep_end(tile - 1, 1, of_a);
      },
      found);
}

/// The begin of a window: a pointer, or an index for iterators, which may lack an assignment.
template <class In>
class window_begin {
 public:
  TESSERA_FN void begin(In const& in, std::int64_t i) {
    if constexpr (stl::is_pointer_v<In>) {
      place_ = in + i;
    } else {
      place_ = i;
    }
  }
  TESSERA_FN In of(In const& in) const {
    if constexpr (stl::is_pointer_v<In>) {
      return place_;
    } else {
      return tessera::detail::advanced(in, place_);
    }
  }

 private:
  stl::conditional_t<stl::is_pointer_v<In>, In, std::int64_t> place_{};
};

/// The block's shared memory.
template <unsigned Threads, class T>
struct merge_storage {
  alignas(16) alignas(T) unsigned char bytes[merge_shape<T>::loads * Threads * sizeof(T)];
  std::int64_t ends[2];  // how many elements of a come before the tile, and before its end, at least

  TESSERA_FN T* elements() { return reinterpret_cast<T*>(bytes); }
};

template <unsigned Threads, class Block, class Task>
class merge_agent {
  using T = typename Task::element;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using word_t = tessera::detail::words<T>;
  using shape = merge_shape<T>;
  static constexpr unsigned items = shape::items;
  static constexpr unsigned tile_elements = Threads * items;
  static constexpr std::int64_t uncertainty = shape::uncertainty(Threads), reserve = shape::reserve;

 public:
  using storage_t = merge_storage<Threads, T>;

  TESSERA_FN merge_agent(Block const& block, Task const& task, storage_t& storage)
      : block_(block), rank_(block.thread_rank()), task_(task), storage_(storage), tiles_(task) {}

  TESSERA_FN void run(std::int64_t tile, bool are_found) {
    std::int64_t begin_a = 0, end_a = 0;
    bool known = false;
    if constexpr (Task::keeps_ends) {
      if (are_found && tiles_.keeps_ends(tile)) {
        known = true;
        begin_a = tiles_.kept_end(tile, 0);
        end_a = tiles_.kept_end(tile, 1);  // before the barriers after which results are stored
      }
    }
    if (!known) {
      find_ends(tile);
      detail::barrier_of_block(block_);
      begin_a = storage_.ends[0];
      end_a = storage_.ends[1];
    }
    begin_ = tiles_.begin(tile);
    count_ = static_cast<unsigned>(tiles_.begin(tile + 1) - begin_);
    find_windows(begin_a, end_a);
    if (of_a_ + of_b_ >= tile_elements) {
      load<true>();
    } else {
      load<false>();
    }
    detail::barrier_of_block(block_);
    if (of_a_ + of_b_ > 0) merge();  // always, if the arrays are sorted
    detail::barrier_of_block(block_);
    exchange();
    detail::barrier_of_block(block_);
    tile = tessera::detail::opaque(static_cast<std::uint32_t>(tile));  // no register holds its begin meanwhile
    if (tiles_.begin(tile + 1) - tiles_.begin(tile) == tile_elements) {
      store<true>(tile);
    } else {
      store<false>(tile);
    }
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

  /// The windows of a tile that begins and ends at these places in a, or up to `uncertainty` later.
  TESSERA_FN void find_windows(std::int64_t begin_a, std::int64_t end_a) {
    std::int64_t const begin_b = begin_ - begin_a > uncertainty ? begin_ - begin_a - uncertainty : 0;
    of_a_ = detail::elements_between(begin_a, end_a + uncertainty + reserve, task_.in.na, shape::loads * Threads);
    of_b_ = detail::elements_between(begin_b, begin_ + count_ - end_a + reserve, task_.in.nb,
                                     shape::loads * Threads - of_a_);
    skipped_ = static_cast<unsigned>(begin_ - begin_a - begin_b);
    a_.begin(task_.in.a, begin_a);
    b_.begin(task_.in.b, begin_b);
  }

  /// Loads elements that are Threads apart. Fills: the windows have as many elements as a whole tile, or more.
  template <bool Fills>
  TESSERA_FN void load() {
    auto const a = tessera::detail::advanced(a_.of(task_.in.a), rank_);
    auto const b = tessera::detail::advanced(tessera::detail::advanced(b_.of(task_.in.b), rank_), -std::int64_t{of_a_});
    int const before_b = static_cast<int>(rank_) - static_cast<int>(of_a_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < shape::loads; ++i) {
      unsigned const place = rank_ + i * Threads;
      if ((!Fills || i >= items) && place >= of_a_ + of_b_) continue;
      bool const is_of_a = before_b < -static_cast<int>(i * Threads);
      if constexpr (stl::is_pointer_v<decltype(task_.in.a)> && stl::is_pointer_v<decltype(task_.in.b)>) {
        T const* const from = is_of_a ? a : b;
        T const x = from[i * Threads];
        values_[i] = tessera::detail::to_words(x);
      } else {
        T const x =
            is_of_a ? tessera::detail::read_element(a, i * Threads) : tessera::detail::read_element(b, i * Threads);
        values_[i] = tessera::detail::to_words(x);
      }
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < shape::loads; ++i) put(rank_ + i * Threads, values_[i]);
  }
  TESSERA_FN void put(unsigned place, word_t const& x) const {
    tessera::detail::store_element(storage_.elements() + place, tessera::detail::from_words<T>(x));
  }
  TESSERA_FN static word_t get(T const* place) {
    T const x = *place;
    return tessera::detail::to_words(x);
  }
  TESSERA_FN bool is_before(word_t const& x, word_t const& y) const {
    return tessera::detail::is_before(task_.in.before, tessera::detail::from_words<T>(x),
                                      tessera::detail::from_words<T>(y));
  }

  /// Merges the thread's part of the tile in registers. Of equal elements those of a come first. There are no
  /// branches.
  TESSERA_FN void merge() {
    unsigned const own = rank_ * items;
    unsigned const diagonal = skipped_ + own, last = of_a_ + of_b_ - 1;
    unsigned const place = diagonal < last ? diagonal : last;
    unsigned const in_a = detail::find_in_windows(storage_.elements(), of_a_, of_b_, place, task_.in.before);
    T const* const a = storage_.elements() + in_a;
    T const* const b = storage_.elements() + of_a_ + (place - in_a);
    if (reserve > 0 && in_a + items <= of_a_ && place - in_a + items <= of_b_) {
      merge_from<false>(a, b);
    } else {
      merge_from<true>(a, b);
    }
  }
  /// MayEnd: one window, or both, may have fewer elements than the thread merges. Then other elements are compared, and
  /// the results of that aren't used.
  template <bool MayEnd>
  TESSERA_FN void merge_from(T const* a, T const* b) {
    T const* const end_a = storage_.elements() + of_a_;
    T const* const end_b = end_a + of_b_;
    auto const get_or_last = [&](T const* place) { return get(!MayEnd || place < end_b ? place : end_b - 1); };
    word_t next_a = get_or_last(a), next_b = get_or_last(b);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bool from_b = is_before(next_b, next_a);
      if constexpr (MayEnd) from_b = ((b < end_b) & from_b) | (a == end_a);
      values_[i] = tessera::detail::select(from_b, next_b, next_a);
      if (i + 1 == items) break;
      T const* const next = (from_b ? b : a) + 1;
      word_t const x = get_or_last(next);
      a = from_b ? a : next;
      b = from_b ? next : b;
      next_a = tessera::detail::select(from_b, next_a, x);
      next_b = tessera::detail::select(from_b, x, next_b);
    }
  }
  /// Stores the thread's results into shared memory. Results after the tile's end aren't used.
  TESSERA_FN void exchange() const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) put(rank_ * items + i, values_[i]);
  }
  template <bool IsWhole>
  TESSERA_FN void store(std::int64_t tile) const {
    T const* const merged = storage_.elements() + rank_;
    auto const out = tessera::detail::advanced(task_.out, tiles_.begin(tile) + rank_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (IsWhole || rank_ + i * Threads < count_) tessera::detail::store_at(out, i * Threads, merged[i * Threads]);
    }
  }

  Block const& block_;
  unsigned rank_;
  Task const& task_;
  storage_t& storage_;
  merge_tiles<Threads, Task> tiles_;
  std::int64_t begin_ = 0;                               // how many elements come before the tile
  unsigned count_ = 0;                                   // how many elements the tile has
  window_begin<decltype(stl::declval<Task>().in.a)> a_;  // the windows
  window_begin<decltype(stl::declval<Task>().in.b)> b_;
  unsigned of_a_ = 0, of_b_ = 0;  // how many elements they have
  unsigned skipped_ = 0;          // how many of them come before the tile
  word_t values_[shape::loads]{};
};

/// Makes a tile. Called by all threads of a block of Threads. are_found: find_merge_ends was called for all tiles
/// before.
template <unsigned Threads, class Block, class Task, class T>
TESSERA_FN void run_merge_agent(Block const& block, Task const& task, std::int64_t tile, bool are_found,
                                merge_storage<Threads, T>& storage) {
  tessera::detail::require_call<Block, decltype(task.in.before) const, T, T>();
  merge_agent<Threads, Block, Task>(block, task, storage).run(tile, are_found);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
