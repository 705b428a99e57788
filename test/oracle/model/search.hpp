// Searches of ranges.
#pragma once

#include "sort.hpp"

namespace oracle::model {

/// search.hpp: the first element that has `pred`, or n.
template <class T, class Pred>
lanes<int> find_if(unsigned, std::vector<T> const& x, Pred const& pred, std::size_t count) {
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
lanes<int> bound(std::vector<T> const& x, T const& key, std::size_t count) {
  rising const before;
  int at = 0;
  for (T const& element : x) at += (After ? !before(key, element) : before(element, key)) ? 1 : 0;
  return lanes<int>(count, at);
}

/// Whether an element is equal to the key.
template <class T>
lanes<bool> is_there(std::vector<T> const& x, T const& key, std::size_t count) {
  rising const before;
  bool found = false;
  for (T const& element : x) found = found || (!before(key, element) && !before(element, key));
  return lanes<bool>(count, found);
}
/// The first element with this value, or n.
template <class T>
lanes<int> find_first(std::vector<T> const& x, T const& value, std::size_t count) {
  return find_if(
      0, x, [&](T const& element) { return element == value; }, count);
}

}  // namespace oracle::model
