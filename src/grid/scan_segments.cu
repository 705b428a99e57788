// The library's explicit instantiations of scans of segments: the functions that scan_segments.hpp declares. Sums of
// signed integers are those of unsigned ones.
#include <tessera/grid/scan_segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class Offset, class R>
cudaError_t scan_segments_instantiation(T const* in, std::int64_t n, Offset const* offsets,
                                        std::int64_t segments, T* out, segmented_scan_request<R> const& what,
                                        execution on) noexcept {
  return scan_segments_launcher<T>::launch(in, n, offsets, segments, out, Op{}, what, on);
}

#define TESSERA_SCAN_SEGMENTS_INSTANTIATION(T, Offset)                                           \
  template cudaError_t scan_segments_instantiation<T, plus, Offset>(                             \
      T const*, std::int64_t, Offset const*, std::int64_t, T*, segmented_scan_request<T> const&, \
      execution) noexcept;

TESSERA_SCAN_SEGMENTS_INSTANTIATION(float, std::uint32_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(double, std::uint32_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(std::uint32_t, std::uint32_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(std::uint64_t, std::uint32_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(float, std::int64_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(double, std::int64_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(std::uint32_t, std::int64_t)
TESSERA_SCAN_SEGMENTS_INSTANTIATION(std::uint64_t, std::int64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
