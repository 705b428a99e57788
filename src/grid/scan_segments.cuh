// The library's definitions for scan_segments.hpp, of the types in instantiations.py.
// Sums of signed integers are those of unsigned ones.
#pragma once

#include <tessera/grid/scan_segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class Offset, class R>
cudaError_t scan_segments_instantiation(T const* in, std::int64_t n, Offset const* offsets, std::int64_t segments,
                                        T* out, segmented_scan_request<R> const& what, execution on) noexcept {
  return scan_segments_launcher<T>::launch(in, n, offsets, segments, out, Op{}, what, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
