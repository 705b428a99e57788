// Stable ranks of a tile's keys by one digit, for a block: where each key goes if the tile is sorted by that digit.
//
//   warp 0    items 0    d b a b        lane l's item i is element 32 · i + l of the warp's part
//             items 1    a b d a
//   counts    warp 0: a 2, b 3, d 2     each warp counts first, so that the tile's counts are known early
//   begins    a 0, b 2, d 5             of the warp and digit: digits before it, and its own digit in warps before
//   ranks     items 0    5 2 0 3        the begin, and as many of the digit as come before: in items before, which the
//             items 1    1 4 6 …        warp's counter has, and in lanes before
//
// Source: A. Adinets, D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sort/onesweep_tuning.hpp>
#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The digit of keys at a place, counted from the lowest.
template <class Bits, key_form Form>
class digit_at_place {
 public:
  TESSERA_FN digit_at_place(digit_coding<Bits, Form> const& coding, unsigned place)
      : coding_(coding), shift_(place * radix_digits::bits) {}

  TESSERA_FN unsigned operator()(Bits key) const {
    return static_cast<unsigned>(coding_.digits_of(key) >> shift_) & (radix_digits::count - 1);
  }

 private:
  digit_coding<Bits, Form> coding_;
  unsigned shift_;
};

/// A number of each of a thread's keys, of so many bits: several in a register. They are set in order.
template <unsigned Items, unsigned Bits>
class packed_numbers {
  static constexpr unsigned of_word = 32 / Bits;

 public:
  TESSERA_FN void set(unsigned i, unsigned number) {
    unsigned& word = words_[i / of_word];
    word = (i % of_word == 0 ? 0 : word) | number << Bits * (i % of_word);
    // Else the compiler keeps each number in a register of its own.
    if (i % of_word == of_word - 1 || i == Items - 1) word = tessera::detail::opaque(word);
  }
  TESSERA_FN unsigned operator[](unsigned i) const {
    return words_[i / of_word] >> Bits * (i % of_word) & tessera::detail::low_bits(Bits);
  }

 private:
  unsigned words_[(Items + of_word - 1) / of_word];
};
template <unsigned Items>
using packed_digits = packed_numbers<Items, radix_digits::bits>;
template <unsigned Items>
using packed_ranks = packed_numbers<Items, 16>;

/// The lanes of a warp that have the same digit, as bits; a lane that has none is alone. `masks`: the warp's, in which
/// the digit's is 0 before.
template <class Warp>
TESSERA_FN unsigned lanes_with_digit(Warp const& warp, unsigned lane, unsigned digit, unsigned* masks,
                                     bool has_digit = true) {
  if (has_digit) detail::set_bits(&masks[digit], 1u << lane);
  warp.sync();
  return has_digit ? masks[digit] : 1u << lane;
}

/// The counts of a block's warps.
template <class Shape>
struct digit_tables {
  unsigned counts[Shape::warps][radix_digits::count];  // then begins
  unsigned masks[Shape::warps][radix_digits::count];
};
/// The totals of the warps that have the digits, and whether all keys of the tile have one digit.
struct digit_totals {
  unsigned of_warps[radix_digits::count / 32];
  unsigned is_one_digit;
};

/// A digit's keys in a sorted tile, known to the thread of the digit's number.
struct digit_run {
  unsigned begin, count;
};

template <class Shape, class Block>
class digit_ranker {
  static constexpr unsigned digits = radix_digits::count, items = Shape::items, digit_warps = digits / 32;
  static_assert(Shape::elements <= 1u << 16, "Ranks have 16 bits.");

 public:
  TESSERA_FN digit_ranker(Block const& block, unsigned rank, digit_tables<Shape>& tables, digit_totals& totals)
      : block_(block), rank_(rank), lane_(rank % 32), warp_(rank / 32), tables_(tables), totals_(totals) {}

  /// The position in the tile of this thread's first key; the next ones follow at a distance of 32.
  TESSERA_FN unsigned first_position() const { return warp_ * (32 * items) + lane_; }

  /// Ranks the thread's keys by digit_of(key). As soon as the tile's counts are known, each thread that has a digit
  /// calls on_count(count). Three barriers; one must follow before the tables' memory is used otherwise.
  template <class Bits, class DigitOf, class OnCount>
  TESSERA_FN digit_run rank(Bits const (&keys)[items], DigitOf const& digit_of, packed_ranks<items>& ranks,
                            OnCount const& on_count) const {
    auto const warp = tessera::tiled_partition<32>(block_);
    packed_digits<items> own;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) own.set(i, digit_of(keys[i]));
    count_in_warp(warp, own);
    if (rank_ == 0) totals_.is_one_digit = 0;
    detail::barrier_of_block(block_);
    digit_run const run = place_warps(warp, on_count);
    detail::barrier_of_block(block_);
    if (totals_.is_one_digit != 0) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < items; ++i) ranks.set(i, first_position() + 32 * i);
    } else {
      rank_in_warp(warp, own, ranks);
    }
    return run;
  }

 private:
  template <class Warp>
  TESSERA_FN void count_in_warp(Warp const& warp, packed_digits<items> const& own) const {
    TESSERA_UNROLL
    for (unsigned d = lane_; d < digits; d += 32) {
      tables_.counts[warp_][d] = 0;
      tables_.masks[warp_][d] = 0;
    }
    warp.sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) detail::fetch_add(&tables_.counts[warp_][own[i]], 1u);
  }

  /// Turns counts of warps into begins. A barrier comes before and after.
  template <class Warp, class OnCount>
  TESSERA_FN digit_run place_warps(Warp const& warp, OnCount const& on_count) const {
    digit_run run{};
    unsigned through = 0;
    bool const has_digit = warp_ < digit_warps;
    if (has_digit) {
      TESSERA_UNROLL
      for (unsigned w = 0; w < Shape::warps; ++w) run.count += tables_.counts[w][rank_];
      on_count(run.count);
      through = tessera::inclusive_scan(warp, run.count, plus{}, converged);
      if (lane_ == 31) totals_.of_warps[warp_] = through;
      if (run.count == Shape::elements) totals_.is_one_digit = 1;
    }
    detail::barrier_of_block(block_);
    if (has_digit) {
      run.begin = through - run.count;
      TESSERA_UNROLL
      for (unsigned w = 0; w < digit_warps; ++w) run.begin += w < warp_ ? totals_.of_warps[w] : 0;
      unsigned begin = run.begin;
      TESSERA_UNROLL
      for (unsigned w = 0; w < Shape::warps; ++w) {
        unsigned const count = tables_.counts[w][rank_];
        tables_.counts[w][rank_] = begin;
        begin += count;
      }
    }
    return run;
  }

  template <class Warp>
  TESSERA_FN void rank_in_warp(Warp const& warp, packed_digits<items> const& own, packed_ranks<items>& ranks) const {
    unsigned const through_own = tessera::detail::low_bits(lane_ + 1);
    unsigned* const masks = tables_.masks[warp_];
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const digit = own[i];
      unsigned const same = detail::lanes_with_digit(warp, lane_, digit, masks);
      unsigned const last = tessera::detail::highest_bit(same);
      unsigned const through = tessera::detail::bits_set(same & through_own);
      unsigned const begin = detail::fetch_add_to_shared_if(lane_ == last, &tables_.counts[warp_][digit], through);
      ranks.set(i, tessera::shuffle(warp, begin, last, converged) + through - 1);
      if (lane_ == last) masks[digit] = 0;  // all lanes have read it
      warp.sync();
    }
  }

  Block const& block_;
  unsigned rank_, lane_, warp_;
  digit_tables<Shape>& tables_;
  digit_totals& totals_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
