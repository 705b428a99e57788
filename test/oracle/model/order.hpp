// The orders of combination that the contracts state.
//
// The index of a value is its lane's rank. A lane that doesn't participate, or doesn't exist, has no value.
#pragma once

#include "operators.hpp"
#include "tile.hpp"

namespace oracle::model {

/// a op b; or one of them, if the other has no value.
template <class R>
maybe<R> join(maybe<R> const& a, maybe<R> const& b, algebra<R> const& op) {
  if (!a) return b;
  if (!b) return a;
  return op.combine(*a, *b);
}

/// ((x0 op x1) op (x2 op x3)) op …: a balanced tree over neighbors.
template <class R>
maybe<R> combine_tree(list<maybe<R>> x, algebra<R> const& op) {
  if (x.empty()) return {};
  while (x.size() > 1) {
    list<maybe<R>> half;
    for (std::size_t i = 0; i < x.size(); i += 2) half.push_back(i + 1 < x.size() ? join<R>(x[i], x[i + 1], op) : x[i]);
    x = half;
  }
  return x[0];
}

/// ((x0 op x1) op x2) op …
template <class R>
maybe<R> combine_left_to_right(list<maybe<R>> const& x, algebra<R> const& op) {
  maybe<R> all;
  for (std::size_t i = 0; i < x.size(); ++i) all = join<R>(all, x[i], op);
  return all;
}

/// The inclusive scan in the order of CUB's WarpScan: in steps of 1, 2, 4, …, each lane combines its value
/// with that of the lane at this distance before it.
template <class R>
list<maybe<R>> scan_in_steps(list<maybe<R>> x, bool suffix, algebra<R> const& op) {
  std::size_t const size = x.size();
  for (std::size_t delta = 1; delta < size; delta *= 2) {
    list<maybe<R>> const before = x;
    for (std::size_t r = 0; r < size; ++r) {
      if (!suffix && r >= delta) x[r] = join<R>(before[r - delta], before[r], op);
      if (suffix && r + delta < size) x[r] = join<R>(before[r], before[r + delta], op);
    }
  }
  return x;
}

/// The values of those lanes from `first` to `last` − 1 that exist. They start at index 0.
template <class X>
list<X> part_of(list<X> const& x, std::size_t first, std::size_t last) {
  list<X> part;
  for (std::size_t r = first; r < last && r < x.size(); ++r) part.push_back(x[r]);
  return part;
}

}  // namespace oracle::model
