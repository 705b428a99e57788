// A group of several warps, on the GPU and on host tiles alike. The warps exchange through slots of temporary storage,
// between barriers of the tile.
//
//   warp                 0            1            2            3
//   each lane, in_warp() 0 … 31       0 … 31       0 … 31       0 … 31      shuffles and votes, as on small tiles
//   slots                [0]          [1]          [2]          [3]         one a warp
//   all_gather           writers write | barrier | every lane reads the slots it needs | trailing barrier
//   combine_in_first_warps writers write | barrier | warp 0 combines, writes results | barrier | every lane reads those
//
// The trailing barrier of `all_gather` keeps a fast warp that begins the next collective from writing while a slow one
// still reads. Two arrays of slots, written alternately, would save it, but they need a word of memory with the number
// of the current one, and take half as long again on an H200 (benchmark/README.md). Results are outputs: the next
// collective writes there only after its first barrier.
//
// A *backend* is the platform of such a group: group/gpu_backend.hpp on the GPU, host/backend.hpp on host tiles. For
// tiles of `size` lanes it has:
//
//   rank(), in_warp(), part<M>()      the rank in the tile; the group of the warp; the group of M lanes in it
//   barrier()                         waits for all lanes of the tile and orders their accesses of memory
//   of_warp(which, mine)              `which`, the same in all lanes of a warp, true if any of them passes `mine`, in
//                                     a form from which the compiler knows that the warp doesn't diverge
//   can_count(), barrier_count(bool)  true if the barrier can count lanes, too; the number of lanes that pass true
//   inputs<T, Row>()                  the tile's slots for exchanged values, Row a warp; a third `true` is for raking
//   outputs<T, Row>()                 the slots for results of a call with these inputs, one a warp
//   has_trailing_barrier              false if the caller promises a barrier before the next use of the memory
//   least_row_with_result             the least number of inputs a warp with which a reduction exchanges through them
//   row<T>                            the number of a warp's slots of T for movement; 0 if T is moved in pieces only
//   most_moved                        the size of the largest value that is moved whole
//   is_block                          true if the tile's type says that it is the block; on the host always
//   may_be_partial, valid_count()     true if lanes may be missing at the tile's end; the number of lanes that exist
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/warp_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lanes after the first Count, moved down to lane 0, followed by Count bits. So N / Count calls, all with the same
/// instructions, fill a mask.
template <unsigned Count, unsigned N>
TESSERA_FN lane_mask<N> with_next_lanes(lane_mask<N> const& lanes, stl::uint32_t bits) {
  constexpr unsigned words = N / 32;
  lane_mask<N> next{};
  TESSERA_UNROLL
  for (unsigned w = 0; w < words; ++w) {
    stl::uint32_t const above = w + 1 < words ? lanes.word(w + 1) : bits;
    next.set_word(w, Count == 32 ? above : lanes.word(w) >> (Count % 32) | above << (32 - Count));
  }
  return next;
}

template <class Backend>
class multi_warp_group {
 public:
  /// The slots, Row a warp, that `all_gather` and `combine_in_first_warps` pass to their functions. (These have no
  /// `auto` parameters, which NVRTC would want annotated.) The results of the latter are slots_of<T>.
  template <class T, unsigned Row = 1>
  using slots_of = decltype(stl::declval<Backend const&>().template inputs<T, Row>());
  template <class T, unsigned Row>
  using raking_slots_of = decltype(stl::declval<Backend const&>().template inputs<T, Row, true>());

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
  static constexpr bool has_trailing_barrier = Backend::has_trailing_barrier, is_block = Backend::is_block;
  template <class T>
  static constexpr unsigned row = Backend::template row<T> == 0 ? 1 : Backend::template row<T>;
  /// The number of slots of T a warp for moving K items a lane: one for each item, or fewer.
  template <class T, unsigned K>
  static constexpr unsigned row_of_items = row<items<T, K>> == 32 ? 32 * K : row<T>;
  /// True if a T is moved in pieces, and their number of words.
  template <class T>
  static constexpr bool moves_in_pieces = (sizeof(T) > Backend::most_moved);
  static constexpr unsigned piece_words = Backend::most_moved / 4;
  /// True if there is memory for a T of every two lanes.
  template <class T>
  static constexpr bool has_slot_a_pair = row<T> >= Backend::least_row_with_result&& has_trailing_barrier;

  /// True if lanes may be missing at the end; the number of lanes and warps that exist; the last existing lane of this
  /// warp.
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
  /// Reads the slots of all warps. A warp that doesn't exist is given the first warp's value.
  template <class T, class Slots>
  TESSERA_FN items<T, warps> read_all(Slots const& storage) const {
    if (!is_partial()) return storage.template read_row<warps>(0);
    auto all = detail::from_words<items<T, warps>>({});
    TESSERA_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      T const x = storage.read(w < valid_warps() ? w : 0);
      detail::copy_bytes(TESSERA_ADDRESS_OF(all.item[w]), TESSERA_ADDRESS_OF(x), sizeof(T));
    }
    return all;
  }

  /// `which`, the same in all lanes of a warp, in a form from which the compiler knows that the warp doesn't diverge.
  TESSERA_FN static bool of_warp(bool which) { return Backend::of_warp(which, which); }

  TESSERA_FN void sync() const { backend_.barrier(); }
  TESSERA_FN void reconverge() const { in_warp().reconverge(); }

  /// The barrier after the last read of slots, unless the caller has promised one.
  TESSERA_FN void trailing_barrier() const {
    if constexpr (Backend::has_trailing_barrier) backend_.barrier();
  }

  /// The barrier between two exchanges of one call, unless the first exchange ended with one.
  TESSERA_FN void barrier_between() const {
    if constexpr (!Backend::has_trailing_barrier) backend_.barrier();
  }

  /// The writers store x into their slots, and every lane returns what `load` reads. Two barriers; one if the caller
  /// provides the trailing barrier and the same collective doesn't exchange again.
  template <unsigned Row = 1, class T, class Load>
  TESSERA_FN auto all_gather(T const& x, bool is_writer, unsigned slot, Load load, bool again = false) const {
    auto const storage = backend_.template inputs<T, Row>();
    if (is_writer) storage.write(slot, x);
    backend_.barrier();
    auto const got = load(storage);
    if (has_trailing_barrier || again) backend_.barrier();
    return got;
  }

  /// The writers store x into their slots. The first `Workers` warps call `work(slots, results)`, where `results` has a
  /// slot for each warp of the tile. Every lane may read the results until the next collective's first barrier. Two
  /// barriers. With `Votes` a warp votes whether it is a worker (by its lanes among the tile's first `Lanes`: all lanes
  /// of the workers, or a part of a single one), so that the compiler knows that the warp doesn't diverge and omits
  /// reconvergence.
  template <unsigned Row = 1, unsigned Workers = 1, bool Votes = false, unsigned Lanes = 32 * Workers, class T,
            class Work>
  TESSERA_FN auto combine_in_first_warps(T const& x, bool is_writer, unsigned slot, Work work) const {
    auto const storage = backend_.template inputs<T, Row, true>();
    auto const results = backend_.template outputs<T, Row>();
    if (is_writer) storage.write(slot, x);
    backend_.barrier();
    bool works = Workers == warps || warp() < Workers;
    if constexpr (Votes) works = backend_.of_warp(works, rank() < Lanes);
    if (works) work(storage, results);
    backend_.barrier();
    return results;
  }

  /// True if any lane passes true; the number of lanes that do. One barrier.
  TESSERA_FN bool any(bool mine, bool again = false) const {
    return backend_.can_count() ? backend_.barrier_count(mine) != 0 : ballot(mine, again).any();
  }
  TESSERA_FN unsigned count(bool mine) const {
    return backend_.can_count() ? backend_.barrier_count(mine) : ballot(mine).count();
  }
  TESSERA_FN bool all_agree(bool mine) const { return !any(!mine); }

  /// `again`: the same collective exchanges once more, as for `all_gather`.
  TESSERA_FN lane_mask<size> ballot(bool mine, bool again = false) const {
    stl::uint32_t const word = in_warp().ballot(mine).word();
    auto const words = all_gather(
        word, lane() == 0, warp(), [&](slots_of<stl::uint32_t> storage) { return read_all<stl::uint32_t>(storage); },
        again);
    lane_mask<size> mask{};
    TESSERA_UNROLL
    for (unsigned w = 0; w < warps; ++w) mask.set_word(w, w < valid_warps() ? words[w] : 0u);
    return mask;
  }

  /// The x of lane `source`, which is the same for all lanes of the tile. Two barriers.
  template <class T>
  TESSERA_FN T broadcast(T const& x, unsigned source) const {
    return all_gather(x, rank() == source, 0, [](slots_of<T> storage) { return storage.read(0); });
  }

  /// The x of lane `source`, which may differ from lane to lane. Windows of ranks are written one after the other, and
  /// lanes read from the window that contains their source. Two barriers a window; there is one window if each lane has
  /// a slot. Large values are moved in pieces.
  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    if constexpr (moves_in_pieces<T>) {
      words<T> all = detail::to_words(x);
      TESSERA_UNROLL
      for (unsigned i = 0; i < piece_count<T, piece_words>; ++i) {
        if (i > 0) barrier_between();
        detail::put_piece(all, i, shuffle_whole(detail::piece_of<piece_words>(all, i), source));
      }
      return detail::from_words<T>(all);
    } else {
      return shuffle_whole(x, source);
    }
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned mask) const {
    if (mask < 32) return in_warp().shuffle_xor(x, mask);
    unsigned const source = rank() ^ mask;
    return shuffle(x, source < valid_count() ? source : rank());
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
  /// A shift by one lane exchanges only the warps' edges. Two barriers.
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta <= rank();
    if (delta != 1) return shuffle(x, in_range ? rank() - delta : rank());
    T const within = in_warp().shuffle_up(x, 1);
    T const edge = all_gather(x, lane() == last_lane(), warp(),
                              [&](slots_of<T> storage) { return storage.read(warp() == 0 ? 0 : warp() - 1); });
    return detail::select(in_range && lane() == 0, edge, within);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta < valid_count() - rank();
    if (delta != 1) return shuffle(x, in_range ? rank() + delta : rank());
    T const within = in_warp().shuffle_down(x, 1);
    T const edge = all_gather(x, lane() == 0, warp(), [&](slots_of<T> storage) {
      return storage.read(warp() + 1 == valid_warps() ? warp() : warp() + 1);
    });
    return detail::select(in_range && lane() == 31, edge, within);
  }

  /// The lanes with the same bits. Every lane compares its x with every other's; as many barriers as `shuffle`.
  template <class T>
  TESSERA_FN lane_mask<size> match(T const& x) const {
    if constexpr (moves_in_pieces<T>) {
      words<T> const all = detail::to_words(x);
      auto same = lane_mask<size>::full();
      TESSERA_UNROLL
      for (unsigned i = 0; i < piece_count<T, piece_words>; ++i) {
        if (i > 0) barrier_between();
        same = same & match_whole(detail::piece_of<piece_words>(all, i));
      }
      return same;
    } else {
      return match_whole(x);
    }
  }
  /// True if all lanes have the same bits. Three barriers.
  template <class T>
  TESSERA_FN bool all_match(T const& x) const {
    return all_agree(detail::same_bits(x, broadcast(x, 0)));
  }

 private:
  template <class T>
  TESSERA_FN T shuffle_whole(T const& x, unsigned source) const {
    constexpr unsigned window = warps * row<T>, rounds = size / window;
    words<T> got = detail::to_words(x);
    TESSERA_LOOP
    for (unsigned round = 0; round < rounds; ++round) {
      auto const storage = backend_.template inputs<T, row<T>>();
      if (rank() / window == round) storage.write(rank() % window, x);
      backend_.barrier();
      if (source / window == round) got = detail::to_words(storage.read(source % window));
      if (round + 1 < rounds) backend_.barrier();
    }
    trailing_barrier();
    return detail::from_words<T>(got);
  }
  /// Both loops count down to 0: nvcc 13 turns a counter that goes up by 32 into one that starts below 0 and is
  /// compared as unsigned (docs/explanation/compilers-faults.md).
  template <class T>
  TESSERA_FN lane_mask<size> match_whole(T const& x) const {
    constexpr unsigned window = warps * row<T>, rounds = size / window, together = window < 32 ? window : 32;
    lane_mask<size> same{};
    TESSERA_LOOP
    for (unsigned left = rounds; left != 0; --left) {
      auto const storage = backend_.template inputs<T, row<T>>();
      if (rank() / window == rounds - left) storage.write(rank() % window, x);
      backend_.barrier();
      unsigned slot = 0;
      TESSERA_LOOP
      for (unsigned steps = window / together; steps != 0; --steps) {
        stl::uint32_t bits = 0;
        for (unsigned i = 0; i < together; ++i)
          bits |= stl::uint32_t{detail::same_bits(x, storage.read(slot + i))} << i;
        same = detail::with_next_lanes<together>(same, bits);
        slot += together;
      }
      if (left != 1) backend_.barrier();
    }
    trailing_barrier();
    return same;
  }

  Backend backend_;
};

template <class Group, class T, unsigned Row = 1>
using slots_of = typename Group::template slots_of<T, Row>;
template <class Group, class T, unsigned Row>
using raking_slots_of = typename Group::template raking_slots_of<T, Row>;

template <class Group>
inline constexpr bool is_multi_warp = false;
template <class Backend>
inline constexpr bool is_multi_warp<multi_warp_group<Backend>> = true;

/// True if a collective that exchanges nothing needs a rendezvous of its own, so that a host tile can report missing
/// lanes: on host groups of one warp. (Several warps meet when a collective begins.)
template <class Group>
inline constexpr bool meets_by_exchange = !is_warp<Group> && !is_multi_warp<Group>;

}  // namespace detail
TESSERA_NAMESPACE_END
