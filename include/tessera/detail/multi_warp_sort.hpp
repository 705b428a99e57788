// The comparators of a sorting network between items of different warps, through slots.
//
// A lane reads K items whose ranks differ in up to log2(K) bits, compares them in registers, and writes them back to their slots,
// from where the next such lane reads. The rank's own bits say which item of each rank it takes: they trade places with the item's.
//
//   N = 128, K = 4, bits 5 and 6     rank  0: items 0 of ranks 0, 32, 64, 96      rank 64: items 2 of ranks 0, 32, 64, 96
//                                    rank 32: items 1 of ranks 0, 32, 64, 96      rank 96: items 3 of ranks 0, 32, 64, 96
//
// A merge begins by comparing each item with the mirrored one of the upper half. So of the upper half a lane reads the items whose
// other bits are all inverted.
//
// Item i of rank r has slot i · N + r. (Within a warp shuffles take less: a sort of 1024 lanes with 4 keys takes 6.6 µs on an H200,
// and 8.5 with all comparators through slots.)
#pragma once

#include <tessera/detail/multi_warp_group.hpp>
#include <tessera/detail/sort_entry.hpp>
#include <tessera/detail/sort_network.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/items.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Whether lanes may read items of other ranks so: K is a power of two, and memory holds all items.
template <class Group, class Entry, unsigned K>
inline constexpr bool has_slots_for_comparators =
    K > 1 && (K & (K - 1)) == 0 && Group::template row<items<Entry, K>> == 32;

/// `Partial`: positions from `limit` on take no part. All lanes exist.
template <bool Partial, class Order, class Group, class Entry, unsigned K>
class cross_warp_comparators {
  static constexpr unsigned N = Group::size;
  static constexpr unsigned item_bits = exponent_of(K), warp_bits = exponent_of(N / 32);
  static constexpr unsigned most_bits = item_bits < warp_bits ? item_bits : warp_bits;
  using row = items<Entry, K>;

 public:
  TESSERA_FN cross_warp_comparators(Group group, Order const& order, unsigned limit)
      : group_(group), order_(order), limit_(limit) {}

  /// The comparators of a merge of 2^bits lanes from the rank's upper bit down to bit 5. One barrier, and one for every log2(K) bits.
  TESSERA_FN void compare(row& x, unsigned bits) const {
    unsigned const rank = group_.rank();
    auto const slots = group_.backend().template inputs<Entry, 32 * K>();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) slots.write(slot_of({rank, i}), x[i]);
    group_.sync();
    unsigned end = bits - compare_some<true, most_bits>(slots, bits);
    while (end > 5) end -= compare_some<false, most_bits>(slots, end);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      Entry const moved = slots.read(slot_of({rank, i}));
      detail::assign(x[i], moved);
    }
  }

 private:
  /// Compares by up to Bits bits below `end`. Returns by how many.
  template <bool Mirrored, unsigned Bits, class Slots>
  TESSERA_FN unsigned compare_some(Slots const& slots, unsigned end) const {
    if (end >= 5 + Bits) {
      compare_by_bits<Mirrored, Bits>(slots, end - Bits);
      return Bits;
    }
    if constexpr (Bits > 1) {
      return compare_some<Mirrored, Bits - 1>(slots, end);
    } else {
      return 1;
    }
  }

  struct place {
    unsigned rank, item;
  };
  TESSERA_FN static unsigned slot_of(place at) { return at.item * N + at.rank; }

  /// Compares by Bits bits of the rank from `low` on.
  template <bool Mirrored, unsigned Bits, class Slots>
  TESSERA_FN void compare_by_bits(Slots const& slots, unsigned low) const {
    constexpr unsigned ranks = 1u << Bits, sets = K / ranks;
    unsigned const rank = group_.rank(), own = rank >> low & (ranks - 1),
                   others = rank & ~((ranks - 1) << low);
    auto const place_of = [&](unsigned of, unsigned set) {  // of these ranks the one with bits `of`
      unsigned const item = set * ranks + own;
      if (Mirrored && of >= ranks / 2) return place{(others ^ ((1u << low) - 1)) | of << low, K - 1 - item};
      return place{others | of << low, item};
    };
    auto y = detail::from_words<row>({});
    TESSERA_UNROLL
    for (unsigned j = 0; j < K; ++j) {
      Entry const read = slots.read(slot_of(place_of(j / sets, j % sets)));
      detail::assign(y[j], read);
    }
    TESSERA_UNROLL
    for (unsigned b = 0; b < Bits; ++b) {
      unsigned const bit = ranks >> (b + 1);
      TESSERA_UNROLL
      for (unsigned j = 0; j < K; ++j) {
        unsigned const of = j / sets, set = j % sets;
        if ((of & bit) != 0) continue;
        unsigned const upper = Mirrored && b == 0 ? ranks - 1 - of : of | bit;
        place const at = place_of(upper, set);
        if (Partial && at.rank * K + at.item >= limit_) continue;
        order_.put_in_order(y[j], y[upper * sets + set]);
      }
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < K; ++j) slots.write(slot_of(place_of(j / sets, j % sets)), y[j]);
    group_.sync();
  }

  Group group_;
  Order const& order_;
  unsigned limit_;
};

}  // namespace detail
TESSERA_NAMESPACE_END
