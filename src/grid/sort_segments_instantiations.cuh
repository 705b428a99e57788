// The library's explicit instantiations of sort_segments: the functions that sort_segments.hpp declares.
#pragma once

#include <tessera/grid/sort_segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before>
cudaError_t sort_segments_instantiation(segment_sort_call const& call, execution on) noexcept {
  return sort_number_segments<T, Before>(call, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

#define TESSERA_SORT_SEGMENTS_INSTANTIATIONS(T)                                                            \
  template cudaError_t sort_segments_instantiation<T, less>(segment_sort_call const&, execution) noexcept; \
  template cudaError_t sort_segments_instantiation<T, greater>(segment_sort_call const&, execution) noexcept;
