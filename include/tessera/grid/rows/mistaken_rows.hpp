// Reductions of rows into memory of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/other_pointer.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class T>
using number_of = stl::remove_const_t<T>;
template <class T>
using moments_of = tessera::moments<stl::conditional_t<stl::is_same_v<number_of<T>, double>, double, float>>;

}  // namespace detail

template <class In, class Out, class Op = plus,
          detail::if_other_pointer<Out, detail::reduced<detail::number_of<In>, Op>> = true>
cudaError_t reduce_rows(matrix<In>, Out, Op = {}, detail::ignored = {}) {
  return detail::require_reduced<detail::number_of<In>, Op, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::number_of<In>, int>> = true>
cudaError_t argmin_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::require_result<indexed<detail::number_of<In>, int>, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::number_of<In>, int>> = true>
cudaError_t argmax_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::require_result<indexed<detail::number_of<In>, int>, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, min_max<detail::number_of<In>>> = true>
cudaError_t minmax_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::require_result<min_max<detail::number_of<In>>, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, detail::moments_of<In>> = true>
cudaError_t moments_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::require_result<detail::moments_of<In>, Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
