// Searches of ranges.
#pragma once

#include <tessera/search.hpp>

#include "merge.hpp"

namespace oracle::model {

/// search.hpp: the first element that has `pred`, or n.
template <class T, class Pred>
lanes<int> find_if(unsigned, list<T> const& x, Pred const& pred, std::size_t count) {
  std::size_t at = 0;
  while (at < x.size()) {
    T const element = x[at];
    if (pred(element)) break;
    ++at;
  }
  return lanes<int>(count, static_cast<int>(at));
}

/// How many elements come before the key, or with `After` don't come after it: where they end in the sorted range.
template <bool After, class T>
lanes<int> bound(list<T> const& x, T const& key, std::size_t count) {
  rising const before;
  int at = 0;
  for (T const& element : x) at += (After ? !before(key, element) : before(element, key)) ? 1 : 0;
  return lanes<int>(count, at);
}

/// Both ends of the elements that are equal to the key.
template <class T>
lanes<tessera::index_range<int>> equal_range(list<T> const& x, T const& key, std::size_t count) {
  tessera::index_range<int> const ends{*bound<false>(x, key, 1)[0], *bound<true>(x, key, 1)[0]};
  return lanes<tessera::index_range<int>>(count, ends);
}

/// Whether an element is equal to the key.
template <class T>
lanes<bool> is_there(list<T> const& x, T const& key, std::size_t count) {
  rising const before;
  bool found = false;
  for (T const& element : x) found = found || (!before(key, element) && !before(element, key));
  return lanes<bool>(count, found);
}

/// How many of the first merged elements are from the first half of the range, whose halves are sorted before: of each lane's number.
template <class T, class Before>
lanes<unsigned> merge_path(list<T> x, Before const& before, list<unsigned> const& diagonal) {
  sort_halves(x, before);
  auto const half = static_cast<std::ptrdiff_t>(x.size() / 2);
  list<T> const a(x.begin(), x.begin() + half), b(x.begin() + half, x.end());
  auto const order = merged_order(a, b, before, a.size(), b.size());
  lanes<unsigned> out;
  for (unsigned many : diagonal) {
    unsigned of_a = 0;
    for (unsigned i = 0; i < many; ++i) of_a += order[i] < a.size() ? 1u : 0u;
    out.push_back(of_a);
  }
  return out;
}

/// The first element with this value, or n.
template <class T>
lanes<int> find_first(list<T> const& x, T const& value, std::size_t count) {
  return find_if(
      0, x, [&](T const& element) { return element == value; }, count);
}

}  // namespace oracle::model
