// The library's definitions for search.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/search.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <bool Upper, class T, class Index>
cudaError_t bounds_instantiation(T const* sorted, std::int64_t n, T const* needles, std::int64_t count, Index* out,
                                 execution on) noexcept {
  return bounds_launcher<T>::template launch<Upper>(sorted, n, needles, count, out, less{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
