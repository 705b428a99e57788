// Scans by key of arrays of any types by any operator: the kernel, for nvcc.
//
//   // Running products of matrices, which don't commute, for keys that are equal in their upper bits:
//   error = tessera::grid::inclusive_scan_by_key(keys, parts, n, products, product{}, same_page{}, {stream, memory});
//
// Keys and elements are of any trivially copyable types of up to 4096 bytes. Any operator works; only an exclusive scan
// without a start needs its identity. n may be a number on the device (count_on_device.hpp), and out an iterator that
// writes. Everything else is as in scan_by_key.hpp.
#pragma once

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/segments/segmented_scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Key>
struct scan_by_key_launcher<Key, void> {
  template <class Keys, class In, class N, class Out, class Op, class Equal, class R>
  static cudaError_t launch(Keys const& keys, In const& in, N const& number, Out const& out, Op const& op,
                            Equal const& equal, segmented_scan_request<R> const& what, execution on) noexcept {
    static_assert(is_exchangeable_v<Key> && sizeof(Key) <= tile_tuning::most_scanned_bytes,
                  "Keys are trivially copyable, of up to 4096 bytes; or specialize tessera::is_exchangeable.");
    std::int64_t const n = detail::most_of(number);
    if (!detail::are_scannable_in_place(in, n, out) || !detail::is_array(keys, n) || detail::overlap(keys, n, out, n) ||
        !detail::is_count(number, out, n))
      return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    return detail::scan_segmented_array(in, number, out, key_source<Key, Equal, Keys>{keys, equal},
                                        tessera::detail::normalize<R>(op), what, on);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

// ---- Scans whose n is on the device (count_on_device.hpp)

/// inclusive_scan_by_key of scan_by_key.hpp, with n on the device.
template <class Keys, class In, class Out, class Op, class Equal,
          class = detail::takes_equality<Equal, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t inclusive_scan_by_key(Keys keys, In in, device_count n, Out out, Op op, Equal equal,
                                                execution on = {}) noexcept {
  return detail::scan_keyed_array(tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op, equal,
                                  detail::segmented_scan_request<detail::scanned_of<In, Op>>{false, nullptr}, on);
}
template <class Keys, class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan_by_key(Keys keys, In in, device_count n, Out out, Op op = {},
                                                execution on = {}) noexcept {
  return grid::inclusive_scan_by_key(keys, in, n, out, op, equal_to{}, on);
}

/// exclusive_scan_by_key of scan_by_key.hpp, with n on the device.
template <class Keys, class In, class Out, class Op, class Start, class Equal,
          class = detail::is_start<Start, detail::scanned_of<In, Op>>,
          class = detail::takes_equality<Equal, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, device_count n, Out out, Op op, Start const& start,
                                                Equal equal, execution on = {}) noexcept {
  tessera::detail::require_start<Start, detail::scanned_of<In, Op>>();
  detail::scanned_of<In, Op> const first = static_cast<detail::scanned_of<In, Op>>(start);
  return detail::scan_keyed_array(
      tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op, equal,
      detail::segmented_scan_request<detail::scanned_of<In, Op>>{true, TESSERA_ADDRESS_OF(first)}, on);
}
template <class Keys, class In, class Out, class Op, class Start,
          class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, device_count n, Out out, Op op, Start const& start,
                                                execution on = {}) noexcept {
  return grid::exclusive_scan_by_key(keys, in, n, out, op, start, equal_to{}, on);
}
template <class Keys, class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, device_count n, Out out, Op op = {},
                                                execution on = {}) noexcept {
  if constexpr (detail::can_begin_scan<tessera::detail::normalized_t<Op, tessera::detail::value_of<In>>,
                                       detail::scanned_of<In, Op>, false>()) {
    return detail::scan_keyed_array(tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op,
                                    equal_to{},
                                    detail::segmented_scan_request<detail::scanned_of<In, Op>>{true, nullptr}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
