// The library's definitions for top_k.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/top_k.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t top_k_instantiation(T const* in, std::int64_t n, std::int64_t k, T* values, std::int64_t* indices,
                                bool falling, execution on) noexcept {
  return top_k_launcher<T>::launch(in, n, k, values, indices, falling, on);
}
template <class T>
cudaError_t nth_element_instantiation(T const* in, std::int64_t n, std::int64_t rank, T* value, std::int64_t* index,
                                      bool falling, execution on) noexcept {
  return nth_element_launcher<T>::launch(in, n, rank, value, index, falling, on);
}
template <class T>
cudaError_t quantiles_instantiation(T const* in, std::int64_t n, double const* q, std::int64_t count, T* out,
                                    quantile_method method, execution on) noexcept {
  return quantiles_launcher<T>::launch(in, n, q, count, out, method, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
