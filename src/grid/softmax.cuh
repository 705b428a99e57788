// The library's definitions for softmax.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/softmax.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t softmax_instantiation(matrix<T const> in, matrix<T> out, std::int32_t const* lengths, bool logarithms,
                                  execution on) noexcept {
  return map_matrix(in, out, lengths, softmax_map<T>{logarithms}, true, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
