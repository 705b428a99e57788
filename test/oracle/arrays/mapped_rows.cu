// Row operations of a user's own, whose results are exact.
#include <tessera/grid/map_rows.cuh>

#include "arrays.hpp"
#include "matrices.hpp"

namespace oracle::arrays {
namespace {

template <class T>
using number_of = oracle::model::arithmetic_t<T>;

/// The sum, where it is greater; the column is added.
struct above_sum {
  TESSERA_FN tessera::plus first_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N result(N x, int column, N sum) const {
    return (x < sum ? sum : x) + static_cast<N>(column % 4);
  }
};
/// Swaps the least and the greatest.
struct swap_ends {
  TESSERA_FN tessera::minimum first_operator() const { return {}; }
  TESSERA_FN tessera::maximum second_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N second(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N result(N x, int, N least, N greatest) const {
    return x == greatest ? least : x == least ? greatest : x;
  }
};
/// The greatest number below the greatest one: the second reduction needs the result of the first.
struct next_greatest {
  TESSERA_FN tessera::maximum first_operator() const { return {}; }
  TESSERA_FN tessera::maximum second_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N second(N x, int, N greatest) const {
    return x < greatest ? x : N(-1000);
  }
  template <class N>
  TESSERA_FN N result(N x, int, N greatest, N next) const {
    return x < greatest ? next : x;
  }
};

/// What `result` makes of each element of a row of numbers.
template <class N>
std::vector<N> mapped(above_sum const& f, std::vector<N> row) {
  N const sum = model::reduce(row, tessera::plus{});
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = f.result(row[i], static_cast<int>(i), sum);
  return row;
}
template <class N>
std::vector<N> mapped(swap_ends const& f, std::vector<N> row) {
  N const least = model::reduce(row, tessera::minimum{}), greatest = model::reduce(row, tessera::maximum{});
  for (N& x : row) x = f.result(x, 0, least, greatest);
  return row;
}
template <class N>
std::vector<N> mapped(next_greatest const& f, std::vector<N> row) {
  N const greatest = model::reduce(row, tessera::maximum{});
  std::vector<N> others;
  for (N const x : row) others.push_back(f.second(x, 0, greatest));
  N const next = model::reduce(others, tessera::maximum{});
  for (N& x : row) x = f.result(x, 0, greatest, next);
  return row;
}

template <class Operation>
void map_rows_by(call& c) {
  with_type(c, types<float, double, __nv_bfloat16>{}, [&](auto t) {
    using T = decltype(t);
    using N = number_of<T>;
    matrix_of const m(c);
    auto const x = elements<tessera::plus, T>(c, m.elements());
    auto const initial = c.in_place() ? x : poisoned<T>(size(x));
    auto want = initial;
    for (index r = 0; r < m.rows; ++r) {
      auto const made = mapped(Operation{}, as<N>(m.row(x, r)));
      for (index i = 0; i < m.columns; ++i)
        want[static_cast<std::size_t>(r * m.stride + i)] = static_cast<T>(made[static_cast<std::size_t>(i)]);
    }
    auto const out = c.over(initial, want);
    auto const in = c.in_place() ? array<T const>{out.at} : c.in(x);
    c.launch = [=](grid::execution on) { return grid::map_rows(m.view(in()), m.view(out()), Operation{}, on); };
  });
}
void map_rows(call& c) {
  if (c.what.is("extra", "one")) return map_rows_by<above_sum>(c);
  if (c.what.is("extra", "two")) return map_rows_by<swap_ends>(c);
  map_rows_by<next_greatest>(c);
}

registered<false> const done{{"map_rows", map_rows}};

}  // namespace
}  // namespace oracle::arrays
