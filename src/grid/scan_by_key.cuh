// The library's definitions for scan_by_key.hpp, of the types in instantiations.py.
// Sums of signed integers are those of unsigned ones, and keys are compared by their bits.
#pragma once

#include <tessera/grid/scan_by_key.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Key, class T, class Op, class R>
cudaError_t scan_by_key_instantiation(Key const* keys, T const* in, std::int64_t n, T* out,
                                      segmented_scan_request<R> const& what, execution on) noexcept {
  return scan_by_key_launcher<Key>::launch(keys, in, n, out, Op{}, equal_to{}, what, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
