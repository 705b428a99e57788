// The order of a row's elements, by the model.
#pragma once

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "matrices.hpp"

namespace oracle::arrays {

/// One type of each size, and integers: kernels are the same for all types of a size.
using ordered_types = types<std::int64_t, float, double, __half>;

/// The places of a row's elements in an order. Of equal ones the lowest comes first, or the highest.
template <class T, class Before>
std::vector<index> ordered_places_by(std::vector<T> row, Before const& before, bool higher_first) {
  if (higher_first) std::reverse(row.begin(), row.end());
  auto at = model::argsort(row, before);
  for (index& i : at) i = higher_first ? size(row) - 1 - i : i;
  return at;
}
template <class T>
std::vector<index> ordered_places(std::vector<T> const& row, bool falling, bool higher_first = false) {
  return ordered_places_by(row, model::before{falling}, higher_first);
}

}  // namespace oracle::arrays
