// reduce and reduce_batch.
#pragma once

#include "order.hpp"

namespace oracle::model {

/// A lane's contribution: its value, or its items combined from left to right. If bools are counted, it is
/// 0 or 1 for each.
template <class R, class X>
maybe<R> own_value(X const& x, [[maybe_unused]] algebra<R> const& op) {
  if constexpr (tessera::is_items_v<X>) {
    maybe<R> all;
    for (auto const& item : x) all = join<R>(all, static_cast<R>(item), op);
    return all;
  } else {
    return static_cast<R>(x);
  }
}

/// The values of the participants, at the indices of their ranks.
template <class R, class X>
list<maybe<R>> participants(list<X> const& x, algebra<R> const& op, how const& who) {
  list<maybe<R>> values(x.size());
  for (std::size_t r = 0; r < x.size(); ++r)
    if (who.in[r]) values[r] = own_value<R, X>(x[r], op);
  return values;
}

/// reduce.hpp: the values of the participants, combined by a balanced tree over neighbors; the identity if
/// there are none. Bits: promised, for one value per lane and for items, for every N.
template <class X, class R>
lanes<R> reduce(unsigned, list<X> const& x, algebra<R> const& op, how const& who) {
  maybe<R> all = combine_tree<R>(participants<R>(x, op, who), op);
  if (!all) all = op.identity;
  return placed<R>(x.size(), all, who);
}

/// reduce_batch.hpp: result i is `reduce` of the lanes' items i. To all: every lane gets all K results.
/// Scattered: result s of rank r, of ⌈K/N⌉ results, is result s · N + r. Bits: promised.
template <class T, unsigned K, class R>
slots<R> reduce_batch(unsigned n, list<tessera::items<T, K>> const& x, algebra<R> const& op, how const& who) {
  how to_all = who;
  to_all.to = placement::to_all;
  list<maybe<R>> results;
  for (unsigned i = 0; i < K; ++i) {
    list<T> item;
    for (auto const& of_lane : x) item.push_back(of_lane[i]);
    results.push_back(reduce<T, R>(n, item, op, to_all)[0]);
  }
  slots<R> out(x.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (who.to == placement::scattered) {
      for (std::size_t i = r; i < (K + n - 1) / n * n; i += n) out[r].push_back(i < K ? results[i] : maybe<R>());
    } else {
      bool const gets = who.to == placement::to_all || r == 0;
      for (unsigned i = 0; i < K; ++i) out[r].push_back(gets ? results[i] : maybe<R>());
    }
  }
  return out;
}

}  // namespace oracle::model
