// The first K values of a group of several warps: each warp selects its own, and the first warp selects from those.
//
//   each warp    selects its first P = 2^⌈log2(K)⌉ entries
//   slots        [P of warp 0] [P of warp 1] [P of warp 2] …
//   first warp   reads them, one run after another from both ends, merges the runs and writes P results
//   every lane   reads all K, or its own
//
// If K exceeds 32, or the memory is too small, exchanges of the whole group select the values: see tile/top_k.hpp.
#pragma once

#include <tessera/group/multi_warp_group.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/tile/top_k.hpp>
#include <tessera/tile/top_k_by_digits.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if there are slots for P entries of each warp.
template <class Group, class Entry, unsigned P>
inline constexpr bool has_slots_for_selection =
    !Group::template moves_in_pieces<Entry> && P <= Group::template row<Entry>;

/// Merges runs of P entries, of which each lane has one entry a run: in `x` the one at the lane's place, in `from_end`
/// the one at the same place from the end.
template <unsigned P, class Merger, class Entry, unsigned Rows>
TESSERA_FN items<Entry, 1> merge_rows(Merger const& merger, items<Entry, Rows> const& x,
                                      items<Entry, Rows> const& from_end, unsigned lane) {
  auto kept = x;
  merger.keep_first(kept, from_end);
  merger.template merge_blocks<run_places<detail::exponent_of(P), 0>, 0>(kept, lane % P);
  if constexpr (Rows == 1) {
    return kept;
  } else {
    auto const low = detail::first_items<Rows / 2>(kept);
    auto high = low;
    TESSERA_UNROLL
    for (unsigned i = 0; i < Rows / 2; ++i) detail::assign(high[i], kept[Rows / 2 + i]);
    return detail::merge_rows<P>(merger, low, merger.mirrored(high, P), lane);
  }
}

/// Returns the first P of all warps' runs, entry i in lane i of a warp.
template <unsigned P, unsigned Warps, class Group, class Order, class Slots>
TESSERA_FN auto merge_slots(Group warp, Order const& order, Slots storage) {
  using Entry = decltype(storage.read(0));
  constexpr unsigned all = Warps * P, row_count = all / 64 > 1 ? all / 64 : 1;
  unsigned const lane = warp.rank();
  run_merger<Order, Group, Entry> const merger(warp, order);
  auto x = detail::from_words<items<Entry, row_count>>({}), from_end = x;
  if constexpr (all < 64) {
    detail::assign(x[0], storage.read(lane % all));
    unsigned block = lane % P;
    TESSERA_UNROLL
    for (unsigned bit = detail::exponent_of(P); bit < detail::exponent_of(all); ++bit)
      merger.template merge_copies<run_places<detail::exponent_of(P), 0>>(x, block, bit);
    return x[0];
  } else {
    TESSERA_UNROLL
    for (unsigned i = 0; i < row_count; ++i) {
      detail::assign(x[i], storage.read(64 * i + lane));
      detail::assign(from_end[i], storage.read(64 * i + 32 + (lane ^ (P - 1))));
    }
    auto first = detail::merge_rows<P>(merger, x, from_end, lane);
    unsigned block = lane % P;
    TESSERA_UNROLL
    for (unsigned bit = detail::exponent_of(P); bit < 5; ++bit)
      merger.template merge_copies<run_places<detail::exponent_of(P), 0>>(first, block, bit);
    return first[0];
  }
}

/// Reads the first K results from the slots, or the lane's own.
template <unsigned K, class T, class Policy, class Group, class Form, class Slots>
TESSERA_FN auto read_selection(Group group, Form const& form, Slots storage) {
  if constexpr (is_scattered<Policy>) {
    return items<T, 1>{{form.decode(storage.read(group.rank() < K ? group.rank() : 0))}};
  } else {
    auto out = detail::from_words<items<T, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) detail::assign(out[i], form.decode(storage.read(i)));
    return out;
  }
}

/// Returns the first K of the warps' runs, which have P entries, one a lane, and slots.
template <unsigned K, class T, class Policy, class Form, class Backend, class Entry, class Places>
TESSERA_FN auto select_by_slots(multi_warp_group<Backend> group, Form const& form,
                                sorted_run<Entry, 1, Places> const& run) {
  constexpr unsigned P = detail::power_of_two_from(K);
  auto const order = form.order();
  auto const warp = group.in_warp();
  auto const storage = group.backend().template inputs<Entry, P>();
  if (group.lane() < P) storage.write(group.warp() * P + run.block, run.x[0]);
  group.sync();
  if (group.warp() == 0) {
    Entry const first = detail::merge_slots<P, multi_warp_group<Backend>::warps>(warp, order, storage);
    warp.sync();
    if (group.lane() < P) storage.write(group.lane(), first);
  }
  group.sync();
  auto const out = detail::read_selection<K, T, Policy>(group, form, storage);
  group.trailing_barrier();
  return out;
}

template <unsigned K, class T, class Policy, class Form, class Group, class Entry, unsigned Items>
TESSERA_FN auto select_first(Group group, Form const& form, items<Entry, Items> const& x, Entry const& missing) {
  if constexpr (selects_by_digits<Form, Group, Items, detail::power_of_two_from(K)>) {
    return detail::select_by_digits<K, T, Policy>(group, form, x, missing);
  } else {
    return detail::select_by_exchanges<K, T, Policy>(group, form, x, missing);
  }
}
template <unsigned K, class T, class Policy, class Form, class Backend, class Entry, unsigned Items>
TESSERA_FN auto select_first(multi_warp_group<Backend> group, Form const& form, items<Entry, Items> const& x,
                             Entry const& missing) {
  constexpr unsigned P = detail::power_of_two_from(K);
  if constexpr (has_slots_for_selection<multi_warp_group<Backend>, Entry, P>) {
    return detail::select_by_slots<K, T, Policy>(group, form,
                                                 detail::first_entries<P>(group.in_warp(), form.order(), x, missing));
  } else {
    return detail::select_by_exchanges<K, T, Policy>(group, form, x, missing);
  }
}
/// Returns the first K of the warps' runs, which have P entries each.
template <unsigned K, class T, class Policy, class Form, class Backend, class Entry, unsigned M, class Places>
TESSERA_FN auto select_of_warps(multi_warp_group<Backend> group, Form const& form,
                                sorted_run<Entry, M, Places> const& run) {
  constexpr unsigned P = detail::power_of_two_from(K);
  if constexpr (has_slots_for_selection<multi_warp_group<Backend>, Entry, P>) {
    return detail::select_by_slots<K, T, Policy>(group, form, run);
  } else {
    auto x = run.x;  // lanes from P on have copies
    TESSERA_UNROLL
    for (unsigned i = 0; i < M; ++i) detail::assign(x[i], detail::select(group.lane() < P, x[i], Form::nothing()));
    return detail::select_by_exchanges<K, T, Policy>(group, form, x, Form::nothing());
  }
}

/// Returns the first K of a tile's values.
template <unsigned K, class Tile, class X, class Before, class Policy>
TESSERA_FN auto select_values(Tile const& tile, X const& x, Before const& before, Policy const& policy,
                              call_site site) {
  using T = item_t<X>;
  using comparator = canonical_comparator_t<Before, T>;
  require_exchangeable<X>();
  require_selection_order<Tile, Before, T>();
  static_assert(K >= 1 && K <= tile_size_v<Tile> * decltype(detail::as_row(x))::count,
                "top_k<K>(tile, x): K is at least 1, and at most the number of values that the tile holds.");
  auto const form = detail::selection_form<T>(detail::canonical_comparator<T>(before));
  using form_t = stl::remove_const_t<decltype(form)>;
  return detail::collective<collectives::top_k, X, comparator>(
      tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
        auto const row = detail::as_row(x);
        constexpr unsigned Items = decltype(row)::count;
        auto entries = detail::from_words<items<typename form_t::entry, Items>>({});
        TESSERA_UNROLL
        for (unsigned i = 0; i < Items; ++i)
          detail::assign(entries[i], detail::selection_entry(form, row[i], group.rank() * Items + i, policy));
        typename form_t::entry missing = entries[0];
        form_t::leave_out(missing);
        auto const out = detail::select_first<K, T, Policy>(group, form, entries, missing);
        if constexpr (form_t::may_branch) group.reconverge();
        return out;
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
