// The library's definitions for histogram.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/histogram.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Bound>
cudaError_t histogram_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins, Bound lower,
                                    Bound upper, out_of_range* outside, execution on) noexcept {
  return histogram_launcher<T>::launch(in, n, counts, bins, lower, upper, outside, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
