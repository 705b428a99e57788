// The library's explicit instantiations of scans: the functions that scan.hpp declares.
#pragma once

#include <tessera/grid/scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class R>
cudaError_t scan_instantiation(T const* in, std::int64_t n, T* out, scan_request<R> const& what,
                               cudaStream_t stream, workspace* memory) noexcept {
  return launch_scan(dispatch_tag{}, in, n, out, Op{}, what, stream, memory);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

#define TESSERA_SCAN_INSTANTIATION(T, Op)         \
  template cudaError_t scan_instantiation<T, Op>( \
      T const*, std::int64_t, T*, scan_request<reduced_t<T, Op>> const&, cudaStream_t, workspace*) noexcept;
