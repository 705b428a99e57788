// Row operations of a user's own, whose results are exact.
#include <tessera/grid/map_rows.cuh>

#include "../../grid/rows/exact_row_operations.hpp"
#include "arrays.hpp"
#include "matrices.hpp"

namespace oracle::arrays {
namespace {

template <class Operation>
void map_rows_by(call& c) {
  with_type(c, types<float, double, __nv_bfloat16>{}, [&](auto t) {
    using T = decltype(t);
    using N = oracle::model::arithmetic_t<T>;
    matrix_of const m(c);
    auto const x = elements<tessera::plus, T>(c, m.elements());
    auto const initial = c.in_place() ? x : poisoned<T>(size(x));
    auto want = initial;
    for (index r = 0; r < m.rows; ++r) {
      auto const made = test::mapped(Operation{}, as<N>(m.row(x, r)),
                                     [](std::vector<N> const& terms, auto op) { return model::reduce(terms, op); });
      for (index i = 0; i < m.columns; ++i)
        want[static_cast<std::size_t>(r * m.stride + i)] = static_cast<T>(made[static_cast<std::size_t>(i)]);
    }
    auto const out = c.over(initial, want);
    auto const in = c.in_place() ? array<T const>{out.at} : c.in(x);
    c.launch = [=](grid::execution on) { return grid::map_rows(m.view(in()), m.view(out()), Operation{}, on); };
  });
}
void map_rows(call& c) {
  if (c.what.is("extra", "one")) return map_rows_by<test::above_sum>(c);
  if (c.what.is("extra", "two")) return map_rows_by<test::swap_ends>(c);
  map_rows_by<test::next_greatest>(c);
}

registered<false> const of_mapped_rows{{"map_rows", map_rows}};

}  // namespace
}  // namespace oracle::arrays
