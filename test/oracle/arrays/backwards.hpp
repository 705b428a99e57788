// Iterators over arrays from their ends to their begins, for calls of structs.
#pragma once

#include "arrays.hpp"
#include "functions_of_structs.hpp"

namespace oracle::arrays {

/// The calls by iterators on segments and rows.
void segments_by_iterators(call& c);

/// From the last element of an array to its first.
template <class T>
struct backwards {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::int64_t;
  T* last;

  TESSERA_FN T& operator*() const { return *last; }
  TESSERA_FN backwards operator+(std::int64_t i) const { return {last - i}; }
};
template <class T>
backwards<T> backwards_of(T* first, index n) {
  return {first + n - 1};
}
template <class T>
std::vector<T> reversed(std::vector<T> const& x) {
  return {x.rbegin(), x.rend()};
}

/// An array that is read from its end to its begin: in that order its elements are x.
template <class T>
auto read_backwards(call& c, std::vector<T> const& x) {
  return [in = c.in(reversed(x)), n = size(x)] { return backwards_of<T const>(in(), n); };
}
/// An array of which `most` elements may be written, the last one first: they become `first`.
template <class T>
auto written_backwards(call& c, std::vector<T> const& first, index most) {
  auto want = poisoned<T>(most);
  std::copy(first.begin(), first.end(), want.begin());
  return [out = c.out(reversed(want)), most] { return backwards_of<T>(out(), most); };
}

}  // namespace oracle::arrays
