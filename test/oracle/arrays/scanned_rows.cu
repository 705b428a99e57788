// Scans of rows and columns.
#include <tessera/grid/scan_rows.cuh>

#include "arrays.hpp"
#include "matrices.hpp"

namespace oracle::arrays {
namespace {

using model::scan_kind;

/// Rows, or with Down columns; some from what the device has, which the totals replace.
template <bool Exclusive, bool Down>
void scan_lines(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    auto const op = joining<T>();
    auto const x = elements<T>(c, m.elements());
    bool const suffix = c.drawn(66, 2) == 1, carried = c.what.is("extra", "more");
    index const lines = Down ? m.columns : m.rows, length = Down ? m.rows : m.columns;
    auto const starts = elements<T>(c, lines + 1, 9);
    auto const initial = c.in_place() ? x : poisoned<T>(size(x));
    auto want = initial;
    std::vector<T> totals;
    for (index line = 0; line < lines; ++line) {
      auto const at = [&](index i) {
        return static_cast<std::size_t>(Down ? i * m.stride + line : line * m.stride + i);
      };
      std::vector<T> one;
      for (index i = 0; i < length; ++i) one.push_back(x[at(i)]);
      scan_kind const kind = Exclusive ? (carried ? scan_kind::exclusive_from : scan_kind::exclusive)
                                       : (carried ? scan_kind::inclusive_from : scan_kind::inclusive);
      auto const made = model::scan(one, op, kind, suffix, starts[static_cast<std::size_t>(line)]);
      for (index i = 0; i < length; ++i) want[at(i)] = made.out[static_cast<std::size_t>(i)];
      totals.push_back(made.total);
    }
    std::vector<T> const first(starts.begin(), starts.begin() + lines);
    auto const carry = carried ? c.over(first, totals) : array<T>();
    auto const both = c.over(initial, want);
    auto const in = c.in_place() ? array<T const>{both.at} : c.in(x);
    c.launch = [=](grid::execution on) {
      grid::scan_rows_options<T> const options{suffix, carry(), carry()};
      auto const from = m.view(in());
      auto const to = m.view(both());
      if constexpr (Down)
        return Exclusive ? grid::exclusive_scan_columns(from, to, op, options, on)
                         : grid::inclusive_scan_columns(from, to, op, options, on);
      return Exclusive ? grid::exclusive_scan_rows(from, to, op, options, on)
                       : grid::inclusive_scan_rows(from, to, op, options, on);
    };
  });
}

registered<> const of_scanned_rows{{"inclusive_scan_rows", scan_lines<false, false>},
                                   {"exclusive_scan_rows", scan_lines<true, false>},
                                   {"inclusive_scan_columns", scan_lines<false, true>},
                                   {"exclusive_scan_columns", scan_lines<true, true>}};

}  // namespace
}  // namespace oracle::arrays
