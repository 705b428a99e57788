// The loop over tiles of a kernel with a look-back: persistent blocks take tiles by tickets. The warps of a tile scan
// its parts; one warp more looks back, from the tile before, so that nobody waits for it.
//
//   warps of the tile     scan(3)  load(4)  |  store(2)  scan(4)  load(5)  |  store(3) …
//   the warp that looks   back of 2         |  back of 3                   |  …
//                                        barrier                        barrier
//
// S is the aggregate of one warp's part of a tile. The last of a tile's warps to finish its scan combines them, and
// publishes the tile's aggregate: it waits for nothing, so that other blocks seldom wait for it. The warp that looks
// back finds the exclusive prefix of each warp's part. Shared memory of a tile, between its `scan` and its `store`, is
// in one of two halves, which alternate.
//
// That warp has time to spare, and knows a tile early: an agent may let it look ahead, at what the tile after the next
// will need.
#pragma once

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/tile_parts.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/lanes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The block's shared memory, of tiles of up to MostWarps warps.
template <class S, unsigned MostWarps>
struct tile_loop_storage {
  tile_parts<S, MostWarps> parts[2];
  optional_value<S> before[2][MostWarps];  // the exclusive prefix of each part
  tickets_ahead tiles;
  tile_ticket first;
};

/// True if an agent looks ahead.
template <class Agent, class = void>
inline constexpr bool looks_ahead = false;
template <class Agent>
inline constexpr bool looks_ahead<Agent, stl::void_t<decltype(stl::declval<Agent&>().look_ahead(0u, 0u))>> = true;

/// The loop. Agent is a warp's part of it:
///   look_ahead(tile, half)     may be missing. Called by the warp that looks back, for each tile, a barrier or more
///                              before `load`; what other warps do in `load` is a barrier before `scan`. It sees what
///                              the warp's own lanes stored before the loop.
///   load(tile)                 begins to load, if there is such a tile
///   scan(tile, half)           returns the part's aggregate, an S. The loaded elements are no longer needed then.
///   store(tile, half, before)  stores results. `before` exists but for the first part of all, without a start.
///   join()                     the operator of S, in the order of the tiles
template <class S, unsigned MostWarps, class Block, class Agent>
class tile_loop {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using storage_t = tile_loop_storage<S, MostWarps>;

 public:
  TESSERA_FN tile_loop(Block const& block, look_back_memory const& memory, tile_cut cut, optional_value<S> const& start,
                       storage_t& storage, Agent& agent)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        warps_(cut.warps),
        launch_{memory, cut.tiles},
        storage_(storage),
        agent_(agent),
        start_(start) {}

  TESSERA_FN void run(unsigned blocks) {
    unsigned const rank = block_.thread_rank();
    if (rank == 32 * warps_) storage_.first = take_first();
    if (rank < 2) storage_.parts[rank].clear();
    if (rank >= 32 * warps_) look_ahead(warp_.thread_rank() == 0 ? storage_.first.tile : 0, 0);
    detail::barrier_of_block(block_);
    launch_.tag = storage_.first.tag;
    // Two loops with the same barriers: registers of the one are free in the other.
    if (rank < 32 * warps_) {
      scan_tiles(rank / 32);
    } else {
      look_back_from_tiles();
    }
    if (!launch_.is_single() && rank == 32 * warps_) detail::leave_launch(launch_.memory, {0, launch_.tag}, blocks);
  }

 private:
  TESSERA_FN tile_ticket take_first() const {
    return launch_.is_single() ? tile_ticket{0, 1} : detail::take_ticket(launch_.memory);
  }
  TESSERA_FN unsigned take_next() const {
    return launch_.is_single() ? launch_.tiles : detail::take_ticket(launch_.memory).tile;
  }
  TESSERA_FN bool exists(unsigned tile) const { return tile < launch_.tiles; }

  /// A tile, the one before it and the one after it, as far as they exist.
  struct tile_cursor {
    unsigned tile, next, previous, half;
  };
  /// Before the first tile.
  TESSERA_FN tile_cursor begin() const { return {launch_.tiles, storage_.first.tile, launch_.tiles, 1}; }
  TESSERA_FN tile_cursor after(tile_cursor const& at) const {
    return {at.next, storage_.tiles.at(at.half), at.tile, at.half ^ 1};
  }

  /// The barrier of both loops.
  TESSERA_FN void meet() const { detail::barrier_of_block(block_); }

  // Both loops begin before the first tile, so that there is one copy of the code that loads and looks ahead.

  TESSERA_FN void scan_tiles(unsigned warp_rank) {
    auto at = begin();
    bool begins = true;
    TESSERA_LOOP
    for (;;) {
      if (exists(at.tile)) scan(at.tile, warp_rank, at.half);
      if (begins || exists(at.tile)) agent_.load(at.next);
      meet();
      if (exists(at.previous)) agent_.store(at.previous, at.half ^ 1, storage_.before[at.half ^ 1][warp_rank]);
      if (!begins && !exists(at.tile)) break;
      at = after(at);
      begins = false;
    }
  }

  TESSERA_FN void look_back_from_tiles() {
    tile_predecessors<S> predecessors(start_);
    auto at = begin();
    bool begins = true;
    TESSERA_LOOP
    for (;;) {
      // The block takes its second tile only here, so that other blocks have the tiles that follow the first.
      unsigned const taken = begins || exists(at.tile) ? take_next_tile(at.half) : launch_.tiles;
      if (exists(at.previous)) look_back(predecessors, at.previous, at.half ^ 1);
      look_ahead(taken, at.half);
      meet();
      if (!begins && !exists(at.tile)) break;
      at = after(at);
      begins = false;
    }
  }

  /// Takes the block's tile after the next one, which the first lane knows.
  TESSERA_FN unsigned take_next_tile(unsigned half) {
    if (warp_.thread_rank() != 0) return 0;
    return storage_.tiles.put(half, take_next());
  }
  /// `taken` is the first lane's.
  TESSERA_FN void look_ahead([[maybe_unused]] unsigned taken, [[maybe_unused]] unsigned half) {
    if constexpr (looks_ahead<Agent>) {
      warp_.sync();  // The agent may read what a lane has stored.
      unsigned const tile = tessera::broadcast(warp_, taken, 0, tessera::converged);
      if (exists(tile)) agent_.look_ahead(tile, half);
    }
  }

  TESSERA_FN void scan(unsigned tile, unsigned warp_rank, unsigned half) {
    unsigned const added = storage_.parts[half].add(warp_, warp_rank, warps_, agent_.scan(tile, half));
    if (launch_.is_single()) return;
    // Nothing that follows from the number of warps here is kept in registers from tile to tile.
    unsigned const parts = tessera::broadcast(warp_, added, 0, tessera::converged);
    if (parts != 0) storage_.parts[half].publish(warp_, launch_, tile, parts, agent_.join());
  }

  TESSERA_FN void look_back(tile_predecessors<S>& predecessors, unsigned tile, unsigned half) {
    unsigned const lane = warp_.thread_rank();
    S const through = storage_.parts[half].through_all(warp_, warps_, agent_.join());
    auto before = start_;
    if (!launch_.is_single()) {
      S const all = tessera::broadcast(warp_, through, warps_ - 1, tessera::converged);
      before = predecessors.of(warp_, launch_.published<S>(), tile, all, agent_.join());
    }
    S const in_tile = tessera::shift_up(warp_, through, 1, tessera::converged);
    if (lane > 0) before = before.followed_by(in_tile, agent_.join());
    if (lane < warps_) storage_.before[half][lane] = before;
  }

  Block const& block_;
  warp_t warp_;
  unsigned warps_;
  look_back_launch launch_;
  storage_t& storage_;
  Agent& agent_;
  optional_value<S> const& start_;
};

/// Calls the agent's phases for each of the block's tiles.
///
/// Called by  all threads of a block of cut.warps + 1 warps, one of `blocks` blocks. memory.words may be null if there
/// is one tile.
/// start      the exclusive prefix of the first tile, if there is one
template <unsigned MostWarps, class S, class Block, class Agent>
TESSERA_FN void run_tiles(Block const& block, look_back_memory const& memory, tile_cut cut, unsigned blocks,
                          optional_value<S> const& start, tile_loop_storage<S, MostWarps>& storage, Agent& agent) {
  tile_loop<S, MostWarps, Block, Agent>(block, memory, cut, start, storage, agent).run(blocks);
}

/// Cuts n elements that the device has counted into tiles. n > 0: without elements, no block takes a ticket.
template <class Shape, class Given>
TESSERA_FN void cut_now([[maybe_unused]] std::int64_t n, [[maybe_unused]] tile_cut& cut) {
  if constexpr (is_counted<Given>) cut.tiles = static_cast<unsigned>(Shape::tile_count(n, cut.warps));
}

/// The elements of a lane's rows of a tile, in registers: rows of 32 lanes side by side.
template <class T, unsigned K, unsigned Rows>
class tile_rows {
 public:
  /// Loads them. `first` is the index of the lane's first element of row 0.
  template <class In>
  TESSERA_FN void load(In const& in, std::int64_t n, std::int64_t first) {
    if constexpr (reads_elements<In>) {
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) put(r, detail::load_computed<K>(in, n, first + r * row_elements));
    } else {
      load_memory(in, n, first);
    }
  }
  TESSERA_FN items<T, K> row(unsigned r) const { return tessera::detail::from_words<items<T, K>>(loaded_[r]); }
  /// Waits until all of them are in registers, which a barrier doesn't: they are unharmed by later stores to their
  /// addresses. The wait is for the operands of a store to `unused`, which hardly ever happens, and means nothing.
  TESSERA_FN void wait([[maybe_unused]] unsigned& unused) const {
#if TESSERA_ARCH
    std::uint32_t all = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < tessera::detail::word_count<items<T, K>>; ++i) all ^= loaded_[r].word[i];
    }
    if (all == 0x9e3779b9) unused = 1;
#endif
  }

 private:
  static constexpr std::int64_t row_elements = 32 * K;

  TESSERA_FN void put(unsigned r, items<T, K> const& row) {
    loaded_[r] = tessera::detail::to_words(row);
  }
  TESSERA_FN void load_memory(T const* in, std::int64_t n, std::int64_t first) {
    using wide = tessera::detail::wide_row<T, K>;
    if constexpr (wide::exists) {
      if (detail::are_whole_rows<K>(in, n, first, first + (Rows - 1) * row_elements)) {
        TESSERA_UNROLL
        for (unsigned r = 0; r < Rows; ++r) put(r, wide::load_aligned(in + first + r * row_elements));
        return;
      }
    }
    if constexpr (is_narrow_row<T, K>) {
      load_narrow_rows(in, n, first);
    } else {
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) put(r, detail::load_row<K>(in, n, first + r * row_elements));
    }
  }
  /// Loads rows by integers. Rows at the array's ends, which lack one of their integers, are loaded element by element.
  TESSERA_FN void load_narrow_rows(T const* in, std::int64_t n, std::int64_t first) {
    unsigned missing = 0;  // a bit of each row
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      if (!detail::load_by_integers<K>(in, n, first + r * row_elements, loaded_[r])) missing |= 1u << r;
    }
    load_missing(in, n, first, missing);
  }
  /// Loads rows element by element, one after the other: the elements of all of them at a time would take many
  /// registers.
  TESSERA_FN void load_missing(T const* in, std::int64_t n, std::int64_t first, unsigned missing) {
    TESSERA_LOOP
    for (unsigned r = 0; missing >> r != 0; ++r) {
      if ((missing >> r & 1) == 0) continue;
      auto const row = detail::load_elements<K>(in, n, first + r * row_elements);
      TESSERA_UNROLL
      for (unsigned q = 0; q < Rows; ++q) {
        if (q == r) put(q, row);
      }
    }
  }

  tessera::detail::words<items<T, K>> loaded_[Rows];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
