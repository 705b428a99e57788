// Partitions, ranks by a digit, and values moved to positions.
#pragma once

#include "adjacent.hpp"
#include "sort.hpp"

namespace oracle::model {

/// The place of each value in an order of the values' positions.
inline list<unsigned> places_in(list<std::size_t> const& order) {
  list<unsigned> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<unsigned>(i);
  return place;
}

/// partition.hpp: where the values go if the odd ones come first.
template <class X>
list<unsigned> even_behind(list<X> const& x, long long n) {
  auto const odd_first = [](auto a, auto b) { return (a & 1) != 0 && (b & 1) == 0; };
  return places_in(order_of(in_blocked_order(x), odd_first, n));
}

/// radix.hpp: where the values go, by the lowest bits of their digits.
template <class X>
list<unsigned> radix_rank(unsigned bits, list<X> const& x, long long n) {
  list<unsigned> digits;
  for (auto const y : in_blocked_order(x))
    digits.push_back(static_cast<unsigned>(static_cast<unsigned long long>(y) % (1ull << bits)));
  return places_in(order_of(digits, rising{}, n));
}

/// A lane's positions as it gets them: one for each of its values.
template <class T>
lanes<unsigned> as_positions(list<unsigned> const& all, list<T> const&) {
  return {all.begin(), all.end()};
}
template <class T, unsigned K>
lanes<tessera::items<unsigned, K>> as_positions(list<unsigned> const& all, list<tessera::items<T, K>> const& x) {
  return to_lanes(all, list<tessera::items<unsigned, K>>(x.size()));
}

/// partition.hpp: the values at their places.
template <class X>
lanes<X> scatter(list<X> const& x, list<unsigned> const& place) {
  auto const all = in_blocked_order(x);
  auto out = all;
  for (std::size_t i = 0; i < all.size(); ++i) out[place[i]] = all[i];
  return to_lanes(out, x);
}

}  // namespace oracle::model
