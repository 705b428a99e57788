// Scans into memory of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class T, class Out>
constexpr cudaError_t no_scan() {
  static_assert(!is_other_pointer<Out, T>,
                "A scan stores elements of the type that it reads, and out isn't const. For results of another type, "
                "as the sums of shorts, write transform_inclusive_scan(in, n, out, op, f) of "
                "<tessera/grid/scan.cuh>, or convert the elements before.");
  return cudaErrorNotSupported;
}

}  // namespace detail

template <class T, class Offset, class Out, detail::if_other_pointer<Out, T> = true>
cudaError_t inclusive_scan_segments(T const*, std::int64_t, Offset const*, std::int64_t, Out, detail::ignored = {},
                                    detail::ignored = {}) {
  return detail::no_scan<T, Out>();
}
template <class T, class Offset, class Out, detail::if_other_pointer<Out, T> = true>
cudaError_t exclusive_scan_segments(T const*, std::int64_t, Offset const*, std::int64_t, Out, detail::ignored = {},
                                    detail::ignored = {}, detail::ignored = {}) {
  return detail::no_scan<T, Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
