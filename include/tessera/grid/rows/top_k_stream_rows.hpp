// Selects from rows of more columns than tiles hold: a warp, or all warps of a block, read a row once, chunk by chunk,
// and keep candidates in shared memory.
//
//   limit        no entry that isn't before it can be one of the first
//   chunk        each lane loads some vectors; if any element is before the limit,
//     raise      if there are many: a key that isn't before the least keys of k groups is a limit, too
//     find       the elements before the limit, a bit each
//     take       each lane appends the numbers of its own to the candidates; all lanes then read these elements again
//   candidates   [ first … in order | others in any order | room ]      when there is no room: sort, keep the first
//
// The 128 groups are every fourth element of a lane. Since k of them have an element that isn't after the limit, the
// first chunk leaves few candidates more than k. If ties go to the higher column, chunks are read from the last to the
// first: then most of many equal elements aren't before the limit, either.
//
// If warps share a row, each takes every W-th chunk. The groups of their first limit are the lanes of four of them. In
// the end the first warp has all candidates, or, where there is no room for them, pairs of warps join theirs.
//
// Candidates are sorted by up to 24 bits of their keys' differences, and their places in the list, if these tell the
// order. Elements of 8 and 16 bits have entries of 32 bits, unless rows are too long.
//
// Entries are exact, and so neither the number of warps nor the order of the chunks changes a result.
//
// Source: derived here. Candidates before a limit in each warp: J. Johnson, M. Douze, H. Jégou, "Billion-scale
// similarity search with GPUs", 2017.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/rows/top_k_words.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class Bits, class Block>
class top_k_stream_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using keys = typename task_t::keys;
  using entries = top_k_row_entry<Bits>;
  using word = std::uint32_t;
  using entry = typename Shape::entry;  // key ‖ place
  static constexpr unsigned groups = Shape::groups;
  using least_keys = tessera::items<word, groups>;
  static_assert(entries::is_word, "Entries of one integer");
  static constexpr unsigned width = row_vector_length<Bits>, apart = 32 * width;
  static constexpr int chunk = static_cast<int>(apart * Shape::vectors);
  static constexpr unsigned most = Shape::most, items = Shape::vectors * width, room = Shape::room,
                            results = most > 32 ? most / 32 : 1;  // of a lane
  static constexpr bool is_narrow = sizeof(entry) == 4, has_digits = !is_narrow && sizeof(Bits) == 4;
  static constexpr unsigned key_shift = is_narrow ? 0 : 32;
  static constexpr entry none = static_cast<entry>(~entry{0}),
                         places = is_narrow ? none >> (8 * sizeof(Bits) % 32) : entry{~word{0}};
  static_assert(items % groups == 0 && 2 * most <= 32 * groups && 2 * most <= room && room % 32 == 0);
  static_assert(most + items <= room, "Those of a lane and the first");

 public:
  /// warps  the number of those that share a row: 1, or all of the block, a power of two of 4 to 16
  TESSERA_FN top_k_stream_rows_agent(Block const& block, task_t const& task, entry* shared, unsigned warps)
      : block_(block),
        task_(task),
        warps_(warps),
        warp_(block.thread_rank() / 32),
        lane_(block.thread_rank() % 32),
        list_(shared + warp_ * room),
        words_(reinterpret_cast<word*>(shared + static_cast<unsigned>(block.size()) / 32 * room)),
        is_apart_(warps == 1) {}

  /// Selects from the block's rows: the one that its warps share, or one for each of them. With `takes_several` warps
  /// go on with the rows that come as many later as there are warps in all of the `blocks` blocks.
  TESSERA_FN void run(unsigned blocks) {
    unsigned const bits = tessera::detail::lowest_bit(warps_);
    std::int64_t const rows_of_block = static_cast<unsigned>(block_.size()) / 32 >> bits;
    std::int64_t row = std::int64_t{block_.group_index().x} * rows_of_block + (warp_ >> bits);
    TESSERA_LOOP
    for (; row < task_.row_count; row += rows_of_block * blocks) {
      run(row);
      if (!Shape::takes_several) break;
      lanes().sync();
    }
  }
  /// Selects from row `number` by the warps that share it.
  TESSERA_FN void run(std::int64_t number) {
    limit_ = none;
    count_ = 0;
    unsigned const part = warp_ & (warps_ - 1);
    row_t const row = detail::top_k_row_of(task_, number);
    select(row, part, 0, chunks_of(row));
    if (part == 0) store(row);
  }
  /// Stores the first of piece `piece` of `pieces` of row `number`, in order, to `most` entries. Each piece has a chunk
  /// for each of the warps that share it, which are all of the block.
  TESSERA_FN void run_piece(std::int64_t number, unsigned piece, unsigned pieces, entry* to) {
    row_t const row = detail::top_k_row_of(task_, number);
    std::int64_t const chunks = chunks_of(row);
    select(row, warp_, static_cast<int>(chunks * piece / pieces), static_cast<int>(chunks * (piece + 1) / pieces));
    if (warp_ > 0) return;
    TESSERA_LOOP
    for (unsigned i = lane_; i < most; i += 32) to[i] = i < count_ ? list_[i] : none;
  }
  /// Selects from row `number` by the `count` entries of its pieces. Called by one warp.
  TESSERA_FN void join_pieces(std::int64_t number, entry const* entries_of_pieces, unsigned count) {
    constexpr unsigned in_flight = 4;
    TESSERA_LOOP
    for (unsigned at = lane_; at - lane_ < count; at += 32 * in_flight) {
      auto some = detail::from_words<tessera::items<entry, in_flight>>({});
      TESSERA_UNROLL
      for (unsigned j = 0; j < in_flight; ++j) some[j] = at + 32 * j < count ? entries_of_pieces[at + 32 * j] : none;
      TESSERA_LOOP
      for (unsigned j = 0; j < in_flight; ++j) {
        auto const candidates = tessera::ballot(lanes(), some[0] < limit_, converged);
        if (some[0] < limit_) list_[count_ + candidates.rank_of(lane_)] = some[0];
        count_ += candidates.count();
        if (count_ + 32 > room) keep_first();
        TESSERA_UNROLL
        for (unsigned i = 1; i < in_flight; ++i) some[i - 1] = some[i];
      }
    }
    keep_first();
    store(detail::top_k_row_of(task_, number));
  }

 private:
  TESSERA_FN auto lanes() const { return tessera::tiled_partition<32>(block_); }
  TESSERA_FN static int chunks_of(row_t const& row) {
    return (detail::shift_of(row.first) + row.length + chunk - 1) / chunk;
  }

  /// Stores the first of the row, which the warp's list has in order.
  TESSERA_FN void store(row_t const& row) const {
    TESSERA_LOOP
    for (int i = static_cast<int>(lane_); i < row.k; i += 32)
      detail::store_top_k(task_, row, i, static_cast<std::uint32_t>(list_[i] & places));
    detail::store_no_top_k(task_, row, lane_, 32);
  }

  /// Leaves the first of some chunks of the row, in order, in the list of its first warp. There is one call of
  /// keep_first, which has many instructions: when the list is full, after the last chunk, and where two lists are
  /// joined.
  TESSERA_FN void select(row_t const& row, unsigned part, int from, int to) {
    int const shift = detail::shift_of(row.first);
    int c = from + static_cast<int>(part);
    int const end = to - from < static_cast<int>(warps_) ? from + static_cast<int>(warps_) : to;  // each warp has one
    unsigned joined = warps_;  // the warps that have a list: all, also of candidates in no order
    int first = 0;             // the number of the lane's first item of the last chunk
    word left = 0;             // those of its items that may be candidates and aren't taken, a bit each
    bool has_left = false;     // in any lane
    TESSERA_LOOP
    while (joined > 0) {
      bool const is_chunk = has_left || c < end;
      bool keep = true;
      if (is_chunk) {
        if (!has_left) {
          first = (task_.mirrored == 0 ? c : from + end - 1 - c) * chunk + static_cast<int>(lane_ * width) - shift;
          left = find(row, first);
          c += static_cast<int>(warps_);
        }
        has_left = take(row, first, left);
        keep = has_left;
      } else if (joined < warps_) {
        detail::barrier_of_block(block_);
        keep = part < joined;
        if (keep) add_list(list_ + joined * room);
      } else if (joined > 1 && gather(part)) {
        joined = 1;
        keep = part == 0;
      }
      if (keep) keep_first();
      if (!is_chunk) joined /= 2;
    }
  }

  /// The items of a chunk that may be candidates, a bit each. The lane's first one is element `first`.
  TESSERA_FN word find(row_t const& row, int first) {
    auto const raw = raw_keys(row, first);
    auto groups_least = least_of_groups(raw);
    word const least = least_of(groups_least);
    if (limit_ != none) {
      word const key = limit_key();  // of elements before this chunk: those of the chunk with this key come after them
      auto const with_candidates = tessera::ballot(lanes(), least < key, converged);
      if (with_candidates.none()) return 0;
      word const found = items_up_to(key - 1, raw);
      bool const are_many =
          with_candidates.count() >= Shape::raise_from &&
          tessera::reduce(lanes(), tessera::detail::bits_set(found), plus{}, converged) > Shape::raise_above;
      if (!are_many) return found;
    } else if (!is_apart_) {
      is_apart_ = true;
      groups_least = least_of_lanes(least);
    }
    raise(groups_least);
    return items_up_to(limit_key(), raw);
  }
  TESSERA_FN static word items_up_to(word last, tessera::items<word, items> const& raw) {
    word found = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) found = tessera::detail::with_bits_up_to(found, word{1} << i, raw[i], last);
    return found;
  }
  /// Appends the items that are left, those of whole lanes, while there is room: first the numbers of their elements,
  /// which lanes then share evenly, and read again, from the cache. Returns true if any lane has items left; then there
  /// is room for those of a lane after keep_first.
  TESSERA_FN bool take(row_t const& row, int first, word& left) {
    unsigned const count = tessera::detail::bits_set(left);
    unsigned const end = count_ + tessera::inclusive_scan(lanes(), count, plus{}, converged);
    if (end <= room) {
      entry* to = list_ + end - count;
      TESSERA_LOOP
      for (; left != 0; left &= left - 1) {
        unsigned const i = tessera::detail::lowest_bit(left);
        *to++ = static_cast<word>(first) + i / width * apart + i % width;
      }
    }
    unsigned const taken = tessera::reduce(lanes(), end <= room ? end : 0, maximum{}, converged);
    lanes().sync();
    TESSERA_LOOP
    for (unsigned at = count_ + lane_; at < taken; at += 32) {
      int const element = static_cast<int>(static_cast<word>(list_[at]));
      list_[at] = detail::has_element(row, element) ? entry_of_element(row, element) : none;
    }
    count_ = taken > count_ ? taken : count_;
    return tessera::any_of(lanes(), end > room, converged);
  }

  /// Keys minus where keys begin, which tell −0 from 0 and NaNs from each other: one isn't greater than a rank key if
  /// that of the element isn't. Elements that don't exist have the greatest.
  TESSERA_FN auto raw_keys(row_t const& row, int first) const {
    auto raw = detail::from_words<tessera::items<word, items>>({});
    detail::visit_lane_items<Shape::vectors>(
        row, first, static_cast<int>(apart), [&](unsigned i, Bits x) { raw[i] = keys::raw_from_begin(x, task_.order); },
        [&](unsigned i) { raw[i] = ~word{0}; });
    return raw;
  }
  TESSERA_FN word limit_key() const { return static_cast<word>((limit_ & ~places) >> key_shift); }
  TESSERA_FN entry entry_of(word raw, entry place) const {
    return entry{keys::from_begin(raw, task_.order)} << key_shift | place;
  }
  TESSERA_FN entry entry_of_element(row_t const& row, int element) const {
    return entry{keys::of(row.first[element], task_.order)} << key_shift |
           (static_cast<word>(element) ^ task_.mirrored);
  }

  /// The least key of every fourth of the lane's items.
  TESSERA_FN static least_keys least_of_groups(tessera::items<word, items> const& raw) {
    auto least = detail::from_words<least_keys>({});
    TESSERA_UNROLL
    for (unsigned g = 0; g < groups; ++g) {
      least[g] = raw[g];
      TESSERA_UNROLL
      for (unsigned i = g + groups; i < items; i += groups) least[g] = raw[i] < least[g] ? raw[i] : least[g];
    }
    return least;
  }
  TESSERA_FN static word least_of(least_keys const& keys_of_groups) {
    word least = keys_of_groups[0];
    TESSERA_UNROLL
    for (unsigned g = 1; g < groups; ++g) least = keys_of_groups[g] < least ? keys_of_groups[g] : least;
    return least;
  }
  /// The least keys of the lanes of the row's first warps. Called once, by all warps of the row.
  TESSERA_FN least_keys least_of_lanes(word least) const {
    if (warp_ < groups) words_[warp_ * 32 + lane_] = least;
    detail::barrier_of_block(block_);
    auto all = detail::from_words<least_keys>({});
    TESSERA_UNROLL
    for (unsigned g = 0; g < groups; ++g) all[g] = words_[g * 32 + lane_];
    return all;
  }
  /// The key of rank most - 1 among the least ones of lanes.
  TESSERA_FN word by_sorting(least_keys const& least) const {
    auto const first = tessera::top_k<most>(lanes(), least_of(least), less{}, scattered | converged);
    return tessera::shuffle(lanes(), first, most - 1, converged);
  }
  /// A key that isn't before that of rank most - 1 among the least ones of groups, and near to it.
  TESSERA_FN word by_halves(least_keys const& least) const {
    word low = ~word{0}, high = 0;
    TESSERA_UNROLL
    for (unsigned g = 0; g < groups; ++g) {
      low = least[g] < low ? least[g] : low;
      high = least[g] < high ? high : least[g];
    }
    low = tessera::reduce(lanes(), low, minimum{}, converged);
    high = tessera::reduce(lanes(), high, maximum{}, converged);
    unsigned count = 32 * groups;  // of groups whose least keys are up to `high`
    TESSERA_LOOP
    while (low < high && count > most + most / 16) {
      word const middle = low + (high - low) / 2;
      unsigned up_to_middle = 0;
      TESSERA_UNROLL
      for (unsigned g = 0; g < groups; ++g) up_to_middle += least[g] <= middle ? 1 : 0;
      up_to_middle = tessera::reduce(lanes(), up_to_middle, plus{}, converged);
      if (up_to_middle < most) {
        low = middle + 1;
      } else {
        high = middle;
        count = up_to_middle;
      }
    }
    return high;
  }
  /// Lowers the limit to a key that isn't before that of rank most − 1 among the least ones of groups, and near to it.
  TESSERA_FN void raise(least_keys const& least) {
    word bound = 0;
    if constexpr (most <= 8) {
      bound = by_sorting(least);
    } else {
      bound = by_halves(least);
    }
    entry const limit = bound == ~word{0} ? none : entry_of(bound, places);  // which may be that of no element
    limit_ = limit < limit_ ? limit : limit_;
  }

  /// Sorts the candidates and keeps the first.
  TESSERA_FN void keep_first() {
    lanes().sync();
    if (count_ > room / 2) {
      keep_first_of<room / 32>();
    } else {
      keep_first_of<room / 64>();
    }
    count_ = count_ < most ? count_ : most;
  }
  template <unsigned Items>
  TESSERA_FN void keep_first_of() {
    auto const tile = lanes();
    auto first = detail::from_words<tessera::items<entry, results>>({});
    if (!select_by_digits<Items>(first)) {
      auto all = detail::from_words<tessera::items<entry, Items>>({});
      TESSERA_UNROLL
      for (unsigned i = 0; i < Items; ++i) all[i] = i * 32 + lane_ < count_ ? list_[i * 32 + lane_] : none;
      first = detail::first_words<most>(tile, all);
    }
    tile.sync();
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s) {
      if (s * 32 + lane_ < most) list_[s * 32 + lane_] = first[s];
    }
    entry const last = tessera::shuffle(tile, first[results - 1], (most - 1) % 32, converged);
    limit_ = last < limit_ ? last : limit_;
    tile.sync();
  }
  /// The first candidates by the highest bits of their keys and their places in the list. False if these don't tell the
  /// order.
  template <unsigned Items>
  TESSERA_FN bool select_by_digits([[maybe_unused]] tessera::items<entry, results>& first) const {
    if constexpr (!has_digits) {
      return false;
    } else {
      constexpr word below = room - 1;
      static_assert(room <= 256 && (room & below) == 0);
      auto words = detail::from_words<tessera::items<word, Items>>({});
      word low = ~word{0}, high = 0;
      TESSERA_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const at = i * 32 + lane_;
        words[i] = at < count_ ? static_cast<word>(list_[at] >> 32) : ~word{0};
        low = words[i] < low ? words[i] : low;
        high = at < count_ && words[i] > high ? words[i] : high;
      }
      low = tessera::reduce(lanes(), low, minimum{}, converged);
      high = tessera::reduce(lanes(), high, maximum{}, converged);
      // The highest bits of the keys' differences, all of them if keys are close to each other.
      word const excess = (high - low) / (~word{0} / room + 1);
      unsigned const shift = excess > 0 ? tessera::detail::highest_bit(excess) + 1 : 0;
      TESSERA_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const at = i * 32 + lane_;
        words[i] = at < count_ ? ((words[i] - low) >> shift) * room | at : ~word{0};
      }
      auto const selected = detail::first_words<most>(lanes(), words);
      bool const right = detail::digits_tell_order<most>(lanes(), selected, words, below, count_);
      if (tessera::any_of(lanes(), !right, converged)) return false;
      TESSERA_UNROLL
      for (unsigned s = 0; s < results; ++s) {
        unsigned const i = s * 32 + lane_;
        first[s] = i < most && i < count_ ? list_[selected[s] & below] : none;
      }
      return true;
    }
  }

  /// Puts the candidates of all warps into the list of the first, if it has room. Returns whether it has.
  TESSERA_FN bool gather(unsigned part) {
    word* const counts = words_ + 32 * groups;
    if (lane_ == 0) counts[part] = count_;
    detail::barrier_of_block(block_);
    word const of_warp = lane_ < warps_ ? counts[lane_] : 0;
    word const all = tessera::reduce(lanes(), of_warp, plus{}, converged);
    if (all > room) return false;
    word const before = tessera::reduce(lanes(), lane_ < part ? of_warp : 0, plus{}, converged);
    if (part > 0) {
      entry* const to = list_ - part * room + before;
      for (unsigned i = lane_; i < count_; i += 32) to[i] = list_[i];
    }
    count_ = all;
    detail::barrier_of_block(block_);
    return true;
  }
  /// Puts the first of another warp after those of this one.
  TESSERA_FN void add_list(entry const* others) {
    TESSERA_UNROLL
    for (unsigned s = 0; s * 32 < most; ++s) {
      if (s * 32 + lane_ < most) list_[most + s * 32 + lane_] = others[s * 32 + lane_];
    }
    count_ = 2 * most;
  }

  Block const& block_;
  task_t const& task_;
  unsigned warps_, warp_, lane_;
  entry* list_;    // of the warp: `room` entries
  word* words_;    // of the block: least keys of the lanes of `groups` warps, and each warp's number of candidates
  bool is_apart_;  // limits are of the warp alone: all but the first of a row that warps share
  entry limit_ = none;
  unsigned count_ = 0;
};

/// Selects from the rows of a block of any number of warps, a row of which has one, or all.
///
/// Called by  all threads of each of `blocks` blocks: as many as rows need, or fewer if a row
///            has one warp and Shape::takes_several.
/// shared     Shape::entries_of(the number of the block's warps).
/// Cost       one read of the rows, and another from the cache for the values of the results.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_rows_in_chunks(Block const& block, top_k_rows_task<Bits> const& task,
                                           typename Shape::entry* shared, unsigned warps, unsigned blocks) {
  top_k_stream_rows_agent<Shape, Bits, Block>(block, task, shared, warps).run(blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
