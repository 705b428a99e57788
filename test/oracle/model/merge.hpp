// Merges of two sorted parts, and sorts of ranges.
#pragma once

#include "sort.hpp"

namespace oracle::model {

/// The values of all lanes, twice as many a lane as `like` has.
template <class X, class T>
lanes<tessera::items<T, 2>> to_twice(list<T> const& all, list<X> const& like) {
  return to_lanes(all, list<tessera::items<T, 2>>(like.size()));
}
template <class T, unsigned K>
lanes<tessera::items<T, 2 * K>> to_twice(list<T> const& all, list<tessera::items<T, K>> const& like) {
  return to_lanes(all, list<tessera::items<T, 2 * K>>(like.size()));
}

/// The positions of the merged parts, those of the second after those of the first: the first na and nb in order, and the others
/// after them.
template <class T, class Before>
list<std::size_t> merged_order(list<T> const& a, list<T> const& b, Before const& before, std::size_t na,
                               std::size_t nb) {
  list<std::size_t> out;
  std::size_t const some_a = std::min(na, a.size()), some_b = std::min(nb, b.size());
  std::size_t i = 0, j = 0;
  while (i < some_a || j < some_b) {
    bool const from_b = i == some_a || (j < some_b && before(b[j], a[i]));
    out.push_back(from_b ? a.size() + j++ : i++);
  }
  while (i < a.size()) out.push_back(i++);
  while (j < b.size()) out.push_back(a.size() + j++);
  return out;
}
template <class T>
list<T> one_after_the_other(list<T> all, list<T> const& b) {
  all.append(b.begin(), b.end());
  return all;
}

/// merge.hpp: both parts as one, as many values a lane as two of `like` have.
template <class X, class Parts, class Before>
auto merge(list<X> const& like, Parts const& of, Before const& before, std::size_t na = ~0ull, std::size_t nb = ~0ull) {
  return to_twice(in_order(one_after_the_other(of.a, of.b), merged_order(of.a, of.b, before, na, nb)), like);
}
/// The values of the merged keys.
template <class Keys, class X, class Before>
auto merge_by_key(Keys const& keys, list<X> const& a, list<X> const& b, Before const& before) {
  auto const order = merged_order(keys.a, keys.b, before, keys.a.size(), keys.b.size());
  return to_twice(in_order(one_after_the_other(in_blocked_order(a), in_blocked_order(b)), order), a);
}

/// joint_sort.hpp
template <class T, class Before>
list<T> joint_sort(list<T> const& x, Before const& before) {
  return in_order(x, order_of(x, before, static_cast<long long>(x.size())));
}
template <class T, class Before>
void sort_halves(list<T>& x, Before const& before) {
  auto const half = static_cast<std::ptrdiff_t>(x.size() / 2);
  list<T> const a(x.begin(), x.begin() + half), b(x.begin() + half, x.end());
  x = one_after_the_other(joint_sort(a, before), joint_sort(b, before));
}
/// joint_merge.hpp: of both halves of a range, which are sorted before.
template <class T, class Before>
list<T> joint_merge(list<T> x, Before const& before) {
  sort_halves(x, before);
  auto const half = static_cast<std::ptrdiff_t>(x.size() / 2);
  list<T> const a(x.begin(), x.begin() + half), b(x.begin() + half, x.end());
  return in_order(x, merged_order(a, b, before, a.size(), b.size()));
}

}  // namespace oracle::model
