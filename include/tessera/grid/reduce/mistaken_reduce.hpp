// Reductions of arrays and segments into memory of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class T, class Op, class Out>
constexpr cudaError_t no_reduction() {
  detail::require_reduced<T, Op, Out>();
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_argmin() {
  static_assert(!stl::is_pointer_v<Out>,
                "grid::argmin, argmax: out points to an indexed<T, std::int64_t> on the GPU, a value and its "
                "index, for elements of T: tessera::indexed<float, std::int64_t>* of floats.");
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_minmax() {
  static_assert(!stl::is_pointer_v<Out>,
                "grid::minmax: out points to a min_max<T> on the GPU, both values, for elements of T: "
                "tessera::min_max<float>* of floats.");
  return cudaErrorNotSupported;
}
template <class Out>
constexpr cudaError_t no_moments() {
  static_assert(!stl::is_pointer_v<Out>,
                "grid::moments: out points to a tessera::moments<double> on the GPU, whatever the elements.");
  return cudaErrorNotSupported;
}

}  // namespace detail

template <class T, class Out, class Op = plus, detail::if_other_pointer<Out, detail::reduced<T, Op>> = true>
cudaError_t reduce(T const*, std::int64_t, Out, Op = {}, detail::ignored = {}, detail::ignored = {}) {
  return detail::no_reduction<T, Op, Out>();
}
template <class T, class Offset, class Out, class Op = plus,
          detail::if_other_pointer<Out, detail::reduced<T, Op>> = true>
cudaError_t reduce_segments(T const*, Offset const*, std::int64_t, Out, Op = {}, detail::ignored = {}) {
  return detail::no_reduction<T, Op, Out>();
}

template <class T, class Out, detail::if_other_pointer<Out, indexed<T, std::int64_t>> = true>
cudaError_t argmin(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::no_argmin<Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, indexed<T, std::int64_t>> = true>
cudaError_t argmax(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::no_argmin<Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, min_max<T>> = true>
cudaError_t minmax(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::no_minmax<Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, tessera::moments<double>> = true>
cudaError_t moments(T const*, std::int64_t, Out, detail::ignored = {}, detail::ignored = {}) {
  return detail::no_moments<Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
