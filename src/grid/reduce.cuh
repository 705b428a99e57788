// The library's definitions for reduce.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/reduce.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class R>
cudaError_t reduce_instantiation(T const* in, std::int64_t n, R* out, order how, execution on) noexcept {
  return reduce_launcher<T>::launch(in, n, out, Op{}, how, on);
}

template <class T>
cudaError_t argmin_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, execution on) noexcept {
  return arg_array<tessera::argmin>(in, n, out, argmin_agent{}, on);
}

template <class T>
cudaError_t argmax_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, execution on) noexcept {
  return arg_array<tessera::argmax>(in, n, out, argmax_agent{}, on);
}

template <class T>
cudaError_t minmax_instantiation(T const* in, std::int64_t n, min_max<T>* out, execution on) noexcept {
  return transform_array(in, n, out, tessera::minmax{}, as_both{}, order::this_device, on);
}

template <class T>
cudaError_t moments_instantiation(T const* in, std::int64_t n, tessera::moments<double>* out, order how,
                                  execution on) noexcept {
  return reduce_array<tessera::moments<double>>(in, n, out, moments_agent{}, welford{}, how, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
