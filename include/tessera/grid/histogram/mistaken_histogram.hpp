// Histograms with counts of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class Count>
constexpr cudaError_t no_histogram() {
  static_assert(!is_other_pointer<Count, std::uint64_t>,
                "grid::histogram: counts points to std::uint64_t on the device, one for each bin.");
  return cudaErrorNotSupported;
}

}  // namespace detail

template <class T, class Count, detail::if_other_pointer<Count, std::uint64_t> = true>
cudaError_t histogram(T const*, std::int64_t, Count, std::int64_t, detail::bound_t<T>, detail::bound_t<T>,
                      detail::ignored = {}, detail::ignored = {}) {
  return detail::no_histogram<Count>();
}
template <class T, class Count, class Edge, detail::if_other_pointer<Count, std::uint64_t> = true>
cudaError_t histogram(T const*, std::int64_t, Count, std::int64_t, Edge const*, detail::ignored = {},
                      detail::ignored = {}) {
  return detail::no_histogram<Count>();
}
template <class T, class Count, class F, detail::if_other_pointer<Count, std::uint64_t> = true>
cudaError_t histogram_by(T const*, std::int64_t, Count, std::int64_t, F const&, detail::ignored = {},
                         detail::ignored = {}) {
  return detail::no_histogram<Count>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
