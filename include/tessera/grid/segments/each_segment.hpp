// The agents that call a function for each of many segments: by a lane, a group of 8 lanes, a warp, or blocks,
// depending on the segment's length alone. The kernels of each_segment.cuh run them.
//
//   lengths        5   3   0   60 | 700 |  100000          a lane, a group of 8 lanes, a warp, or blocks for each
//
//   first kernel   Each warp takes 32 neighboring segments at a time. A lane processes its own if it is very short.
//                  Groups process the short ones, 4 at a time, and the warp all others but long ones, one after the
//                  other.
//   list           Long segments are cut into pieces, which are listed. If the list is full, the block keeps the
//                  segment, and processes its pieces one after the other.
//   second kernel  Blocks draw the listed pieces by tickets. The last block of a segment combines the results of its
//                  pieces.
//   third kernel   If elements are mapped by what the results combine to, blocks draw the pieces again.
//
//   segment        | piece 0   | piece 1   | 2   |   of one length, which depends on the segment's length alone
//   results        r0          r1          r2        a lane combines neighbors, in order; then the lanes are reduced
//
// A function that can't process pieces has each long segment as one.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The result of a piece of a segment; void if Body has no such type, and processes whole segments only.
template <class Body, class = void>
struct piece_of {
  using type = void;
};
template <class Body>
struct piece_of<Body, stl::void_t<typename Body::piece_t>> {
  using type = typename Body::piece_t;
};
template <class Body>
using piece_t = typename piece_of<Body>::type;
/// True if Body combines the results of pieces, and processes very short segments by a lane.
template <class Body>
inline constexpr bool combines_pieces = !stl::is_void_v<piece_t<Body>>;
/// True if it then maps the pieces by what their results combine to.
template <class Body, class = void>
inline constexpr bool maps_pieces = false;
template <class Body>
inline constexpr bool maps_pieces<Body, stl::void_t<decltype(Body::maps_pieces)>> = Body::maps_pieces;

/// True if Body processes a long segment by pieces, with results or without.
template <class Body, class = void>
inline constexpr bool is_divisible = combines_pieces<Body>;
template <class Body>
inline constexpr bool is_divisible<Body, stl::void_t<decltype(Body::is_divisible)>> = Body::is_divisible;

/// The pieces of a segment: `count` of `length` elements, but for the last one.
struct segment_pieces {
  std::int64_t length;
  unsigned count;

  template <class Body>
  TESSERA_FN static segment_pieces of(std::int64_t elements) {
    using tuning = each_segment_tuning;
    if constexpr (!is_divisible<Body>) {
      return {elements, 1};
    } else {
      std::int64_t const wanted = (elements + tuning::piece - 1) / tuning::piece;
      std::int64_t const count = wanted < tuning::most_pieces ? wanted : tuning::most_pieces;
      std::int64_t const each = (elements + count - 1) / count;
      std::int64_t const length = (each + tuning::piece_step - 1) / tuning::piece_step * tuning::piece_step;
      return {length, static_cast<unsigned>((elements + length - 1) / length)};
    }
  }
};

/// The list of pieces. An entry has the number of its segment and, in its low bits, that of the piece.
struct piece_list {
  /// How many entries were added, with room or without: 0 before the first kernel, and after the last.
  std::uint64_t* listed;
  ticket_queue<> tickets;  // to the entries: 0 before and after each kernel
  std::uint64_t* entries;
  void* results;   // of pieces, if a segment may have several: one for each entry
  unsigned* done;  // likewise: how many pieces of a segment are done, at the place of its first entry
  unsigned capacity;

  static constexpr std::uint64_t none = ~std::uint64_t{0};  // an entry of a segment for which there was no room

  /// Adds the pieces of a segment from entry `first` on. Called by one lane. False if there is no room.
  template <class Body>
  TESSERA_FN bool add(std::uint64_t first, std::int64_t segment, unsigned pieces) const {
    bool const has_room = first + pieces <= capacity;
    for (unsigned p = 0; p < pieces && first + p < capacity; ++p) {
      entries[first + p] = has_room ? static_cast<std::uint64_t>(segment) * each_segment_tuning::most_pieces + p : none;
    }
    if constexpr (combines_pieces<Body>) {
      if (has_room) done[first] = 0;
    }
    return has_room;
  }
};

template <class Body>
constexpr stl::size_t bytes_of_piece_result() {
  if constexpr (combines_pieces<Body>) return sizeof(piece_t<Body>);
  return 0;
}
/// The bytes of a piece's result; 0 if there are none.
template <class Body>
inline constexpr stl::size_t bytes_of_piece = detail::bytes_of_piece_result<Body>();

/// The list in a workspace: `data` has memory.bytes, `word` and the two counters are 0.
TESSERA_FN piece_list piece_list_in(piece_list_memory const& memory, void* data, std::uint64_t* word,
                                    unsigned* counters) {
  auto* const bytes = static_cast<char*>(data);
  return {word,
          {counters, counters + 1},
          reinterpret_cast<std::uint64_t*>(bytes),
          bytes + memory.results_at,
          reinterpret_cast<unsigned*>(bytes + memory.done_at),
          memory.capacity};
}

/// A block's shared memory in the first kernel: the long segments of a round for which the list had no room.
struct each_segment_storage {
  unsigned count[3];  // of round r: count[r % 3]
  std::int64_t own[each_segment_tuning::threads];
};
/// And in the second.
struct listed_pieces_storage {
  tickets_ahead tickets;
  unsigned listed;
};

/// The work of both agents on a long segment, by all lanes of a block's tile.
template <class Tile, class Segments, class Body>
class long_segment_agent {
  using tuning = each_segment_tuning;

 public:
  TESSERA_FN long_segment_agent(Tile const& tile, Segments const& segments, Body const& body)
      : tile_(tile), segments_(segments), body_(body) {}

  /// Processes all pieces of a segment.
  TESSERA_FN void take(std::int64_t segment) const {
    segment_range const range = segments_[segment];
    auto const pieces = segment_pieces::of<Body>(range.length);
    if constexpr (combines_pieces<Body>) {
      unsigned const each = results_of_lane(pieces.count);
      if (is_mapped_at_once(segment, range, pieces)) return;
      auto own = body_.neutral();
      TESSERA_LOOP
      for (unsigned p = 0; p < pieces.count; ++p) {
        auto const all = body_.reduce_piece(tile_, piece_of(range, pieces, p), p * pieces.length);
        if (p / each == tile_.thread_rank()) own = body_.combine(own, all);
      }
      auto const all = tessera::reduce(tile_, own, body_.combining(), tessera::converged);
      if constexpr (maps_pieces<Body>) {
        TESSERA_LOOP
        for (unsigned p = 0; p < pieces.count; ++p) body_.map_piece(tile_, piece_of(range, pieces, p), all);
      } else {
        if (tile_.thread_rank() == 0) body_.finish(segment, all, false);
      }
    } else {
      TESSERA_LOOP
      for (unsigned p = 0; p < pieces.count; ++p) take_piece(segment, range, pieces, p);
    }
  }

  /// Processes the piece of an entry.
  TESSERA_FN void take_entry(piece_list const& list, unsigned place) const {
    std::uint64_t const entry = list.entries[place];
    if (entry == piece_list::none) return;
    auto const segment = static_cast<std::int64_t>(entry / tuning::most_pieces);
    auto const p = static_cast<unsigned>(entry % tuning::most_pieces);
    segment_range const range = segments_[segment];
    auto const pieces = segment_pieces::of<Body>(range.length);
    if constexpr (combines_pieces<Body>) {
      if (is_mapped_at_once(segment, range, pieces)) return;
      auto const all = body_.reduce_piece(tile_, piece_of(range, pieces, p), p * pieces.length);
      auto* const results = static_cast<piece_t<Body>*>(list.results) + (place - p);
      bool is_last = false;
      if (tile_.thread_rank() == 0) {
        results[p] = all;
        is_last = detail::is_last_block(list.done + (place - p), pieces.count);
      }
      if (!tessera::any_of(tile_, is_last, tessera::converged)) return;
      unsigned const each = results_of_lane(pieces.count), first = tile_.thread_rank() * each;
      auto own = body_.neutral();
      for (unsigned i = first; i < first + each && i < pieces.count; ++i) own = body_.combine(own, results[i]);
      auto const combined = tessera::reduce(tile_, own, body_.combining(), tessera::converged);
      if (tile_.thread_rank() != 0) return;
      if constexpr (maps_pieces<Body>) {
        results[0] = combined;
      } else {
        body_.finish(segment, combined, false);
      }
    } else {
      take_piece(segment, range, pieces, p);
    }
  }

  /// Maps the piece of an entry, after all pieces were processed.
  TESSERA_FN void map_entry(piece_list const& list, unsigned place) const {
    std::uint64_t const entry = list.entries[place];
    if (entry == piece_list::none) return;
    auto const p = static_cast<unsigned>(entry % tuning::most_pieces);
    segment_range const range = segments_[static_cast<std::int64_t>(entry / tuning::most_pieces)];
    auto const pieces = segment_pieces::of<Body>(range.length);
    if (pieces.count == 1) return;
    auto const* const results = static_cast<piece_t<Body> const*>(list.results);
    body_.map_piece(tile_, piece_of(range, pieces, p), results[place - p]);
  }

 private:
  TESSERA_FN void take_piece(std::int64_t segment, segment_range const& range, segment_pieces const& pieces,
                             [[maybe_unused]] unsigned p) const {
    if constexpr (is_divisible<Body>) {
      body_.take_piece(tile_, segment, piece_of(range, pieces, p), p * pieces.length);
    } else {
      body_(tile_, segment, range, true);
    }
  }
  TESSERA_FN static unsigned results_of_lane(unsigned pieces) {
    return (pieces + tuning::threads - 1) / tuning::threads;
  }
  TESSERA_FN static segment_range piece_of(segment_range const& range, segment_pieces const& pieces, unsigned p) {
    std::int64_t const first = p * pieces.length, left = range.length - first;
    return {range.begin + first, left < pieces.length ? left : pieces.length};
  }
  /// Maps a segment of one piece, which is read once if registers hold it.
  TESSERA_FN bool is_mapped_at_once(std::int64_t segment, segment_range const& range,
                                    segment_pieces const& pieces) const {
    if constexpr (maps_pieces<Body>) {
      if (pieces.count == 1) {
        body_(tile_, segment, range, true);
        return true;
      }
    }
    return false;
  }

  Tile const& tile_;
  Segments const& segments_;
  Body const& body_;
};

/// The first kernel. All lanes of a tile call body(tile, segment, range, exists). A group of lanes without a segment
/// calls it, too: then exists is false, and the range is empty.
template <class Block, class Segments, class Body>
class each_segment_agent {
  using tuning = each_segment_tuning;
  static constexpr unsigned warps = tuning::threads / 32, groups = 32 / tuning::group;

 public:
  TESSERA_FN each_segment_agent(Block const& block, Segments const& segments, std::int64_t count,
                                piece_list const& list, each_segment_storage& storage, Body const& body)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        tile_(tessera::this_block_tile<tuning::threads>(block)),
        segments_(segments),
        count_(count),
        list_(list),
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
  }

 private:
  /// Processes a warp's segments. Each lane that `has` one passes it.
  TESSERA_FN void take_group(std::int64_t segment, segment_range const& range, bool has, unsigned turn) const {
    bool is_very_short = false;
    if constexpr (combines_pieces<Body>) {
      is_very_short = has && range.length <= tuning::most_by_lane;
      if (is_very_short) body_.process_by_lane(segment, range);
    }
    bool const is_short = has && !is_very_short && range.length <= tuning::most_by_group;
    auto const shorts = tessera::ballot(warp_, is_short, tessera::converged);
    if (shorts.any()) {
      auto const group = tessera::tiled_partition<tuning::group>(block_);
      unsigned const count = shorts.count();
      TESSERA_LOOP
      for (unsigned first = 0; first < count; first += groups) {
        unsigned const place = first + lane_ / tuning::group;
        bool const exists = place < count;
        unsigned const owner = shorts.nth(exists ? place : 0);
        segment_range const its{tessera::shuffle(warp_, range.begin, owner, tessera::converged),
                                tessera::shuffle(warp_, range.length, owner, tessera::converged)};
        std::int64_t const number = tessera::shuffle(warp_, segment, owner, tessera::converged);
        body_(group, number, exists ? its : segment_range{0, 0}, exists);
      }
    }
    bool const is_long = has && range.length > tuning::most_by_warp;
    auto const longs = tessera::ballot(warp_, is_long, tessera::converged);
    if (longs.any()) list_segments(longs, segment, range, is_long, turn);
    TESSERA_LOOP
    for (unsigned owner : tessera::ballot(warp_, has && !is_very_short && !is_short && !is_long, tessera::converged)) {
      segment_range const its{tessera::shuffle(warp_, range.begin, owner, tessera::converged),
                              tessera::shuffle(warp_, range.length, owner, tessera::converged)};
      body_(warp_, tessera::shuffle(warp_, segment, owner, tessera::converged), its, true);
    }
  }

  /// Lists the pieces of a warp's long segments, or keeps those for which there is no room.
  TESSERA_FN void list_segments(lane_mask<32> longs, std::int64_t segment, segment_range const& range, bool is_long,
                                unsigned turn) const {
    unsigned const pieces = is_long ? segment_pieces::of<Body>(range.length).count : 0;
    unsigned const end = tessera::inclusive_scan(warp_, pieces, tessera::plus{}, tessera::converged);
    unsigned const last = longs.last(), all = tessera::shuffle(warp_, end, last, tessera::converged);
    std::uint64_t first = 0;
    if (lane_ == 0) first = detail::fetch_add(list_.listed, std::uint64_t{all});
    first = tessera::broadcast(warp_, first, 0, tessera::converged) + (end - pieces);
    if (is_long && !list_.template add<Body>(first, segment, pieces)) {
      storage_.own[detail::fetch_add(&storage_.count[turn], 1u)] = segment;
    }
  }

  /// Processes the long segments for which the list had no room. Called after a barrier.
  TESSERA_FN void take_own(unsigned count) const {
    long_segment_agent<tile_t, Segments, Body> const agent(tile_, segments_, body_);
    for (unsigned i = 0; i < count; ++i) agent.take(storage_.own[i]);
    if (count > 0) tile_.sync();
  }

  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using tile_t = decltype(tessera::this_block_tile<tuning::threads>(stl::declval<Block const&>()));

  Block const& block_;
  warp_t warp_;
  tile_t tile_;
  Segments const& segments_;
  std::int64_t count_;
  piece_list const& list_;
  each_segment_storage& storage_;
  Body const& body_;
  unsigned lane_;
};

/// Runs the first kernel's agent.
///
/// Called by   all threads of a block, block `which` of `blocks`.
/// segments    segments[s] is the range of segment s.
/// storage     shared memory of the block.
/// Cost        one read of each segment's bounds; a barrier for every 256 segments of a block.
template <class Block, class Segments, class Body>
TESSERA_FN void run_each_segment_agent(Block const& block, unsigned which, unsigned blocks, Segments const& segments,
                                       std::int64_t count, piece_list const& list, each_segment_storage& storage,
                                       Body const& body) {
  each_segment_agent<Block, Segments, Body>(block, segments, count, list, storage, body).run(which, blocks);
}

/// Runs the agent of the second kernel or, with Maps, of the third: the block draws listed pieces until there are no
/// more.
///
/// Called by   all threads of each of `blocks` blocks, after the kernel before.
/// Cost        a ticket, two barriers and a read of the segment's bounds for each piece.
template <bool Maps, class Block, class Segments, class Body>
TESSERA_FN void run_listed_pieces_agent(Block const& block, unsigned blocks, Segments const& segments,
                                        piece_list const& list, listed_pieces_storage& storage, Body const& body) {
  auto const tile = tessera::this_block_tile<each_segment_tuning::threads>(block);
  long_segment_agent<stl::decay_t<decltype(tile)>, Segments, Body> const agent(tile, segments, body);
  bool const is_leader = tile.thread_rank() == 0;
  if (is_leader) {
    std::uint64_t const added = *list.listed;
    storage.listed = added < list.capacity ? static_cast<unsigned>(added) : list.capacity;
    storage.tickets.put(0, list.tickets.draw());
  }
  tile.sync();
  unsigned const listed = storage.listed;
  TESSERA_LOOP
  for (unsigned turn = 0;; turn ^= 1) {
    unsigned const place = storage.tickets.at(turn);
    if (place >= listed) break;
    if (is_leader) storage.tickets.put(turn ^ 1, list.tickets.draw());
    if constexpr (Maps) {
      agent.map_entry(list, place);
    } else {
      agent.take_entry(list, place);
    }
    tile.sync();
  }
  if (is_leader && list.tickets.is_last_to_leave(blocks)) {
    list.tickets.clear();
    if (Maps || !maps_pieces<Body>) *list.listed = 0;
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
