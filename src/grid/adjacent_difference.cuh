// The library's definitions for adjacent_difference.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/adjacent_difference.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t difference_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept {
  return adjacent_difference_launcher<T>::launch(in, n, out, minus{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
