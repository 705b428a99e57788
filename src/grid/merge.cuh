// The library's definitions for merge.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/merge.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t merge_instantiation(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out,
                                execution on) noexcept {
  return merge_launcher<T>::launch(a, na, b, nb, out, less{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
