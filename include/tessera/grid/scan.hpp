// Scans an array, by one kernel launch.
//
//   in                              3 1 4 1 5
//   inclusive_scan                  3 4 8 9 14
//   exclusive_scan                  0 3 4 8 9           from the operator's identity
//   exclusive_scan, start 100       100 103 104 108 109
//   inclusive_scan, start 100       103 104 108 109 114
//   inclusive_scan, suffix          14 11 10 6 5        from the array's end
//
//   tessera::grid::workspace memory;                                          // once, for all calls of a stream
//   error = tessera::grid::inclusive_scan(in, n, out);                        // out[i] = in[0] + … + in[i]
//   error = tessera::grid::exclusive_scan(in, n, out, tessera::plus{}, 100, {stream, memory});
//   error = tessera::grid::inclusive_scan(in, n, out, tessera::maximum{}, {true}, {stream, memory});
//   error = tessera::grid::exclusive_scan(in, n, out, tessera::plus{}, 0.0f, {false, all}, {stream, memory});
//
// The options in braces are `suffix`, and where the total goes: see scan_options.
//
// All of them
//   take      in: n elements, n from 0 to 2^40, in memory that the GPU can address, at any multiple of an element's
//             size. out: n elements, either `in` itself or apart from it. T: float, double, __half, __nv_bfloat16, and
//             integers of 32 and 64 bits. op: plus, minimum or maximum, or an alias, such as std::plus<>.
//             <tessera/grid/scan.cuh> has other types and operators, functions of the elements, and starts on the
//             device.
//   order     that of the array: an operator need not commute. The bits of float sums depend on n, T, the elements, and
//             on whether the GPU has large tiles (grid/parts/tile_tuning.hpp; sm_90, sm_100): neither on timing nor
//             on addresses.
//   error     A float sum of the first k elements is off by at most (k / 2^16 + 32) · u · Σ|x|, where u is 2^-24, or
//             2^-53 for doubles. __half and __nv_bfloat16 are added up as floats, and each sum is rounded once.
//   zeros     A float sum of elements that are all −0 is −0. The first result of an exclusive scan without a start is
//             the identity, +0.
//   calls     op and f are called with elements, results and the start, and beyond the array's end with copies of its
//             last element, whose results are dropped.
//   return    as all calls on arrays: docs/reference/arrays.md.
//   cost      one launch, one read and one write of each element. Beyond the first tile (some thousand elements) a
//             workspace has up to 16 bytes for each tile and 32-bit word of a result.
//
// Source: a decoupled look-back, whose order of combination is fixed: grid/parts/look_back.hpp.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/scan/mistaken_scan.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/scan_start.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// Options of a scan. R is the type in which values are combined: scanned_t<T, Op>.
template <class R>
struct scan_options {
  /// From the array's end: out[i] = in[i] op … op in[n − 1], or without in[i]. A start comes last.
  bool suffix = false;
  /// The total's place on the GPU: all elements combined, with the start if there is one. (A tile's total doesn't
  /// contain the start.) Without elements it is the start or the identity. If null, it isn't stored.
  R* total = nullptr;
};

namespace detail {

/// True if the library holds a kernel that scans elements of T by Op, a normalized_t.
template <class T, class Op>
inline constexpr bool has_scan_instantiation = is_element<T>&& is_one_of<Op, plus, minimum, maximum>;

/// A scan's arguments besides the arrays. `start` points to the host's memory, and may be null.
template <class R>
struct scan_request {
  bool exclusive;
  R const* start;
  scan_options<R> options;
};

// In the library, for T and Op as `has_scan_instantiation` says.
template <class T, class Op, class R>
TESSERA_API cudaError_t scan_instantiation(T const* in, std::int64_t n, T* out, scan_request<R> const& what,
                                           execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls that no explicit instantiation serves: scan.cuh specializes the class.
template <class T, class = void>
struct scan_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::inclusive_scan, exclusive_scan: the library has no kernel for this type and operator: "
                  "include <tessera/grid/scan.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

/// True if Op can begin an exclusive scan.
template <class Op, class T, bool HasStart>
constexpr bool can_begin_scan() {
  static_assert(HasStart || operator_traits<Op, T>::has_identity,
                "exclusive_scan(in, n, out, op) begins with the operator's identity, and this operator has "
                "none: write exclusive_scan(in, n, out, op, start), or make_operator(f, identity).");
  return HasStart || operator_traits<Op, T>::has_identity;
}

/// True if results of scanning elements of T can be stored by Out.
template <class T, class Out>
constexpr bool scans_into() {
  constexpr bool possible = !stl::is_pointer_v<Out> || stl::is_same_v<stl::remove_pointer_t<Out>, T>;
  static_assert(possible,
                "A scan stores elements of the type that it reads, and out isn't const. For results of another type, "
                "as the sums of shorts, write transform_inclusive_scan(in, n, out, op, f) of "
                "<tessera/grid/scan.cuh>, or convert the elements before.");
  return possible;
}

inline namespace TESSERA_ARCHS {

template <class In, class Out, class Op, class R>
cudaError_t scan_array(In const& in, std::int64_t n, Out const& out, Op const& op, scan_request<R> const& what,
                       execution on) noexcept {
  using T = tessera::detail::value_of<In>;
  using combine = tessera::detail::normalized_t<Op, T>;
  if constexpr (!scans_into<T, Out>()) {
    return cudaErrorNotSupported;
  } else if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return detail::scan_array(in, n, tessera::detail::address_of(out), op, what, on);
  } else if constexpr (stl::is_pointer_v<In> && stl::is_pointer_v<Out> &&
                       has_scan_instantiation<element_t<T>, combine>) {
    using element = combined_as_t<T, combine>;
    using result = scanned_t<element, combine>;
    scan_request<result> const request{what.exclusive,
                                       reinterpret_cast<result const*>(what.start),
                                       {what.options.suffix, reinterpret_cast<result*>(what.options.total)}};
    return detail::scan_instantiation<element, combine>(reinterpret_cast<element const*>(in), n,
                                                        reinterpret_cast<element*>(out), request, detail::named(on));
  } else if constexpr (can_combine<combine, T>()) {
    return detail::scan_launcher<T>::launch(in, n, out, op, what, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

/// scanned_t of a reader's elements.
template <class In, class Op>
using scanned_of = scanned_t<tessera::detail::value_of<In>, Op>;

/// True if Start is a value that a scan begins with.
template <class Start, class R>
using is_start =
    stl::enable_if_t<stl::is_convertible_v<Start const&, R> && !stl::is_pointer_v<Start> && !is_execution<Start>>;

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = in[0] op in[1] op … op in[i].
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan(In in, std::int64_t n, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_array(tessera::detail::reader_of(in), n, out, op,
                            detail::scan_request<detail::scanned_of<In, Op>>{false, nullptr, options}, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan(In in, std::int64_t n, Out out, Op op = {}, execution on = {}) noexcept {
  return grid::inclusive_scan(in, n, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// out[i] = start op in[0] op … op in[i]. The start may be what an earlier scan had as its total.
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t inclusive_scan(In in, std::int64_t n, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  tessera::detail::require_start<Start, detail::scanned_of<In, Op>>();
  detail::scanned_of<In, Op> const first = static_cast<detail::scanned_of<In, Op>>(start);
  return detail::scan_array(tessera::detail::reader_of(in), n, out, op,
                            detail::scan_request<detail::scanned_of<In, Op>>{false, TESSERA_ADDRESS_OF(first), options},
                            on);
}
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t inclusive_scan(In in, std::int64_t n, Out out, Op op, Start const& start,
                                         execution on = {}) noexcept {
  return grid::inclusive_scan(in, n, out, op, start, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// out[i] = start op in[0] op … op in[i − 1]; out[0] = start.
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan(In in, std::int64_t n, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  tessera::detail::require_start<Start, detail::scanned_of<In, Op>>();
  detail::scanned_of<In, Op> const first = static_cast<detail::scanned_of<In, Op>>(start);
  return detail::scan_array(tessera::detail::reader_of(in), n, out, op,
                            detail::scan_request<detail::scanned_of<In, Op>>{true, TESSERA_ADDRESS_OF(first), options},
                            on);
}
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan(In in, std::int64_t n, Out out, Op op, Start const& start,
                                         execution on = {}) noexcept {
  return grid::exclusive_scan(in, n, out, op, start, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// An exclusive scan from the operator's identity on: out[i] = in[0] op … op in[i − 1].
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t exclusive_scan(In in, std::int64_t n, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  if constexpr (detail::can_begin_scan<tessera::detail::normalized_t<Op, tessera::detail::value_of<In>>,
                                       detail::scanned_of<In, Op>, false>()) {
    return detail::scan_array(tessera::detail::reader_of(in), n, out, op,
                              detail::scan_request<detail::scanned_of<In, Op>>{true, nullptr, options}, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan(In in, std::int64_t n, Out out, Op op = {}, execution on = {}) noexcept {
  return grid::exclusive_scan(in, n, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
