// Reductions of arrays and segments into memory of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

template <class T, class Out, class Op = plus, detail::if_other_pointer<Out, detail::reduced<T, Op>> = true>
cudaError_t reduce(T const*, std::int64_t, Out, Op = {}, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_reduced<T, Op, Out>();
}
template <class T, class Offset, class Out, class Op = plus,
          detail::if_other_pointer<Out, detail::reduced<T, Op>> = true>
cudaError_t reduce_segments(T const*, Offset const*, std::int64_t, Out, Op = {}, detail::ignored = {}) {
  return detail::require_reduced<T, Op, Out>();
}

template <class T, class Out, detail::if_other_pointer<Out, indexed<T, std::int64_t>> = true>
cudaError_t argmin(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::require_result<indexed<T, std::int64_t>, Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, indexed<T, std::int64_t>> = true>
cudaError_t argmax(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::require_result<indexed<T, std::int64_t>, Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, min_max<T>> = true>
cudaError_t minmax(T const*, std::int64_t, Out, detail::ignored = {}) {
  return detail::require_result<min_max<T>, Out>();
}
template <class T, class Out, detail::if_other_pointer<Out, tessera::moments<double>> = true>
cudaError_t moments(T const*, std::int64_t, Out, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_result<tessera::moments<double>, Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
