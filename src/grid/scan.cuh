// The library's definitions for scan.hpp, of the types in instantiations.py.
// Signed and unsigned integers share kernels, and so do minimum and maximum: see shared_operators.hpp.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class R>
cudaError_t scan_instantiation(T const* in, std::int64_t n, T* out, scan_request<R> const& what,
                               execution on) noexcept {
  using shared = shared_kernel<T, Op>;
  using element = typename shared::type;
  if constexpr (stl::is_same_v<element, T>) {
    return scan_launcher<T>::launch(in, n, out, shared::of(), what, on);
  } else {
    scan_request<element> const same{what.exclusive,
                                     reinterpret_cast<element const*>(what.start),
                                     {what.options.suffix, reinterpret_cast<element*>(what.options.total)}};
    return scan_launcher<element>::launch(reinterpret_cast<element const*>(in), n, reinterpret_cast<element*>(out),
                                          shared::of(), same, on);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
