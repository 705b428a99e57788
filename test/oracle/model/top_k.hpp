// Selections.
#pragma once

#include "sort.hpp"

namespace oracle::model {

/// Indexed numbers: by their values, and equal ones by their indices.
template <class Before>
struct by_value_and_index {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return Before{}(a, b);
  }
  template <class T, class Index>
  bool operator()(tessera::indexed<T, Index> const& a, tessera::indexed<T, Index> const& b) const {
    return Before{}(a.value, b.value) || (!Before{}(b.value, a.value) && a.index < b.index);
  }
};
inline by_value_and_index<rising> selecting(rising) {
  return {};
}
inline by_value_and_index<falling> selecting(falling) {
  return {};
}
template <class Before>
Before selecting(Before before) {
  return before;
}

/// Whether a result is what the contract says. Equal floats may be others, and indexed zeros have any sign.
template <class T, class Before>
bool is_selected(T const& got, T const& expected, Before const& before) {
  if constexpr (is_float<T>) {
    return same(got, expected) || (!before(got, expected) && !before(expected, got));
  } else {
    return same(got, expected);
  }
}
template <class T, class Index, class Before>
bool is_selected(tessera::indexed<T, Index> const& got, tessera::indexed<T, Index> const& expected, Before const&) {
  return same(got.index, expected.index) && (got.value == expected.value || same(got.value, expected.value));
}

template <class T>
T result_of(T const& x, std::size_t) {
  return x;
}
template <class T, unsigned K>
T result_of(tessera::items<T, K> const& x, std::size_t i) {
  return x[static_cast<unsigned>(i)];
}

/// top_k.hpp: the first K of n values; of fewer, the others are unspecified. To all: every lane gets all; scattered: value
/// s · N + r is result s of lane r.
template <class X, class R, class Before>
bool is_a_top_k(unsigned size, unsigned K, list<X> const& x, list<R> const& got, Before const& order, long long n,
                how const& who) {
  auto const before = selecting(order);
  auto const all = in_blocked_order(x);
  std::size_t const count = std::min<std::size_t>(sorted_count(all.size(), n), K);
  auto const best = in_order(all, order_of(all, before, n));
  for (std::size_t r = 0; r < got.size(); ++r) {
    bool const is_scattered = who.to == placement::scattered;
    if (who.to == placement::to_leader && r > 0) break;
    for (std::size_t i = is_scattered ? r : 0; i < count; i += is_scattered ? size : 1) {
      if (!is_selected(result_of(got[r], is_scattered ? i / size : i), best[i], before)) return false;
    }
  }
  return true;
}

/// top_k_queue.hpp: the first K of what the participants push.
template <class X, class R, class Before>
bool is_best_pushed(unsigned size, unsigned K, list<X> const& x, list<R> const& got, Before const& order,
                    how const& who) {
  list<X> pushed;
  for (std::size_t r = 0; r < x.size(); ++r)
    if (who.in[r]) pushed.push_back(x[r]);
  return is_a_top_k(size, K, pushed, got, order, 1 << 30, everyone(x.size()));
}

/// nth_element: a value that is equal to the one at place n; where there is none, anything.
template <class X, class T, class Before>
bool is_an_nth_element(list<X> const& x, unsigned at, list<T> const& got, Before const& before, long long n) {
  auto const all = in_blocked_order(x);
  if (at >= sorted_count(all.size(), n)) return true;
  T const expected = all[order_of(all, before, n)[at]];
  for (T const& one : got) {
    if (before(one, expected) || before(expected, one) || !same(one, got[0])) return false;
  }
  return true;
}

}  // namespace oracle::model
