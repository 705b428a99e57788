// The type of what an array, a row or a segment is reduced to.
#pragma once

#include <tessera/core/operator_traits.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// grid::reduced_t, whose contract is in <tessera/grid/reduce.hpp>.
template <class T, class Op>
using reduced =
    stl::conditional_t<tessera::detail::is_half<T> && is_one_of<tessera::detail::normalized_t<Op, T>, plus, multiplies>,
                       float, tessera::detail::range_result_t<Op, T, std::int64_t>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
