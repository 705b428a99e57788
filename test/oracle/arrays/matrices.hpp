// The matrix of a call on rows.
#pragma once

#include <tessera/grid/matrix.hpp>

#include "arrays.hpp"

namespace oracle::arrays {

/// Some n elements as short, medium or long rows, with or without gaps between them.
struct matrix_of {
  index rows = 0, columns = 0, stride = 0;

  explicit matrix_of(call const& c, index given = 0) {
    columns = given > 0 ? given : 1 + c.drawn(61, 40);
    if (c.what.is("spread", "medium")) columns = 100 + c.drawn(61, 3000);
    if (c.what.is("spread", "long")) columns = std::max<index>(c.n / (1 + c.drawn(61, 3)), 1);
    rows = c.n / columns;
    if (rows == 0 && c.n > 0 && given == 0) rows = 1, columns = c.n;
    if (c.n == 0 && c.drawn(62, 2) == 0 && given == 0) rows = c.drawn(63, 5), columns = 0;
    stride = columns + (c.what.is("form", "gaps") ? 1 + c.drawn(64, 17) : 0);
  }
  index elements() const { return rows == 0 ? 0 : (rows - 1) * stride + columns; }
  template <class T>
  std::vector<T> row(std::vector<T> const& x, index r) const {
    return model::slice(x, r * stride, r * stride + columns);
  }
  template <class T>
  grid::matrix<T> view(T* data) const {
    return {data, rows, columns, stride};
  }
};

}  // namespace oracle::arrays
