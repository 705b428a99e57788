// The agent of a pass of a radix sort: it orders keys, and values with them, by one digit, and keeps the order of equal
// digits.
//
//   keys          21 32 11 | 41 12 22       two tiles; by the lower digit
//   begins        1 0, 2 3                  of digits in the result (digit_counts_agent.hpp)
//   tile 0        21 11 32                  sorted in shared memory; its counts are published: 1 2, 2 1
//   tile 1        41 12 22                  looks back: digit 1 begins at 0 + 2, digit 2 at 3 + 1
//   result        21 11 41 32 12 22
//
// A word of each tile and digit says how many keys with the digit the tile has, or, once its look-back is done, how
// many there are up to it. Its two highest bits say which; 0 means neither. Each digit's thread looks back by itself.
// Words are cleared by the pass before, which has others.
//
// Tiles are numbered by tickets, in the order in which blocks begin them, so that nothing hangs (ticket_queue.hpp).
//
// Source: A. Adinets, D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022. A thread
// loads the words of several tiles at a time.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sort/digit_ranker.hpp>
#include <tessera/grid/sort/sort_input_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The words of a digit, at a distance of all digits. Word has 32 bits for less than 2^30 elements, else 64.
template <class Word>
class digit_words {
  static constexpr unsigned value_bits = 8 * sizeof(Word) - 2;
  static constexpr Word own = Word{1} << value_bits, through = Word{2} << value_bits, value = own - 1;

 public:
  TESSERA_FN explicit digit_words(Word* words) : words_(words) {}

  TESSERA_FN void publish_own(unsigned tile, Word count) const { store(tile, own | count); }
  TESSERA_FN void publish_through(unsigned tile, Word count) const { store(tile, through | count); }

  /// The number of keys in the tiles before.
  template <unsigned Batch>
  TESSERA_FN Word look_back(unsigned tile) const {
    // Invariant: `sum` is of tiles `next` and up, before `tile`.
    Word sum = 0;
    unsigned next = tile;
    while (next > 0) {
      Word seen[Batch];
      TESSERA_UNROLL
      for (unsigned k = 0; k < Batch; ++k) seen[k] = load(next > k ? next - 1 - k : 0);
      bool is_known = true;
      unsigned taken = 0;
      TESSERA_UNROLL
      for (unsigned k = 0; k < Batch; ++k) {
        is_known = is_known && seen[k] != 0 && next > 0;
        if (!is_known) continue;
        sum += seen[k] & value;
        ++taken;
        if ((seen[k] & through) != 0) next = 0;
      }
      if (next > 0) next -= taken;
    }
    return sum;
  }

 private:
  TESSERA_FN Word load(unsigned tile) const { return detail::load_relaxed(words_ + place_of(tile)); }
  TESSERA_FN void store(unsigned tile, Word word) const { detail::store_relaxed(words_ + place_of(tile), word); }
  TESSERA_FN static std::uint64_t place_of(unsigned tile) { return std::uint64_t{tile} * radix_digits::count; }

  Word* words_;
};

/// The arrays of a pass, which are apart. V is keys_alone if there are no values; else Values reads them.
template <class Bits, key_form Form, class V, class Values = V const*>
struct onesweep_task {
  static constexpr bool has_values = !stl::is_same_v<V, keys_alone>;
  static constexpr bool sorts_values = has_values && sizeof(V) <= most_sorted_value;  // in shared memory
  Bits const* keys;
  Bits* keys_out;  // null if sorted keys aren't stored
  Values values;
  V* values_out;
  digit_coding<Bits, Form> coding;
};
/// The memory of a pass. Word has 32 or 64 bits, as the counts.
template <class Word>
struct onesweep_memory {
  Word const* begins;  // of the digits
  Word* words;         // of tiles and digits; 0 before
  Word* next_words;    // of the next pass, which are cleared; null in the last pass
  unsigned* ticket;    // 0 before
};

/// A block's memory.
template <class Shape, class Task, class Word>
struct onesweep_storage;
template <class Shape, class Bits, key_form Form, class V, class Values, class Word>
struct onesweep_storage<Shape, onesweep_task<Bits, Form, V, Values>, Word> {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  static_assert(Shape::elements <= 1u << 16, "A move has 16 bits for a place in the tile.");
  union {
    digit_tables<Shape> tables;
    Bits keys[Shape::elements];
    stl::conditional_t<task_t::sorts_values, V, char> values[task_t::sorts_values ? Shape::elements : 1];
    unsigned moves[task_t::has_values && !task_t::sorts_values ? Shape::elements : 1];  // digit ‖ place in the tile
  };
  Word offsets[radix_digits::count];  // from a place in the sorted tile to that in the result, modulo 2^32 or 2^64
  digit_totals totals;
  unsigned tile;
};

template <class Shape, class Task, class Word, class Block>
class onesweep_agent;
template <class Shape, class Bits, key_form Form, class V, class Values, class Word, class Block>
class onesweep_agent<Shape, onesweep_task<Bits, Form, V, Values>, Word, Block> {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  static constexpr unsigned items = Shape::items, threads = Shape::threads, elements = Shape::elements;
  static constexpr unsigned digits = radix_digits::count;

 public:
  using storage_t = onesweep_storage<Shape, task_t, Word>;

  TESSERA_FN onesweep_agent(Block const& block, task_t const& task, onesweep_memory<Word> const& memory, unsigned place,
                            storage_t& storage)
      : block_(block),
        task_(task),
        memory_(memory),
        storage_(storage),
        digit_(task.coding, place),
        rank_(block.thread_rank()) {}

  /// Does the next tile, if n elements have one.
  TESSERA_FN void run(std::int64_t n) const {
    if (rank_ == 0) storage_.tile = detail::fetch_add(memory_.ticket, 1u);
    detail::barrier_of_block(block_);
    unsigned const tile = storage_.tile;
    std::int64_t const first = std::int64_t{tile} * elements;
    if (first >= n) return;
    if (n - first >= elements) {
      run_tile<true>(tile, first, elements);
    } else {
      run_tile<false>(tile, first, static_cast<unsigned>(n - first));
    }
  }

 private:
  template <bool IsFull>
  TESSERA_FN void run_tile(unsigned tile, std::int64_t first, unsigned count) const {
    digit_ranker<Shape, Block> const ranker(block_, rank_, storage_.tables, storage_.totals);
    unsigned const position = ranker.first_position();
    Bits keys[items];
    packed_ranks<items> ranks;
    load_keys<IsFull>(first, position, count, keys);
    if (rank_ < digits && memory_.next_words != nullptr) memory_.next_words[std::uint64_t{tile} * digits + rank_] = 0;
    digit_words<Word> const words(memory_.words + rank_);
    digit_run const run = ranker.rank(keys, digit_, ranks, [&](unsigned of_digit) {
      if (tile > 0) words.publish_own(tile, of_digit);
    });
    detail::barrier_of_block(block_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) storage_.keys[ranks[i]] = keys[i];
    [[maybe_unused]] stl::conditional_t<task_t::sorts_values, V, char> values[task_t::sorts_values ? items : 1];
    if constexpr (task_t::sorts_values) load_values<IsFull>(first, position, count, values);
    if (rank_ < digits) {
      Word const before = words.template look_back<Shape::look_back_batch>(tile);
      words.publish_through(tile, before + run.count);
      storage_.offsets[rank_] = memory_.begins[rank_] + before - run.begin;
    }
    detail::barrier_of_block(block_);
    packed_digits<items> of_places;
    store_keys<IsFull>(count, of_places);
    if constexpr (task_t::sorts_values) {
      detail::barrier_of_block(block_);
      TESSERA_UNROLL
      for (unsigned i = 0; i < items; ++i) storage_.values[ranks[i]] = values[i];
      detail::barrier_of_block(block_);
      store_values<IsFull>(count, of_places);
    } else if constexpr (task_t::has_values) {
      detail::barrier_of_block(block_);
      TESSERA_UNROLL
      for (unsigned i = 0; i < items; ++i) storage_.moves[position + 32 * i] = digit_(keys[i]) << 16 | ranks[i];
      detail::barrier_of_block(block_);
      move_values(first, count);
    }
  }

  /// Loads keys. Those that aren't there have the greatest digit, and come after all others.
  template <bool IsFull>
  TESSERA_FN void load_keys(std::int64_t first, unsigned position, unsigned count, Bits (&keys)[items]) const {
    Bits const* const from = task_.keys + first + position;
    int const left = static_cast<int>(count) - static_cast<int>(position);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i)
      keys[i] = IsFull || static_cast<int>(32 * i) < left ? from[32 * i] : task_.coding.greatest();
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) keys[i] = task_.coding.key_of(keys[i]);
  }
  template <bool IsFull>
  TESSERA_FN void load_values(std::int64_t first, unsigned position, unsigned count, V (&values)[items]) const {
    auto const from = task_.values + (first + position);
    int const left = static_cast<int>(count) - static_cast<int>(position);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (IsFull || static_cast<int>(32 * i) < left) values[i] = *(from + 32 * i);
    }
  }

  template <bool IsFull>
  TESSERA_FN void store_keys(unsigned count, packed_digits<items>& of_places) const {
    int const left = static_cast<int>(count) - static_cast<int>(rank_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = i * threads + rank_;
      Bits const key = storage_.keys[at];
      unsigned const digit = digit_(key);
      of_places.set(i, digit);
      if ((IsFull || static_cast<int>(i * threads) < left) && task_.keys_out != nullptr)
        task_.keys_out[place_of(at, digit)] = task_.coding.bits_of(key);
    }
  }
  template <bool IsFull>
  TESSERA_FN void store_values(unsigned count, packed_digits<items> const& of_places) const {
    int const left = static_cast<int>(count) - static_cast<int>(rank_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = i * threads + rank_, digit = of_places[i];
      if (IsFull || static_cast<int>(i * threads) < left) task_.values_out[place_of(at, digit)] = storage_.values[at];
    }
  }
  /// Moves values that are too long for shared memory, by its `moves`.
  TESSERA_FN void move_values(std::int64_t first, unsigned count) const {
    auto const from = task_.values + first;
    TESSERA_LOOP
    for (unsigned at = rank_; at < count; at += threads) {
      unsigned const move = storage_.moves[at];
      task_.values_out[place_of(move & 0xffff, move >> 16)] = *(from + at);
    }
  }
  TESSERA_FN Word place_of(unsigned at, unsigned digit) const {
    return static_cast<Word>(storage_.offsets[digit] + at);
  }

  Block const& block_;
  task_t const& task_;
  onesweep_memory<Word> const& memory_;
  storage_t& storage_;
  digit_at_place<Bits, Form> digit_;
  unsigned rank_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
