// Sorting by a bitonic network over the items of all lanes of a group, in blocked order.
//
//   position            0 1 2 3   4 5 6 7   8 9 …        item i of rank r is at position r · K + i
//   in each lane        sort K items
//   2 lanes, 4, … N     compare with the mirrored position of the other half, then with positions N/4, … 1 lanes away;
//                       then merge the K items of each lane
//
// Every comparison puts the earlier entry at the lower position. So positions from some limit on, which take no part,
// keep their values: nothing is compared with them.
//
// Source: K. E. Batcher, "Sorting networks and their applications", 1968; the form without directions as in M. F.
// Ionescu, K. E. Schauser, "Optimizing parallel bitonic sort", 1997.
#pragma once

#include <tessera/block/sort.hpp>
#include <tessera/cluster/merge.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/lanes.hpp>
#include <tessera/tile/sort_by_digits.hpp>
#include <tessera/tile/strict_order.hpp>
#include <tessera/tile/transpose.hpp>
#include <tessera/warp/sort_network.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Sorts the entries of a group. With `Partial`, positions from `limit` on take no part.
template <bool Partial, class Order, class Group, class Entry, unsigned K>
class bitonic_sorter {
  static constexpr unsigned N = Group::size;
  /// Code without loops would be longer than what instruction caches hold: its warps would wait for instructions.
  static constexpr bool is_long = N * K >= 1024 && K >= 16;
  using row = items<Entry, K>;

 public:
  TESSERA_FN bitonic_sorter(Group group, Order const& order, unsigned limit)
      : group_(group), order_(order), limit_(limit) {}

  TESSERA_FN row sort(row x) const {
    sort_all(x);
    if constexpr (N > 32) {
      if constexpr (has_slots_for_comparators<Group, Entry, K>) group_.trailing_barrier();
    }
    return x;
  }
  /// Sorts the entries, for a caller whose memory has a slot for each item, i · N + r for item i of rank r. Afterwards
  /// this lane may write its slots at once; other lanes' slots after a barrier.
  TESSERA_FN void sort_in_slots(row& x) const {
    sort_all(x);
    if (!compares_in_slots() && !Group::has_trailing_barrier) group_.sync();
  }

 private:
  TESSERA_FN void sort_all(row& x) const {
    in_lane<odd_even_sort<K>>(x);
    if constexpr (is_long) {
      TESSERA_LOOP
      for (unsigned lanes = 2; lanes <= N && lanes <= 32; lanes *= 2) merge_within_warp(x, lanes);
    } else {
      TESSERA_UNROLL
      for (unsigned lanes = 2; lanes <= N && lanes <= 32; lanes *= 2) merge_within_warp(x, lanes);
    }
    if constexpr (N > 32 && Order::is_cheap) {
      TESSERA_UNROLL
      for (unsigned lanes = 64; lanes <= N; lanes *= 2) merge_across_warps(x, lanes);
    } else if constexpr (N > 32) {
      TESSERA_LOOP
      for (unsigned lanes = 64; lanes <= N; lanes *= 2) merge_across_warps(x, lanes);
    }
  }
  TESSERA_FN bool compares_in_slots() const {
    return has_slots_for_comparators<Group, Entry, K> && !group_.is_partial();
  }
  /// Merges the sorted halves of every `lanes` lanes.
  TESSERA_FN void merge_within_warp(row& x, unsigned lanes) const {
    across_lanes<true>(x, lanes - 1);
    if constexpr (is_long) {
      TESSERA_LOOP
      for (unsigned apart = lanes / 4; apart > 0; apart /= 2) across_lanes<false>(x, apart);
    } else {
      TESSERA_UNROLL
      for (unsigned apart = lanes / 4; apart > 0; apart /= 2) across_lanes<false>(x, apart);
    }
    merge_in_lane(x);
  }
  TESSERA_FN void merge_across_warps(row& x, unsigned lanes) const {
    unsigned bits = 5;  // shuffles compare the bits below
    if constexpr (has_slots_for_comparators<Group, Entry, K>) {
      if (compares_in_slots()) {
        bits =
            cross_warp_comparators<Partial, Order, Group, Entry, K>(group_, order_, limit_, detail::highest_bit(lanes))
                .compare(x);
      } else {
        exchange_across_warps(x, lanes);
      }
    } else {
      exchange_across_warps(x, lanes);
    }
    TESSERA_UNROLL
    for (unsigned bit = 5; bit > 0; --bit) {
      if (bit <= bits) across_lanes<false>(x, 1u << (bit - 1));
    }
    merge_in_lane(x);
  }
  TESSERA_FN void exchange_across_warps(row& x, unsigned lanes) const {
    across_lanes<true>(x, lanes - 1);
    TESSERA_LOOP
    for (unsigned apart = lanes / 4; apart >= 32; apart /= 2) across_lanes<false>(x, apart);
  }

  /// Compares each item with the one of lane rank ^ bits at the same index; with `Mirrored` at the same index from the
  /// end.
  template <bool Mirrored>
  TESSERA_FN void across_lanes(row& x, unsigned bits) const {
    unsigned const rank = group_.rank(), other = rank ^ bits;
    bool const upper = other < rank;
    stl::uint32_t const one = detail::opaque_one();
    row const theirs = group_.shuffle_xor(Mirrored ? detail::in_reverse(x) : x, bits);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      detail::require_strict(group_, order_, x[i], theirs[i]);
      Entry const kept = order_.template keep<(K > 1)>(upper, x[i], theirs[i], one);
      if constexpr (Partial) {
        unsigned const high = upper ? rank * K + i : other * K + (Mirrored ? K - 1 - i : i);
        detail::assign(x[i], detail::select(high < limit_, kept, x[i]));
      } else {
        detail::assign(x[i], kept);
      }
    }
  }

  TESSERA_FN void merge_in_lane(row& x) const {
    if constexpr ((K & (K - 1)) == 0) {
      in_lane<bitonic_merge<K>>(x);
    } else {
      in_lane<odd_even_sort<K>>(x);
    }
  }

  template <class Network>
  TESSERA_FN void in_lane(row& x) const {
    unsigned const first = group_.rank() * K;
    detail::run_network<Network>(x, [&](Entry& low, Entry& high, unsigned index) {
      if constexpr (Partial) {
        Entry a = low, b = high;
        order_.put_in_order(a, b);
        bool const takes_part = first + index < limit_;
        detail::assign(low, detail::select(takes_part, a, low));
        detail::assign(high, detail::select(takes_part, b, high));
      } else {
        order_.put_in_order(low, high);
      }
    });
  }

  Group group_;
  Order const& order_;
  unsigned limit_;
};

/// Sorts entries by a network.
template <class Policy, class Group, class Order, class Entry, unsigned K>
TESSERA_FN items<Entry, K> sort_entries(Group group, items<Entry, K> const& x, Order const& order,
                                        Policy const& policy) {
  constexpr bool partial = Group::may_be_partial || !everyone_participates<Policy>;
  return bitonic_sorter<partial, Order, Group, Entry, K>(group, order, detail::positions_of<K>(group, policy)).sort(x);
}

template <class Source>
inline constexpr unsigned item_count = 0;
template <class T, unsigned K>
inline constexpr unsigned item_count<items<T, K>> = K;
template <class Key, class Values, unsigned K>
inline constexpr unsigned item_count<keys_and_values<items<Key, K>, Values>> = K;

/// Moves the items from the policy's order to the network's, and back. If all values take part, the network takes them
/// in any order: their position decides between equal ones, and `positions_in` numbers them accordingly.
template <class Policy, class Group, class T, unsigned K>
TESSERA_FN items<T, K> from_order([[maybe_unused]] Group group, items<T, K> const& x) {
  if constexpr (is_striped<Policy> && K > 1 && !everyone_participates<Policy>) {
    return detail::to_blocked(group, x);
  } else {
    return x;
  }
}
template <class Policy, class Group, class T, unsigned K>
TESSERA_FN items<T, K> into_order([[maybe_unused]] Group group, items<T, K> const& x) {
  if constexpr (is_striped<Policy> && K > 1) {
    return detail::to_striped(group, x);
  } else {
    return x;
  }
}
template <class Policy, class Group, class Keys, class Values>
TESSERA_FN keys_and_values<Keys, Values> from_order(Group group, keys_and_values<Keys, Values> const& x) {
  return {detail::from_order<Policy>(group, x.keys), detail::from_order<Policy>(group, x.values)};
}
template <class Policy, class Group, class Keys, class Values>
TESSERA_FN keys_and_values<Keys, Values> into_order(Group group, keys_and_values<Keys, Values> const& x) {
  return {detail::into_order<Policy>(group, x.keys), detail::into_order<Policy>(group, x.values)};
}

/// The positions of values in the network's order, and the slot of each: item i of rank r has slot i · N + r.
template <class Policy, unsigned N, unsigned K>
struct positions_in {
  static constexpr bool is_in_striped_order = is_striped<Policy> && everyone_participates<Policy>;

  TESSERA_FN static unsigned of(unsigned rank, unsigned i) { return is_in_striped_order ? i * N + rank : rank * K + i; }
  TESSERA_FN static unsigned slot_of(unsigned position) {
    return is_in_striped_order ? position : position % K * N + position / K;
  }
};

/// True if a form's entries are sorted by digits: if there are many, of several warps with a slot for each item, larger
/// than a word.
template <class Form, class Group, unsigned K>
TESSERA_FN constexpr bool sorts_by_digits() {
  if constexpr (is_multi_warp<Group> && Form::has_digits) {
    return sizeof(typename Form::entry) > 4 && detail::prefers_digits(Group::size, K) &&
           Group::template row<items<stl::uint32_t, K>> == 32;
  } else {
    return false;
  }
}

/// Sorts a lane's items by the digits of their keys. Numbers that can't be restored from their keys move with them.
template <class Policy, class Digits, class Group, class T, unsigned K, class Others>
TESSERA_FN void sort_by_digits(Group group, items<T, K>& x, Others& others, Policy const& policy) {
  constexpr bool partial = Group::may_be_partial || !everyone_participates<Policy>;
  using network = bitonic_sorter<partial, key_order, Group, stl::uint32_t, K>;
  using key = typename Digits::type;
  items<key, K> keys{};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) keys[i] = Digits::of(x[i]);
  digit_sorter<network, positions_in<Policy, Group::size, K>, Group, key, K> const sorter(
      group, detail::positions_of<K>(group, policy));
  sorter.sort(keys, others);
  if constexpr (Digits::has_number) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) detail::assign(x[i], Digits::number_of(keys[i]));
  }
}
template <class Policy, class Digits, class Group, class T, unsigned K>
TESSERA_FN void sort_source_by_digits(Group group, items<T, K>& x, Policy const& policy) {
  if constexpr (Digits::has_number) {
    nothing_else others{};
    detail::sort_by_digits<Policy, Digits>(group, x, others, policy);
  } else {
    detail::sort_by_digits<Policy, Digits>(group, x, x, policy);
  }
}
template <class Policy, class Digits, class Group, class Keys, class Values>
TESSERA_FN void sort_source_by_digits(Group group, keys_and_values<Keys, Values>& x, Policy const& policy) {
  if constexpr (Digits::has_number) {
    detail::sort_by_digits<Policy, Digits>(group, x.keys, x.values, policy);
  } else {
    detail::sort_by_digits<Policy, Digits>(group, x.keys, x, policy);
  }
}

/// Sorts a lane's items by a network of entries. A form (sort_entry.hpp) defines an entry: the value or its key, alone
/// or with more.
template <class Form, class Group, class Source, class Policy>
TESSERA_FN Source sort_entries_of(Group group, Form const& form, Source const& source, Policy const& policy) {
  constexpr unsigned K = item_count<Source>;
  auto entries = detail::from_words<items<typename Form::entry, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i)
    detail::assign(entries[i], form.entry_of(source, i, positions_in<Policy, Group::size, K>::of(group.rank(), i)));
  detail::assign(entries, detail::sort_entries(group, entries, form.order(), policy));
  auto out = source;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) form.store(entries[i], out, i);
  if constexpr (Form::may_branch) group.reconverge();
  return out;
}

/// Sorts a lane's items, in the policy's order.
template <class Form, class Group, class Source, class Policy>
TESSERA_FN Source sort_in_form(Group group, Form const& form, Source const& given, Policy const& policy) {
  constexpr unsigned K = item_count<Source>;
  auto source = detail::from_order<Policy>(group, given);
  if constexpr (sorts_by_digits<Form, Group, K>()) {
    detail::sort_source_by_digits<Policy, typename Form::digits>(group, source, policy);
    return detail::into_order<Policy>(group, source);
  } else {
    return detail::into_order<Policy>(group, detail::sort_entries_of(group, form, source, policy));
  }
}
/// The policy for the part of `first(n)` in one block.
template <class Policy>
TESSERA_FN Policy policy_of_block(Policy policy, [[maybe_unused]] unsigned first, [[maybe_unused]] unsigned count) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    unsigned const left = policy.n > first ? policy.n - first : 0;
    policy.n = left < count ? left : count;
  }
  return policy;
}

/// Sorts the items of several blocks: each sorts its own, and the blocks merge them by `before`.
template <class Form, class Group, class Source, class Before, class Policy>
TESSERA_FN Source sort_blocks(Group group, Form const& form, Source const& source, Before const& before,
                              Policy const& policy) {
  constexpr unsigned K = item_count<Source>, of_block = K * Group::threads;
  auto const in_block = group.backend().template in_block_with<bytes_of_items<Source>::all>();
  Source x =
      detail::sort_in_form(in_block, form, source, detail::policy_of_block(policy, group.block() * of_block, of_block));
  detail::merge_blocks(group, x, before, detail::positions_of<K>(group, policy));
  if constexpr (Form::may_branch) group.reconverge();
  return x;
}
template <collective_row const& Collective, bool Stable, class Tile, class X, class Before, class Policy>
TESSERA_FN auto sort_values(Tile const& tile, X const& x, Before const& before, Policy const& policy, call_site site) {
  using T = item_t<X>;
  using comparator = canonical_comparator_t<Before, T>;
  require_exchangeable<X>();
  require_comparator<Tile, comparator, T>();
  value_form<Stable, T, comparator> const form(detail::canonical_comparator<T>(before));
  return detail::collective<Collective, X, comparator>(
      tile, policy, site, 0, [TESSERA_CAPTURES](group_of<Tile, Policy> group) {
        if constexpr (is_cluster<Tile>) {
          return detail::as_given<X>(
              detail::sort_blocks(group, form, detail::as_row(x), detail::canonical_comparator<T>(before), policy));
        } else {
          return detail::as_given<X>(detail::sort_in_form(group, form, detail::as_row(x), policy));
        }
      });
}

template <collective_row const& Collective, bool Stable, class Tile, class Keys, class Values, class Before,
          class Policy>
TESSERA_FN auto sort_pairs(Tile const& tile, Keys const& keys, Values const& values, Before const& before,
                           Policy const& policy, call_site site) {
  using Key = item_t<Keys>;
  using comparator = canonical_comparator_t<Before, Key>;
  using result = keys_and_values<Keys, Values>;
  require_exchangeable<Keys>();
  require_exchangeable<Values>();
  require_comparator<Tile, comparator, Key>();
  pair_form<Stable, Key, item_t<Values>, comparator> const form(detail::canonical_comparator<Key>(before));
  return detail::collective<Collective, Keys, Values, comparator>(
      tile, policy, site, 0, [TESSERA_CAPTURES](group_of<Tile, Policy> group) {
        auto const k = detail::as_row(keys);
        auto const v = detail::as_row(values);
        using source = keys_and_values<stl::remove_const_t<decltype(k)>, stl::remove_const_t<decltype(v)>>;
        static_assert(decltype(k)::count == decltype(v)::count,
                      "sort_by_key(tile, keys, values): there are as many values as keys: items<Key, K> and "
                      "items<Value, K>.");
        auto const sorted = [&] {
          if constexpr (is_cluster<Tile>) {
            return detail::sort_blocks(group, form, source{k, v}, detail::canonical_comparator<Key>(before), policy);
          } else {
            return detail::sort_in_form(group, form, source{k, v}, policy);
          }
        };
        auto const out = sorted();
        return result{detail::as_given<Keys>(out.keys), detail::as_given<Values>(out.values)};
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
