// Calls on whole arrays as sequential C++ over std::vector, written from the contracts in include/tessera/grid/*.hpp.
//
// A sum of floats has no order here: those who draw its values see that each order gives the same bits.
#pragma once

#include <tessera/operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "number.hpp"
#include "operators.hpp"

namespace oracle::model::arrays {

using index = std::int64_t;
template <class T>
using array = std::vector<T>;

template <class T>
index size(array<T> const& x) {
  return static_cast<index>(x.size());
}
/// The elements from `from` to `to` − 1.
template <class T>
array<T> slice(array<T> const& x, index from, index to) {
  return array<T>(x.begin() + from, x.begin() + to);
}

// ---- Reductions and scans

/// What values of T are combined in: 16-bit floats are added and multiplied as floats, and everything else as it is.
template <class T, class Op>
using combined_t =
    std::conditional_t<is_float<T> && sizeof(T) == 2 &&
                           (std::is_same_v<Op, tessera::plus> || std::is_same_v<Op, tessera::multiplies>),
                       float, T>;

template <class T, class Op, class R = combined_t<T, Op>>
R reduce(array<T> const& x, Op const& op) {
  auto const with = algebra_for<R>(op);
  if (x.empty()) return *with.identity;
  R all = static_cast<R>(x[0]);
  for (std::size_t i = 1; i < x.size(); ++i) all = with.combine(all, static_cast<R>(x[i]));
  return all;
}

/// In R, the start's type.
template <class T, class Op, class R>
R reduce_from(array<T> const& x, Op const& op, R all) {
  auto const with = algebra_for<R>(op);
  for (T const& one : x) all = with.combine(all, static_cast<R>(one));
  return all;
}

enum class scan_kind { inclusive, exclusive, exclusive_from, inclusive_from };

template <class T, class R>
struct scanned {
  array<T> out;
  R total;
};
/// `start` counts with exclusive_from and inclusive_from only.
template <class T, class Op, class R = combined_t<T, Op>>
scanned<T, R> scan(array<T> const& x, Op const& op, scan_kind kind, bool suffix, R const& start) {
  auto const with = algebra_for<R>(op);
  bool has = kind == scan_kind::exclusive_from || kind == scan_kind::inclusive_from;
  R all = has ? start : *with.identity;
  scanned<T, R> result{x, all};
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::size_t const i = suffix ? x.size() - 1 - k : k;
    R const own = static_cast<R>(x[i]), before = all;
    all = !has ? own : suffix ? with.combine(own, all) : with.combine(all, own);
    has = true;
    result.out[i] = static_cast<T>(kind == scan_kind::inclusive || kind == scan_kind::inclusive_from ? all : before);
  }
  result.total = all;
  return result;
}

/// Of each segment by itself; elements in no segment stay as they are in `out`.
template <class T, class Op>
array<T> scan_segments(array<T> const& x, array<index> const& offsets, Op const& op, scan_kind kind, T const& start,
                       array<T> out) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    auto const one = scan(slice(x, offsets[s], offsets[s + 1]), op, kind, false, start);
    std::copy(one.out.begin(), one.out.end(), out.begin() + offsets[s]);
  }
  return out;
}
template <class T, class Op>
auto reduce_segments(array<T> const& x, array<index> const& offsets, Op const& op) {
  array<combined_t<T, Op>> out;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) out.push_back(reduce(slice(x, offsets[s], offsets[s + 1]), op));
  return out;
}

// ---- Orders: NaNs last in both, equal to each other, and −0 equal to +0

template <class T>
bool comes_before(T const& a, T const& b, bool falling) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a);
  if constexpr (is_float<T>) {
    auto const x = static_cast<arithmetic_t<T>>(a), y = static_cast<arithmetic_t<T>>(b);
    return falling ? y < x : x < y;
  } else {
    return falling ? b < a : a < b;
  }
}
struct before {
  bool falling = false;
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return comes_before(a, b, falling);
  }
};
struct equal {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return !before{}(a, b) && !before{}(b, a);
  }
};

/// The indices of the elements in order; of equal ones the lowest comes first.
template <class T, class Before>
array<index> argsort(array<T> const& x, Before const& order) {
  array<index> at(x.size());
  std::iota(at.begin(), at.end(), index{0});
  std::stable_sort(at.begin(), at.end(), [&](index a, index b) { return order(x[a], x[b]); });
  return at;
}
template <class T>
array<T> gather(array<T> const& x, array<index> const& at) {
  array<T> out;
  out.reserve(at.size());
  for (index const i : at) out.push_back(x[static_cast<std::size_t>(i)]);
  return out;
}
/// The same of each segment. Elements in no segment stay where they are.
template <class T, class Before>
array<index> argsort_segments(array<T> const& x, array<index> const& offsets, Before const& order) {
  array<index> at(x.size());
  std::iota(at.begin(), at.end(), index{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(at.begin() + offsets[s], at.begin() + offsets[s + 1],
                     [&](index a, index b) { return order(x[a], x[b]); });
  return at;
}
/// Whether `got` is `expected` where elements with equal keys, which stand side by side in `keys`, may have changed places.
template <class Key, class T>
bool same_but_for_ties(array<Key> const& keys, array<T> const& expected, array<T> const& got) {
  auto const bytes = [](array<T> const& x, std::size_t from, std::size_t to) {
    array<std::string> all;
    for (; from < to; ++from) all.emplace_back(reinterpret_cast<char const*>(&x[from]), sizeof(T));
    std::sort(all.begin(), all.end());
    return all;
  };
  for (std::size_t from = 0, to = 0; from < keys.size(); from = to) {
    for (to = from + 1; to < keys.size() && equal{}(keys[from], keys[to]);) ++to;
    if (to == from + 1 ? std::memcmp(&expected[from], &got[from], sizeof(T)) != 0
                       : bytes(expected, from, to) != bytes(got, from, to))
      return false;
  }
  return true;
}

template <class T, class Before>
array<T> merge(array<T> const& a, array<T> const& b, Before const& order) {
  array<T> out(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), order);
  return out;
}
/// The places of a set operation's results in a, followed by b: of m equal elements of a and n of b, those of a first.
template <class T, class Before>
array<index> set_places(std::string const& operation, array<T> const& a, array<T> const& b, Before const& order) {
  auto const na = static_cast<index>(a.size()), nb = static_cast<index>(b.size());
  array<index> out;
  for (index i = 0, j = 0; i < na || j < nb;) {
    bool const of_a = j == nb || (i < na && !order(b[static_cast<std::size_t>(j)], a[static_cast<std::size_t>(i)]));
    T const x = of_a ? a[static_cast<std::size_t>(i)] : b[static_cast<std::size_t>(j)];
    index m = 0, n = 0;
    while (i + m < na && !order(x, a[static_cast<std::size_t>(i + m)])) ++m;
    while (j + n < nb && !order(x, b[static_cast<std::size_t>(j + n)])) ++n;
    index const both = std::min(m, n);
    bool const unites = operation == "set_union", intersects = operation == "set_intersection";
    for (index k = unites || intersects ? 0 : both; k < (intersects ? both : m); ++k) out.push_back(i + k);
    for (index k = both; k < (intersects || operation == "set_difference" ? 0 : n); ++k) out.push_back(na + j + k);
    i += m;
    j += n;
  }
  return out;
}
template <class T>
index bound(array<T> const& sorted, T const& needle, bool upper) {
  auto const at = upper ? std::upper_bound(sorted.begin(), sorted.end(), needle, before{})
                        : std::lower_bound(sorted.begin(), sorted.end(), needle, before{});
  return at - sorted.begin();
}

/// The place of a quantile among n sorted elements: two ranks, and how far after the first.
struct quantile_place {
  index lower, higher;
  double part;
};
inline quantile_place place_of(double q, index n) {
  double const place = q * static_cast<double>(n - 1);
  auto const lower = std::min(static_cast<index>(std::floor(place)), n - 1);
  return {lower, std::min(static_cast<index>(std::ceil(place)), n - 1), place - static_cast<double>(lower)};
}
inline index nearest(quantile_place const& at) {
  if (at.part == 0.5) return at.lower % 2 == 0 ? at.lower : at.higher;
  return at.part < 0.5 ? at.lower : at.higher;
}

// ---- Extremes and moments

/// A NaN is best, the first (or last) of them; then the greatest (least) value, of equal ones the first (or last).
template <class T, class I>
tessera::indexed<T, I> best(array<T> const& x, bool greatest, bool last = false) {
  tessera::indexed<T, I> found{greatest ? lowest<T>() : highest<T>(), std::numeric_limits<I>::max()};
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool const better =
        is_nan(x[i]) ? !is_nan(found.value) : !is_nan(found.value) && comes_before(x[i], found.value, greatest);
    bool const ties = is_nan(x[i]) ? is_nan(found.value)
                                   : !is_nan(found.value) && !better && !comes_before(found.value, x[i], greatest);
    if (i == 0 || better || (last && ties)) found = {x[i], static_cast<I>(i)};
  }
  return found;
}
template <class T>
tessera::min_max<T> extremes(array<T> const& x) {
  return {reduce(x, tessera::minimum{}), reduce(x, tessera::maximum{})};
}

struct moments {
  long double count = 0, mean = 0, m2 = 0;
};
template <class T>
moments moments_of(array<T> const& x) {
  moments all{static_cast<long double>(x.size()), 0, 0};
  auto const wide = [](T const& y) {
    return static_cast<long double>(static_cast<std::conditional_t<is_float<T>, arithmetic_t<T>, T>>(y));
  };
  for (T const& y : x) all.mean += wide(y) / all.count;
  for (T const& y : x) all.m2 += (wide(y) - all.mean) * (wide(y) - all.mean);
  if (!std::isfinite(all.mean)) all.mean = all.m2 = std::nanl("");
  return all;
}

// ---- Selections and runs

/// Those elements whose flag is set, and the others after them, both in order.
template <class T>
array<T> partition(array<T> const& x, array<char> const& flags, index& count) {
  array<T> out, others;
  for (std::size_t i = 0; i < x.size(); ++i) (flags[i] ? out : others).push_back(x[i]);
  count = size(out);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}
/// Where runs of equal neighbors begin, and where the last one ends.
template <class T, class Equal>
array<index> runs_of(array<T> const& keys, Equal const& same) {
  array<index> begins;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || !same(keys[i - 1], keys[i])) begins.push_back(static_cast<index>(i));
  begins.push_back(size(keys));
  return begins;
}

struct counted {
  array<std::uint64_t> counts;
  std::uint64_t outside[3] = {};  // below, above, NaN
};
/// Bound is as histogram.hpp says: of integers, wide enough that no difference of T overflows in 128 bits.
template <class T, class Bound>
counted histogram(array<T> const& x, index bins, Bound lower, Bound upper, bool closed = false) {
  counted out{array<std::uint64_t>(static_cast<std::size_t>(bins)), {}};
  for (T const& element : x) {
    Bound const y = static_cast<Bound>(element);
    if (is_nan(y)) {
      ++out.outside[2];
    } else if (y < lower || y > upper || (y == upper && !closed)) {
      ++out.outside[y < lower ? 0 : 1];
    } else if (y == upper) {
      ++out.counts.back();
    } else if constexpr (is_float<Bound>) {
      Bound const volatile width = upper - lower, scale = static_cast<Bound>(bins) / width, distance = y - lower;
      Bound const volatile place = distance * scale;
      ++out.counts[static_cast<std::size_t>(std::min(static_cast<index>(std::floor(place)), bins - 1))];
    } else {
      ++out.counts[static_cast<std::size_t>((int128{y} - lower) * bins / (int128{upper} - lower))];
    }
  }
  return out;
}

/// Edges are in ascending order, without NaN.
template <class T, class Bound>
counted histogram_between(array<T> const& x, array<Bound> const& edges, bool closed) {
  counted out{array<std::uint64_t>(edges.size() - 1), {}};
  for (T const& element : x) {
    Bound const y = static_cast<Bound>(element);
    if (is_nan(y)) {
      ++out.outside[2];
    } else if (y < edges.front() || y > edges.back() || (y == edges.back() && !closed)) {
      ++out.outside[y < edges.front() ? 0 : 1];
    } else if (y == edges.back()) {
      ++out.counts.back();
    } else {
      ++out.counts[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), y) - edges.begin()) - 1];
    }
  }
  return out;
}

template <class T>
array<T> differences(array<T> const& x) {
  array<T> out = x;
  for (std::size_t i = 1; i < x.size(); ++i)
    out[i] = static_cast<T>(static_cast<arithmetic_t<T>>(x[i]) - static_cast<arithmetic_t<T>>(x[i - 1]));
  return out;
}

// ---- Rows of floats. Results are a value in long double, and how far off it the contract lets a result be, in units of the arithmetic:
// `unit` is half an ulp of 1, and `least` the least denormal.

struct near {
  long double value, error;
};
struct arithmetic {
  double unit, least;
};

inline array<near> softmax(array<long double> const& row, index length, bool logarithm, arithmetic in) {
  constexpr long double inf = std::numeric_limits<long double>::infinity();
  long double max = -inf, sum = 0;
  bool nan = false;
  for (index i = 0; i < length; ++i) {
    nan = nan || std::isnan(row[i]);
    max = std::max(max, row[i]);
  }
  auto const distance = [&](long double x) { return x == max && std::isinf(max) ? 0 : x - max; };
  for (index i = 0; i < length; ++i)
    if (max > -inf) sum += std::exp(distance(row[i]));
  array<near> out(row.size(), near{logarithm ? -inf : 0, 0});
  for (index i = 0; i < length; ++i) {
    if (nan) out[i].value = std::nanl("");
    if (nan || max == -inf) continue;
    long double const d = distance(row[i]), log = d - std::log(sum), of = logarithm ? log : std::exp(d) / sum;
    long double const error =
        logarithm ? 12 * in.unit * (1 - d + std::abs(log)) : of * in.unit * (12 - d) + 3 * in.least;
    out[i] = {of, std::isinf(d) ? 0 : error};
  }
  return out;
}

inline near log_sum_exp(array<long double> const& row, arithmetic in) {
  constexpr long double inf = std::numeric_limits<long double>::infinity();
  long double max = -inf, sum = 0;
  for (long double x : row) max = std::isnan(x) || std::isnan(max) ? std::nanl("") : std::max(max, x);
  if (!std::isfinite(max)) return {max, 0};
  for (long double x : row) sum += std::exp(x - max);
  auto const n = static_cast<long double>(row.size());
  long double const value = max + std::log(sum);
  return {value, in.unit * (12 + 2 * std::log(n) + n / 512 + 3 * (std::abs(max) + std::abs(value))) + in.least};
}

/// (x − mean) · s · weight + bias, where s = 1 / √(variance + epsilon); without the mean, `centered` false, the root mean square is 1.
inline array<near> norm(array<long double> const& row, array<long double> const& weight, array<long double> const& bias,
                        long double epsilon, bool centered, arithmetic in) {
  auto const n = static_cast<long double>(row.size());
  long double mean = 0, squares = 0, largest = 0;
  if (centered) mean = std::accumulate(row.begin(), row.end(), 0.0L) / n;
  for (long double const x : row) squares += (x - mean) * (x - mean);
  long double const s = 1 / std::sqrt(squares / n + epsilon), k = 4 + n / 4096;
  for (long double const x : row) largest = std::max(largest, std::abs((x - mean) * s));
  array<near> out;
  for (std::size_t i = 0; i < row.size(); ++i) {
    long double const w = weight.empty() ? 1 : weight[i], b = bias.empty() ? 0 : bias[i],
                      scaled = (row[i] - mean) * s * w;
    long double const error = in.unit * (12 * largest + k * std::abs(mean) * s) + in.least * (1 + k * s);
    out.push_back(
        {scaled + b, error * std::abs(w) + in.unit * (std::abs(scaled) + std::abs(scaled + b)) * 1.01L + in.least});
  }
  return out;
}

}  // namespace oracle::model::arrays
