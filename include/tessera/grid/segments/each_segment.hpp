// The agents that call a function for each of many segments: by some lanes of a warp, a warp, or blocks, depending on
// the segment's length alone. The kernels of each_segment.cuh run them.
//
//   lengths        5   3   0   60 | 700 |  100000          1, 1, 1, 8 lanes; a warp; blocks
//
//   first kernel   Warps draw neighboring segments by tickets. Short ones get lanes by their lengths, in rounds of as
//                  many as there are lanes for. Then warps go through all segments again: each takes those of up to
//                  2048 elements one after the other, and lists longer ones.
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
#include <tessera/grid/segments/short_segments.hpp>
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
/// True if Body combines the results of pieces.
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
  ticket_queue<> tickets;  // to the entries, or to segments in the first kernel: 0 before and after each kernel
  std::uint64_t* entries;
  void* results;   // of pieces, if a segment may have several: one for each entry
  unsigned* done;  // likewise: how many pieces of a segment are done, at the place of its first entry
  unsigned capacity;

  static constexpr std::uint64_t none = ~std::uint64_t{0};  // an entry of a segment for which there was no room

  /// The segment of an entry, and the number of its piece.
  TESSERA_FN static std::int64_t segment_of(std::uint64_t entry) {
    return static_cast<std::int64_t>(entry / each_segment_tuning::most_pieces);
  }
  TESSERA_FN static unsigned piece_of(std::uint64_t entry) {
    return static_cast<unsigned>(entry % each_segment_tuning::most_pieces);
  }

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

/// A block's shared memory in the first kernel: the long segments for which the list had no room.
struct each_segment_storage {
  unsigned count;
  std::int64_t own[each_segment_tuning::most_own];
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
    std::int64_t const segment = piece_list::segment_of(entry);
    unsigned const p = piece_list::piece_of(entry);
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
    unsigned const p = piece_list::piece_of(entry);
    segment_range const range = segments_[piece_list::segment_of(entry)];
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

/// Lists the pieces of the segment of each lane of a warp whose segment is long; others have length 0. Segments for
/// which there is no room the block keeps. False if there may be no place for 32 more of each of its warps. It isn't
/// inlined, as the next one: their registers are fewer by themselves.
template <class Body, class Block>
TESSERA_NOT_INLINED bool list_segments(Block const& block, piece_list list, each_segment_storage& storage,
                                       std::int64_t segment, std::int64_t length) {
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const pieces = length > 0 ? segment_pieces::of<Body>(length).count : 0;
  unsigned const end = tessera::inclusive_scan(warp, pieces, tessera::plus{}, tessera::converged);
  unsigned const all = tessera::shuffle(warp, end, 31, tessera::converged);
  std::uint64_t first = 0;
  if (warp.thread_rank() == 0) first = detail::fetch_add(list.listed, std::uint64_t{all});
  first = tessera::broadcast(warp, first, 0, tessera::converged) + (end - pieces);
  bool fits = true;
  if (length > 0 && !list.template add<Body>(first, segment, pieces)) {
    unsigned const place = detail::fetch_add(&storage.count, 1u);
    storage.own[place] = segment;
    fits = place < each_segment_tuning::most_own - each_segment_tuning::threads;
  }
  return tessera::all_of(warp, fits, tessera::converged);
}

/// Processes the long segments of a block for which the list had no room.
template <class Tile, class Block, class Segments, class Body>
TESSERA_NOT_INLINED void take_unlisted(Block const& block, Segments segments, Body body, std::int64_t const* own,
                                       unsigned count) {
  Tile const tile = tessera::this_block_tile<each_segment_tuning::threads>(block);
  long_segment_agent<Tile, Segments, Body> const agent(tile, segments, body);
  TESSERA_LOOP
  for (unsigned i = 0; i < count; ++i) agent.take(own[i]);
  tile.sync();
}

/// The work of the first kernel on all segments but short ones.
template <class Block, class Segments, class Body>
class other_segments_agent {
  using tuning = each_segment_tuning;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using tile_t = decltype(tessera::this_block_tile<tuning::threads>(stl::declval<Block const&>()));

 public:
  TESSERA_FN other_segments_agent(Block const& block, Segments const& segments, piece_list const& list,
                                  each_segment_storage& storage, Body const& body)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        segments_(segments),
        list_(list),
        storage_(storage),
        body_(body),
        lane_(warp_.thread_rank()) {}

  /// Called by all threads of the block. Groups of `size` neighbors, up to 32, are dealt to `warps` warps, of which
  /// this one is number `own`.
  TESSERA_FN void run(std::int64_t own, std::int64_t warps, unsigned size, std::int64_t count) const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    bool const is_leader = tile.thread_rank() == 0;
    if (is_leader) storage_.count = 0;
    tile.sync();
    std::int64_t group = own;
    TESSERA_LOOP
    for (bool more = true; more;) {
      bool const is_done = take(group, warps, size, count);
      more = tessera::any_of(tile, !is_done, tessera::converged);
      if (unsigned const kept = storage_.count; kept > 0) {  // there is more only then
        detail::take_unlisted<tile_t>(block_, segments_, body_, storage_.own, kept);
        if (is_leader) storage_.count = 0;
        tile.sync();
      }
    }
  }

 private:
  /// Processes the warp's groups from `group` on. False if the block has no room for more of its own: then `group` is
  /// the next one.
  TESSERA_FN bool take(std::int64_t& group, std::int64_t warps, unsigned size, std::int64_t count) const {
    TESSERA_LOOP
    for (; group * size < count; group += groups_at_once * warps) {
      TESSERA_LOOP
      for (unsigned left = groups_with_others(group, warps, size, count); left != 0; left &= left - 1) {
        std::int64_t const next = group + tessera::detail::lowest_bit(left) * warps;
        if (!take_group(next * size, size, count)) {
          group = next + warps;
          return false;
        }
      }
    }
    return true;
  }
  /// Which of the warp's next groups have others: loads of several are under way at once.
  static constexpr unsigned groups_at_once = 8;
  TESSERA_FN unsigned groups_with_others(std::int64_t group, std::int64_t warps, unsigned size,
                                         std::int64_t count) const {
    bool has[groups_at_once];
    TESSERA_UNROLL
    for (unsigned g = 0; g < groups_at_once; ++g) {
      std::int64_t const s = (group + g * warps) * size + lane_;
      has[g] = lane_ < size && s < count && segments_[s].length > tuning::most_by_lanes;
    }
    unsigned groups = 0;
    TESSERA_UNROLL
    for (unsigned g = 0; g < groups_at_once; ++g)
      groups |= tessera::any_of(warp_, has[g], tessera::converged) ? 1u << g : 0u;
    return groups;
  }
  /// Processes those of the `size` segments from `at` on. False if the block has no room for more of its own.
  TESSERA_FN bool take_group(std::int64_t at, unsigned size, std::int64_t count) const {
    bool const exists = lane_ < size && at + lane_ < count;
    segment_range const range = exists ? segments_[at + lane_] : segment_range{0, 0};
    bool const is_long = range.length > tuning::most_by_warp;
    bool has_room = true;
    if (tessera::any_of(warp_, is_long, tessera::converged))
      has_room = detail::list_segments<Body>(block_, list_, storage_, at + lane_, is_long ? range.length : 0);
    TESSERA_LOOP
    for (unsigned owner :
         tessera::ballot(warp_, !is_long && range.length > tuning::most_by_lanes, tessera::converged)) {
      segment_range const its{tessera::shuffle(warp_, range.begin, owner, tessera::converged),
                              tessera::shuffle(warp_, range.length, owner, tessera::converged)};
      body_(warp_, at + owner, its, true);
    }
    return has_room;
  }

  Block const& block_;
  warp_t warp_;
  Segments const& segments_;
  piece_list const& list_;
  each_segment_storage& storage_;
  Body const& body_;
  unsigned lane_;
};

/// Processes all segments but short ones. It isn't inlined, so that what it keeps doesn't take registers of short
/// segments.
template <class Block, class Segments, class Body>
TESSERA_NOT_INLINED void process_other_segments(Block const& block, Segments segments, piece_list list,
                                                each_segment_storage& storage, Body body, std::int64_t own,
                                                std::int64_t warps, unsigned size, std::int64_t count) {
  other_segments_agent<Block, Segments, Body>(block, segments, list, storage, body).run(own, warps, size, count);
}

/// Runs the first kernel's agent.
///
/// All lanes of a warp call body.process_by_lanes(lanes, segment, range, exists) together. Each passes the segment that
/// it shares; one without a segment passes an empty range, and `exists` is false. All lanes of a warp or a block call
/// body(tile, segment, range, true).
///
/// Called by   all threads of a block, block `which` of `blocks`.
/// segments    segments[s] is the range of segment s.
/// storage     shared memory of the block.
/// Cost        two reads of each segment's bounds, and a third of 32 neighbors of which one isn't short.
template <class Block, class Segments, class Body>
TESSERA_FN void run_each_segment_agent(Block const& block, unsigned which, unsigned blocks, Segments const& segments,
                                       std::int64_t count, piece_list const& list, each_segment_storage& storage,
                                       Body const& body) {
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const warps = std::int64_t{blocks} * (each_segment_tuning::threads / 32),
                     own = block.thread_rank() / 32 * std::int64_t{blocks} + which;  // few use all blocks
  std::int64_t const each = (count + warps - 1) / warps, chunk = each_segment_tuning::chunk_of(each);
  short_segments_agent<Block, Segments, Body> const agent(block, segments, body);
  bool const draws = chunk < each;
  TESSERA_LOOP
  for (std::int64_t c = own; c * chunk < count;) {
    unsigned next = 0;
    if (draws && warp.thread_rank() == 0) next = list.tickets.draw();
    agent.run(c * chunk, (c + 1) * chunk < count ? (c + 1) * chunk : count);
    if (!draws) break;
    c = warps + tessera::broadcast(warp, next, 0, tessera::converged);
  }
  detail::process_other_segments(block, segments, list, storage, body, own, warps,
                                 each < 32 ? static_cast<unsigned>(each) : 32u, count);
  if (draws && block.thread_rank() == 0 && list.tickets.is_last_to_leave(blocks)) list.tickets.clear();
}

/// Calls take(place) for the listed pieces that the block draws, until there are no more. The last block to leave
/// clears the list, if no other kernel takes the pieces again.
///
/// Called by   all threads of `tile`, which is a block, of which there are `blocks`.
/// Cost        a ticket and two barriers for each piece.
template <class Tile, class Take>
TESSERA_FN void draw_listed_pieces(Tile const& tile, unsigned blocks, piece_list const& list,
                                   listed_pieces_storage& storage, bool is_taken_again, Take const& take) {
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
    take(place);
    tile.sync();
  }
  if (is_leader && list.tickets.is_last_to_leave(blocks)) {
    list.tickets.clear();
    if (!is_taken_again) *list.listed = 0;
  }
}

/// Runs the agent of the second kernel or, with Maps, of the third.
///
/// Called by   all threads of each of `blocks` blocks, after the kernel before.
/// Cost        that of draw_listed_pieces, and a read of the segment's bounds for each piece.
template <bool Maps, class Block, class Segments, class Body>
TESSERA_FN void run_listed_pieces_agent(Block const& block, unsigned blocks, Segments const& segments,
                                        piece_list const& list, listed_pieces_storage& storage, Body const& body) {
  auto const tile = tessera::this_block_tile<each_segment_tuning::threads>(block);
  long_segment_agent<stl::decay_t<decltype(tile)>, Segments, Body> const agent(tile, segments, body);
  detail::draw_listed_pieces(tile, blocks, list, storage, !Maps && maps_pieces<Body>, [&](unsigned place) {
    if constexpr (Maps) {
      agent.map_entry(list, place);
    } else {
      agent.take_entry(list, place);
    }
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
