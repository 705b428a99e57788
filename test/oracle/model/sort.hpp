// Sorts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "adjacent.hpp"
#include "number.hpp"
#include "tile.hpp"

namespace oracle::model {

/// `less`: NaNs last and equal to each other, −0 equal to +0.
struct rising {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return a < b;
  }
};
/// `greater`: NaNs last, too.
struct falling {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return b < a;
  }
};

/// How many values first(n) sorts.
inline std::size_t sorted_count(std::size_t all, long long n) {
  return n < 0 ? 0 : static_cast<std::size_t>(n) < all ? static_cast<std::size_t>(n) : all;
}

/// The positions of the values in order; those from n on stay.
template <class T, class Before>
list<std::size_t> order_of(list<T> const& all, Before const& before, long long n) {
  return order_of_first(sorted_count(all.size(), n), all, before);
}
template <class T>
list<T> in_order(list<T> const& all, list<std::size_t> const& order) {
  list<T> out;
  for (std::size_t i : order) out.push_back(all[i]);
  return out;
}

/// sort.hpp: equal values stay in the order of their positions.
template <class X, class Before>
lanes<X> stable_sort(unsigned, list<X> const& x, Before const& before, long long n) {
  auto const all = in_blocked_order(x);
  return to_lanes(in_order(all, order_of(all, before, n)), x);
}
/// The keys in order with all their values: of either what lanes get.
template <class Keys, class X, class Before>
lanes<X> stable_values_by_key(unsigned, list<Keys> const& keys, list<X> const& x, Before const& before, long long n) {
  return to_lanes(in_order(in_blocked_order(x), order_of(in_blocked_order(keys), before, n)), x);
}

/// The bytes of the values from `from` to `to` − 1, in an order of their own: two such lists are equal where one has the values of
/// the other in another order.
template <class T>
std::vector<std::string> unordered_bytes(list<T> const& all, std::size_t from, std::size_t to) {
  std::vector<std::string> out;
  for (std::size_t i = from; i < to; ++i) {
    T const x = all[i];
    out.emplace_back(reinterpret_cast<char const*>(&x), sizeof x);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Whether `got` are the values in the order of their keys. Of values with equal keys the order is unspecified.
template <class Keys, class X, class Before>
bool is_a_sort_by_key(list<Keys> const& keys, list<X> const& x, list<X> const& got, Before const& before, long long n) {
  auto const all = in_blocked_order(keys);
  auto const order = order_of(all, before, n);
  auto const was = in_order(in_blocked_order(x), order), is = in_blocked_order(got);
  std::size_t const count = sorted_count(was.size(), n);
  for (std::size_t from = 0; from < was.size();) {
    std::size_t to = from + 1;
    while (to < count && !before(all[order[from]], all[order[to]])) ++to;
    if (unordered_bytes(was, from, to) != unordered_bytes(is, from, to)) return false;
    from = to;
  }
  return true;
}
/// Whether `got` are the values in order. Of equal ones the order is unspecified.
template <class X, class Before>
bool is_a_sort(list<X> const& x, list<X> const& got, Before const& before, long long n) {
  return is_a_sort_by_key(x, x, got, before, n);
}

}  // namespace oracle::model
