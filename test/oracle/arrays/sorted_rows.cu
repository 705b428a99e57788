// Rows in order.
#include <tessera/grid/sort_rows.cuh>

#include "arrays.hpp"
#include "ordered_rows.hpp"

namespace oracle::arrays {
namespace {

/// Zeros, and NaNs, in any order.
void sort_rows(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    bool const falling = c.what.is("extra", "greater");
    auto const x = elements<T>(c, m.elements());
    auto const initial = c.in_place() ? x : poisoned<T>(size(x));
    auto want = initial;
    for (index r = 0; r < m.rows; ++r) {
      auto const row = m.row(x, r);
      auto const sorted = model::gather(row, ordered_places(row, falling));
      std::copy(sorted.begin(), sorted.end(), want.begin() + r * m.stride);
    }
    auto const both = c.judged<T>(initial, want, [m, want](std::vector<T> const& got) {
      auto rest = got;  // with the rows as they are wanted
      for (index r = 0; r < m.rows; ++r) {
        auto const expected = m.row(want, r);
        if (!model::same_but_for_ties(expected, expected, m.row(got, r))) return false;
        std::copy(expected.begin(), expected.end(), rest.begin() + r * m.stride);
      }
      return std::equal(rest.begin(), rest.end(), want.begin(), [](T const& a, T const& b) { return same(a, b); });
    });
    auto const in = c.in_place() ? array<T const>{both.at} : c.in(x);
    c.launch = [=](grid::execution on) {
      return falling ? grid::sort_rows(m.view(in()), m.view(both()), tessera::greater{}, on)
                     : grid::sort_rows(m.view(in()), m.view(both()), tessera::less{}, on);
    };
  });
}

registered<false> const of_sorted_rows{{"sort_rows", sort_rows}};

}  // namespace
}  // namespace oracle::arrays
