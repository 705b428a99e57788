// The kernel with a look-back for short arrays: each block has one tile, and nearly all run at once.
//
//   block t      load, scan and publish tile t | its warps poll all earlier tiles, a group each | combine | store
//
// No ticket is waited for: tile t is block t's, so its loads are the first thing that a block does. Warps poll the
// aggregates of tiles themselves, not those of groups, so that no block waits for what another one has polled.
//
// Blocks may begin in any order. One that has polled a tile for too long, whose block may not have begun, leaves its
// own to the list of late tiles and ends, so that others can begin. The last block to leave does the tiles on the
// list, when all aggregates are published. So nothing hangs, whatever else runs on the GPU; and a tile is hardly ever
// late.
//
// The exclusive prefix of a tile is combined as in look_back.hpp: groups one after the other, then the tiles of its own
// by a tree.
#pragma once

#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/tile_parts.hpp>
#include <tessera/lanes.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct tile_each_tuning {
  /// The number of polls before a block's tile is late: on an H200 some milliseconds, a thousand times as long as
  /// where all blocks have begun. Host blocks wait in vain, since they run one after the other.
  static constexpr unsigned most_polls = blocks_take_turns ? 3 : 4096;
};

/// The most tiles: each warp polls one group, and on an H200 all blocks run at once. A scan of twice as many (2^22
/// floats) took 15.0 µs, and 13.4 by the loop over small tiles.
template <unsigned Warps>
inline constexpr unsigned most_tiles_each = (Warps < 8 ? Warps : 8) * tiles_of_group;

/// The number of tagged words that such a launch needs to publish values of type S, and for each tile whether it is
/// late.
template <class S>
constexpr std::uint64_t tile_each_words(std::int64_t tiles) {
  return detail::tile_each_words_of(tiles, tessera::detail::word_count<S>);
}

/// The tiles that blocks have left to the last one.
class late_tiles {
 public:
  TESSERA_FN late_tiles(look_back_memory const& memory, unsigned tag, std::uint64_t begin)
      : memory_(memory), late_(memory.words + begin), mark_(std::uint64_t{tag} << 32 | 1) {}

  /// Leaves the kernel, and the block's tile if it is late. Called by one thread of each of `blocks` blocks. Returns
  /// true in the last one; `count` is how many tiles are late then.
  TESSERA_FN bool leave(unsigned tile, bool is_late, unsigned blocks, unsigned& count) const {
    std::uint64_t const mine = std::uint64_t{is_late} << 32 | 1;
    if (is_late) {
      detail::store_relaxed(late_ + tile, mark_);
      detail::fence();
    }
    std::uint64_t const all = mine + detail::fetch_add(memory_.words + 1, mine);
    if (static_cast<unsigned>(all) != blocks) return false;
    memory_.words[1] = 0;
    count = static_cast<unsigned>(all >> 32);
    if (count > 0) detail::fence();
    return true;
  }

  /// The first late tile from `tile` on. There is one. Called by the last block.
  TESSERA_FN unsigned next(unsigned tile) const {
    TESSERA_LOOP
    while (detail::load_relaxed(late_ + tile) != mark_) ++tile;
    return tile;
  }

 private:
  look_back_memory const& memory_;
  std::uint64_t* late_;
  std::uint64_t mark_;
};

/// The block's shared memory.
template <class S, unsigned Warps>
struct tile_each_storage {
  tile_parts<S, Warps> parts;
  tessera::detail::words<S> through[Warps];  // the total of the tile's parts up to each warp's
  tessera::detail::words<S> group[Warps];    // that of each earlier group, and of the tiles before it in its own
  unsigned is_late;                          // 1 if a warp has polled for too long
  unsigned next;                             // the tile that the block does next, or none
};

/// A block's part of the kernel. Agent has the phases `load`, `scan`, `store` and `join` of tile_loop.hpp, all in
/// half 0.
template <class S, unsigned Warps, class Block, class Agent>
class tile_each {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using storage_t = tile_each_storage<S, Warps>;

 public:
  TESSERA_FN tile_each(Block const& block, look_back_memory const& memory, unsigned tiles,
                       optional_value<S> const& start, storage_t& storage, Agent& agent)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        warp_rank_(block.thread_rank() / 32),
        launch_{memory, tiles},
        storage_(storage),
        agent_(agent),
        start_(start) {}

  TESSERA_FN void run() {
    bool const leads = block_.thread_rank() == 0;
    bool const is_single = launch_.is_single();
    if (!is_single) launch_.tag = static_cast<unsigned>(launch_.memory.words[0] >> 32) + 1;
    unsigned tile = block_.group_index().x, late = 0;  // of the last block: how many are left to do
    bool is_last = false;
    TESSERA_LOOP
    for (;;) {
      agent_.load(tile);
      if (leads) storage_.parts.clear();
      if (leads) storage_.is_late = 0;
      detail::barrier_of_block(block_);
      S const part = agent_.scan(tile, 0);
      bool const adds_last = storage_.parts.add(warp_, warp_rank_, Warps, part) != 0;
      if (tessera::broadcast(warp_, adds_last, 0, tessera::converged)) combine_parts(tile);
      if (!is_single) look_back(tile, part, is_last ? any_number : tile_each_tuning::most_polls);
      detail::barrier_of_block(block_);
      bool const is_late = storage_.is_late != 0;
      if (leads && !is_single) storage_.next = is_last ? next_late(tile + 1, late) : leave(tile, is_late, late);
      if (!is_late) agent_.store(tile, 0, before_warp(tile));
      if (is_single) return;
      detail::barrier_of_block(block_);
      tile = storage_.next;
      if (tile >= launch_.tiles) return;
      is_last = true;
    }
  }

 private:
  /// Publishes the tile's aggregate, by the warp that added the last part of it.
  TESSERA_FN void combine_parts(unsigned tile) {
    unsigned const lane = warp_.thread_rank();
    S const through = storage_.parts.publish(warp_, launch_, tile, Warps, agent_.join());
    if (lane < Warps) storage_.through[lane] = tessera::detail::to_words(through);
  }

  /// Combines a group of tiles, as far as it precedes `tile`. The tile is late if `most_polls` aren't enough. `unused`
  /// is any value.
  TESSERA_FN void look_back(unsigned tile, S const& unused, unsigned most_polls) {
    unsigned const lane = warp_.thread_rank();
    unsigned const group = tile / tiles_of_group, place = tile % tiles_of_group;
    unsigned const count = warp_rank_ < group ? tiles_of_group : warp_rank_ == group ? place : 0;
    if (count == 0) return;
    seen_value<S> seen{tessera::detail::to_words(unused), lane >= count};
    auto const published = launch_.published<S>();
    published.poll(published.of_tile(warp_rank_ * tiles_of_group + lane), seen);
    if (!detail::wait_for_tiles(warp_, published, warp_rank_ * tiles_of_group, seen, most_polls)) {
      if (lane == 0) detail::exchange(&storage_.is_late, 1);
      return;
    }
    S const through = tessera::inclusive_scan(warp_, seen.value(), agent_.join(), tessera::converged);
    if (lane == count - 1) storage_.group[warp_rank_] = tessera::detail::to_words(through);
  }

  /// The exclusive prefix of the warp's part.
  TESSERA_FN optional_value<S> before_warp(unsigned tile) const {
    auto before = start_;
    unsigned const groups = (tile + tiles_of_group - 1) / tiles_of_group;
    TESSERA_LOOP
    for (unsigned g = 0; g < groups; ++g)
      before = before.followed_by(tessera::detail::from_words<S>(storage_.group[g]), agent_.join());
    if (warp_rank_ == 0) return before;
    return before.followed_by(tessera::detail::from_words<S>(storage_.through[warp_rank_ - 1]), agent_.join());
  }

  /// Leaves the kernel. Returns the first late tile if this is the last block, and there is one.
  TESSERA_FN unsigned leave(unsigned tile, bool is_late, unsigned& late) const {
    return list().leave(tile, is_late, launch_.tiles, late) ? next_late(0, late) : launch_.tiles;
  }
  /// The next of the tiles that are left, from `tile` on. If there is none, the next launch can begin.
  TESSERA_FN unsigned next_late(unsigned tile, unsigned& late) const {
    if (late == 0) {
      detail::begin_next_launch(launch_.memory, launch_.tag);
      return launch_.tiles;
    }
    --late;
    return list().next(tile);
  }
  TESSERA_FN late_tiles list() const {
    std::uint64_t const values = std::uint64_t{launch_.tiles} * tessera::detail::word_count<S>;
    return {launch_.memory, launch_.tag, look_back_memory::header_words + values};
  }

  Block const& block_;
  warp_t warp_;
  unsigned warp_rank_;
  look_back_launch launch_;
  storage_t& storage_;
  Agent& agent_;
  optional_value<S> const& start_;
};

/// Calls the agent's phases for the block's tile.
///
/// Called by  all threads of a block of Warps warps, one for each of up to most_tiles_each<Warps> tiles. memory.words
///            may be null if there is one tile.
/// start      the exclusive prefix of the first tile, if there is one
template <unsigned Warps, class S, class Block, class Agent>
TESSERA_FN void run_tile_each(Block const& block, look_back_memory const& memory, unsigned tiles,
                              optional_value<S> const& start, tile_each_storage<S, Warps>& storage, Agent& agent) {
  tile_each<S, Warps, Block, Agent>(block, memory, tiles, start, storage, agent).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
