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

template <class In, class Op, class Out>
constexpr cudaError_t no_reduction_of_rows() {
  detail::require_reduced<number_of<In>, Op, Out>();
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_argmin_of_rows() {
  static_assert(
      !stl::is_pointer_v<Out>,
      "grid::argmin_rows, argmax_rows: out points to indexed<T, int> on the GPU, a value and its column, "
      "for elements of T: tessera::indexed<float, int>* of floats.");
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_minmax_of_rows() {
  static_assert(!stl::is_pointer_v<Out>,
                "grid::minmax_rows: out points to min_max<T> on the GPU, both values, for elements of T: "
                "tessera::min_max<float>* of floats.");
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_moments_of_rows() {
  static_assert(!stl::is_pointer_v<Out>,
                "grid::moments_rows: out points to tessera::moments<double> on the GPU for doubles, and to "
                "tessera::moments<float> for other elements.");
  return cudaErrorNotSupported;
}

}  // namespace detail

template <class In, class Out, class Op = plus,
          detail::if_other_pointer<Out, detail::reduced<detail::number_of<In>, Op>> = true>
cudaError_t reduce_rows(matrix<In>, Out, Op = {}, detail::ignored = {}) {
  return detail::no_reduction_of_rows<In, Op, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::number_of<In>, int>> = true>
cudaError_t argmin_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::no_argmin_of_rows<Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::number_of<In>, int>> = true>
cudaError_t argmax_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::no_argmin_of_rows<Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, min_max<detail::number_of<In>>> = true>
cudaError_t minmax_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::no_minmax_of_rows<Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, detail::moments_of<In>> = true>
cudaError_t moments_rows(matrix<In>, Out, detail::ignored = {}) {
  return detail::no_moments_of_rows<Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
