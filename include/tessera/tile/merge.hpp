// Merging two sorted parts of a group's values by a bitonic network, without a step that only moves values.
//
//   rank r of N          a: items r · K …        b: items r · K …         each in order over the lanes
//   with lane N−1−r      first[i], last[i]       a's item i and b's mirrored one: the first and second half of all
//   with lane r ^ N/2    lanes below N/2 take all `first`, the others all `last`, and compare their two rows again
//   with N/4, … 1        the same in each half
//   in each lane         merge the K items of each row; the result is the 2K values from position 2K · r on
//
// Half of a lane's entries stay at every step, so a step moves K of the 2K.
//
// Source: K. E. Batcher, "Sorting networks and their applications", 1968; the distribution is derived here.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/lanes.hpp>
#include <tessera/tile/sort.hpp>
#include <tessera/warp/sort_network.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Order, class Group, class Entry, unsigned K>
class bitonic_merger {
  static constexpr unsigned N = Group::size;
  using row = items<Entry, K>;

 public:
  TESSERA_FN bitonic_merger(Group group, Order const& order) : group_(group), order_(order) {}

  TESSERA_FN items<Entry, 2 * K> merge(row const& a, row const& b) const {
    row first = a, last = detail::in_reverse(b);
    if constexpr (N > 1) detail::assign(last, group_.shuffle_xor(last, N - 1));
    put_in_order(first, last);
    if constexpr (N > 32) {
      TESSERA_LOOP
      for (unsigned apart = N / 2; apart >= 32; apart /= 2) halve(first, last, apart);
    }
    TESSERA_UNROLL
    for (unsigned apart = N > 32 ? 16 : N / 2; apart > 0; apart /= 2) halve(first, last, apart);
    merge_in_lane(first);
    merge_in_lane(last);
    return detail::joined(first, last);
  }

 private:
  /// Invariant: among lanes with the same ranks above `apart`, both rows are bitonic, and no entry of `last` comes
  /// before one of `first`. The lower half of these lanes takes `first`, the upper half `last`.
  TESSERA_FN void halve(row& first, row& last, unsigned apart) const {
    bool const upper = (group_.rank() & apart) != 0;
    row const got = group_.shuffle_xor(detail::select(upper, first, last), apart);
    row const kept = detail::select(upper, last, first);
    detail::assign(first, detail::select(upper, got, kept));
    detail::assign(last, detail::select(upper, kept, got));
    put_in_order(first, last);
  }

  TESSERA_FN void put_in_order(row& first, row& last) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      detail::require_strict(group_, order_, first[i], last[i]);
      order_.put_in_order(first[i], last[i]);
    }
  }

  TESSERA_FN void merge_in_lane(row& x) const {
    using network = stl::conditional_t<(K & (K - 1)) == 0, merge_of_bitonic, sort_of_any>;
    detail::run_network<typename network::type>(
        x, [&](Entry& low, Entry& high, unsigned) { order_.put_in_order(low, high); });
  }
  struct merge_of_bitonic {
    using type = bitonic_merge<(K & (K - 1)) == 0 ? K : 1>;
  };
  struct sort_of_any {
    using type = odd_even_sort<K>;
  };

  Group group_;
  Order const& order_;
};

/// Merges two rows of each lane: 2K entries a lane, in blocked order. A tile whose last lanes are missing sorts
/// instead, since the network needs all lanes.
template <class Group, class Order, class Entry, unsigned K>
TESSERA_FN items<Entry, 2 * K> merge_entries(Group group, items<Entry, K> const& a, items<Entry, K> const& b,
                                             Order const& order) {
  if constexpr (Group::may_be_partial) {
    if (group.valid_count() != Group::size) return detail::sort_entries(group, detail::joined(a, b), order, policy<>{});
  }
  return bitonic_merger<Order, Group, Entry, K>(group, order).merge(a, b);
}

/// The positions of a part that take part: all, or those below a count.
struct whole_part {
  TESSERA_FN constexpr bool operator()(unsigned) const { return true; }
};
struct counted_part {
  unsigned count;
  TESSERA_FN bool operator()(unsigned position) const { return position < count; }
};

/// A lane's entries of one part, whose positions begin at `base`.
template <class Form, class Source, class Part>
TESSERA_FN auto entries_of_part(Form const& form, Source const& source, unsigned rank, unsigned base,
                                Part const& part) {
  constexpr unsigned K = item_count<Source>;
  auto entries = detail::from_words<items<typename Form::entry, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const position = rank * K + i;
    stl::uint32_t const mark = part(position) ? 0u : stl::uint32_t{1} << 31;
    detail::assign(entries[i], form.entry_of(source, i, (base + position) | mark));
  }
  return entries;
}

/// A lane's items of one part, from the policy's order to blocked order.
template <class Policy, class Group, class T, unsigned K>
TESSERA_FN items<T, K> part_from_order([[maybe_unused]] Group group, items<T, K> const& x) {
  if constexpr (is_striped<Policy> && K > 1) {
    return detail::to_blocked(group, x);
  } else {
    return x;
  }
}
template <class Policy, class Group, class Keys, class Values>
TESSERA_FN keys_and_values<Keys, Values> part_from_order(Group group, keys_and_values<Keys, Values> const& x) {
  return {detail::part_from_order<Policy>(group, x.keys), detail::part_from_order<Policy>(group, x.values)};
}

/// Merges two parts in a form (sort_entry.hpp) into `out`, which has room for both.
template <class Policy, class Group, class Form, class Source, class Out, class Part>
TESSERA_FN void merge_in_form(Group group, Form const& form, Source const& given_a, Source const& given_b, Out& out,
                              Part const& part_a, Part const& part_b) {
  constexpr unsigned K = item_count<Source>;
  unsigned const rank = group.rank();
  auto const a = detail::part_from_order<Policy>(group, given_a);
  auto const b = detail::part_from_order<Policy>(group, given_b);
  auto const merged =
      detail::merge_entries(group, detail::entries_of_part(form, a, rank, 0, part_a),
                            detail::entries_of_part(form, b, rank, Group::size * K, part_b), form.order());
  TESSERA_UNROLL
  for (unsigned i = 0; i < 2 * K; ++i) form.store(merged[i], out, i);
  if constexpr (Form::may_branch) group.reconverge();
  if constexpr (is_striped<Policy>) detail::assign(out, detail::into_order<Policy>(group, out));
}

/// The type of a lane's part of both.
template <class X>
using merged_t = items<item_t<X>, 2 * item_count_of<X>>;

template <class A, class B>
TESSERA_FN constexpr void require_same_parts() {
  static_assert(stl::is_same_v<A, B>,
                "merge(tile, a, b): a and b are values of one type, or items<T, K> of one type and one K.");
}

/// Both counts as one number, to compare between lanes.
TESSERA_FN constexpr stl::uint64_t uniform_of_counts(whole_part, whole_part) {
  return 0;
}
TESSERA_FN stl::uint64_t uniform_of_counts(counted_part a, counted_part b) {
  return stl::uint64_t{a.count} << 32 | b.count;
}

/// n as a count of positions.
template <class Integer>
TESSERA_FN counted_part part_of(Integer n) {
  static_assert(stl::is_integral_v<Integer>,
                "merge(tile, a, na, b, nb): na and nb are integers, how many values of a and b are merged.");
  counted_part part{};  // nvcc rewrites a call in braces for the host, and wrongly
  part.count = tessera::first(n).n;
  return part;
}

template <class Tile, class X, class Part, class Before, class Policy>
TESSERA_FN auto merge_values(Tile const& tile, X const& a, Part part_a, X const& b, Part part_b, Before const& before,
                             Policy const& policy, call_site site) {
  using T = item_t<X>;
  using comparator = canonical_comparator_t<Before, T>;
  constexpr bool counted = stl::is_same_v<Part, counted_part>;
  require_exchangeable<X>();
  require_comparator<Tile, comparator, T>();
  value_form<true, T, comparator, counted> const form(detail::canonical_comparator<T>(before));
  return detail::collective<collectives::merge, X, comparator>(
      tile, policy, site, detail::uniform_of_counts(part_a, part_b), [TESSERA_CAPTURES](group_of<Tile, Policy> group) {
        auto out = detail::from_words<merged_t<X>>({});
        detail::merge_in_form<Policy>(group, form, detail::as_row(a), detail::as_row(b), out, part_a, part_b);
        return out;
      });
}

template <class Tile, class Keys, class Values, class Part, class Before, class Policy>
TESSERA_FN auto merge_pairs(Tile const& tile, keys_and_values<Keys, Values> const& a, Part part_a,
                            keys_and_values<Keys, Values> const& b, Part part_b, Before const& before,
                            Policy const& policy, call_site site) {
  using Key = item_t<Keys>;
  using Value = item_t<Values>;
  using comparator = canonical_comparator_t<Before, Key>;
  using result = keys_and_values<merged_t<Keys>, merged_t<Values>>;
  constexpr bool counted = stl::is_same_v<Part, counted_part>;
  require_exchangeable<Keys>();
  require_exchangeable<Values>();
  require_comparator<Tile, comparator, Key>();
  static_assert(item_count_of<Keys> == item_count_of<Values>,
                "merge_by_key(tile, keys_a, values_a, keys_b, values_b): there are as many values as keys: "
                "items<Key, K> and items<Value, K>.");
  pair_form<true, Key, Value, comparator, counted> const form(detail::canonical_comparator<Key>(before));
  return detail::collective<collectives::merge_by_key, Keys, Values, comparator>(
      tile, policy, site, detail::uniform_of_counts(part_a, part_b), [TESSERA_CAPTURES](group_of<Tile, Policy> group) {
        constexpr unsigned K = item_count_of<Keys>;
        using source = keys_and_values<items<Key, K>, items<Value, K>>;
        auto out = result{detail::from_words<merged_t<Keys>>({}), detail::from_words<merged_t<Values>>({})};
        detail::merge_in_form<Policy>(group, form, source{detail::as_row(a.keys), detail::as_row(a.values)},
                                      source{detail::as_row(b.keys), detail::as_row(b.values)}, out, part_a, part_b);
        return out;
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
