// The columns of the elements of rows, in their order.
#include <tessera/grid/sort_rows.cuh>

#include "arrays.hpp"
#include "ordered_rows.hpp"

namespace oracle::arrays {
namespace {

template <class T, class Index>
void argsort_rows_of(call& c) {
  matrix_of const m(c);
  bool const falling = c.what.is("extra", "greater");
  auto const x = elements<T>(c, m.elements());
  std::vector<Index> want;
  for (index r = 0; r < m.rows; ++r)
    for (index const i : ordered_places(m.row(x, r), falling)) want.push_back(static_cast<Index>(i));
  auto const in = c.in(x);
  auto const indices = c.out(want);
  c.launch = [=](grid::execution on) {
    return falling ? grid::argsort_rows(m.view(in()), indices(), tessera::greater{}, on)
                   : grid::argsort_rows(m.view(in()), indices(), tessera::less{}, on);
  };
}
void argsort_rows(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    if (c.what.is("index", "wide")) return argsort_rows_of<decltype(t), std::int64_t>(c);
    argsort_rows_of<decltype(t), std::int32_t>(c);
  });
}

registered<false> const of_argsorted_rows{{"argsort_rows", argsort_rows}};

}  // namespace
}  // namespace oracle::arrays
