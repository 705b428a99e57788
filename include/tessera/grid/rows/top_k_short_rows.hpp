// Selects from rows of up to 256 columns. A tile of a few lanes holds a row in registers, and selects words:
//
//   elements of up to 16 bits                   32 bits    key ‖ place                        no two words are equal
//   of 32 bits, more than 32 results            64 bits    key ‖ place                        likewise
//   others                                      32 bits    24 bits of the key ‖ place         the digit
//
// If two of the first words have the same digit, or one that wasn't selected has that of the last one
// (top_k_words.hpp), the row's warp selects again, by whole entries, one after another.
#pragma once

#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/rows/top_k_words.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class Bits, class Block>
class top_k_short_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using keys = typename task_t::keys;
  using key = typename task_t::key;
  static constexpr bool is_wide = sizeof(Bits) == 4 && Shape::most > 32;
  static constexpr bool exact = sizeof(Bits) <= 2 || is_wide;
  using word = stl::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
  static constexpr int width = row_vector_length<Bits>;
  static constexpr unsigned lanes = Shape::lanes, vectors = Shape::vectors, most = Shape::most,
                            items = vectors * row_vector_length<Bits>;
  static constexpr unsigned results = most > lanes ? most / lanes : 1;  // of a lane
  static constexpr int apart = static_cast<int>(lanes) * width;
  static constexpr unsigned place_bits = 8 * sizeof(word) - (exact ? 8 * sizeof(Bits) : 24);
  static constexpr word places = (word{1} << place_bits) - 1;
  static_assert(most <= lanes * items);

 public:
  TESSERA_FN top_k_short_rows_agent(Block const& block, task_t const& task)
      : block_(block), task_(task), rank_(block.thread_rank() % lanes) {}

  TESSERA_FN void run() const {
    run(std::int64_t{block_.group_index().x} * Shape::rows_per_block + block_.thread_rank() / lanes);
  }
  /// Selects from row `number` by the tile.
  TESSERA_FN void run(std::int64_t number) const {
    row_t const row = detail::top_k_row_of(task_, number);
    auto const tile = tessera::tiled_partition<lanes>(block_);
    auto first = detail::from_words<tessera::items<word, results>>({});
    bool const is_right = select(tile, row, first);
    detail::store_no_top_k(task_, row, rank_, lanes);
    if constexpr (!exact) {
      if (tessera::any_of(tessera::tiled_partition<32>(block_), !is_right, converged)) return select_again(tile, row);
    }
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s) {
      auto const i = static_cast<int>(s * lanes + rank_);
      if (i < row.k) detail::store_top_k(task_, row, i, static_cast<std::uint32_t>(first[s] & places));
    }
  }

 private:
  /// Calls use(bits, element, number) for each of the lane's elements, also for those that the row doesn't have.
  template <class Use>
  TESSERA_FN void for_each(row_t const& row, Use const& use) const {
    packed<Bits> loaded[vectors];
    int const first = static_cast<int>(rank_) * width - detail::shift_of(row.first);
    detail::load_top_k_vectors(row, first, apart, loaded);
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      auto const x = detail::from_words<row_vector<Bits>>(loaded[v]);
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j)
        use(x[static_cast<unsigned>(j)], first + static_cast<int>(v) * apart + j, v * width + static_cast<unsigned>(j));
    }
  }

  /// An element's word.
  TESSERA_FN word word_of(Bits x, int element) const {
    word const place = (static_cast<word>(element) ^ task_.mirrored) & places;
    if constexpr (exact) {
      return word{keys::of(x, task_.order)} << (8 * sizeof(word) - 32) | place;
    } else {
      // −0 and +0 have the same digit. NaNs get one.
      key const raw = static_cast<key>(keys::raw(x, task_.order) - task_.order.begin);
      key const last = task_.order.is_float ? task_.order.infinity + 1 : ~key{0};
      return (static_cast<word>((raw < last ? raw : last) >> (8 * sizeof(key) - 32)) & ~places) | place;
    }
  }

  /// The lane's part of the first words, in order. False if these don't tell the order of the entries.
  template <class Tile>
  TESSERA_FN bool select(Tile const& tile, row_t const& row, tessera::items<word, results>& first) const {
    auto words = detail::from_words<tessera::items<word, items>>({});
    for_each(row, [&](Bits x, int element, unsigned number) {
      words[number] = detail::has_element(row, element) ? word_of(x, element) : ~word{0};
    });
    first = detail::first_words<most>(tile, words);
    if constexpr (exact) {
      return true;
    } else {
      return detail::digits_tell_order<most>(tile, first, words, places, static_cast<unsigned>(row.length));
    }
  }

  /// Stores the results by whole entries: each is the least of those after the previous one.
  template <class Tile>
  TESSERA_FN void select_again(Tile const& tile, row_t const& row) const {
    using entries = top_k_row_entry<Bits>;
    using entry = typename entries::type;
    entry last = entry::least();
    TESSERA_LOOP
    for (int i = 0; i < task_.k; ++i) {
      entry best = entry::greatest();
      for_each(row, [&](Bits x, int element, unsigned) {
        entry const e = entries::of(task_, x, element);
        if (detail::has_element(row, element) && (i == 0 || last < e) && e < best) best = e;
      });
      last = least_of(tile, best);
      if (rank_ == 0 && i < row.k) detail::store_top_k(task_, row, i, static_cast<std::uint32_t>(last.index()));
    }
  }
  template <class Tile, class Entry>
  TESSERA_FN static Entry least_of(Tile const& tile, Entry const& e) {
    if constexpr (Entry::words == 1) {
      return {tessera::reduce(tile, e.word, minimum{}, converged)};
    } else {
      std::uint64_t const high = tessera::reduce(tile, e.high, minimum{}, converged);
      return {high, tessera::reduce(tile, e.high == high ? e.low_word : ~std::uint64_t{0}, minimum{}, converged)};
    }
  }

  Block const& block_;
  task_t const& task_;
  unsigned rank_;
};

/// Selects from the rows of a block.
///
/// Called by  all threads of the block.
/// Cost       one read of the rows, and another from the cache for the values of the results; for rows whose first
///            words don't tell the order, k more from the cache.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_short_rows(Block const& block, top_k_rows_task<Bits> const& task) {
  top_k_short_rows_agent<Shape, Bits, Block>(block, task).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
