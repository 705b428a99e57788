// The moments of rows whose columns are on several ranks.
#pragma once

#include <tessera/operators/welford.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Stores the moments of whole rows. Sums of counts are rounded above 2^24 of float: the columns are rounded once.
template <class Number>
struct store_whole_moments {
  tessera::moments<Number>* out;
  Number column_count;

  TESSERA_FN void operator()(std::int64_t row, tessera::moments<Number> const& all) const {
    out[row] = {column_count, all.mean, all.m2};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
