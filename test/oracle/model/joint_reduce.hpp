// joint_reduce and its like: a range in memory, walked by one tile.
//
// The range is a std::vector<T>; `address` is that of its first element, modulo 16.
#pragma once

#include "reduce.hpp"

namespace oracle::model {

/// How a range lies in memory: `front` elements, then vectors of `length` from its first multiple of 16 bytes on, then the rest.
/// Where sizeof(T) doesn't divide 16, a vector is one element, wherever it lies.
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

/// How many accumulators a lane has: min(V, 4), half or a quarter of it for results that would take more than 16 registers so.
template <class R>
std::size_t accumulators_of(std::size_t length) {
  std::size_t const registers = (sizeof(R) + 3) / 4;
  std::size_t const most = length < 4 ? length : 4;
  std::size_t count = most;
  while (count > 1 && count * 4 > most && count * registers > 16) count /= 2;
  return count;
}

/// The terms of a range, which are results already, combined where `op` commutes: lane r combines vectors r, r + N, …, element j
/// of each with accumulator j % A; then, with accumulator 0, elements r, r + N, … of those before and after the vectors; then the
/// accumulators as a tree; then the tile.
template <class R>
maybe<R> combine_by_lanes(unsigned n, std::vector<R> const& x, range_layout const& range,
                          algebra<R> const& op) {
  std::size_t const many = accumulators_of<R>(range.length);
  std::vector<R> ends;
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool const in_vectors = i >= range.front && i < x.size() - range.back;
    if (!in_vectors) ends.push_back(x[i]);
  }
  std::vector<maybe<R>> of_lanes;
  for (std::size_t r = 0; r < n; ++r) {
    std::vector<maybe<R>> own(many);
    for (std::size_t v = r; v < range.vectors; v += n)
      for (std::size_t j = 0; j < range.length; ++j)
        own[j % many] = join<R>(own[j % many], x[range.front + v * range.length + j], op);
    for (std::size_t i = r; i < ends.size(); i += n) own[0] = join<R>(own[0], ends[i], op);
    of_lanes.push_back(combine_tree<R>(own, op));
  }
  return combine_tree<R>(of_lanes, op);
}

/// joint_reduce.hpp: f(x, index) of each element combined by `op`; the identity where there are none. The algebra is that of f's
/// result. Bits: promised where `op` commutes; open where it doesn't, in the order of the range.
template <class T, class F, class R>
lanes<R> joint_transform_reduce(unsigned n, std::vector<T> const& x, std::size_t address,
                                algebra<R> const& op, F const& f, how const& who) {
  std::vector<R> terms;
  for (std::size_t i = 0; i < x.size(); ++i) terms.push_back(static_cast<R>(f(x[i], i)));
  maybe<R> all;
  if (op.commutes)
    all = combine_by_lanes<R>(n, terms, layout_of<T>(x.size(), address), op);
  else
    for (std::size_t i = 0; i < terms.size(); ++i) all = join<R>(all, terms[i], op);
  return placed<R>(n, all ? all : op.identity, who);
}

/// joint_reduce.hpp: the elements combined by `op`.
template <class T, class R>
lanes<R> joint_reduce(unsigned n, std::vector<T> const& x, std::size_t address, algebra<R> const& op,
                      how const& who) {
  return joint_transform_reduce(
      n, x, address, op, [](T const& element, std::size_t) { return static_cast<R>(element); }, who);
}

/// joint_reduce.hpp: whether some element has pred(x, index); false where there are none.
template <class T, class Pred>
lanes<bool> joint_any_of(unsigned n, std::vector<T> const& x, Pred const& pred, how const& who) {
  bool any = false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (pred(x[i], i)) any = true;
  return placed<bool>(n, any, who);
}

/// joint_reduce.hpp: whether every element has it; true where there are none.
template <class T, class Pred>
lanes<bool> joint_all_of(unsigned n, std::vector<T> const& x, Pred const& pred, how const& who) {
  bool all = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!pred(x[i], i)) all = false;
  return placed<bool>(n, all, who);
}

/// joint_reduce.hpp: whether no element has it; true where there are none.
template <class T, class Pred>
lanes<bool> joint_none_of(unsigned n, std::vector<T> const& x, Pred const& pred, how const& who) {
  bool none = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (pred(x[i], i)) none = false;
  return placed<bool>(n, none, who);
}

}  // namespace oracle::model
