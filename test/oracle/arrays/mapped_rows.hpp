// Rows that are mapped to rows, within the errors of the contracts.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "matrices.hpp"

namespace oracle::arrays {

template <class T>
constexpr model::arithmetic arithmetic_of() {
  if constexpr (sizeof(T) == 8) return {0x1p-53, 0x1p-1074};
  return {0x1p-24, 0x1p-149};
}
template <class T>
std::vector<long double> wide(std::vector<T> const& x) {
  std::vector<long double> out;
  for (T const& y : x) out.push_back(static_cast<oracle::model::arithmetic_t<T>>(y));
  return out;
}
/// Elements of about the same size; with NaNs and infinities if `values` is special.
template <class T>
std::vector<T> some(call const& c, index n, u64 which) {
  return c.what.is("values", "special") ? elements<T>(c, n, which) : elements<tessera::plus, T>(c, n, which);
}

/// The matrices of a call: `row(x, r)` is what the model makes of a row.
template <class T, class Row>
std::pair<array<T const>, array<T>> mapped(call& c, matrix_of const& m, std::vector<T> const& x, Row row) {
  auto const initial = c.in_place() ? x : poisoned<T>(size(x));
  auto want = initial;
  std::vector<model::near> nears(x.size(), model::near{0, -1});  // −1: in a gap, and not written
  for (index r = 0; r < m.rows; ++r) {
    auto const made = row(wide(m.row(x, r)), r);
    for (index i = 0; i < m.columns; ++i) {
      std::size_t const at = static_cast<std::size_t>(r * m.stride + i);
      nears[at] = made[static_cast<std::size_t>(i)];
      want[at] = static_cast<T>(static_cast<oracle::model::arithmetic_t<T>>(nears[at].value));
    }
  }
  std::function<bool(T const&, T const&, std::size_t)> const near = [nears](T const& got, T const& expected,
                                                                            std::size_t i) {
    return nears[i].error < 0 ? same(got, expected) : is_near(got, expected, nears[i], sizeof(T) == 2 ? 1 : 0);
  };
  if (!c.in_place()) return {c.in(x), c.over(initial, want, near)};
  auto const both = c.over(x, want, near);
  return {{both.at}, both};
}

}  // namespace oracle::arrays
