// Selects from rows of more columns than tiles hold: a warp, or several, read a row once, chunk by chunk, and keep its
// candidates in shared memory.
//
//   limit        no entry that isn't before it can be one of the first
//   chunk        each lane loads some vectors; if any element is before the limit,
//     raise      if there are many: the k-th of the groups' least keys is a limit, too
//     find       the elements before the limit, a bit each
//     take       one of each lane at a time: read it again, and append it to the candidates, in any order
//   candidates   [ first … in order | others in any order | room ]      when there is no room: sort, keep the first
//
// The groups are the elements of a lane, or every fourth of them, so that there are more than k. Since k of them have
// an element that isn't after the limit, the first chunk leaves few candidates more than k. If ties go to the higher
// column, chunks are read from the last to the first: then most of many equal elements aren't before the limit, either.
//
// If several warps share a row, each takes every W-th chunk, and in the end pairs of warps join their candidates.
//
// Candidates are sorted by 24 bits of their keys and their places in the list if these tell the order. Elements of 8
// and 16 bits have entries of 32 bits, unless rows are too long.
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
  static_assert(entries::is_word, "Entries of one integer");
  static constexpr int width = row_vector_length<Bits>, apart = 32 * width,
                       chunk = apart * static_cast<int>(Shape::vectors);
  static constexpr unsigned most = Shape::most, items = Shape::vectors * row_vector_length<Bits>,
                            groups = most > 8 ? 4 : 1, room = Shape::room,
                            results = most > 32 ? most / 32 : 1;  // of a lane
  static constexpr bool is_narrow = sizeof(entry) == 4, has_digits = !is_narrow && sizeof(Bits) == 4;
  static constexpr unsigned key_shift = is_narrow ? 0 : 32;
  static constexpr entry none = static_cast<entry>(~entry{0}),
                         places = is_narrow ? none >> (8 * sizeof(Bits) % 32) : entry{~word{0}};
  static_assert(items % groups == 0 && most <= 32 * groups && 2 * most <= room && room % 32 == 0);

 public:
  /// warps  the number of those that share a row: a power of two
  TESSERA_FN top_k_stream_rows_agent(Block const& block, task_t const& task, entry* shared, unsigned warps)
      : block_(block),
        task_(task),
        warps_(warps),
        warp_(block.thread_rank() / 32),
        lane_(block.thread_rank() % 32),
        list_(shared + warp_ * room) {}

  TESSERA_FN void run() {
    unsigned const rows_of_block = static_cast<unsigned>(block_.size()) / 32 / warps_;
    run(std::int64_t{block_.group_index().x} * rows_of_block + warp_ / warps_);
  }
  /// Selects from row `number` by the warps that share it.
  TESSERA_FN void run(std::int64_t number) {
    unsigned const part = warp_ % warps_;
    row_t const row = detail::top_k_row_of(task_, number);
    select(row, part);
    if (part > 0) return;
    for (int i = static_cast<int>(lane_); i < row.k; i += 32)
      detail::store_top_k(task_, row, i, static_cast<std::uint32_t>(list_[i] & places));
    detail::store_no_top_k(task_, row, lane_, 32);
  }

 private:
  TESSERA_FN auto lanes() const { return tessera::tiled_partition<32>(block_); }

  /// Leaves the first of the row, in order, in the list of its first warp. There is one call of keep_first, which has
  /// many instructions: when the list is full, after the last chunk, and where two lists are joined.
  TESSERA_FN void select(row_t const& row, unsigned part) {
    int const shift = detail::shift_of(row.first);
    int const chunks = (shift + row.length + chunk - 1) / chunk;
    int c = static_cast<int>(part);
    unsigned joined = warps_;  // the warps that have a list: all, also of candidates in no order
    int first = 0;             // the number of the lane's first item of the last chunk
    word left = 0;             // those of its items that may be candidates and aren't taken, a bit each
    bool has_left = false;     // in any lane
    TESSERA_LOOP
    while (joined > 0) {
      bool const is_chunk = has_left || c < chunks;
      bool keep = true;
      if (is_chunk) {
        if (!has_left) {
          first = (task_.mirrored == 0 ? c : chunks - 1 - c) * chunk + static_cast<int>(lane_) * width - shift;
          left = find(row, first);
          c += static_cast<int>(warps_);
        }
        has_left = take(row, first, left);
        keep = is_full();
      } else if (joined < warps_) {
        detail::barrier_of_block(block_);
        keep = part < joined;
        if (keep) add_list(list_ + joined * room);
      }
      if (keep) keep_first();
      if (!is_chunk) joined /= 2;
    }
  }

  /// The items of a chunk that may be candidates, a bit each. The lane's first one is element `first`.
  TESSERA_FN word find(row_t const& row, int first) {
    auto const raw = raw_keys(row, first);
    word least = raw[0];
    TESSERA_UNROLL
    for (unsigned i = 1; i < items; ++i) least = raw[i] < least ? raw[i] : least;
    word const last = last_key(row, first);
    auto const with_candidates = tessera::ballot(lanes(), least <= last, converged);
    if (with_candidates.none()) return 0;
    if (limit_ != none) {
      word const found = items_up_to(last, raw);
      bool const are_many =
          with_candidates.count() >= Shape::raise_from &&
          tessera::reduce(lanes(), tessera::detail::bits_set(found), plus{}, converged) > Shape::raise_above;
      if (!are_many) return found;
    }
    raise(raw, least);
    return items_up_to(limit_key(), raw);
  }
  TESSERA_FN static word items_up_to(word last, tessera::items<word, items> const& raw) {
    word found = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (raw[i] <= last) found |= word{1} << i;
    }
    return found;
  }
  /// No candidate of the lane has a greater key: that of the limit, or the one before it, if the lane's elements with
  /// the limit's key come after the limit.
  TESSERA_FN word last_key(row_t const& row, int first) const {
    int const last = first + apart * static_cast<int>(Shape::vectors - 1) + width - 1;
    int const next = task_.mirrored == 0 ? first : last < row.length ? last : row.length - 1;
    word const key = limit_key();
    entry const least = entry{key} << key_shift | (static_cast<word>(next > 0 ? next : 0) ^ task_.mirrored);
    return least > limit_ && key > 0 ? key - 1 : key;
  }

  /// Appends those of the items that are left which are candidates, one of each lane at a time, while there is room.
  /// Elements are read again, from the cache. Returns true if any lane has items left.
  TESSERA_FN bool take(row_t const& row, int first, word& left) {
    TESSERA_LOOP
    while (tessera::any_of(lanes(), left != 0, converged)) {
      if (is_full()) return true;
      entry e = none;
      if (left != 0) {
        int const i = static_cast<int>(tessera::detail::lowest_bit(left));
        left &= left - 1;
        int const element = first + i / width * apart + i % width;
        if (detail::has_element(row, element)) e = entry_of_element(row, element);
      }
      auto const candidates = tessera::ballot(lanes(), e < limit_, converged);
      if (e < limit_) list_[count_ + candidates.rank_of(lane_)] = e;
      count_ += candidates.count();
    }
    return false;
  }

  /// Keys minus where keys begin, which tell −0 from 0 and NaNs from each other: one isn't greater than a rank key if
  /// that of the element isn't. Elements that don't exist have the greatest.
  TESSERA_FN auto raw_keys(row_t const& row, int first) const {
    auto raw = detail::from_words<tessera::items<word, items>>({});
    detail::visit_lane_items<Shape::vectors>(
        row, first, apart, [&](unsigned i, Bits x) { raw[i] = keys::raw(x, task_.order) - task_.order.begin; },
        [&](unsigned i) { raw[i] = ~word{0}; });
    return raw;
  }
  /// True if there may be no room for an element of each lane.
  TESSERA_FN bool is_full() const { return count_ > room - 32; }
  TESSERA_FN word limit_key() const { return static_cast<word>((limit_ & ~places) >> key_shift); }
  TESSERA_FN entry entry_of(word raw, entry place) const {
    return entry{keys::from_begin(raw, task_.order)} << key_shift | place;
  }
  TESSERA_FN entry entry_of_element(row_t const& row, int element) const {
    return entry{keys::of(row.first[element], task_.order)} << key_shift |
           (static_cast<word>(element) ^ task_.mirrored);
  }

  /// Lowers the limit to the key of rank most − 1 among the least ones of the groups.
  TESSERA_FN void raise(tessera::items<word, items> const& raw, word least) {
    word bound = 0;
    if constexpr (groups == 1) {
      bound = tessera::shuffle(lanes(), tessera::top_k<most>(lanes(), least, less{}, scattered | converged), most - 1,
                               converged);
    } else {
      auto of_groups = detail::from_words<tessera::items<word, groups>>({});
      TESSERA_UNROLL
      for (unsigned g = 0; g < groups; ++g) {
        word x = raw[g];
        TESSERA_UNROLL
        for (unsigned i = g + groups; i < items; i += groups) x = raw[i] < x ? raw[i] : x;
        of_groups[g] = x;
      }
      auto const first = tessera::top_k<most>(lanes(), of_groups, less{}, scattered | converged);
      bound = tessera::shuffle(lanes(), first[most / 32 - 1], 31, converged);
    }
    entry const limit = entry_of(bound, places);
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
      TESSERA_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const at = i * 32 + lane_;
        words[i] = at < count_ ? (static_cast<word>(list_[at] >> 32) & ~below) | at : ~word{0};
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
  entry* list_;  // of the warp: `room` entries
  entry limit_ = none;
  unsigned count_ = 0;
};

/// Selects from the rows of a block of any number of warps, `warps` of which share a row.
///
/// Called by  all threads of the block.
/// shared     Shape::room entries for each warp.
/// Cost       one read of the rows, and another from the cache for the values of the results.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_rows_in_chunks(Block const& block, top_k_rows_task<Bits> const& task,
                                           typename Shape::entry* shared, unsigned warps) {
  top_k_stream_rows_agent<Shape, Bits, Block>(block, task, shared, warps).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
