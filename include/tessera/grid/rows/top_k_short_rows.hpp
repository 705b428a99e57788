// Selects from rows of up to 256 columns. A tile of a few lanes holds a row in registers, and selects words of 32 bits:
//
//   elements of up to 16 bits     key ‖ place                        no two words are equal
//   others                        upper bits of the key ‖ place      the digit
//
// A place is the number of an element, counted from where the row's first vector begins, in as many bits as the tile
// has elements. If two of the first words have the same digit, or one that wasn't selected has that of the last one
// (top_k_words.hpp), the row's warp selects again, by all bits in which keys of the row differ, if these are no more
// than a digit has. Else the entries of the first words are sorted; or found one after another, if others may come
// before them.
#pragma once

#include <tessera/grid/rows/lane_vectors.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/rows/top_k_words.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/sort.hpp>
#include <tessera/tile/sort_by_digits.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The bits of keys that tell the elements of a row apart: `width` of them from bit `low` on.
template <class Key>
struct key_bits {
  unsigned low, width;

  /// By the bits in which keys differ, and those that any element has. Below these, keys depend on the sign alone.
  TESSERA_FN static key_bits of(Key differing, Key set) {
    unsigned const low = set != 0 ? tessera::detail::lowest_bit_of_number(set) : 0;
    return {low, tessera::detail::bits_of_number(static_cast<Key>(differing >> low))};
  }
};

template <class Shape, class Bits, class Block>
class top_k_short_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using keys = typename task_t::keys;
  using key = typename task_t::key;
  using word = std::uint32_t;
  static constexpr bool exact = sizeof(Bits) <= 2;
  static constexpr unsigned width = row_vector_length<Bits>, lanes = Shape::lanes, vectors = Shape::vectors,
                            most = Shape::most, items = vectors * width;
  static constexpr unsigned results = most > lanes ? most / lanes : 1;  // of a lane
  static constexpr int apart = static_cast<int>(lanes * width);
  static constexpr unsigned place_bits = exact ? 32 - 8 * sizeof(Bits) : tessera::detail::exponent_of(lanes * items);
  static constexpr word places = (word{1} << place_bits) - 1;
  static_assert(most <= lanes * items && lanes * items - 1 <= places);
  using words_t = tessera::items<word, items>;
  using first_t = tessera::items<word, results>;
  using elements_t = tessera::items<int, results>;

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
    words_t const words = words_of(row, [&](Bits x) { return digit_of(x); });
    if (!fills()) detail::store_no_top_k(task_, row, rank_, lanes);
    select(tile, row, words);
  }

 private:
  /// True if results that don't exist are stored with the others, as vectors.
  TESSERA_FN bool fills() const {
    return Shape::fills && task_.part == top_k_part::all && task_.results <= static_cast<int>(most);
  }
  /// The number of a row's results that store_block stores.
  TESSERA_FN int stored(row_t const& row) const {
    return !fills() ? row.k : row.number < task_.row_count ? task_.results : 0;
  }

  // ---- Elements and their words.

  /// The number of the lane's first element.
  TESSERA_FN int first_of(row_t const& row) const {
    return static_cast<int>(rank_ * width) - detail::shift_of(row.first);
  }
  /// The bits of a word that stand for an element: above the place's.
  TESSERA_FN word digit_of(Bits x) const {
    if constexpr (exact) {
      return keys::of(x, task_.order);
    } else {
      // −0 and +0 have the same digit. NaNs get one.
      key const raw = keys::raw_from_begin(x, task_.order);
      key const last = task_.order.is_float ? task_.order.infinity + 1 : ~key{0};
      return static_cast<word>((raw < last ? raw : last) >> (8 * sizeof(key) - 32)) & ~places;
    }
  }
  /// The lane's words, by a function that gives the digit of an element.
  template <class DigitOf>
  TESSERA_FN words_t words_of(row_t const& row, DigitOf const& digit) const {
    auto words = detail::from_words<words_t>({});
    // The place of the lane's first element, and how far that of the next one is: a multiplication each keeps a pipe
    // busy which has nothing else to do.
    bool const mirrored = task_.mirrored != 0;
    std::uint32_t const slot = rank_ * width, step = mirrored ? ~std::uint32_t{0} : 1u;
    std::uint32_t const place = mirrored ? places - slot : slot;
    detail::visit_lane_items<vectors>(
        row, first_of(row), apart,
        [&](unsigned i, Bits x) { words[i] = digit(x) | (place + step * (i / width * lanes * width + i % width)); },
        [&](unsigned i) { words[i] = ~word{0}; });
    return words;
  }
  /// Makes the words of all bits in which keys of the row differ. False if these are too many.
  template <class Tile>
  TESSERA_FN bool make_words_of_keys(Tile const& tile, row_t const& row, words_t& words) const {
    key const first = row.length > 0 ? keys::of(row.first[0], task_.order) : key{0};
    key differing = 0, set = 0;
    detail::visit_top_k_row<1>(row, rank_, lanes, [&](Bits x, int) {
      differing |= keys::of(x, task_.order) ^ first;
      set |= x;
    });
    auto const bits = key_bits<key>::of(tessera::reduce(tile, differing, bit_or{}, converged),
                                        tessera::reduce(tile, set, bit_or{}, converged));
    if (bits.width > 32 - place_bits) return false;
    words =
        words_of(row, [&](Bits x) { return static_cast<word>(keys::of(x, task_.order) >> bits.low) << place_bits; });
    return true;
  }
  /// The number of the element of a word.
  TESSERA_FN int element_of(word w, row_t const& row) const {
    std::uint32_t const place = w & places, slot = task_.mirrored != 0 ? places - place : place;
    return static_cast<int>(slot) - detail::shift_of(row.first);
  }

  // ---- Selections.

  template <class Tile>
  TESSERA_FN void select(Tile const& tile, row_t const& row, words_t words) const {
    auto elements = detail::from_words<elements_t>({});
    bool tell_order = exact;  // words do: those with one digit have the same key
    TESSERA_LOOP
    while (true) {
      first_t const first = detail::first_words_in_blocks<most>(tile, words);
      TESSERA_UNROLL
      for (unsigned s = 0; s < results; ++s) elements[s] = element_of(first[s], row);
      if (tell_order) break;
      if constexpr (!exact) {
        auto const warp = tessera::tiled_partition<32>(block_);
        word const last = tessera::shuffle(tile, first[results - 1], (most - 1) / results, converged);
        bool const is_tied = detail::neighbors_share_digit(tile, first, places),
                   may_lack = row.length > static_cast<int>(most) && detail::has_digit_after(words, last, places);
        if (!tessera::any_of(warp, is_tied || may_lack, converged)) break;
        tell_order = !tessera::any_of(warp, !make_words_of_keys(tile, row, words), converged);
        if (tell_order) continue;
        if (tessera::any_of(warp, may_lack, converged)) {
          if (fills()) detail::store_no_top_k(task_, row, rank_, lanes);
          return select_again(tile, row);
        }
        put_in_order(tile, row, elements);
        break;
      }
    }
    store_block(row, elements);
  }

  /// Sorts the first elements by their entries.
  template <class Tile>
  TESSERA_FN void put_in_order(Tile const& tile, row_t const& row, elements_t& elements) const {
    using entries = top_k_row_entry<Bits>;
    auto sorted = detail::from_words<tessera::items<typename entries::stored, results>>({});
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s) {
      unsigned const i = rank_ * results + s;
      auto e = entries::type::greatest();
      if (i < most && static_cast<int>(i) < row.length) e = entries::of(task_, row.first[elements[s]], elements[s]);
      sorted[s] = entries::to_stored(e);
    }
    sorted = tessera::sort(tile, sorted, less{}, converged);
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s)
      elements[s] =
          static_cast<int>(static_cast<std::uint32_t>(entries::from_stored(sorted[s]).index()) ^ task_.mirrored);
  }

  // ---- Neighboring results of a lane.

  TESSERA_FN void store_block(row_t const& row, elements_t const& elements) const {
    int const begin = static_cast<int>(rank_ * results);
    if (task_.values) {
      auto x = detail::from_words<tessera::items<Bits, results>>({});
      TESSERA_UNROLL
      for (unsigned s = 0; s < results; ++s) {
        if constexpr (Shape::fills) x[s] = task_.missing;
        if (begin + static_cast<int>(s) < row.k) x[s] = row.first[elements[s]];
      }
      store_items(row, x, task_.values, task_.value_stride);
    }
    if (!task_.indices) return;
    if (task_.wide_indices) {
      store_columns<std::int64_t>(row, elements);
    } else {
      store_columns<std::int32_t>(row, elements);
    }
  }
  template <class Index>
  TESSERA_FN void store_columns(row_t const& row, elements_t const& elements) const {
    auto column = detail::from_words<tessera::items<Index, results>>({});
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s)
      column[s] = fills() && static_cast<int>(s) >= row.k ? -1 : row.begin + elements[s];
    store_items(row, column, static_cast<Index*>(task_.indices), task_.index_stride);
  }
  /// Stores those of the lane's items that are results of the row, in a matrix at `to`.
  template <class T>
  TESSERA_FN void store_items(row_t const& row, tessera::items<T, results> const& x, T* to, std::int64_t stride) const {
    constexpr unsigned length = row_vector_length<T>;
    if constexpr (results % length == 0) {
      if (task_.part == top_k_part::all) return store_vectors(row, x, to, stride);
    }
    int const begin = static_cast<int>(rank_ * results) - row.from, count = stored(row) - row.from;
    TESSERA_UNROLL
    for (unsigned s = 0; s < results; ++s) {
      int const at = begin + static_cast<int>(s);
      if (at >= 0 && at < count) to[row.number * stride + at] = x[s];
    }
  }
  template <class T>
  TESSERA_FN void store_vectors(row_t const& row, tessera::items<T, results> const& x, T* to,
                                std::int64_t stride) const {
    constexpr unsigned length = row_vector_length<T>;
    packed<T> parts[results / length];
    TESSERA_UNROLL
    for (unsigned v = 0; v < results / length; ++v) {
      auto part = detail::from_words<row_vector<T>>({});
      TESSERA_UNROLL
      for (unsigned j = 0; j < length; ++j) part[j] = x[v * length + j];
      parts[v] = detail::to_words(part);
    }
    unsigned const thread = block_.thread_rank();
    int const own = stored(row);
    int of_other = own;
    if constexpr (lanes == 1) of_other = tessera::butterfly(tessera::tiled_partition<32>(block_), own, 1, converged);
    detail::store_lane_vectors(block_, parts, [&](unsigned its) {
      std::int64_t const number = row.number + its / lanes - thread / lanes;
      unsigned const begin = its % lanes * (results / length);
      return lane_vectors<T>{to + number * stride, its == thread ? own : of_other, static_cast<int>(begin)};
    });
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
      TESSERA_LOOP
      for (unsigned v = 0; v < vectors; ++v) {
        int const first = first_of(row) + static_cast<int>(v) * apart;
        packed<Bits> loaded{};
        if (first < row.length) loaded = detail::load_part(row.first + first, first, row.length);
        auto const x = detail::from_words<row_vector<Bits>>(loaded);
        TESSERA_UNROLL
        for (unsigned j = 0; j < width; ++j) {
          int const element = first + static_cast<int>(j);
          entry const e = entries::of(task_, x[j], element);
          if (detail::has_element(row, element) && (i == 0 || last < e) && e < best) best = e;
        }
      }
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
/// Cost       one read of the rows, and another from the cache for the values of the results. Where the first words
///            leave open which elements are the first, or their order, one or two more; or k more, if keys differ in
///            many bits.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_short_rows(Block const& block, top_k_rows_task<Bits> const& task) {
  top_k_short_rows_agent<Shape, Bits, Block>(block, task).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
