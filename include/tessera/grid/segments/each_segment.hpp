// The agent that calls a function for each of many segments: by a group of 8 lanes, a warp, or a block, depending on
// the segment's length alone. The kernels of each_segment.cuh run it.
//
//   lengths        5   3   0   60 | 700 |  100000          a group of 8 lanes, a warp, or a block for each
//
//   groups         Each warp takes 32 neighboring segments at a time. Its groups process the short ones, 4 at a time.
//   list           The warp puts long ones on a list that all blocks share. If the list is full, its block keeps them.
//   warps          The warp processes all others, one after the other. Then the block processes the long ones it kept.
//   blocks         Blocks without further segments process those on the list, one at a time, until it is empty.
//
// A block that adds to the list empties it before it ends. So all segments are processed, whatever other blocks do, and
// no block waits for another to begin.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The list of long segments. All its words are 0 before the kernel and after it. An entry is a segment's index plus 1.
struct long_segments {
  std::uint64_t* state;  // upper half: how many were listed; lower half: how many of these were taken
  unsigned* left;        // how many blocks have left
  std::uint64_t* entries;
  unsigned capacity;

  /// Puts a segment on the list. False if the list is full.
  TESSERA_FN bool add(std::int64_t segment) const {
    std::uint64_t slot = 0;
    bool const added = step(std::uint64_t{1} << 32, slot, [&](unsigned listed, unsigned) { return listed < capacity; });
    if (added) detail::store_relaxed(entries + (slot >> 32), static_cast<std::uint64_t>(segment) + 1);
    return added;
  }
  /// Takes a segment from the list; −1 if there is none.
  TESSERA_FN std::int64_t take() const {
    std::uint64_t slot = 0;
    if (!step(1, slot, [](unsigned listed, unsigned taken) { return taken < listed; })) return -1;
    std::uint64_t* const entry = entries + static_cast<std::uint32_t>(slot);
    std::uint64_t const listed = detail::wait_for_word(entry);
    detail::store_relaxed(entry, 0);
    return static_cast<std::int64_t>(listed) - 1;
  }
  /// Called by one thread of each of `blocks` blocks, when the block has finished. The last one clears the state.
  TESSERA_FN void leave(unsigned blocks) const {
    if (detail::is_last_block(left, blocks)) *state = 0;
  }

 private:
  /// Adds to the state if allows(listed, taken). `held` becomes the state before the addition.
  template <class Allows>
  TESSERA_FN bool step(std::uint64_t added, std::uint64_t& held, Allows allows) const {
    held = detail::load_relaxed(state);
    while (allows(static_cast<unsigned>(held >> 32), static_cast<unsigned>(held))) {
      std::uint64_t const found = detail::compare_exchange(state, held, held + added);
      if (found == held) return true;
      held = found;
    }
    return false;
  }
};

/// A block's shared memory: the long segments of a round for which the list had no room.
struct each_segment_storage {
  unsigned count[3];  // of round r: count[r % 3]
  std::int64_t taken;
  std::int64_t own[each_segment_tuning::threads];
};

/// All lanes of a tile call body(tile, segment, range, exists). A group of lanes without a segment calls it, too: then
/// exists is false, and the range is empty.
template <class Block, class Segments, class Body>
class each_segment_agent {
  using tuning = each_segment_tuning;
  static constexpr unsigned warps = tuning::threads / 32, groups = 32 / tuning::group;

 public:
  TESSERA_FN each_segment_agent(Block const& block, Segments const& segments, std::int64_t count,
                                long_segments const& longs, each_segment_storage& storage, Body const& body)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        tile_(tessera::this_block_tile<tuning::threads>(block)),
        segments_(segments),
        count_(count),
        longs_(longs),
        storage_(storage),
        body_(body),
        lane_(warp_.thread_rank()) {}

  TESSERA_FN void run(unsigned which, unsigned blocks) const {
    if (tile_.thread_rank() < 3) storage_.count[tile_.thread_rank()] = 0;
    tile_.sync();
    // The number of a block's segments in a round: an equal share, up to one for each thread.
    std::int64_t const fair = (count_ + blocks - 1) / blocks;
    unsigned const of_block = fair < tuning::threads ? static_cast<unsigned>(fair) : tuning::threads;
    unsigned const of_warp = (of_block + warps - 1) / warps, first = tile_.thread_rank() / 32 * of_warp;
    unsigned turn = 0;
    for (std::int64_t at = std::int64_t{which} * of_block; at < count_; at += std::int64_t{blocks} * of_block) {
      unsigned const place = first + lane_;
      bool const has = lane_ < of_warp && place < of_block && at + place < count_;
      take_group(at + place, has ? segments_[at + place] : segment_range{0, 0}, has, turn);
      unsigned const next = turn == 2 ? 0 : turn + 1;
      if (tile_.thread_rank() == 0) storage_.count[next] = 0;  // last read before the previous barrier
      tile_.sync();
      take_own(storage_.count[turn]);
      turn = next;
    }
    take_listed();
    if (tile_.thread_rank() == 0) longs_.leave(blocks);
  }

 private:
  /// Processes a warp's segments. Each lane that `has` one passes it.
  TESSERA_FN void take_group(std::int64_t segment, segment_range const& range, bool has, unsigned turn) const {
    bool const is_short = has && range.length <= tuning::most_by_group;
    auto const shorts = tessera::ballot(warp_, is_short, tessera::converged);
    if (shorts.any()) {
      auto const group = tessera::tiled_partition<tuning::group>(block_);
      TESSERA_LOOP
      for (unsigned i = 0; i < tuning::group; ++i) {
        if (i * groups > shorts.last()) break;
        unsigned const owner = i * groups + lane_ / tuning::group;
        segment_range const its{tessera::shuffle(warp_, range.begin, owner, tessera::converged),
                                tessera::shuffle(warp_, range.length, owner, tessera::converged)};
        std::int64_t const number = tessera::shuffle(warp_, segment, owner, tessera::converged);
        bool const exists = shorts.test(owner);
        body_(group, number, exists ? its : segment_range{0, 0}, exists);
      }
    }
    bool const is_long = has && range.length > tuning::most_by_warp;
    if (is_long && !longs_.add(segment)) storage_.own[own_place(turn)] = segment;
    TESSERA_LOOP
    for (unsigned owner : tessera::ballot(warp_, has && !is_short && !is_long, tessera::converged)) {
      segment_range const its{tessera::shuffle(warp_, range.begin, owner, tessera::converged),
                              tessera::shuffle(warp_, range.length, owner, tessera::converged)};
      body_(warp_, tessera::shuffle(warp_, segment, owner, tessera::converged), its, true);
    }
  }
  TESSERA_FN unsigned own_place(unsigned turn) const { return detail::fetch_add(&storage_.count[turn], 1u); }

  /// Processes the long segments for which the list had no room. Called after a barrier.
  TESSERA_FN void take_own(unsigned count) const {
    for (unsigned i = 0; i < count; ++i) body_(tile_, storage_.own[i], segments_[storage_.own[i]], true);
    if (count > 0) tile_.sync();
  }

  TESSERA_FN void take_listed() const {
    while (true) {
      if (tile_.thread_rank() == 0) storage_.taken = longs_.take();
      tile_.sync();
      std::int64_t const segment = storage_.taken;
      if (segment < 0) return;
      body_(tile_, segment, segments_[segment], true);
      tile_.sync();
    }
  }

  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using tile_t = decltype(tessera::this_block_tile<tuning::threads>(stl::declval<Block const&>()));

  Block const& block_;
  warp_t warp_;
  tile_t tile_;
  Segments const& segments_;
  std::int64_t count_;
  long_segments const& longs_;
  each_segment_storage& storage_;
  Body const& body_;
  unsigned lane_;
};

/// Runs the agent.
///
/// Called by   all threads of a block, block `which` of `blocks`.
/// segments    segments[s] is the range of segment s.
/// storage     shared memory of the block.
/// Cost        one read of each segment's bounds, two of a long one's; a barrier for every 256 segments of a block.
template <class Block, class Segments, class Body>
TESSERA_FN void run_each_segment_agent(Block const& block, unsigned which, unsigned blocks, Segments const& segments,
                                       std::int64_t count, long_segments const& longs, each_segment_storage& storage,
                                       Body const& body) {
  each_segment_agent<Block, Segments, Body>(block, segments, count, longs, storage, body).run(which, blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
