// The library's definitions for sort_segments.hpp, of the types in instantiations.py. Types of one size share their kernels.
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
