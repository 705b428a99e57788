// Decoupled look-back with fixed bits: the exclusive prefix of each tile, in a kernel that reads its array once.
//
//   tile        0 … 31          32 … 63         64 … 95         96   97   98        32 tiles are a group
//   published   each tile's own aggregate, as soon as it is known
//               each group's aggregate, by the group's last tile, once it has seen those of the others
//
//   tile 98     group 0  op  group 1  op  group 2  op  (tile 96  op  tile 97)   groups in order, tiles by a tree
//
// A block keeps the prefix of the groups before its last tile, and goes on from there: it takes each group's aggregate
// once. Where a group's last tile hasn't combined the others yet, but all of them are known, a warp combines them by
// itself, by the same tree. So the result has the same bits whatever was published when. An operator
// need neither commute nor have an identity.
//
// Tiles are numbered by tickets, in the order in which blocks begin them: a tile only waits for tiles that a running
// block has, which never wait for it.
//
// Nothing is cleared between launches. A word of a published value fills half of a 64-bit word, whose other half is
// the tag of this launch: the number of the launch, from 1 on. The last block to leave the kernel counts it up.
//
// Source: D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016. The groups, the
// order of the fold and the tags are ours.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/grid/parts/tile_words.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of polls of a warp that waits until a value is there.
inline constexpr unsigned any_number = 0;

/// The workspace's tagged words during a launch. The first two are not tagged: the number of the launch and the
/// tickets that were taken in it, and the blocks that have left. Both are 0 in a new workspace.
struct look_back_memory {
  std::uint64_t* words;    // null if the array is a single tile
  std::uint64_t capacity;  // of words

  static constexpr unsigned header_words = look_back_header_words;

  TESSERA_FN ticket_queue<std::uint64_t> tickets() const { return {words, reinterpret_cast<unsigned*>(words + 1)}; }
};

/// The number of tagged words that a launch of `tiles` tiles needs to publish values of type R.
template <class R>
constexpr std::uint64_t look_back_words(std::int64_t tiles) {
  return detail::look_back_words_of(tiles, tessera::detail::word_count<R>);
}

/// A tile of the array, and the tag of the launch.
struct tile_ticket {
  unsigned tile, tag;
};

/// Takes the next tile. Called by one thread of a block. A block takes tickets until one has no tile.
TESSERA_FN tile_ticket take_ticket(look_back_memory const& memory) {
  std::uint64_t const taken = memory.tickets().draw();
  return {static_cast<unsigned>(taken), static_cast<unsigned>(taken >> 32) + 1};
}

/// Begins the number of the next launch. Called by one thread, once all blocks have left. Where numbers begin again,
/// it clears all words.
TESSERA_FN void begin_next_launch(look_back_memory const& memory, unsigned tag) {
  unsigned const next = tag == UINT32_MAX ? 0 : tag;
  if (next == 0) {
    TESSERA_LOOP
    for (std::uint64_t i = look_back_memory::header_words; i < memory.capacity; ++i) memory.words[i] = 0;
  }
  memory.words[0] = std::uint64_t{next} << 32;
}

/// Leaves the kernel. Called once by one thread of each block, the one that publishes, after the block's last
/// look-back. The last block to leave begins the next launch's number.
TESSERA_FN void leave_launch(look_back_memory const& memory, tile_ticket const& ticket, unsigned blocks) {
  if (memory.tickets().is_last_to_leave(blocks)) detail::begin_next_launch(memory, ticket.tag);
}

/// A published value that a lane waits for.
template <class R>
struct seen_value {
  tessera::detail::words<R> word;
  bool is_known;

  TESSERA_FN R value() const { return tessera::detail::from_words<R>(word); }
};

/// Values of type R that the tiles of a launch publish, by their number: those of tiles and of groups.
template <class R>
class published_values {
  static constexpr unsigned count = tessera::detail::word_count<R>;

 public:
  TESSERA_FN published_values(look_back_memory const& memory, unsigned tag, std::int64_t tiles)
      : words_(memory.words + look_back_memory::header_words), tag_(tag), tiles_(static_cast<std::uint64_t>(tiles)) {}

  /// The numbers of values.
  TESSERA_FN std::uint64_t of_tile(unsigned tile) const { return tile; }
  TESSERA_FN std::uint64_t of_group(unsigned group) const { return tiles_ + group; }

  TESSERA_FN void publish(std::uint64_t number, R const& x) const {
    auto const w = tessera::detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      std::uint64_t const word = std::uint64_t{tag_} << 32 | w.word[i];
      detail::store_relaxed(words_ + number * count + i, word);
    }
  }

  /// Loads a value that isn't known yet.
  TESSERA_FN void poll(std::uint64_t number, seen_value<R>& seen) const {
    if (seen.is_known) return;
    std::uint64_t loaded[count];
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) loaded[i] = detail::load_relaxed(words_ + number * count + i);
    seen.is_known = true;
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      seen.is_known = seen.is_known && static_cast<unsigned>(loaded[i] >> 32) == tag_;
      seen.word.word[i] = static_cast<std::uint32_t>(loaded[i]);
    }
  }

 private:
  std::uint64_t* words_;
  unsigned tag_;
  std::uint64_t tiles_;
};

/// A value that may be missing, as the exclusive prefix of the first tile if there is no start.
template <class R>
struct optional_value {
  tessera::detail::words<R> word;
  bool exists;

  TESSERA_FN R value() const { return tessera::detail::from_words<R>(word); }
  /// This value combined with x, which comes after it.
  template <class Op>
  TESSERA_FN optional_value followed_by(R const& x, Op const& op) const {
    if (!exists) return some(x);
    return some(static_cast<R>(op(value(), x)));
  }
  TESSERA_FN static optional_value some(R const& x) { return {tessera::detail::to_words(x), true}; }
  TESSERA_FN static optional_value none() { return {}; }
  /// `first ? a : b`, in registers.
  TESSERA_FN static optional_value choose(bool first, optional_value const& a, optional_value const& b) {
    return {tessera::detail::select(first, a.word, b.word), first ? a.exists : b.exists};
  }
};

/// A launch with a look-back, as a block sees it.
struct look_back_launch {
  look_back_memory memory;
  unsigned tiles;
  unsigned tag = 0;

  /// True if the array is a single tile, so that nothing is published.
  TESSERA_FN bool is_single() const { return memory.words == nullptr; }
  template <class R>
  TESSERA_FN published_values<R> published() const {
    return {memory, tag, tiles};
  }
};

/// Polls up to 32 tiles from `first` on, one by each lane, until all lanes know theirs. Gives up where `most_polls`
/// weren't enough. Returns whether all lanes know them.
///
/// Called by  a whole warp, whose lanes have polled their tiles once: that counts, too.
template <class Warp, class R>
TESSERA_FN bool wait_for_tiles(Warp const& warp, published_values<R> const& published, unsigned first,
                               seen_value<R>& seen, unsigned most_polls) {
  TESSERA_LOOP
  for (unsigned polls = 1; tessera::ballot(warp, !seen.is_known, tessera::converged).any(); ++polls) {
    if (most_polls != any_number && polls == most_polls) return false;
    published.poll(published.of_tile(first + warp.thread_rank()), seen);
  }
  return true;
}

/// The exclusive prefixes of a block's tiles. One warp finds them, for its tiles in their order.
template <class R>
class tile_predecessors {
 public:
  /// `start` is the exclusive prefix of the first tile, if it exists.
  TESSERA_FN explicit tile_predecessors(optional_value<R> const& start) : before_groups_(start) {}

  /// The exclusive prefix of a tile, whose own aggregate was published or will be.
  ///
  /// Called by  a whole warp, with the same arguments in all lanes.
  /// op         combines in the order of the tiles.
  /// Returns    the same in all lanes; it exists unless this is tile 0 and there is no start.
  /// Cost       a load of a line for the tiles of its group, and one for the groups since the block's tile before,
  ///            both repeated until what is needed is there; a scan of a warp, and `op` for each of those groups.
  template <class Warp, class Op>
  TESSERA_FN optional_value<R> of(Warp const& warp, published_values<R> const& published, unsigned tile, R const& own,
                                  Op const& op) {
    unsigned const lane = warp.thread_rank();
    unsigned const group = tile / tiles_of_group, place = tile % tiles_of_group;
    seen_value<R> of_tile{tessera::detail::to_words(own), lane >= place};
    seen_value<R> of_group{{}, lane >= group - group_};
    published.poll(published.of_tile(tile - place + lane), of_tile);
    published.poll(published.of_group(group_ + lane), of_group);  // on its way beside the other
    detail::wait_for_tiles(warp, published, tile - place, of_tile, any_number);
    R const through = through_lane(warp, of_tile, op);
    if (place == tiles_of_group - 1 && lane == tiles_of_group - 1)
      published.publish(published.of_group(group), through);
    TESSERA_LOOP
    while (group_ < group) {
      combine_groups(warp, published, group, of_group, op);
      of_group.is_known = lane >= group - group_;
    }
    R const in_group = tessera::broadcast(warp, through, place == 0 ? 0 : place - 1, tessera::converged);
    return place == 0 ? before_groups_ : before_groups_.followed_by(in_group, op);
  }

 private:
  /// The inclusive prefix of each lane's tile within its group.
  template <class Warp, class Op>
  TESSERA_FN R through_lane(Warp const& warp, seen_value<R> const& tile, Op const& op) const {
    return tessera::inclusive_scan(warp, tile.value(), op, tessera::converged);
  }

  /// Adds up to 32 groups, those from group_ to `group` − 1, to the prefix.
  template <class Warp, class Op>
  TESSERA_FN void combine_groups(Warp const& warp, published_values<R> const& published, unsigned group,
                                 seen_value<R>& seen, Op const& op) {
    unsigned const lane = warp.thread_rank();
    unsigned const count = group - group_ < 32 ? group - group_ : 32;
    TESSERA_LOOP
    for (;;) {
      auto const missing = tessera::ballot(warp, !seen.is_known, tessera::converged);
      if (missing.none()) break;
      unsigned const first = missing.first();
      seen_value<R> tile{{}, false};
      published.poll(published.of_tile((group_ + first) * tiles_of_group + lane), tile);
      if (tessera::ballot(warp, tile.is_known, tessera::converged).all()) {
        R const through = through_lane(warp, tile, op);
        R const all = tessera::broadcast(warp, through, 31, tessera::converged);
        if (lane == first) seen = {tessera::detail::to_words(all), true};
      }
      published.poll(published.of_group(group_ + lane), seen);
    }
    TESSERA_LOOP
    for (unsigned i = 0; i < count; ++i) {
      R const next = tessera::broadcast(warp, seen.value(), i, tessera::converged);
      before_groups_ = before_groups_.followed_by(next, op);
    }
    group_ += count;
  }

  optional_value<R> before_groups_;  // the exclusive prefix of group_
  unsigned group_ = 0;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
