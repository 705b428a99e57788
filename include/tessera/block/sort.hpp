// The comparators of a sorting network between items of different warps, through slots.
//
// A lane reads K items whose ranks differ in log2(K) bits, compares them in registers, and writes them back to their
// slots, from which other lanes read in the next pass. The lane's own log2(K) bits of the rank are the number of the
// item that it reads from each of these ranks:
//
//   N = 128, K = 4, bits 5 and 6     rank  0: items 0 of ranks 0, 32, 64, 96    rank 64: items 2 of ranks 0, 32, 64, 96
//                                    rank 32: items 1 of ranks 0, 32, 64, 96    rank 96: items 3 of ranks 0, 32, 64, 96
//
// A merge begins by comparing each item with the mirrored one of the upper half. So from ranks of the upper half a lane
// reads the items whose other bits are all inverted.
//
// Item i of rank r has slot i · N + r. If the last pass goes below bit 5, lanes of a warp that read different items of
// one rank would have bank conflicts, so r is XOR-swizzled by i. Shuffles compare the remaining bits: with all
// comparators through slots a sort of 1024 lanes with 4 keys took 8.5 µs on an H200, with shuffles 6.6.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/multi_warp_group.hpp>
#include <tessera/warp/sort_network.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if lanes may read items of other ranks this way: K is a power of two, and memory holds all items.
template <class Group, class Entry, unsigned K>
inline constexpr bool has_slots_for_comparators = K > 1 &&
                                                  (K & (K - 1)) == 0 && Group::template row<items<Entry, K>> == 32;

/// With `Partial`, positions from `limit` on take no part. All lanes exist.
template <bool Partial, class Order, class Group, class Entry, unsigned K>
class cross_warp_comparators {
  static constexpr unsigned N = Group::size;
  static constexpr unsigned pass_bits = detail::exponent_of(K);
  using row = items<Entry, K>;

 public:
  /// Prepares a merge of 2^bits lanes.
  TESSERA_FN cross_warp_comparators(Group group, Order const& order, unsigned limit, unsigned bits)
      : group_(group),
        order_(order),
        limit_(limit),
        bits_(bits),
        left_(bits - (bits - 5 + pass_bits - 1) / pass_bits * pass_bits) {}

  /// Compares by the rank's bits from the upper one down to bit 5 or lower, in passes of log2(K) bits each. Returns the
  /// number of lower bits that remain. One barrier, and one a pass.
  TESSERA_FN unsigned compare(row& x) const {
    unsigned const rank = group_.rank();
    auto const storage = group_.backend().template inputs<Entry, 32 * K>();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) storage.write(slot_of({rank, i}), x[i]);
    group_.sync();
    unsigned low = bits_ - pass_bits;
    compare_by_bits<true>(storage, low);
    while (low != left_) {
      low -= pass_bits;
      compare_by_bits<false>(storage, low);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      Entry const moved = storage.read(slot_of({rank, i}));
      detail::assign(x[i], moved);
    }
    group_.in_warp().sync();  // the next merge swizzles differently
    return left_;
  }

 private:
  struct place {
    unsigned rank, item;
  };
  TESSERA_FN unsigned slot_of(place at) const { return at.item * N + (at.rank ^ (at.item << left_ & 31)); }

  /// Compares by the rank's log2(K) bits from `low` on.
  template <bool Mirrored, class Slots>
  TESSERA_FN void compare_by_bits(Slots const& storage, unsigned low) const {
    unsigned const rank = group_.rank(), item = rank >> low & (K - 1), others = rank & ~((K - 1) << low);
    auto const place_of = [&](unsigned of) {  // the item in the rank with bits `of`
      if (Mirrored && of >= K / 2) return place{(others ^ ((1u << low) - 1)) | of << low, K - 1 - item};
      return place{others | of << low, item};
    };
    auto y = detail::from_words<row>({});
    TESSERA_UNROLL
    for (unsigned of = 0; of < K; ++of) {
      Entry const read = storage.read(slot_of(place_of(of)));
      detail::assign(y[of], read);
    }
    TESSERA_UNROLL
    for (unsigned bit = K / 2; bit > 0; bit /= 2) {
      TESSERA_UNROLL
      for (unsigned of = 0; of < K; ++of) {
        if ((of & bit) != 0) continue;
        unsigned const upper = Mirrored && bit == K / 2 ? K - 1 - of : of | bit;
        place const at = place_of(upper);
        if (Partial && at.rank * K + at.item >= limit_) continue;
        order_.put_in_order(y[of], y[upper]);
      }
    }
    TESSERA_UNROLL
    for (unsigned of = 0; of < K; ++of) storage.write(slot_of(place_of(of)), y[of]);
    group_.sync();
  }

  Group group_;
  Order const& order_;
  unsigned limit_;
  unsigned bits_, left_;
};

}  // namespace detail
TESSERA_NAMESPACE_END
