// Selects from rows that a block sorts as a whole: the results are half of the columns, or more.
//
//   key       0000 0110 1011 …      bits that all keys of the row share | digit | the rest
//   word      digit | place         as many of the key's bits as the place leaves room for
//
// A row's words are sorted in registers, and stored in the block's memory in order. Of equal digits the lower place
// comes first, so that most rows are in order then, but for few keys that differ below the digit. These count how many
// of their neighbors with the same digit are on the wrong side, and move by as many. Where too many share the digit,
// words are sorted by every digit, the lowest first.
//
// A place is an element's number in the row, or the number counted from the other end if ties go to the higher column.
//
// Source: tile/sort_by_digits.hpp, of which this is the form for keys that nobody reads afterwards.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/rows/top_k_rows_tuning.hpp>
#include <tessera/reduce.hpp>
#include <tessera/sort.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A row's places in order. After 32 of them one word is left free, so that neither lanes that each write neighbors nor
/// lanes that read them together have bank conflicts.
template <class Shape>
struct top_k_sorted_storage {
  std::uint32_t words[Shape::capacity + Shape::capacity / 32];

  TESSERA_FN std::uint32_t& at(unsigned i) { return words[i + i / 32]; }
  TESSERA_FN std::uint32_t place(unsigned i) { return at(i) & (Shape::capacity - 1); }
};

template <class Shape, class Bits, class Block>
class top_k_sorted_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using storage_t = top_k_sorted_storage<Shape>;
  using keys = rank_keys_of_bits<Bits>;
  using key = typename keys::key;
  static constexpr unsigned threads = Shape::threads, K = Shape::items, capacity = Shape::capacity;
  static constexpr unsigned place_bits = tessera::detail::exponent_of(capacity), digit_bits = 32 - place_bits;
  static_assert(1u << place_bits == capacity);
  static constexpr bool has_ties = 8 * sizeof(Bits) > digit_bits;
  static constexpr unsigned most_tied = top_k_rows_tuning::most_tied;
  using words = items<std::uint32_t, K>;
  using distances = items<std::uint32_t, (K + 3) / 4>;  // a signed byte an item

 public:
  TESSERA_FN top_k_sorted_rows_agent(Block const& block, task_t const& task, storage_t& storage, std::int64_t number)
      : block_(block),
        task_(task),
        storage_(storage),
        row_(detail::top_k_row_of(task, number)),
        thread_(block.thread_rank()) {}

  TESSERA_FN void run() const {
    detail::store_no_top_k(task_, row_, thread_, threads);
    if (row_.k == 0) return;
    sort();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto const at = static_cast<int>(striped(i));
      if (at < row_.k) detail::store_top_k(task_, row_, at, element_at(storage_.place(striped(i))) ^ task_.mirrored);
    }
  }

 private:
  static constexpr unsigned out_of_order = 1, too_many = 2;

  TESSERA_FN auto tile() const { return tessera::this_block_tile<threads>(block_); }
  TESSERA_FN unsigned length() const { return static_cast<unsigned>(row_.length); }
  TESSERA_FN unsigned striped(unsigned i) const { return i * threads + thread_; }
  TESSERA_FN std::uint32_t element_at(unsigned place) const {
    return task_.mirrored != 0 ? length() - 1 - place : place;
  }
  TESSERA_FN key key_at(unsigned place) const {
    return keys::of(row_.first[element_at(place)], task_.order) >> keys::shift;
  }
  TESSERA_FN static std::uint32_t word_of(key k, unsigned low, unsigned place) {
    return static_cast<std::uint32_t>(k >> low) << place_bits | place;
  }

  /// Sorts the places: by the highest digit and then ties, or else by all digits. Invariant of the latter: places are
  /// in the order of their keys' bits below `low`, and equal ones rise.
  TESSERA_FN void sort() const {
    unsigned width = 0;
    words word = words_by_highest(width);
    unsigned low = width > digit_bits ? width - digit_bits : 0;
    bool is_highest = true;
    TESSERA_LOOP
    while (true) {
      bool const is_given = is_highest || low == 0;
      word = tessera::sort(tile(), word);
      if (!is_given) replace_by_places(word);
      store(word);
      if constexpr (!has_ties) return;
      if (is_highest) {
        if (low == 0) return;
        unsigned const state = tessera::reduce(tile(), state_of_ties(), bit_or{});
        if ((state & too_many) == 0) {
          if (state != 0) sort_ties();
          return;
        }
        is_highest = false;
        low = 0;
      } else {
        low += digit_bits;
        if (low >= width) return;
      }
      word = words_by(low);
    }
  }

  /// The words of this thread by the highest digit of keys that differ in their lower `width` bits.
  TESSERA_FN words words_by_highest(unsigned& width) const {
    auto word = tessera::detail::from_words<words>({});
    auto held = tessera::detail::from_words<items<key, K>>({});
    key const first = key_at(0);
    key differing = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if (striped(i) < length()) held[i] = key_at(striped(i));
      if (striped(i) < length()) differing |= held[i] ^ first;
    }
    width = 8 * sizeof(Bits);
    if constexpr (has_ties) width = tessera::detail::bits_of_number(tessera::reduce(tile(), differing, bit_or{}));
    unsigned const low = width > digit_bits ? width - digit_bits : 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      word[i] = striped(i) < length() ? word_of(held[i], low, striped(i)) : ~std::uint32_t{0};
    return word;
  }
  /// Those by the digit from bit `low` on, of the places in order; by the lowest, of all places.
  TESSERA_FN words words_by(unsigned low) const {
    auto word = tessera::detail::from_words<words>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      word[i] = ~std::uint32_t{0};
      if (striped(i) < length())
        word[i] = word_of(key_at(low == 0 ? striped(i) : storage_.place(striped(i))), low, striped(i));
    }
    return word;
  }
  /// Words have the numbers of places in the order of the digits before.
  TESSERA_FN void replace_by_places(words& word) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) word[i] = storage_.place(word[i] & (capacity - 1));
  }
  TESSERA_FN void store(words const& word) const {
    tile().sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) storage_.at(thread_ * K + i) = word[i];
    tile().sync();
  }

  // ---- Ties: words with the same digit, which are neighbors.

  TESSERA_FN bool is_tied(unsigned i, unsigned j) const { return (storage_.at(i) ^ storage_.at(j)) >> place_bits == 0; }
  struct run_of_ties {
    unsigned begin, end;
    TESSERA_FN bool is_long() const { return end - begin > most_tied; }
  };
  /// The words that are tied with one; some of them if they are too many.
  TESSERA_FN run_of_ties run_at(unsigned i) const {
    run_of_ties run{i, i + 1};
    TESSERA_LOOP
    while (run.begin > 0 && !run.is_long() && is_tied(run.begin - 1, i)) --run.begin;
    TESSERA_LOOP
    while (run.end < length() && !run.is_long() && is_tied(run.end, i)) ++run.end;
    return run;
  }

  TESSERA_FN unsigned state_of_ties() const {
    unsigned state = 0;
    TESSERA_LOOP
    for (unsigned i = thread_; i < length(); i += threads) {
      if (i == 0 || !is_tied(i - 1, i) || !(key_at(storage_.place(i)) < key_at(storage_.place(i - 1)))) continue;
      state |= run_at(i).is_long() ? out_of_order | too_many : out_of_order;
    }
    return state;
  }
  /// How far a tie moves to its place. Those of a long run are in order.
  TESSERA_FN int distance_of(unsigned i) const {
    run_of_ties const run = run_at(i);
    if (run.end - run.begin == 1 || run.is_long()) return 0;
    key const own = key_at(storage_.place(i));
    int distance = 0;
    TESSERA_LOOP
    for (unsigned j = run.begin; j < run.end; ++j) {
      key const other = key_at(storage_.place(j));
      if (j < i && own < other) --distance;
      if (j > i && other < own) ++distance;
    }
    return distance;
  }
  TESSERA_FN void sort_ties() const {
    auto distance = tessera::detail::from_words<distances>({});
    TESSERA_UNROLL
    for (unsigned w = 0; w < distances::count; ++w) {
      TESSERA_LOOP
      for (unsigned i = 4 * w; i < K && i < 4 * w + 4 && striped(i) < length(); ++i)
        distance[w] |= (static_cast<unsigned>(distance_of(striped(i))) & 0xff) << 8 * (i % 4);
    }
    auto const of = [&](unsigned i) { return static_cast<int>(distance[i / 4] << (24 - 8 * (i % 4))) >> 24; };
    auto moved = tessera::detail::from_words<words>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      if (of(i) != 0) moved[i] = storage_.at(striped(i));
    tile().sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      if (of(i) != 0) storage_.at(striped(i) + static_cast<unsigned>(of(i))) = moved[i];
    tile().sync();
  }

  Block const& block_;
  task_t const& task_;
  storage_t& storage_;
  row_t row_;
  unsigned thread_;
};

/// Selects from row `number`.
///
/// Called by  all threads of a block, of Shape::threads.
/// storage    memory of the block.
/// Cost       one read of the row, one sort of words of 32 bits, and one write. Ties read keys again from the cache. If
///            too many share a digit, a sort for each digit more.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_sorted_row(Block const& block, top_k_rows_task<Bits> const& task,
                                       top_k_sorted_storage<Shape>& storage, std::int64_t number) {
  top_k_sorted_rows_agent<Shape, Bits, Block>(block, task, storage, number).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
