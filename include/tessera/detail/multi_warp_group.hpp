// The lanes of a tile of several warps, on the GPU and on host tiles alike: warps that exchange through slots of shared
// memory, between barriers of the tile.
//
//   warp                 0            1            2            3
//   each lane, in_warp() 0 … 31       0 … 31       0 … 31       0 … 31      shuffles and votes, as on small tiles
//   slots                [0]          [1]          [2]          [3]         one a warp
//   share                writes | barrier | everyone reads any slots | barrier
//   combine_in_first_warp        writes | barrier | warp 0 reads them and writes results | barrier | everyone reads those
//
// The second barrier of `share` keeps a fast warp that begins the next collective from writing while a slow one still reads.
// To write into two arrays of slots in turn, which needs none, takes a word of memory that says whose turn it is, and on an
// H200 half as much time again (benchmark/README.md).
//
// A *place* is what these lanes run on: detail/backend.hpp on the GPU, host/backend.hpp on host tiles. It has, for
// tiles of `size` lanes:
//
//   rank(), in_warp(), part<M>()      the lane's rank in the tile; its warp's lanes; the M lanes around it in its warp
//   barrier()                         of all lanes of the tile; orders their accesses of memory
//   can_count(), barrier_count(bool)  whether that barrier also counts those who say so; how many do
//   slots<T, Row, Use>(b)             array b of Row slots a warp, the tile's own; memory of its own for each use
//   guarded                           false where the caller sees to the second barrier
//   holds_results                     whether the caller's memory has room for a result of each lane
//   row<T>, buffers                   how many slots of T a warp has for movement, and how many arrays of them
//   may_be_partial, present()               whether lanes may be missing at the tile's end; how many are there
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/warp_group.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/items.hpp>
#include <tessera/lane_mask.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// What slots are for. Protocols don't share slots: see above.
enum class slot_use { gather, windows, result, results };
TESSERA_FN constexpr unsigned buffers_of(slot_use use) {
  return use == slot_use::windows ? 2 : 1;
}

template <class Backend>
class multi_warp_group {
 public:
  /// What `share` and `combine_in_first_warp` give to their functions.
  template <class T>
  using slots_of = decltype(stl::declval<Backend const&>().template slots<T, 1, slot_use::gather>(0));

  static constexpr unsigned size = Backend::size;
  static constexpr unsigned warps = size / 32;

  TESSERA_FN explicit multi_warp_group(Backend place) : backend_(place) {}

  TESSERA_FN unsigned rank() const { return backend_.rank(); }
  TESSERA_FN unsigned warp() const { return backend_.rank() / 32; }
  TESSERA_FN unsigned lane() const { return backend_.rank() % 32; }
  TESSERA_FN auto in_warp() const { return backend_.in_warp(); }
  template <unsigned M>
  TESSERA_FN auto part() const {
    return backend_.template part<M>();
  }
  TESSERA_FN Backend const& backend() const { return backend_; }
  static constexpr unsigned buffers = Backend::buffers;
  static constexpr bool has_trailing_barrier = Backend::has_trailing_barrier;
  template <class T>
  static constexpr unsigned row = Backend::template row<T>;
  /// Whether the caller gave memory for a T of each lane, and for a result of each.
  template <class T>
  static constexpr bool has_slot_a_lane = row<T> == 32 && buffers == 1 && has_trailing_barrier;
  template <class T>
  static constexpr bool has_result_a_lane = Backend::holds_results ? has_slot_a_lane<T> : false;

  /// Whether lanes are missing at the end, how many lanes and warps are there, and the last lane of this warp that is.
  static constexpr bool may_be_partial = Backend::may_be_partial;
  TESSERA_FN unsigned valid_count() const { return backend_.valid_count(); }
  TESSERA_FN lane_mask<size> valid_lanes() const {
    if constexpr (may_be_partial) {
      return lane_mask<size>::prefix(valid_count());
    } else {
      return lane_mask<size>::full();
    }
  }
  TESSERA_FN bool is_partial() const { return may_be_partial && valid_count() < size; }
  TESSERA_FN unsigned valid_warps() const { return may_be_partial ? (valid_count() + 31) / 32 : warps; }
  TESSERA_FN unsigned last_lane() const {
    return is_partial() && warp() + 1 == valid_warps() ? (valid_count() - 1) % 32 : 31;
  }
  /// All warps' slots; for those of warps that aren't there, another's.
  template <class T, class Slots>
  TESSERA_FN items<T, warps> read_all(Slots const& slots) const {
    if (!is_partial()) return slots.template read_row<warps>(0);
    auto all = detail::from_words<items<T, warps>>({});
    TESSERA_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      T const x = slots.read(w < valid_warps() ? w : 0);
      detail::copy_bytes(&all.item[w], &x, sizeof(T));
    }
    return all;
  }

  TESSERA_FN void sync() const { backend_.barrier(); }
  TESSERA_FN void reconverge() const { in_warp().reconverge(); }

  /// The barrier behind the last read of slots.
  TESSERA_FN void trailing_barrier() const {
    if constexpr (Backend::has_trailing_barrier) backend_.barrier();
  }

  /// The lanes that speak write their x into their slot; every lane gets what `load` reads. Two barriers; where the caller sees
  /// to the second, one, unless the same collective exchanges again.
  template <unsigned Row = 1, class T, class Load>
  TESSERA_FN auto all_gather(T const& x, bool is_writer, unsigned slot, Load load, bool again = false) const {
    auto const slots = backend_.template slots<T, Row, slot_use::gather>(0);
    if (is_writer) slots.write(slot, x);
    backend_.barrier();
    auto const got = load(slots);
    if (has_trailing_barrier || again) backend_.barrier();
    return got;
  }

  /// The lanes that speak write their x into their slot, the first warp does `work(slots, results)`, with room for so many
  /// results a warp of the tile, and every lane may read the results: until the next collective's first barrier. Two barriers.
  template <unsigned Row = 1, unsigned Results = 1, class T, class Work>
  TESSERA_FN auto combine_in_first_warp(T const& x, bool is_writer, unsigned slot, Work work) const {
    constexpr auto use = Results == 1 ? slot_use::result : slot_use::results;
    auto const slots = backend_.template slots<T, Row, slot_use::gather>(0);
    auto const results = backend_.template slots<T, Results, use>(0);
    if (is_writer) slots.write(slot, x);
    backend_.barrier();
    if (warp() == 0) work(slots, results);
    backend_.barrier();
    return results;
  }

  /// Whether any lane says so; how many do. One barrier.
  TESSERA_FN bool any(bool mine, bool again = false) const {
    return backend_.can_count() ? backend_.barrier_count(mine) != 0 : ballot(mine, again).any();
  }
  TESSERA_FN unsigned count(bool mine) const {
    return backend_.can_count() ? backend_.barrier_count(mine) : ballot(mine).count();
  }
  TESSERA_FN bool all_agree(bool mine) const { return !any(!mine); }

  /// `again`: the same collective goes on to exchange, as for `share`.
  TESSERA_FN lane_mask<size> ballot(bool mine, bool again = false) const {
    stl::uint32_t const word = in_warp().ballot(mine).word();
    auto const words = all_gather(
        word, lane() == 0, warp(),
        [&](slots_of<stl::uint32_t> slots) { return read_all<stl::uint32_t>(slots); }, again);
    lane_mask<size> mask{};
    TESSERA_UNROLL
    for (unsigned w = 0; w < warps; ++w) mask.set_word(w, w < valid_warps() ? words[w] : 0u);
    return mask;
  }

  /// x of lane `source`, the same for all lanes of the tile. Two barriers.
  template <class T>
  TESSERA_FN T broadcast(T const& x, unsigned source) const {
    return all_gather(x, rank() == source, 0, [](slots_of<T> slots) { return slots.read(0); });
  }

  /// x of lane `source`, which may differ: windows of ranks are written one after the other, and read by those who want
  /// one of them. A barrier a window, for two arrays of slots change places; with one array, two.
  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    constexpr unsigned window = warps * row<T>, rounds = size / window;
    static_assert(buffers == 1 || rounds % 2 == 0,
                  "the next movement begins with the array that this one left first");
    words<T> got = detail::to_words(x);
    TESSERA_LOOP
    for (unsigned round = 0; round < rounds; ++round) {
      auto const slots = backend_.template slots<T, row<T>, slot_use::windows>(round % buffers);
      if (rank() / window == round) slots.write(rank() % window, x);
      backend_.barrier();
      if (source / window == round) got = detail::to_words(slots.read(source % window));
      if (buffers == 1 && round + 1 < rounds) backend_.barrier();
    }
    if constexpr (buffers == 1) trailing_barrier();
    return detail::from_words<T>(got);
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned mask) const {
    if (mask < 32) return in_warp().shuffle_xor(x, mask);
    unsigned const source = rank() ^ mask;
    return shuffle(x, source < size ? source : rank());
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta) const {
    bool in_range = false;
    return shuffle_up(x, delta, in_range);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta) const {
    bool in_range = false;
    return shuffle_down(x, delta, in_range);
  }
  /// By one lane only the warps' edges change place: two barriers.
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta <= rank();
    if (delta != 1) return shuffle(x, in_range ? rank() - delta : rank());
    T const within = in_warp().shuffle_up(x, 1);
    T const edge = all_gather(x, lane() == last_lane(), warp(),
                              [&](slots_of<T> slots) { return slots.read(warp() == 0 ? 0 : warp() - 1); });
    return detail::select(in_range && lane() == 0, edge, within);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta < valid_count() - rank();
    if (delta != 1) return shuffle(x, in_range ? rank() + delta : rank());
    T const within = in_warp().shuffle_down(x, 1);
    T const edge = all_gather(x, lane() == 0, warp(), [&](slots_of<T> slots) {
      return slots.read(warp() + 1 == valid_warps() ? warp() : warp() + 1);
    });
    return detail::select(in_range && lane() == 31, edge, within);
  }

  /// The lanes with the same bits: every lane sees every other's. As many barriers as `shuffle`.
  template <class T>
  TESSERA_FN lane_mask<size> match(T const& x) const {
    constexpr unsigned rounds = size / warps;
    lane_mask<size> same{};
    TESSERA_LOOP
    for (unsigned round = 0; round < rounds; ++round) {
      auto const slots = backend_.template slots<T, 1, slot_use::windows>(round % buffers);
      if (rank() / warps == round) slots.write(rank() % warps, x);
      backend_.barrier();
      stl::uint32_t bits = 0;
      for (unsigned i = 0; i < warps; ++i) bits |= stl::uint32_t{detail::same_bits(x, slots.read(i))} << i;
      unsigned const from = round * warps;
      TESSERA_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        stl::uint32_t const old = same.word(w);
        same.set_word(w, w == from / 32 ? old | bits << (from % 32) : old);
      }
      if (buffers == 1 && round + 1 < rounds) backend_.barrier();
    }
    if constexpr (buffers == 1) trailing_barrier();
    return same;
  }
  /// Whether all lanes have the same bits. Three barriers.
  template <class T>
  TESSERA_FN bool all_match(T const& x) const {
    return all_agree(detail::same_bits(x, broadcast(x, 0)));
  }

 private:
  Backend backend_;
};

template <class Group, class T>
using slots_of = typename Group::template slots_of<T>;

template <class Group>
inline constexpr bool is_multi_warp = false;
template <class Backend>
inline constexpr bool is_multi_warp<multi_warp_group<Backend>> = true;

/// Whether a collective that exchanges nothing must meet on these lanes by itself: host lanes of one warp, which report who
/// doesn't come. (Several warps meet when a collective begins.)
template <class Group>
inline constexpr bool meets_by_exchange = !is_warp<Group> && !is_multi_warp<Group>;

}  // namespace detail
TESSERA_NAMESPACE_END
