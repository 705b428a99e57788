// Decoupled look-back with fixed bits: what all tiles before a tile combine to, in a kernel that reads its array once.
//
//   tile        0 … 31          32 … 63         64 … 95         96   97   98        32 tiles are a group
//   group       0               1               2               3
//   published   the tile's own aggregate, as soon as it is known
//               the group's aggregate, by the group's last tile, once it has seen those of the others
//               the prefix, by the same tile: all tiles up to and including its group's
//
//   tile 98     prefix of group 1  op  aggregate of group 2  op  (aggregate of tile 96  op  aggregate of tile 97)
//
// A tile waits for the aggregates of its own group, whose tiles began when it did. Of the groups before it, it takes the nearest
// whose prefix is known, and folds the aggregates of those in between onto it. The fold that made the prefix was the same:
// prefix(g) = prefix(g − 1) op aggregate(g). So the result has the same bits whichever prefixes were there, and whichever
// GPU it was. An operator need neither commute nor have an identity.
//
// Tiles are numbered by tickets, in the order in which blocks begin them: a tile only waits for tiles that a running block has,
// which never wait for it.
//
// Nothing is cleared between launches. A word of a published value fills half of a 64-bit word, whose other half is the tag
// of this launch: the number of the launch, from 1 on. The last block to leave the kernel counts it up.
//
// Source: D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016. The groups, the order of
// the fold and the tags are ours.
#pragma once

#include <tessera/grid/detail/block_protocols.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile.hpp>
#include <tessera/vote.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How many tiles a group has: a warp looks at all of them at once.
inline constexpr unsigned tiles_of_group = 32;

/// The workspace's tagged words during a launch. The first two are not tagged: the number of the launch and the tickets that
/// were taken in it, and the blocks that have left. Both are 0 in a new workspace.
struct look_back_memory {
  std::uint64_t* words;    // null if the array is a single tile
  std::uint64_t capacity;  // of words

  static constexpr unsigned header_words = 2;
};

/// How many tagged words a launch with so many tiles needs to publish values of type R.
template <class R>
constexpr std::uint64_t look_back_words(std::int64_t tiles) {
  auto const count = static_cast<std::uint64_t>(tiles);
  std::uint64_t const groups = (count + tiles_of_group - 1) / tiles_of_group;
  return look_back_memory::header_words + (count + 2 * groups) * tessera::detail::word_count<R>;
}

/// A tile of the array, and the tag of the launch.
struct tile_ticket {
  unsigned tile, tag;
};

/// Takes the next tile. Called by one thread of a block. A block takes tickets until one has no tile.
TESSERA_FN tile_ticket take_ticket(look_back_memory const& memory) {
#if TESSERA_ARCH
  std::uint64_t const taken = atomicAdd(reinterpret_cast<unsigned long long*>(memory.words), 1ull);
#else
  std::uint64_t const taken = (*memory.words)++;
#endif
  return {static_cast<unsigned>(taken), static_cast<unsigned>(taken >> 32) + 1};
}

/// Leaves the kernel. Called once by one thread of each block, the one that publishes, after the block's last look-back. The
/// last block to leave begins the next launch's number. Where numbers begin again, it clears all words.
TESSERA_FN void leave_launch(look_back_memory const& memory, tile_ticket const& ticket, unsigned blocks) {
  if (!is_last_block(reinterpret_cast<unsigned*>(memory.words + 1), blocks)) return;
  unsigned const next = ticket.tag == UINT32_MAX ? 0 : ticket.tag;
  if (next == 0) {
    for (std::uint64_t i = look_back_memory::header_words; i < memory.capacity; ++i) memory.words[i] = 0;
  }
  memory.words[0] = std::uint64_t{next} << 32;
}

/// Values of type R that the tiles of a launch publish, by their number: those of tiles, of groups, and prefixes.
template <class R>
class published_values {
  static constexpr unsigned count = tessera::detail::word_count<R>;

 public:
  TESSERA_FN published_values(look_back_memory const& memory, unsigned tag, std::int64_t tiles)
      : words_(memory.words + look_back_memory::header_words),
        tag_(tag),
        tiles_(static_cast<std::uint64_t>(tiles)),
        groups_((tiles_ + tiles_of_group - 1) / tiles_of_group) {}

  /// The numbers of values.
  TESSERA_FN std::uint64_t of_tile(unsigned tile) const { return tile; }
  TESSERA_FN std::uint64_t of_group(unsigned group) const { return tiles_ + group; }
  TESSERA_FN std::uint64_t prefix(unsigned group) const { return tiles_ + groups_ + group; }

  TESSERA_FN void publish(std::uint64_t number, R const& x) const {
    auto const w = tessera::detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      std::uint64_t const word = std::uint64_t{tag_} << 32 | w.word[i];
#if TESSERA_ARCH
      store_relaxed(words_ + number * count + i, word);
#else
      words_[number * count + i] = word;
#endif
    }
  }

  /// Loads a value. False if it isn't published yet.
  TESSERA_FN bool load(std::uint64_t number, tessera::detail::words<R>& to) const {
    std::uint64_t seen[count];
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
#if TESSERA_ARCH
      seen[i] = load_relaxed(words_ + number * count + i);
#else
      seen[i] = words_[number * count + i];
#endif
    }
    bool all = true;
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      all = all && static_cast<unsigned>(seen[i] >> 32) == tag_;
      to.word[i] = static_cast<std::uint32_t>(seen[i]);
    }
    return all;
  }

 private:
  std::uint64_t* words_;
  unsigned tag_;
  std::uint64_t tiles_, groups_;
};

/// A value that may be missing: what stands before the first tile, if there is no start.
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

/// What a lane of the look-back sees of a group before its own: lane 0 of the nearest, lane 1 of the one before that.
template <class R>
struct group_view {
  tessera::detail::words<R> aggregate, prefix;
  bool has_aggregate, has_prefix;
};

/// What this warp's lanes see of the 32 groups before `group`.
template <class R>
TESSERA_FN group_view<R> view_groups(published_values<R> const& published, unsigned group, unsigned lane) {
  group_view<R> view{};
  if (lane < group) {
    view.has_aggregate = published.load(published.of_group(group - 1 - lane), view.aggregate);
    view.has_prefix = published.load(published.prefix(group - 1 - lane), view.prefix);
  }
  return view;
}

/// All groups before `group`, of which there is one: the nearest prefix, and the aggregates behind it, from left to right. `view`
/// is what the lanes saw already.
template <class Warp, class R, class Op>
TESSERA_FN optional_value<R> fold_groups(Warp const& warp, published_values<R> const& published,
                                         unsigned group, group_view<R> view, Op const& op) {
  unsigned nearest = 0;
  TESSERA_LOOP
  for (;;) {
    auto const prefixes = tessera::ballot(warp, view.has_prefix, tessera::converged);
    auto const aggregates = tessera::ballot(warp, view.has_aggregate, tessera::converged);
    if (prefixes.any()) {
      nearest = prefixes.first();
      if ((~aggregates & lane_mask<32>::prefix(nearest)).none()) break;
    }
    view = detail::view_groups(published, group, warp.thread_rank());
  }
  auto const prefix = tessera::detail::from_words<R>(view.prefix);
  auto const aggregate = tessera::detail::from_words<R>(view.aggregate);
  auto folded = optional_value<R>::some(tessera::broadcast(warp, prefix, nearest, tessera::converged));
  TESSERA_LOOP
  for (unsigned i = nearest; i-- > 0;)
    folded = folded.followed_by(tessera::broadcast(warp, aggregate, i, tessera::converged), op);
  return folded;
}

/// Publishes a tile's aggregate ahead of its look-back, so that later tiles wait less for it. Called by one lane.
template <class R>
TESSERA_FN void publish_aggregate(published_values<R> const& published, unsigned tile, R const& own) {
  if (tile % tiles_of_group != tiles_of_group - 1) published.publish(published.of_tile(tile), own);
}

/// What `start` and all tiles before this one combine to.
///
/// Called by  a whole warp of the block that has the tile, once for each tile, with the same arguments in all lanes.
/// own        the tile's aggregate. `op` combines in the order of the tiles.
/// start      what stands before the first tile, if it exists.
/// is_published    whether publish_aggregate was called for it. Else look_back does that.
/// Returns    the same in all lanes; it exists unless this is tile 0 and there is no start.
/// Cost       two loads of a line each, repeated until what is needed is there, a scan of a warp, and `op` for each group since
///            the nearest prefix. A group's last tile stores two values, the others one.
template <class Warp, class R, class Op>
TESSERA_FN optional_value<R> look_back(Warp const& warp, published_values<R> const& published, unsigned tile,
                                       R const& own, Op const& op, optional_value<R> const& start,
                                       bool is_published = false) {
  unsigned const lane = warp.thread_rank();
  unsigned const group = tile / tiles_of_group, place = tile % tiles_of_group;
  bool const is_last_of_group = place == tiles_of_group - 1, is_leader = lane == 0;
  if (is_leader && !is_published) detail::publish_aggregate(published, tile, own);
  auto const view = detail::view_groups(published, group, lane);
  auto seen = tessera::detail::to_words(own);
  if (lane < place) {
    while (!published.load(published.of_tile(tile - place + lane), seen)) {
    }
  }
  warp.sync();
  R const through =
      tessera::inclusive_scan(warp, tessera::detail::from_words<R>(seen), op, tessera::converged);
  if (is_last_of_group && lane == tiles_of_group - 1) published.publish(published.of_group(group), through);
  warp.sync();
  optional_value<R> before = start;
  if (group > 0) before = detail::fold_groups(warp, published, group, view, op);
  if (is_last_of_group && lane == tiles_of_group - 1)
    published.publish(published.prefix(group), before.followed_by(through, op).value());
  R const in_group = tessera::broadcast(warp, through, place == 0 ? 0 : place - 1, tessera::converged);
  if (place > 0) before = before.followed_by(in_group, op);
  warp.sync();
  return before;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
