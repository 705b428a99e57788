// The library's definitions for softmax.hpp, of the types in instantiations.py.
#pragma once

#include "grid/shared_rows.hpp"

#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/softmax.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t softmax_instantiation(matrix<T const> in, matrix<T> out, std::int32_t const* lengths, bool logarithms,
                                  execution on) noexcept {
  using element = row_kernel_t<T>;
  return map_matrix(detail::rows_as<element const>(in), detail::rows_as<element>(out), lengths,
                    softmax_map<element>{logarithms}, true, on, detail::row_format_of<T>());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
