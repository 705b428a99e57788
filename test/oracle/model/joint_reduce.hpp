// joint_reduce and related calls: one tile processes a range in memory.
//
// The range is a list<T>. `address` is the address of its first element, modulo 16.
#pragma once

#include "reduce.hpp"

namespace oracle::model {

/// The parts of a range: `front` elements, then vectors of `length` elements from its first multiple of 16
/// bytes on, then the rest. If sizeof(T) doesn't divide 16, a vector is one element at any address.
struct range_layout {
  std::size_t length, front, vectors, back;
};
template <class T>
range_layout layout_of(std::size_t count, std::size_t address) {
  range_layout range{};
  range.length = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
  if (range.length > 1)
    while (range.front < count && (address + range.front * sizeof(T)) % 16 != 0) ++range.front;
  range.vectors = (count - range.front) / range.length;
  range.back = count - range.front - range.vectors * range.length;
  return range;
}

/// The number of accumulators of a lane: min(V, 4), or half or a quarter of it if the results would take
/// more than 16 registers.
template <class R>
std::size_t accumulators_of(std::size_t length) {
  std::size_t const registers = (sizeof(R) + 3) / 4;
  std::size_t const most = length < 4 ? length : 4;
  std::size_t count = most;
  while (count > 1 && count * 4 > most && count * registers > 16) count /= 2;
  return count;
}

/// Combines the terms of a range, which already have the type of the result, if `op` commutes. Lane r
/// combines vectors r, r + N, …, element j of each with accumulator j % A. Then it combines accumulator 0
/// with elements r, r + N, … of those before and after the vectors, and the accumulators as a tree. At the
/// end it combines the lanes of the tile.
template <class R>
maybe<R> combine_by_lanes(unsigned n, list<R> const& x, range_layout const& range, algebra<R> const& op) {
  std::size_t const many = accumulators_of<R>(range.length);
  list<R> ends;
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool const in_vectors = i >= range.front && i < x.size() - range.back;
    if (!in_vectors) ends.push_back(x[i]);
  }
  list<maybe<R>> of_lanes;
  for (std::size_t r = 0; r < n; ++r) {
    list<maybe<R>> own(many);
    for (std::size_t v = r; v < range.vectors; v += n)
      for (std::size_t j = 0; j < range.length; ++j)
        own[j % many] = join<R>(own[j % many], x[range.front + v * range.length + j], op);
    for (std::size_t i = r; i < ends.size(); i += n) own[0] = join<R>(own[0], ends[i], op);
    of_lanes.push_back(combine_tree<R>(own, op));
  }
  return combine_tree<R>(of_lanes, op);
}

/// joint_reduce.hpp: f(x, index) of all elements, combined by `op`; the identity for an empty range. The
/// algebra is that of f's result. Bits: promised if `op` commutes; otherwise unspecified, in the order of
/// the range.
template <class T, class F, class R>
maybe<R> combine_range(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op, F const& f) {
  list<R> terms;
  for (std::size_t i = 0; i < x.size(); ++i) terms.push_back(static_cast<R>(f(x[i], i)));
  maybe<R> all;
  if (op.commutes)
    all = combine_by_lanes<R>(n, terms, layout_of<T>(x.size(), address), op);
  else
    for (std::size_t i = 0; i < terms.size(); ++i) all = join<R>(all, terms[i], op);
  return all;
}
template <class T, class F, class R>
lanes<R> joint_transform_reduce(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op, F const& f,
                                how const& who) {
  maybe<R> const all = combine_range(n, x, address, op, f);
  return placed<R>(n, all ? all : op.identity, who);
}

/// joint_reduce.hpp: the same of the elements after a start, with which the others' combination is combined last.
template <class T, class R, class Start>
lanes<R> joint_reduce_from(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op, Start const& start,
                           how const& who) {
  auto const itself = [](T const& element, std::size_t) { return static_cast<R>(element); };
  return placed<R>(n, join<R>(maybe<R>(static_cast<R>(start)), combine_range(n, x, address, op, itself), op), who);
}

/// joint_reduce.hpp: the elements combined by `op`.
template <class T, class R>
lanes<R> joint_reduce(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op, how const& who) {
  return joint_transform_reduce(
      n, x, address, op, [](T const& element, std::size_t) { return static_cast<R>(element); }, who);
}

/// joint_reduce.hpp: whether pred(x, index) holds for some element; false for an empty range.
template <class T, class Pred>
lanes<bool> joint_any_of(unsigned n, list<T> const& x, Pred const& pred, how const& who) {
  bool any = false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (pred(x[i], i)) any = true;
  return placed<bool>(n, any, who);
}

/// joint_reduce.hpp: whether pred(x, index) holds for every element; true for an empty range.
template <class T, class Pred>
lanes<bool> joint_all_of(unsigned n, list<T> const& x, Pred const& pred, how const& who) {
  bool all = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!pred(x[i], i)) all = false;
  return placed<bool>(n, all, who);
}

/// joint_reduce.hpp: whether pred(x, index) holds for no element; true for an empty range.
template <class T, class Pred>
lanes<bool> joint_none_of(unsigned n, list<T> const& x, Pred const& pred, how const& who) {
  bool none = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (pred(x[i], i)) none = false;
  return placed<bool>(n, none, who);
}

}  // namespace oracle::model
