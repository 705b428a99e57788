// Calls by iterators on segments and rows, of structs.
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/sort_segments.cuh>

#include "backwards.hpp"

namespace oracle::arrays {
namespace {

/// Of one length each, and a rest.
template <class T>
void segments_of(call& c, std::vector<T> const& x) {
  auto const op = joining<T>();
  index const length = 1 + c.drawn(61, 5000), segments = c.n / length;
  std::vector<index> at{0};
  for (index s = 1; s <= segments; ++s) at.push_back(s * length);
  auto const in = read_backwards(c, x);
  auto const out = written_backwards(c, model::reduce_segments(x, at, op), segments);
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
  auto const out = written_backwards(c, want, rows);
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
void segments_by_iterators_of(call& c) {
  auto const x = elements<T>(c, c.n);
  std::string const form = c.what["form"];
  if (form == "reduce_segments") return segments_of(c, x);
  if (form == "reduce_rows") return rows_of(c, x);
  sorted_segments_of(c, x);
}

}  // namespace

void segments_by_iterators(call& c) {
  with_type(c, numbers{}, [&](auto t) { segments_by_iterators_of<decltype(t)>(c); });
}

}  // namespace oracle::arrays
