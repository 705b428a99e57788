// The library's definitions for histogram.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/histogram.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Bound>
cudaError_t histogram_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins, Bound lower,
                                    Bound upper, bool is_signed, histogram_options options, execution on) noexcept {
  bool const closed = options.last == last_bin::closed;
  auto even = bins_of<T>::over(bins, lower, upper, closed);
  if constexpr (tessera::detail::is_integer<T>) {
    using as = stl::make_signed_t<T>;
    using bound = bound_t<as>;
    if (is_signed)
      even = bins_of<T>::template over<as>(bins, static_cast<bound>(lower), static_cast<bound>(upper), closed);
  }
  return detail::histogram_of(in, n, counts, even, options.outside, on);
}

template <class T>
cudaError_t edges_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, edge_request<T> const& edges,
                                out_of_range* outside, execution on) noexcept {
  return detail::histogram_between(in, n, counts, edges, outside, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
