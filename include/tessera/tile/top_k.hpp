// The first K values of a group, in order, without sorting more of them than needed.
//
//   each lane            its values in order, of many items the first K
//   lanes join           until sorted runs have P = 2^⌈log2(K)⌉ values: M items in each of G lanes
//   two runs become one  a P values in order      1 4 7 9
//                        b from its end           8 5 3 2
//                        the earlier of each two  1 4 3 2     the first P of both: rising and falling, or the reverse
//                        merge                    1 2 3 4
//
// If a lane has several items of a run, the lanes of two runs share the result, half the items each: lane r of run a
// gets the results at the places of its lower items, and its partner in b, which has the same places from the end,
// those at the places of r's upper items. So both keep their lower half and send the upper. Lanes with one item both
// get the result.
//
// After that, the places of a run aren't in the order of ranks any more: `run_places` tells which lane has which.
//
// Source: K. E. Batcher, "Sorting networks and their applications", 1968 (bitonic merging); A. Shanbhag, H. Pirk, S.
// Madden, "Efficient top-k query processing on GPUs", 2018 (bitonic top-k).
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/lanes.hpp>
#include <tessera/tile/sort.hpp>
#include <tessera/tile/top_k_entry.hpp>
#include <tessera/tile/transpose.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Tells which lanes have the blocks of a run. It began as a run of 2^Grown lanes in the order of their ranks, and then
/// two runs have shared their result `Shared` times. Block p is on the lane that is the xor of `flip(j)` for all bits j
/// of p, within the lanes of the run; hence lanes whose blocks differ in bit j are `flip(j)` apart.
template <unsigned Grown, unsigned Shared>
struct run_places {
  static constexpr unsigned bits = Grown + Shared;

  /// The distance of the lanes whose blocks differ in all bits.
  TESSERA_FN static constexpr unsigned mirror_after(unsigned shared) {
    return shared == 0 ? (1u << Grown) - 1 : 1u << (Grown + shared - 1);
  }
  static constexpr unsigned mirror = mirror_after(Shared);

  TESSERA_FN static constexpr unsigned flip(unsigned bit) {
    unsigned const later = bit + 1;  // lanes of bits below `Shared` were added later, the last for bit 0
    if (later > Shared) return 1u << (bit - Shared);
    return mirror_after(Shared - later) ^ 1u << (Grown + Shared - later);
  }
  TESSERA_FN static constexpr unsigned lane_of(unsigned block) {
    unsigned lane = 0;
    TESSERA_UNROLL
    for (unsigned bit = bits; bit-- > 0;) lane ^= (block >> bit & 1) != 0 ? flip(bit) : 0;
    return lane;
  }
  /// True if block p is on lane p.
  static constexpr bool is_in_order = Shared == 0 || bits == 1;
};

/// The steps of a selection, on the entries of a group.
template <class Order, class Group, class Entry>
class run_merger {
 public:
  TESSERA_FN run_merger(Group group, Order const& order) : group_(group), order_(order) {}

  /// The first C of a lane's I values, in order, padded with `missing`.
  template <unsigned C, unsigned Items>
  TESSERA_FN items<Entry, C> first_of_lane(items<Entry, Items> const& x, Entry const& missing) const {
    auto out = sorted_chunk<0, C>(x, missing);
    join_chunks<C>(out, x, missing);
    return out;
  }

  /// Merges runs of one lane into runs of 2^Bits lanes.
  template <unsigned Bits, unsigned M>
  TESSERA_FN void grow(items<Entry, M>& x) const {
    TESSERA_UNROLL
    for (unsigned bits = 1; bits <= Bits && bits <= 5; ++bits) join_neighbors(x, bits);
    if constexpr (Bits > 5) {
      TESSERA_LOOP
      for (unsigned bits = 6; bits <= Bits; ++bits) join_neighbors(x, bits);
    }
  }

  /// Merges two runs; each lane keeps half of its items. `block` is the number of the lane's block, before and after.
  template <unsigned Grown, unsigned Shared, unsigned M>
  TESSERA_FN items<Entry, M / 2> share(items<Entry, M> const& x, unsigned& block) const {
    using before = run_places<Grown, Shared>;
    using after = run_places<Grown, Shared + 1>;
    constexpr unsigned bit = Grown + Shared;
    auto kept = detail::from_words<items<Entry, M / 2>>({});
    auto sent = kept;
    TESSERA_UNROLL
    for (unsigned i = 0; i < M / 2; ++i) {
      detail::assign(kept[i], x[i]);
      detail::assign(sent[i], x[M - 1 - i]);
    }
    keep_first(kept, group_.shuffle_xor(sent, before::mirror ^ 1u << bit));
    unsigned const upper = group_.rank() >> bit & 1;
    block = 2 * (upper != 0 ? block ^ ((1u << bit) - 1) : block) + upper;
    merge_blocks<after, 1>(kept, block);
    across<true>(kept, after::flip(0), upper != 0);
    merge_in_lane(kept);
    return kept;
  }

  /// Merges the run with that of the lanes that differ in this bit of the rank. Both get the result.
  template <class Places>
  TESSERA_FN void merge_copies(items<Entry, 1>& x, unsigned block, unsigned bit) const {
    keep_first(x, group_.shuffle_xor(x, Places::mirror ^ 1u << bit));
    merge_blocks<Places, 0>(x, block);
  }

  /// Sorts a run that rises and then falls, block by block, down to blocks that differ in bit `Last`.
  template <class Places, unsigned Last, unsigned M>
  TESSERA_FN void merge_blocks(items<Entry, M>& x, unsigned block) const {
    TESSERA_UNROLL
    for (unsigned bit = Places::bits; bit-- > Last;) across<false>(x, Places::flip(bit), (block >> bit & 1) != 0);
  }

  /// The items of the lane at the same place from the end of runs of P lanes.
  template <unsigned M>
  TESSERA_FN items<Entry, M> mirrored(items<Entry, M> const& x, unsigned P) const {
    return P == 1 ? x : group_.shuffle_xor(x, P - 1);
  }

  /// The earlier of each item and its counterpart.
  template <unsigned M>
  TESSERA_FN void keep_first(items<Entry, M>& x, items<Entry, M> const& others) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < M; ++i) {
      detail::require_strict(group_, order_, x[i], others[i]);
      detail::assign(x[i], order_.earlier(x[i], others[i]));
    }
  }

  /// Sorts a lane's items, which rise and then fall or fall and then rise.
  template <unsigned M>
  TESSERA_FN void merge_in_lane(items<Entry, M>& x) const {
    in_lane<bitonic_merge<M>>(x);
  }

 private:
  template <bool Mirrored, unsigned M>
  TESSERA_FN void across(items<Entry, M>& x, unsigned lanes, bool upper) const {
    stl::uint32_t const one = detail::opaque_one();
    auto const theirs = group_.shuffle_xor(Mirrored ? detail::in_reverse(x) : x, lanes);
    TESSERA_UNROLL
    for (unsigned i = 0; i < M; ++i) {
      detail::require_strict(group_, order_, x[i], theirs[i]);
      detail::assign(x[i], order_.template keep<(M > 1)>(upper, x[i], theirs[i], one));
    }
  }

  /// Merges the runs of 2^(bits − 1) lanes with consecutive ranks, keeping all values.
  template <unsigned M>
  TESSERA_FN void join_neighbors(items<Entry, M>& x, unsigned bits) const {
    unsigned const rank = group_.rank();
    across<true>(x, (1u << bits) - 1, (rank >> (bits - 1) & 1) != 0);
    TESSERA_UNROLL
    for (unsigned bit = bits - 1; bit-- > 0;) across<false>(x, 1u << bit, (rank >> bit & 1) != 0);
    merge_in_lane(x);
  }

  template <class Network, unsigned M>
  TESSERA_FN void in_lane(items<Entry, M>& x) const {
    detail::run_network<Network>(x, [&](Entry& low, Entry& high, unsigned) { order_.put_in_order(low, high); });
  }

  template <unsigned From, unsigned C, unsigned Items>
  TESSERA_FN items<Entry, C> sorted_chunk(items<Entry, Items> const& x, Entry const& missing) const {
    auto chunk = detail::from_words<items<Entry, C>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < C; ++i)
      detail::assign(chunk[i], From + i < Items ? x[From + i < Items ? From + i : 0] : missing);
    in_lane<odd_even_sort<C>>(chunk);
    return chunk;
  }
  template <unsigned From, unsigned C, unsigned Items>
  TESSERA_FN void join_chunks(items<Entry, C>& out, items<Entry, Items> const& x, Entry const& missing) const {
    if constexpr (From < Items) {
      keep_first(out, detail::in_reverse(sorted_chunk<From, C>(x, missing)));
      merge_in_lane(out);
      join_chunks<From + C>(out, x, missing);
    }
  }

  Group group_;
  Order const& order_;
};

/// A lane's part of a run of sorted values after a selection of N lanes: items block · M … block · M + M − 1.
template <class Entry, unsigned M, class Places>
struct sorted_run {
  using places = Places;
  items<Entry, M> x;
  unsigned block;
};

/// Halves the number of runs until one is left; lanes from 2^Bits on have copies.
template <unsigned Grown, unsigned Shared, class Order, class Group, class Entry, unsigned M>
TESSERA_FN auto merge_runs(run_merger<Order, Group, Entry> const& merger, items<Entry, M> x, unsigned block) {
  using places = run_places<Grown, Shared>;
  constexpr unsigned lane_bits = detail::exponent_of(Group::size);
  if constexpr (places::bits < lane_bits && M > 1) {
    auto const half = merger.template share<Grown, Shared>(x, block);
    return detail::merge_runs<Grown, Shared + 1>(merger, half, block);
  } else {
    if constexpr (places::bits < lane_bits) {
      TESSERA_UNROLL
      for (unsigned bit = places::bits; bit < lane_bits; ++bit) merger.template merge_copies<places>(x, block, bit);
    }
    return sorted_run<Entry, M, places>{x, block};
  }
}

/// The first P entries of a group as a sorted run. P is a power of two.
template <unsigned P, class Order, class Group, class Entry, unsigned Items>
TESSERA_FN auto first_entries(Group group, Order const& order, items<Entry, Items> const& x, Entry const& missing) {
  constexpr unsigned M = Items < P ? detail::power_of_two_from(Items) : P, grown = detail::exponent_of(P / M);
  run_merger<Order, Group, Entry> const merger(group, order);
  auto run = merger.template first_of_lane<M>(x, missing);
  merger.template grow<grown>(run);
  return detail::merge_runs<grown, 0>(merger, run, group.rank() & ((1u << grown) - 1));
}

// ---- Distribution of the values.

/// The number of values of T that several warps have slots for; 0 for other groups, and if values are moved in pieces.
template <class Group, class T>
inline constexpr unsigned slots_for_results = 0;
template <class Backend, class T>
inline constexpr unsigned slots_for_results<multi_warp_group<Backend>, T> =
    multi_warp_group<Backend>::template moves_in_pieces<T>
        ? 0
        : multi_warp_group<Backend>::warps* multi_warp_group<Backend>::template row<T>;

/// Gives every lane the first K of a run: several warps through slots, if there is one for each.
template <unsigned K, class Group, class T, unsigned M, class Places>
TESSERA_FN items<T, K> run_to_all(Group group, sorted_run<T, M, Places> const& run) {
  auto out = detail::from_words<items<T, K>>({});
  if constexpr (K <= slots_for_results<Group, T>) {
    auto const storage = group.backend().template inputs<T, Group::template row<T>>();
    bool const is_first = group.rank() == Places::lane_of(run.block);  // among the lanes that have copies
    TESSERA_UNROLL
    for (unsigned i = 0; i < M; ++i) {
      unsigned const number = run.block * M + i;
      if (is_first && number < K) storage.write(number, run.x[i]);
    }
    group.sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) detail::assign(out[i], storage.read(i));
    group.trailing_barrier();
  } else {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) detail::assign(out[i], group.broadcast(run.x[i % M], Places::lane_of(i / M)));
  }
  return out;
}

/// Moves a group's items from blocked to striped order; with several warps, one item of each lane at a time.
template <class Group, class T, unsigned M>
TESSERA_FN items<T, M> stripe(Group group, items<T, M> const& x) {
  if constexpr (M == 1 || Group::size == 1) {
    return x;
  } else if constexpr (Group::size <= 32) {
    return detail::to_striped(group, x);
  } else {
    constexpr unsigned N = Group::size;
    auto out = x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < M; ++i) {
      TESSERA_UNROLL
      for (unsigned s = 0; s < M; ++s) {  // number s · N + rank is item i of its lane if rank % M = i: M divides N
        T const got = group.shuffle(x[i], (s * N + group.rank()) / M);
        detail::assign(out[s], detail::select(group.rank() % M == i, got, out[s]));
      }
    }
    return out;
  }
}

/// Gives lane r block r of a run; lanes after the last block have copies.
template <class Group, class T, unsigned M, class Places>
TESSERA_FN items<T, M> run_in_order(Group group, sorted_run<T, M, Places> const& run) {
  if constexpr (Places::is_in_order) {
    return run.x;
  } else {
    return group.shuffle(run.x, Places::lane_of(group.rank() % (1u << Places::bits)));
  }
}

/// Gives lane i value i of the first K of a run; if there are more values than lanes, also value N + i and so on.
template <unsigned K, class Group, class T, unsigned M, class Places>
TESSERA_FN auto run_to_lanes(Group group, sorted_run<T, M, Places> const& run) {
  constexpr unsigned N = Group::size;
  return detail::first_items<(K + N - 1) / N>(detail::stripe(group, detail::run_in_order(group, run)));
}

template <class Policy>
inline constexpr bool is_scattered = stl::is_same_v<chosen_placement<Policy>, choice::scattered>;

template <unsigned K, class Policy, class Group, class T, unsigned M, class Places>
TESSERA_FN auto place_run(Group group, sorted_run<T, M, Places> const& run) {
  if constexpr (is_scattered<Policy>) {
    return detail::run_to_lanes<K>(group, run);
  } else {
    return detail::run_to_all<K>(group, run);
  }
}

/// The values of the entries of a run.
template <class T, class Form, class Entry, unsigned M, class Places>
TESSERA_FN auto decode_run(Form const& form, sorted_run<Entry, M, Places> const& run) {
  auto out = detail::from_words<items<T, M>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < M; ++i) detail::assign(out[i], form.decode(run.x[i]));
  return sorted_run<T, M, Places>{out, run.block};
}

/// The first K of the group's values.
template <unsigned K, class T, class Policy, class Form, class Group, class Entry, unsigned Items>
TESSERA_FN auto select_by_exchanges(Group group, Form const& form, items<Entry, Items> const& x, Entry const& missing) {
  auto const order = form.order();
  auto const run = detail::first_entries<detail::power_of_two_from(K)>(group, order, x, missing);
  return detail::place_run<K, Policy>(group, detail::decode_run<T>(form, run));
}

/// A lane's results as the call returns them: a value, or items if there are several.
template <unsigned K, class Tile, class Policy, class T, unsigned Count>
TESSERA_FN auto one_or_items(items<T, Count> const& x) {
  if constexpr (is_scattered<Policy> && K <= tile_size_v<Tile>) {
    return x[0];
  } else {
    return x;
  }
}

/// The order by less and greater of indexed numbers, which have no operator< of their own.
template <class Tile, class Before, class T>
TESSERA_FN auto require_selection_order() {
  if constexpr (!(indexed_number<T>::known && is_less_or_greater<canonical_comparator_t<Before, T>>))
    require_comparator<Tile, canonical_comparator_t<Before, T>, T>();
}

/// The entry of a value, or `missing` if first(n) leaves the value out.
template <class Form, class T, class Policy>
TESSERA_FN auto selection_entry(Form const& form, T const& x, unsigned position,
                                [[maybe_unused]] Policy const& policy) {
  typename Form::entry entry = form.encode(x, position);
  if constexpr (!everyone_participates<Policy>) {
    typename Form::entry absent = entry;
    Form::leave_out(absent);
    detail::assign(entry, detail::select(position < policy.n, entry, absent));
  }
  return entry;
}

}  // namespace detail

// The call without K, or with K after the value.
template <class Tile, class X, class... Rest>
TESSERA_FN detail::anything top_k(Tile const&, X const&, Rest const&...) {
  static_assert(detail::never<Tile>, "top_k<K>(tile, x): K is a constant: write tessera::top_k<5>(tile, x).");
  return {};
}
TESSERA_NAMESPACE_END
