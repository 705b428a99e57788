// Searches of ranges by the lanes of a group.
#pragma once

#include <tessera/core/sort_key.hpp>
#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/tile/ranges.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The indices from `begin` to `end` − 1.
template <class Integer>
struct index_range {
  Integer begin, end;
};

namespace detail {

template <class T, class Key, class Before>
TESSERA_FN constexpr void require_key() {
  static_assert(!is_policy_v<Before>,
                "Arguments in the wrong order: the order comes before the policy: write tessera::less{} before it, "
                "as in lower_bound(tile, first, n, key, tessera::less{}, policy).");
  static_assert(stl::is_invocable_v<Before const&, T const&, Key const&> ||
                    stl::is_invocable_v<Before const&, Key const&, T const&> || is_policy_v<Before>,
                "before(element, key), for upper_bound before(key, element), takes an element and the key, and says "
                "whether the first comes before the second: write a key of the elements' type, or an order of both "
                "types; "
                "a const operator(), no mutable lambda.");
}
template <class Tile, class T, class Integer, class Key, class Before>
TESSERA_FN constexpr void require_search() {
  require_range<Tile, T, Integer>();
  require_key<T, Key, Before>();
}

/// before(a, b); for two values of one type, the equivalent comparator of this library if there is one, as in sorts.
template <class Before, class A, class B>
TESSERA_FN bool is_before(Before const& before, A const& a, B const& b) {
  if constexpr (stl::is_same_v<A, B>) {
    return static_cast<bool>(detail::canonical_comparator<A>(before)(a, b));
  } else {
    return static_cast<bool>(before(a, b));
  }
}

/// The first index below n for which `is_left` is false; n if it is true for all. It is true for a prefix of the
/// indices.
template <class Integer, class IsLeft>
TESSERA_FN Integer partition_point(Integer n, IsLeft is_left) {
  Integer begin = 0, end = static_cast<Integer>(detail::count_of(n));
  while (begin < end) {
    Integer const middle = static_cast<Integer>(begin + (end - begin) / 2);
    if (is_left(middle)) {
      begin = static_cast<Integer>(middle + 1);
    } else {
      end = middle;
    }
  }
  return begin;
}

/// The number of elements of the first range among the first `diagonal` merged ones.
template <class A, class B, class Integer, class Before>
TESSERA_FN Integer merge_path_of(A const& a, Integer na, B const& b, Integer nb, Integer diagonal,
                                 Before const& before) {
  Integer const from = diagonal > nb ? static_cast<Integer>(diagonal - nb) : Integer{0};
  Integer const to = diagonal < na ? diagonal : na;
  return static_cast<Integer>(from + detail::partition_point<Integer>(static_cast<Integer>(to - from), [&](Integer i) {
                                auto const of_a = detail::read_element(a, from + i);
                                auto const of_b = detail::read_element(b, diagonal - 1 - (from + i));
                                return !detail::is_before(before, of_b, of_a);
                              }));
}

/// partition_point by all lanes of a group. Invariant: the answer is in [begin, end]. In each round lane r tests the
/// last element of part r of N + 1 equal parts; the votes tell which part has the answer.
template <class Group, class It, class IsLeft>
TESSERA_FN stl::uint64_t partition_point_of_group(Group group, It const& first, stl::uint64_t n, IsLeft is_left) {
  constexpr unsigned N = Group::size;
  stl::uint64_t begin = 0, end = n;
  while (detail::any_tile(group, begin < end)) {
    stl::uint64_t const part = (end - begin + N) / (N + 1);
    stl::uint64_t const at = begin + (group.rank() + 1) * part - 1;
    bool const left = begin < end && at < end && is_left(detail::read_element(first, at));
    unsigned const parts = group.count(left);
    if (begin < end) {
      stl::uint64_t const last = begin + (parts + stl::uint64_t{1}) * part - 1;
      begin += parts * part;
      end = parts < N && last < end ? last : end;
    }
  }
  return begin;
}

template <collective_row const& Collective, class Tile, class It, class Integer, class IsLeft, class Policy>
TESSERA_FN auto search(Tile const& tile, It const& first, Integer n, IsLeft is_left, Policy const& policy,
                       call_site site) {
  using T = value_of<It>;
  auto const count = detail::count_of(n);
  return detail::collective<Collective, T>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>) group.ballot(true);  // a rendezvous
        detail::require_elements(group, first, count);
        auto const at = detail::partition_point_of_group(group, first, count, is_left);
        group.reconverge();  // not all lanes call before
        return static_cast<Integer>(at);
      });
}

/// The index of the first element that satisfies `pred`, or n.
template <class Tile, class It, class Integer, class Pred, class Policy>
TESSERA_FN auto find_first_with(Tile const& tile, It const& first, Integer n, Pred const& pred, Policy const& policy,
                                call_site site) {
  using T = value_of<It>;
  require_range<Tile, T, Integer>();
  require_function<Tile, Integer, Pred, T>();
  auto const count = detail::count_of(n);
  using index_t = count_t<Integer>;
  return detail::collective<collectives::find_if, T>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>) group.ballot(true);  // a rendezvous
        detail::require_elements(group, first, count);
        using group_t = group_of<Tile, Policy>;
        auto const r = detail::range_of(first, count);
        index_t const back = count - r.back;  // the end of the vectors
        index_t best = count;
        auto const look = [&](T const& x, index_t index, unsigned = 0) {
          if (index < best && static_cast<bool>(detail::apply<Integer>(pred, x, index))) best = index;
        };
        using ends_t = range_ends<group_t, T, index_t, It>;
        using walk_t = vector_walk<group_t, T, index_t, It>;
        ends_t const ends(group, r);
        ends.each(look);  // Elements after the vectors are tested too early; the minimum corrects that.
        for (walk_t walk(group, r); detail::any_tile(group, walk.more());) {
          walk.step(look);
          if (group.any(best < back)) walk.stop();
        }
        index_t const least = detail::reduce_lanes<Policy>(group, best, minimum{});
        return static_cast<Integer>(least);
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
