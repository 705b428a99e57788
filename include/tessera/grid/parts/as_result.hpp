// The function that calls apply to each element where the results of the combination are of another type.
#pragma once

#include <tessera/core/number.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An element as what elements are combined in.
template <class R>
struct as_result {
  template <class T>
  TESSERA_FN R operator()(T const& x) const {
    return tessera::detail::convert<R>(x);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
