// The agent that merges two sorted arrays: what a block of the kernel of merge.cuh does with its even share of the tiles.
//
//   merged        tile 0   tile 1   tile 2   …          equally long parts of the result
//   of a          0 … 4    5 … 6    7 … 14              how many elements of a are before a tile, a search tells: its coordinate;
//   of b          0 … 2    3 … 8    9 … 8               the other elements are of b
//
//   load          The tile's elements of a, and behind them those of b, from registers into shared memory.
//   search        Meanwhile the last warp searches for the end of the next tile, among as many elements as a tile has.
//   merge         Each thread searches for its own part of the tile, and merges it in registers.
//   exchange      The results go through shared memory, and the next tile's loads begin.
//   store         The threads store them side by side.
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012.
#pragma once

#include <tessera/detail/gpu_call.hpp>
#include <tessera/detail/load_store.hpp>
#include <tessera/detail/search.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/grid/detail/merge_tuning.hpp>
#include <tessera/tile.hpp>
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

/// How many of the first `diagonal` merged elements are from a: at least `least`, and at most `most` of them. Called by a whole
/// warp; every lane gets it. Invariant: the answer is from `low` to `high`. A lane looks at the last element of one of 32 parts.
template <class Warp, class T, class Before>
TESSERA_FN std::int64_t find_on_diagonal(Warp const& warp, merge_task<T, Before> const& task,
                                         std::int64_t diagonal, std::int64_t least, std::int64_t most) {
  std::int64_t const beyond_b = diagonal > task.nb ? diagonal - task.nb : 0;
  std::int64_t const within_a = diagonal < task.na ? diagonal : task.na;
  std::int64_t low = beyond_b > least ? beyond_b : least, high = within_a < most ? within_a : most;
  TESSERA_LOOP
  while (low < high) {
    std::int64_t const part = (high - low + 31) / 32;
    std::int64_t const last = low + (warp.thread_rank() + 1) * part - 1;
    bool const is_left =
        last < high && !static_cast<bool>(task.before(task.b[diagonal - 1 - last], task.a[last]));
    unsigned const parts = tessera::count_if(warp, is_left, tessera::converged);
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  return low;
}

/// The block's shared memory.
template <unsigned Threads, class T>
struct merge_storage {
  alignas(16) alignas(T) unsigned char bytes[Threads * merge_shape<T>::items * sizeof(T)];
  std::int64_t
      of_a[2];  // how many elements of a are before the tile whose end was found last, and up to its end

  TESSERA_FN T* elements() { return reinterpret_cast<T*>(bytes); }
};

template <unsigned Threads, class Block, class T, class Before>
class merge_agent {
  using shape = merge_shape<T>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using word_t = tessera::detail::words<T>;
  static constexpr unsigned items = shape::items, tile_elements = Threads * items;

  /// A tile: where it begins in the result, and what it has of either array.
  struct tile_parts {
    std::int64_t begin, a;
    unsigned of_a, count;
  };

 public:
  using storage_t = merge_storage<Threads, T>;

  TESSERA_FN merge_agent(Block const& block, merge_task<T, Before> const& task, storage_t& storage)
      : block_(block), warp_(tessera::tiled_partition<32>(block)), task_(task), storage_(storage) {}

  /// Merges the tiles of block `which` of `blocks`.
  TESSERA_FN void run(std::int64_t which, std::int64_t blocks) {
    std::int64_t const tiles = shape::tile_count(all(), Threads);
    std::int64_t const share = tiles / blocks, rest = tiles % blocks;
    std::int64_t tile = which * share + (which < rest ? which : rest);
    std::int64_t const end = tile + share + (which < rest ? 1 : 0);
    if (tile == end) return;
    if (is_searching()) find_first(tile);
    block_.sync();
    tile_parts parts = parts_of(tile);
    load(parts);
    TESSERA_LOOP
    for (;;) {
      block_.sync();  // shared memory is free again, and the tile's coordinates are read
      if (is_searching() && tile + 1 < end) find_next(tile + 1);
      keep(parts.count);
      block_.sync();
      merge(parts);
      block_.sync();
      exchange();
      block_.sync();
      tile_parts const merged = parts;
      if (++tile < end) {
        parts = parts_of(tile);
        load(parts);
      }
      store(merged);
      if (tile == end) break;
    }
  }

 private:
  TESSERA_FN std::int64_t all() const { return task_.na + task_.nb; }
  TESSERA_FN std::int64_t diagonal(std::int64_t tile) const {
    std::int64_t const place = tile * tile_elements;
    return place < all() ? place : all();
  }
  TESSERA_FN bool is_searching() const { return block_.thread_rank() / 32 == Threads / 32 - 1; }

  /// The last warp finds both ends of the first tile.
  TESSERA_FN void find_first(std::int64_t tile) const {
    std::int64_t const begin = detail::find_on_diagonal(warp_, task_, diagonal(tile), 0, task_.na);
    std::int64_t const end =
        detail::find_on_diagonal(warp_, task_, diagonal(tile + 1), begin, begin + tile_elements);
    set_ends(begin, end);
  }
  /// And the end of each next one.
  TESSERA_FN void find_next(std::int64_t tile) const {
    std::int64_t const begin = storage_.of_a[1];
    warp_.sync();
    set_ends(begin, detail::find_on_diagonal(warp_, task_, diagonal(tile + 1), begin, begin + tile_elements));
  }
  TESSERA_FN void set_ends(std::int64_t begin, std::int64_t end) const {
    if (warp_.thread_rank() != 0) return;
    storage_.of_a[0] = begin;
    storage_.of_a[1] = end;
  }
  TESSERA_FN tile_parts parts_of(std::int64_t tile) const {
    std::int64_t const begin = diagonal(tile), a = storage_.of_a[0];
    return {begin, a, static_cast<unsigned>(storage_.of_a[1] - a),
            static_cast<unsigned>(diagonal(tile + 1) - begin)};
  }

  /// Loads the thread's elements of a tile: those Threads apart.
  TESSERA_FN void load(tile_parts const& parts) {
    T const* const a = task_.a + parts.a;
    T const* const b = task_.b + (parts.begin - parts.a);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = block_.thread_rank() + i * Threads;
      if (place >= parts.count) continue;
      T const x = place < parts.of_a ? a[place] : b[place - parts.of_a];
      values_[i] = tessera::detail::to_words(x);
    }
  }
  /// Stores them into shared memory.
  TESSERA_FN void keep(unsigned count) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = block_.thread_rank() + i * Threads;
      if (place < count) put(place, values_[i]);
    }
  }
  TESSERA_FN void put(unsigned place, word_t const& x) const {
    tessera::detail::store_element(storage_.elements() + place, tessera::detail::from_words<T>(x));
  }
  TESSERA_FN word_t get(unsigned place) const {
    T const x = storage_.elements()[place];
    return tessera::detail::to_words(x);
  }

  /// Merges the thread's part of the tile in registers. Of equal elements those of a come first.
  TESSERA_FN void merge(tile_parts const& parts) {
    unsigned const own = block_.thread_rank() * items;
    unsigned const begin = own < parts.count ? own : parts.count;
    T const* const a = storage_.elements();
    unsigned of_a = tessera::detail::merge_path_of(a, parts.of_a, a + parts.of_a, parts.count - parts.of_a,
                                                   begin, task_.before);
    unsigned place_b = parts.of_a + (begin - of_a);
    word_t next_a{}, next_b{};
    if (of_a < parts.of_a) next_a = get(of_a);
    if (place_b < parts.count) next_b = get(place_b);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (begin + i >= parts.count) continue;
      bool from_b = of_a == parts.of_a;
      if (!from_b && place_b < parts.count)
        from_b = static_cast<bool>(
            task_.before(tessera::detail::from_words<T>(next_b), tessera::detail::from_words<T>(next_a)));
      values_[i] = tessera::detail::select(from_b, next_b, next_a);
      of_a += from_b ? 0 : 1;
      place_b += from_b ? 1 : 0;
      if (from_b && place_b < parts.count) next_b = get(place_b);
      if (!from_b && of_a < parts.of_a) next_a = get(of_a);
    }
  }
  /// Stores the thread's results into shared memory. Those behind the tile's end are nobody's.
  TESSERA_FN void exchange() const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) put(block_.thread_rank() * items + i, values_[i]);
  }
  TESSERA_FN void store(tile_parts const& parts) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = block_.thread_rank() + i * Threads;
      if (place >= parts.count) continue;
      tessera::detail::store_element(task_.out + parts.begin + place,
                                     tessera::detail::from_words<T>(get(place)));
    }
  }

  Block const& block_;
  warp_t warp_;
  merge_task<T, Before> const& task_;
  storage_t& storage_;
  word_t values_[items]{};
};

/// Called by  all threads of a block of Threads, block `which` of `blocks`.
template <unsigned Threads, class Block, class T, class Before>
TESSERA_FN void run_merge_agent(Block const& block, merge_task<T, Before> const& task, std::int64_t which,
                                std::int64_t blocks, merge_storage<Threads, T>& storage) {
  tessera::detail::require_call<Block, Before const, T, T>();
  merge_agent<Threads, Block, T, Before> agent(block, task, storage);
  agent.run(which, blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
