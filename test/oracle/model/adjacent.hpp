// Values and their predecessors.
#pragma once

#include <tessera/core/items.hpp>

#include "operators.hpp"
#include "tile.hpp"

namespace oracle::model {

/// The values of all lanes in blocked order.
template <class T>
list<T> in_blocked_order(list<T> const& x) {
  return x;
}
template <class T, unsigned K>
list<T> in_blocked_order(list<tessera::items<T, K>> const& x) {
  list<T> all;
  for (auto const& lane : x)
    for (unsigned i = 0; i < K; ++i) all.push_back(lane[i]);
  return all;
}
template <class T>
lanes<T> to_lanes(list<T> const& all, list<T> const&) {
  return lanes<T>(all.begin(), all.end());
}
template <class T, unsigned K>
lanes<tessera::items<T, K>> to_lanes(list<T> const& all, list<tessera::items<T, K>> const& like) {
  lanes<tessera::items<T, K>> out;
  for (std::size_t r = 0; r < like.size(); ++r) {
    tessera::items<T, K> own = like[r];
    for (unsigned i = 0; i < K; ++i) own[i] = all[r * K + i];
    out.push_back(own);
  }
  return out;
}

/// adjacent_difference.hpp: op(value, its predecessor); the first stays. With `suffix` the predecessor is the next value, and the
/// last stays.
template <class X, class T>
lanes<X> adjacent_difference(unsigned, list<X> const& x, algebra<T> const& op, how const& who) {
  list<T> const all = in_blocked_order(x);
  list<T> out = all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (who.suffix && i + 1 < all.size()) out[i] = op.combine(all[i], all[i + 1]);
    if (!who.suffix && i > 0) out[i] = op.combine(all[i], all[i - 1]);
  }
  return to_lanes(out, x);
}

/// is_sorted.hpp: whether no participants' value comes before the one that precedes it.
template <class X, class Before>
lanes<bool> is_sorted(unsigned, list<X> const& x, Before const& before, how const& who) {
  list<X> taking_part;
  for (std::size_t r = 0; r < x.size(); ++r)
    if (who.in[r]) taking_part.push_back(x[r]);
  auto const all = in_blocked_order(taking_part);
  bool sorted = true;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (before(all[i], all[i - 1])) sorted = false;
  return placed<bool>(x.size(), sorted, who);
}

}  // namespace oracle::model
