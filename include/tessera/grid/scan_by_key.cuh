// Scans by key of arrays of any types by any operator: the kernel, for nvcc.
//
//   // Running products of matrices, which don't commute, for keys that are equal in their upper bits:
//   error = tessera::grid::inclusive_scan_by_key(keys, parts, n, products, product{}, same_page{}, {stream, memory});
//
// Keys and elements are of any trivially copyable types of up to 4096 bytes. The operator is any; it needs no
// identity unless an exclusive scan has no start. Everything else is as in scan_by_key.hpp.
#pragma once

#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/segments/segmented_scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class Key>
struct scan_by_key_launcher<Key, void> {
  template <class Keys, class In, class T, class Op, class Equal, class R>
  static cudaError_t launch(Keys const& keys, In const& in, std::int64_t n, T* out, Op const& op, Equal const& equal,
                            segmented_scan_request<R> const& what, execution on) noexcept {
    static_assert(is_exchangeable_v<Key> && sizeof(Key) <= tile_tuning::most_scanned_bytes,
                  "Keys are trivially copyable, of up to 4096 bytes; or specialize tessera::is_exchangeable.");
    if (!detail::are_scannable_in_place(in, n, out) || !detail::is_array(keys, n) || detail::overlap(keys, n, out, n))
      return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    return detail::scan_segmented_array(in, n, out, key_source<Key, Equal, Keys>{keys, equal},
                                        tessera::detail::normalize<R>(op), what, on);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
