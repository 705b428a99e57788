// Sorts the elements of a row, as their numbers in the row: a tile of a few lanes, a warp or a block holds it.
//
//   key       0000 0110 1011 …      bits that all keys of the row share | digit | the rest
//   word      digit | place         as many of the key's bits as the place leaves room for
//
// A row's words are sorted in registers, and stored in the block's memory in order. Of equal digits the lower place
// comes first, so that most rows are in order then, but for few keys that differ below the digit:
//
//   words     3‖7   5‖2   5‖4   5‖9   8‖1
//   ties       0     0     1     1     0      has the digit of the word before: a bit of a lane's mask
//
// The lane that has the second word of a run of ties sorts them by their keys, by insertion. Where too many share the
// digit and aren't in order, all words are sorted by every digit, the lowest first.
//
// Source: tile/sort_by_digits.hpp, of which this is the form for keys that nobody reads afterwards.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/rows/row_fragment.hpp>
#include <tessera/reduce.hpp>
#include <tessera/sort.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A kernel whose tiles of `Lanes` lanes each sort a row, `Items` words a lane, in blocks of `Threads`: of one tile if
/// that has several warps.
template <unsigned Lanes, unsigned Items, unsigned Threads>
struct row_sort_shape {
  static constexpr unsigned lanes = Lanes, items = Items, threads = Threads, capacity = Lanes * Items;
  static constexpr unsigned rows_per_block = Threads / Lanes;
  static_assert(Threads % Lanes == 0 && (Lanes <= 32 || Lanes == Threads));

  /// So many lanes move results together, those of as many rows: neighbors are of one row if that has as many.
  static constexpr unsigned together = capacity < 32 || Lanes > 32 ? Lanes : 32, rows_together = together / Lanes;
  static constexpr unsigned of_row = capacity / together;  // results of a row that each of them moves
};

struct row_sort_tuning {
  /// A row of up to 1024 words has a warp or less, a longer one a block.
  template <unsigned Lanes, unsigned Items>
  using shape = row_sort_shape<Lanes, Items, (Lanes > 128 ? Lanes : 128)>;
  /// Keys of 8 bytes take the registers of 32 words.
  template <class Bits>
  using of_1024 = stl::conditional_t<sizeof(Bits) == 8, shape<128, 8>, shape<32, 32>>;
  using of_4096 = shape<256, 16>;
  /// So many blocks of a shape leave each thread 64 registers, or 96 for 32 words. Without a bound nvcc 13.0 gives up
  /// to 148, many of them to addresses.
  template <class Shape>
  static constexpr unsigned blocks_per_multiprocessor = (Shape::items == 32 ? 640 : 1024) / Shape::threads;
};

/// The rows of a block in order. After 32 words one is left free, so that neither lanes that each write neighbors nor
/// lanes that read them together have bank conflicts.
template <class Shape>
struct row_sort_storage {
  using mask = stl::conditional_t<(Shape::items <= 8), std::uint8_t,
                                  stl::conditional_t<(Shape::items <= 16), std::uint16_t, std::uint32_t>>;

  std::uint32_t words[Shape::threads * Shape::items / 32 * 33];
  mask ties[Shape::threads];

  /// Word i of the row of tile `tile`.
  TESSERA_FN std::uint32_t& at(unsigned tile, unsigned i) {
    unsigned const n = tile * Shape::capacity + i;
    return words[n + n / 32];
  }
  /// Word i · together + lane of the row of tile `tile`.
  TESSERA_FN std::uint32_t& at_stripe(unsigned tile, unsigned i, unsigned lane) {
    if constexpr (Shape::together % 32 == 0) {  // i moves it by a constant
      return (&at(tile, lane))[i * (Shape::together / 32 * 33)];
    } else {
      return at(tile, i * Shape::together + lane);
    }
  }
  TESSERA_FN static unsigned place_of(std::uint32_t word) { return word & (Shape::capacity - 1); }
};

/// Calls use(row_of(tile), i, at, word) for each of a thread's items, i: the element for place `at` of the row of the
/// block's tile `tile` is that of `word`. Lanes that move results together have neighbors.
template <class Shape, class RowOf, class Use>
TESSERA_FN void visit_sorted_places(unsigned thread, row_sort_storage<Shape>& storage, RowOf const& row_of,
                                    Use const& use) {
  unsigned const first = thread / Shape::together * Shape::rows_together, lane = thread % Shape::together;
  TESSERA_UNROLL
  for (unsigned r = 0; r < Shape::rows_together; ++r) {
    auto const row = row_of(first + r);
    TESSERA_UNROLL
    for (unsigned i = 0; i < Shape::of_row; ++i)
      use(row, r * Shape::of_row + i, i * Shape::together + lane, storage.at_stripe(first + r, i, lane));
  }
}

/// See sort_row.
template <class Shape, class Block, class Load, class KeyOf>
class row_sorter {
  using storage_t = row_sort_storage<Shape>;
  using mask_t = typename storage_t::mask;
  using bits = decltype(stl::declval<Load const&>()(0u));
  using key = stl::conditional_t<sizeof(bits) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned lanes = Shape::lanes, K = Shape::items, capacity = Shape::capacity;
  static constexpr unsigned place_bits = tessera::detail::exponent_of(capacity), digit_bits = 32 - place_bits,
                            key_bits = 8 * sizeof(bits);
  static_assert(1u << place_bits == capacity);
  static constexpr bool has_ties = key_bits > digit_bits;
  static constexpr unsigned most_tied = 16;  // of a run that is sorted by insertion
  using words_t = items<std::uint32_t, K>;

 public:
  TESSERA_FN row_sorter(Block const& block, storage_t& storage, unsigned length, Load const& load, KeyOf const& key_of)
      : block_(block),
        storage_(storage),
        length_(length),
        load_(load),
        key_of_(key_of),
        tile_(block.thread_rank() / lanes),
        rank_(block.thread_rank() % lanes) {}

  /// Sorts the places: by the highest digit and then ties, or else by all digits.
  TESSERA_FN void sort() const {
    unsigned low = 0;
    words_t words = words_by_highest(low);
    words = tessera::sort(tile(), words, less{}, converged);
    store(words);
    if constexpr (has_ties) {
      if (!sort_ties(low == 0 ? mask_t{0} : ties_of(words))) sort_by_all_digits();
    }
  }

 private:
  TESSERA_FN auto tile() const { return detail::row_tile<lanes>(block_); }
  /// The lanes that take the same branches: those of a warp, or more.
  TESSERA_FN auto team() const {
    if constexpr (lanes > 32) {
      return tile();
    } else {
      return tessera::tiled_partition<32>(block_);
    }
  }
  TESSERA_FN unsigned striped(unsigned i) const { return i * lanes + rank_; }
  TESSERA_FN std::uint32_t& at(unsigned i) const { return storage_.at(tile_, i); }
  TESSERA_FN unsigned place(unsigned i) const { return storage_t::place_of(at(i)); }
  TESSERA_FN key key_of_place(unsigned p) const { return key_of_(load_(p)); }
  TESSERA_FN key key_at(unsigned i) const { return key_of_place(place(i)); }
  TESSERA_FN static std::uint32_t word_of(key k, unsigned low, unsigned place) {
    return static_cast<std::uint32_t>(k >> low) << place_bits | place;
  }

  /// The words of this lane by the highest digit in which keys differ, which begins at bit `low`.
  TESSERA_FN words_t words_by_highest(unsigned& low) const {
    auto words = tessera::detail::from_words<words_t>({});
    auto held = tessera::detail::from_words<items<bits, K>>({});
    auto keys = tessera::detail::from_words<items<key, K>>({});
    unsigned const last = length_ - 1;
    if (length_ > 0) {  // The last element stands for those that don't exist: without branches, loads wait together.
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) held[i] = load_(striped(i) < last ? striped(i) : last);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) keys[i] = key_of_(held[i]);
    if constexpr (has_ties) {
      key const first = length_ > 0 ? key_of_(load_(0)) : key{0};
      key differing = 0;
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) differing |= keys[i] ^ first;
      unsigned const width = tessera::detail::bits_of_number(tessera::reduce(tile(), differing, bit_or{}, converged));
      low = width > digit_bits ? width - digit_bits : 0;
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      words[i] = striped(i) < length_ ? word_of(keys[i], low, striped(i)) : ~std::uint32_t{0};
    return words;
  }
  /// Those by the digit from bit `low` on, of the places in order; by the lowest, of all places.
  TESSERA_FN words_t words_by(unsigned low) const {
    auto words = tessera::detail::from_words<words_t>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      words[i] = ~std::uint32_t{0};
      if (striped(i) < length_)
        words[i] = word_of(key_of_place(low == 0 ? striped(i) : place(striped(i))), low, striped(i));
    }
    return words;
  }
  /// Words have the numbers of places in the order of the digits before.
  TESSERA_FN void replace_by_places(words_t& words) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) words[i] = place(words[i] & (capacity - 1));
  }
  TESSERA_FN void store(words_t const& words) const {
    team().sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) at(rank_ * K + i) = words[i];
    team().sync();
  }

  /// Invariant: places are in the order of their keys' bits below `low`, and equal ones rise.
  TESSERA_FN void sort_by_all_digits() const {
    TESSERA_LOOP
    for (unsigned low = 0; low < key_bits; low += digit_bits) {
      words_t words = words_by(low);
      words = tessera::sort(tile(), words, less{}, converged);
      if (low > 0) replace_by_places(words);
      store(words);
    }
  }

  // ---- Ties: words with the digit of the word before.

  /// Those of this lane's words.
  TESSERA_FN mask_t ties_of(words_t const& words) const {
    unsigned const first = rank_ * K;
    std::uint32_t before = first == 0 ? ~words[0] : at(first - 1), ties = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if ((words[i] ^ before) >> place_bits == 0) ties |= 1u << i;
      before = words[i];
    }
    unsigned const count = length_ > first ? length_ - first : 0;
    return static_cast<mask_t>(count < K ? ties & ((1u << count) - 1) : ties);
  }
  TESSERA_FN bool is_tied(unsigned i) const { return (storage_.ties[tile_ * lanes + i / K] >> (i % K) & 1) != 0; }

  struct run_of_ties {
    unsigned begin, end;
    TESSERA_FN bool is_long() const { return end - begin > most_tied; }
  };
  /// The words with the same digit as one; some of them if they are too many.
  TESSERA_FN run_of_ties run_at(unsigned i) const {
    run_of_ties run{i, i + 1};
    TESSERA_LOOP
    while (!run.is_long() && is_tied(run.begin)) --run.begin;
    TESSERA_LOOP
    while (!run.is_long() && run.end < length_ && is_tied(run.end)) ++run.end;
    return run;
  }

  /// Sorts words with the same digits, of which this lane has some. False if there are too many: then some may be out
  /// of order.
  TESSERA_FN bool sort_ties(mask_t ties) const {
    storage_.ties[tile_ * lanes + rank_] = ties;
    team().sync();
    bool fine = true;
    TESSERA_LOOP
    for (std::uint32_t left = ties; left != 0; left &= left - 1) {
      unsigned const i = rank_ * K + tessera::detail::lowest_bit(left);
      run_of_ties const run = run_at(i);
      if (run.is_long()) {
        fine = fine && !(key_at(i) < key_at(i - 1));
      } else if (run.begin + 1 == i) {
        sort_run(run);
      }
    }
    bool const all_fine = tessera::all_of(team(), fine, converged);
    team().sync();
    return all_fine;
  }
  /// Sorts a run by insertion.
  TESSERA_FN void sort_run(run_of_ties const& run) const {
    TESSERA_LOOP
    for (unsigned i = run.begin + 1; i < run.end; ++i) {
      std::uint32_t const word = at(i);
      key const own = key_at(i);
      unsigned to = i;
      TESSERA_LOOP
      for (; to > run.begin && own < key_at(to - 1); --to) at(to) = at(to - 1);
      at(to) = word;
    }
  }

  Block const& block_;
  storage_t& storage_;
  unsigned length_;
  Load const& load_;
  KeyOf const& key_of_;
  unsigned tile_, rank_;
};

/// Sorts the row of each tile of a block, of `length` elements: storage.at(tile, i) has then the number of the i-th.
///
/// Called by  all threads of the block.
/// load       gives the element of a place, an unsigned integer of as many bits as keys have
/// key_of     gives the key of an element: also an unsigned integer
/// Cost       one read of the row, and one sort of words of 32 bits. Ties read keys again from the cache. If too many
///            share a digit, a sort for each digit more.
template <class Shape, class Block, class Load, class KeyOf>
TESSERA_FN void sort_row(Block const& block, row_sort_storage<Shape>& storage, unsigned length, Load const& load,
                         KeyOf const& key_of) {
  row_sorter<Shape, Block, Load, KeyOf>(block, storage, length, load, key_of).sort();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
