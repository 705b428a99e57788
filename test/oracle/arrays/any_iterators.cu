// Calls by iterators, of structs: each reads its arrays backwards, and writes its results backwards.
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>

#include "arrays.hpp"
#include "functions_of_structs.hpp"

namespace oracle::arrays {
namespace {

/// From the last element of an array to its first.
template <class T>
struct backwards {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::int64_t;
  T* last;

  TESSERA_FN T& operator*() const { return *last; }
  TESSERA_FN backwards operator+(std::int64_t i) const { return {last - i}; }
};
template <class T>
backwards<T> backwards_of(T* first, index n) {
  return {first + n - 1};
}
template <class T>
std::vector<T> reversed(std::vector<T> const& x) {
  return {x.rbegin(), x.rend()};
}

/// An array that is read from its end to its begin: in that order its elements are x.
template <class T>
auto read_backwards(call& c, std::vector<T> const& x) {
  return [in = c.in(reversed(x)), n = size(x)] { return backwards_of<T const>(in(), n); };
}
/// An array of which `most` elements may be written, the last one first: they become `first`.
template <class T>
auto written_backwards(call& c, std::vector<T> const& first, index most) {
  auto want = poisoned<T>(most);
  std::copy(first.begin(), first.end(), want.begin());
  return [out = c.out(reversed(want)), most] { return backwards_of<T>(out(), most); };
}

template <class T>
void select_of(call& c, std::vector<T> const& x) {
  std::vector<char> chosen;
  for (T const& y : x) chosen.push_back(is_odd{}(y));
  index found = 0;
  auto const all = model::partition(x, chosen, found);
  auto const in = read_backwards(c, x);
  auto const out = written_backwards(c, model::slice(all, 0, found), c.n);
  auto const count = c.out(std::vector<std::int64_t>{found});
  c.launch = [=, n = c.n](grid::execution on) { return grid::select(in(), n, out(), count(), is_odd{}, on); };
}
template <class T>
void runs_of(call& c, std::vector<T> const& x) {
  auto const ends = model::runs_of(x, both_odd{});
  auto const begins = model::slice(ends, 0, size(ends) - 1);
  std::vector<std::int64_t> lengths;
  for (std::size_t r = 0; r < begins.size(); ++r) lengths.push_back(ends[r + 1] - ends[r]);
  auto const in = read_backwards(c, x);
  auto const keys = c.out(model::gather(x, begins));
  auto const lengths_out = c.out(lengths);
  auto const count = c.out(std::vector<std::int64_t>{size(begins)});
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::run_length_encode(in(), n, keys(), lengths_out(), count(), both_odd{}, on);
  };
}
/// A merge, or the union, the intersection or the difference.
template <class T>
void combine(call& c, std::vector<T> const& x) {
  auto const sorted = [](std::vector<T> const& y) { return model::gather(y, model::argsort(y, first_word_less{})); };
  index const na = c.n / 3, nb = c.n - na;
  auto const a = sorted(model::slice(x, 0, na)), b = sorted(model::slice(x, na, c.n));
  auto const in_a = read_backwards(c, a), in_b = read_backwards(c, b);
  first_word_less const less;
  if (c.what.is("form", "merge")) {
    auto const out = written_backwards(c, model::merge(a, b, less), c.n);
    c.launch = [=](grid::execution on) { return grid::merge(in_a(), na, in_b(), nb, out(), less, on); };
    return;
  }
  std::string const name = c.what["form"];
  auto const places = model::set_places(name, a, b, less);
  auto all = a;
  all.insert(all.end(), b.begin(), b.end());
  auto const out = written_backwards(c, model::gather(all, places), c.n);
  auto const count = c.out(std::vector<std::int64_t>{size(places)});
  c.launch = [=](grid::execution on) {
    return name == "set_union"          ? grid::set_union(in_a(), na, in_b(), nb, out(), count(), less, on)
           : name == "set_intersection" ? grid::set_intersection(in_a(), na, in_b(), nb, out(), count(), less, on)
                                        : grid::set_difference(in_a(), na, in_b(), nb, out(), count(), less, on);
  };
}
template <class T>
void top_k_of(call& c, std::vector<T> const& x) {
  index const k = std::min<index>(c.n, 1 + c.drawn(81, 300));
  auto const falling = [](T const& a, T const& b) { return first_word_less{}(b, a); };
  auto const best = model::slice(model::argsort(x, falling), 0, k);
  auto const in = read_backwards(c, x);
  auto const values = written_backwards(c, model::gather(x, best), k);
  auto const indices = written_backwards(c, as<std::int64_t>(best), k);
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::top_k_by(in(), n, k, values(), indices(), first_word{}, tessera::greater{}, on);
  };
}
/// Of one length each, and a rest.
template <class T>
void segments_of(call& c, std::vector<T> const& x) {
  auto const op = joining<T>();
  index const length = 1 + c.drawn(61, 5000), segments = c.n / length;
  std::vector<index> at{0};
  for (index s = 1; s <= segments; ++s) at.push_back(s * length);
  auto const in = read_backwards(c, x);
  auto const out = c.out(model::reduce_segments(x, at, op));
  c.launch = [=](grid::execution on) {
    return grid::reduce_segments(in(), grid::segments_of_length(length), segments, out(), op, on);
  };
}

/// Rows with or without gaps between them.
template <class T>
void rows_of(call& c, std::vector<T> const& x) {
  auto const op = joining<T>();
  index const most[] = {12, 80, 3000, 50'000}, columns = 1 + c.drawn(61, most[c.drawn(62, 4)]);
  index const stride = columns + c.drawn(63, 4), rows = c.n / stride;
  std::vector<T> want;
  for (index r = 0; r < rows; ++r) want.push_back(model::reduce(model::slice(x, r * stride, r * stride + columns), op));
  auto const in = read_backwards(c, x);
  auto const out = c.out(want);
  c.launch = [=](grid::execution on) {
    return grid::reduce_rows(grid::matrix_of(in(), rows, columns, stride), out(), op, on);
  };
}
/// Sorted by offsets, the first of which isn't 0, or in windows of one length.
template <class T>
void sorted_segments_of(call& c, std::vector<T> const& x) {
  first_word_less const less;
  index const length = 1 + c.drawn(61, 5000), begin = std::min<index>(c.n, c.drawn(62, 9));
  bool const between = c.drawn(63, 2) == 0;
  std::vector<std::int64_t> at{begin};
  while (at.back() < c.n) at.push_back(std::min<index>(c.n, at.back() + c.drawn(70 + size(at) % 20, length) + 1));
  auto want = poisoned<T>(c.n);
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    auto const all = model::slice(x, at[s], at[s + 1]);
    auto const sorted = model::gather(all, model::argsort(all, less));
    std::copy(sorted.begin(), sorted.end(), want.begin() + at[s]);
  }
  auto const in = read_backwards(c, x);
  auto const offsets = c.in(at);
  auto const out = c.out(want);
  c.launch = [=, n = c.n, segments = size(at) - 1](grid::execution on) {
    if (between) {
      auto const windows = grid::segments_between(offsets(), offsets() + 1);
      return grid::sort_segments(in(), n, windows, segments, out(), less, on);
    }
    return grid::sort_segments(in(), n, offsets(), segments, out(), less, on);
  };
}

template <class T>
void by_iterators_of(call& c) {
  auto const x = elements<T>(c, c.n);
  auto const op = joining<T>();
  std::string const form = c.what["form"];
  if (form == "select") return select_of(c, x);
  if (form == "run_length_encode") return runs_of(c, x);
  if (form == "top_k_by") return top_k_of(c, x);
  if (form == "reduce_segments") return segments_of(c, x);
  if (form == "reduce_rows") return rows_of(c, x);
  if (form == "sort_segments") return sorted_segments_of(c, x);
  if (form == "merge" || form.rfind("set_", 0) == 0) return combine(c, x);
  auto const in = read_backwards(c, x);
  if (form == "reduce") {
    auto const out = c.out(std::vector{model::reduce(x, op)});
    c.launch = [=, n = c.n](grid::execution on) { return grid::reduce(in(), n, out(), op, on); };
  } else if (form == "scan") {
    auto const out = written_backwards(c, model::scan(x, op, model::scan_kind::inclusive, false, T{}).out, c.n);
    c.launch = [=, n = c.n](grid::execution on) { return grid::inclusive_scan(in(), n, out(), op, on); };
  } else if (form == "sort") {
    auto const out = c.out(model::gather(x, model::argsort(x, first_word_less{})));
    c.launch = [=, n = c.n](grid::execution on) { return grid::sort(in(), n, out(), first_word_less{}, on); };
  } else {
    auto const out = written_backwards(c, x, c.n);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::transform(in(), n, out(), tessera::detail::as_it_is{}, on);
    };
  }
}
void by_iterators(call& c) {
  with_type(c, numbers{}, [&](auto t) { by_iterators_of<decltype(t)>(c); });
}
registered<> const done{{"by_iterators", by_iterators}};

}  // namespace
}  // namespace oracle::arrays
