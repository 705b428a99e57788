// Runs of equal neighbors.
#pragma once

#include "partition.hpp"

namespace oracle::model {

/// Whether a run begins with each of the first n values.
template <class T, class Equal>
list<char> heads_of_runs(list<T> const& all, Equal const& equal, long long n) {
  list<char> heads(all.size());
  for (std::size_t i = 0; i < sorted_count(all.size(), n); ++i) heads[i] = i == 0 || !equal(all[i - 1], all[i]) ? 1 : 0;
  return heads;
}

/// runs.hpp: the number of each value's run, and the number of runs for those after the first n.
template <class X, class Equal>
list<unsigned> unique(list<X> const& x, Equal const& equal, long long n) {
  auto const all = in_blocked_order(x);
  auto const heads = heads_of_runs(all, equal, n);
  list<unsigned> number(all.size());
  unsigned runs = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    runs += heads[i] != 0 ? 1 : 0;
    number[i] = i < sorted_count(all.size(), n) ? runs - 1 : runs;
  }
  for (std::size_t i = sorted_count(all.size(), n); i < all.size(); ++i) number[i] = runs;
  return number;
}

/// runs.hpp: the number of values in each run, and 0 after the runs.
template <class X, class Equal>
list<unsigned> lengths_of_runs(list<X> const& x, Equal const& equal, long long n) {
  auto const all = in_blocked_order(x);
  auto const heads = heads_of_runs(all, equal, n);
  list<unsigned> length(all.size());
  std::size_t runs = 0;
  for (std::size_t i = 0; i < sorted_count(all.size(), n); ++i) {
    runs += heads[i] != 0 ? 1 : 0;
    ++length[runs - 1];
  }
  return length;
}
/// The values that begin runs, and after them the others of the first n.
template <class X, class Equal>
lanes<X> values_of_runs(list<X> const& x, Equal const& equal, long long n) {
  auto const heads = heads_of_runs(in_blocked_order(x), equal, n);
  return scatter(x, places_in(order_of(heads, falling{}, n)));
}

/// runs.hpp: the values of the first n runs from number `from` on, `out` in each lane.
template <class X, class Lengths>
auto decoded_runs(list<X> const& x, list<Lengths> const& lengths, std::size_t out, std::size_t from, long long n) {
  auto const value = in_blocked_order(x);
  auto const length = in_blocked_order(lengths);
  using T = typename decltype(in_blocked_order(x))::value_type;
  list<T> all;
  for (std::size_t run = 0; run < sorted_count(value.size(), n); ++run)
    for (unsigned i = 0; i < length[run]; ++i) all.push_back(value[run]);
  slots<T> got(x.size(), list<maybe<T>>(out));
  for (std::size_t i = 0; i < x.size() * out && from + i < all.size(); ++i) got[i / out][i % out] = all[from + i];
  return got;
}

}  // namespace oracle::model
