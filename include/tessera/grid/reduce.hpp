// Reduces an array to one value, by one kernel launch.
//
//   tessera::grid::workspace memory;                                          // once, for all calls of a stream
//   error = tessera::grid::reduce(in, n, out);                                // *out = in[0] + … + in[n − 1]
//   error = tessera::grid::reduce(in, n, out, tessera::maximum{}, {stream, memory});
//   error = tessera::grid::argmax(in, n, best, {stream, memory});             // indexed<T, std::int64_t>* best
//   error = tessera::grid::argmin(in, n, value, index, {stream, memory});     // T*, std::int64_t*
//   error = tessera::grid::moments(in, n, m, {stream, memory});               // moments<double>* m: count, mean, m2
//
// All of them
//   take      in: n elements, n from 0 to 2^40, in memory that the GPU can access, aligned to their size. out: one
//             result, in such memory, too, not within `in`. T: float, double, __half, __nv_bfloat16, and integers of 32
//             and 64 bits.
//             <tessera/grid/reduce.cuh> has other types and operators, and functions of the elements.
//   give      the same bits at each call with the same n, `in` modulo 16 and GPU. With order::any_device, on every GPU.
//   error     A float sum is off by at most (n / (2048 · multiprocessors) + 56) · u · Σ|x|, where u is 2^-24, or 2^-53
//             for doubles: each lane sums a share, and trees sum the lanes' results. A product has a relative error of
//             at most n · u, if no partial product overflows or is denormal.
//   zeros     A float sum of elements that are all −0 is −0; a sum of no elements is +0.
//   return    cudaErrorInvalidValue, before any launch, for invalid arguments; else the result of the launch.
//             docs/reference/arrays.md has the rules: null pointers, alignment, overlap, n, CUDA's last error.
//   cost      one read of the array: n · sizeof(T) / bandwidth, 239 µs for 2^28 floats at the 4490 GB/s of an H200; and
//             one launch, which dominates up to about 2^20 elements.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/parts/reduced.hpp>
#include <tessera/grid/reduce/mistaken_reduce.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The order in which values are combined, on which the last bits of a float sum depend.
enum class order {
  this_device,  ///< The array is divided for the multiprocessors of this GPU.
  any_device,   ///< The array is divided as for an H200: all GPUs give the same bits.
};

/// Which of equal values argmin and argmax take.
enum class ties {
  first,  ///< The one with the lowest index, and the first NaN.
  last,   ///< The one with the highest index, and the last NaN.
};

/// The type of the result of reducing T by Op: T, except for sums and products of 16-bit floats, which are float; sums
/// of integers of 8 and 16 bits, which are int, as in C++; and sums of bool, which are std::uint64_t, the number of
/// trues.
template <class T, class Op>
using reduced_t = detail::reduced<T, Op>;

/// The type in which elements of T are combined if results are stored as T, as in scans: T; float for 16-bit floats and
/// plus or multiplies.
template <class T, class Op>
using scanned_t = stl::conditional_t<tessera::detail::is_half<T> &&
                                         detail::is_one_of<tessera::detail::normalized_t<Op, T>, plus, multiplies>,
                                     float, tessera::detail::result_t<Op, T>>;

namespace detail {

// Compiled into the library, for T and Op as `has_instantiation` says. (Their names must not depend on what `stl` is: R
// is a reduced_t.)
template <class T, class Op, class R>
TESSERA_API cudaError_t reduce_instantiation(T const* in, std::int64_t n, R* out, order how, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t argmin_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out,
                                             execution on) noexcept;
template <class T>
TESSERA_API cudaError_t argmax_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out,
                                             execution on) noexcept;
template <class T>
TESSERA_API cudaError_t arg_into_instantiation(T const* in, std::int64_t n, T* value, std::int64_t* index,
                                               bool greatest, ties which, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t minmax_instantiation(T const* in, std::int64_t n, min_max<T>* out, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t moments_instantiation(T const* in, std::int64_t n, tessera::moments<double>* out, order how,
                                              execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; reduce.cuh specializes the class.
template <class T, class = void>
struct reduce_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::reduce: the library has no kernel for this type and operator: include "
                  "<tessera/grid/reduce.cuh> in "
                  "a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

template <class T>
constexpr void require_element() {
  static_assert(is_element<element_t<T>>,
                "The library has kernels for float, double, __half, __nv_bfloat16 and integers of 32 and 64 "
                "bits: for other "
                "types use grid::transform_reduce of <tessera/grid/reduce.cuh>.");
}

inline namespace TESSERA_ARCHS {

template <class T>
cudaError_t arg_into(T const* in, std::int64_t n, T* value, std::int64_t* index, bool greatest, ties which,
                     execution on) noexcept {
  using element = element_t<T>;
  require_element<T>();
  return detail::arg_into_instantiation(reinterpret_cast<element const*>(in), n, reinterpret_cast<element*>(value),
                                        index, greatest, which, detail::named(on));
}
/// Stores the value and its index as the members of *out.
template <class T>
cudaError_t arg_into(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, bool greatest, ties which,
                     execution on) noexcept {
  if (out == nullptr) return cudaErrorInvalidValue;
  return detail::arg_into(in, n, &out->value, &out->index, greatest, which, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out = in[0] op in[1] op … op in[n − 1]; the identity of `op` if n is 0.
///
/// op   plus, multiplies, minimum, maximum, and for integers bit_and, bit_or, bit_xor; or an alias, such as
///      std::plus<>. As on tiles, integers wrap, and minimum and maximum return NaN if there is one and order −0 < +0.
///      reduce.cuh takes other operators.
/// out  a T; for __half and __nv_bfloat16 with plus or multiplies a float, and for shorter integers with plus an int:
///      see reduced_t.
/// how  see `order`. It matters only to plus and multiplies of floats.
template <class T, class Op>
[[nodiscard]] cudaError_t reduce(T const* in, std::int64_t n, reduced_t<T, Op>* out, Op op, order how,
                                 execution on = {}) noexcept {
  using combine = tessera::detail::normalized_t<Op, T>;
  if constexpr (detail::has_instantiation<detail::element_t<T>, combine>) {
    using element = detail::combined_as_t<T, combine>;
    using result = reduced_t<element, combine>;
    return detail::reduce_instantiation<element, combine>(reinterpret_cast<element const*>(in), n,
                                                          reinterpret_cast<result*>(out), how, detail::named(on));
  } else if constexpr (detail::can_combine<combine, T>()) {
    return detail::reduce_launcher<T>::launch(in, n, out, op, how, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class T, class Op = plus>
[[nodiscard]] cudaError_t reduce(T const* in, std::int64_t n, reduced_t<T, Op>* out, Op op = {},
                                 execution on = {}) noexcept {
  return grid::reduce(in, n, out, op, order::this_device, on);
}

/// The least value and its index: the lowest index of equal values (−0 equals +0); the first NaN, if there is one. If n
/// is 0, the operator's identity: the greatest value of T (+inf for floats) and INT64_MAX.
template <class T>
[[nodiscard]] cudaError_t argmin(T const* in, std::int64_t n, indexed<T, std::int64_t>* out,
                                 execution on = {}) noexcept {
  using element = detail::element_t<T>;
  detail::require_element<T>();
  return detail::argmin_instantiation(reinterpret_cast<element const*>(in), n,
                                      reinterpret_cast<indexed<element, std::int64_t>*>(out), detail::named(on));
}

/// The greatest value and its index: the lowest index of equal values (−0 equals +0); the first NaN, if there is one.
/// If n is 0, the operator's identity: the least value of T (−inf for floats) and INT64_MAX.
template <class T>
[[nodiscard]] cudaError_t argmax(T const* in, std::int64_t n, indexed<T, std::int64_t>* out,
                                 execution on = {}) noexcept {
  using element = detail::element_t<T>;
  detail::require_element<T>();
  return detail::argmax_instantiation(reinterpret_cast<element const*>(in), n,
                                      reinterpret_cast<indexed<element, std::int64_t>*>(out), detail::named(on));
}

/// argmin and argmax with a choice among equal values: see `ties`.
template <class T>
[[nodiscard]] cudaError_t argmin(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, out, false, which, on);
}
template <class T>
[[nodiscard]] cudaError_t argmax(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, out, true, which, on);
}

/// The least value and its index in two places, such as elements of two arrays.
///
/// value, index   apart from each other and from `in`
/// which          see `ties`
/// Cost           that of argmin into one place. With ties::last, an array with many equal least values takes longer:
///                lanes look for the index of each.
template <class T>
[[nodiscard]] cudaError_t argmin(T const* in, std::int64_t n, T* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, value, index, false, which, on);
}
template <class T>
[[nodiscard]] cudaError_t argmin(T const* in, std::int64_t n, T* value, std::int64_t* index,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, value, index, false, ties::first, on);
}

/// The greatest value and its index in two places. Otherwise as argmin.
template <class T>
[[nodiscard]] cudaError_t argmax(T const* in, std::int64_t n, T* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, value, index, true, which, on);
}
template <class T>
[[nodiscard]] cudaError_t argmax(T const* in, std::int64_t n, T* value, std::int64_t* index,
                                 execution on = {}) noexcept {
  return detail::arg_into(in, n, value, index, true, ties::first, on);
}

/// The least and the greatest value; both are NaN if an element is. If n is 0, {the greatest value of T, the least}.
template <class T>
[[nodiscard]] cudaError_t minmax(T const* in, std::int64_t n, min_max<T>* out, execution on = {}) noexcept {
  using element = detail::element_t<T>;
  detail::require_element<T>();
  return detail::minmax_instantiation(reinterpret_cast<element const*>(in), n, reinterpret_cast<min_max<element>*>(out),
                                      detail::named(on));
}

/// Count, mean and the sum of squared distances from the mean, in double for every T, with variance() and others as
/// members. If n is 0, the result is {0, 0, 0}. If a value is infinite or NaN, mean and m2 are NaN.
///
/// Error  The mean is off by at most 64 · 2^-52 · (|mean| + deviation), and m2 by at most
///        64 · 2^-52 · n · deviation · (|mean| + deviation): nothing cancels as in Σx² − (Σx)²/n. That holds for
///        doubles whose distances are 0 or between 2^-485 and 2^511 / √n: squares of shorter distances vanish, and m2
///        is infinite or NaN if squares of longer ones overflow.
template <class T>
[[nodiscard]] cudaError_t moments(T const* in, std::int64_t n, tessera::moments<double>* out, order how,
                                  execution on = {}) noexcept {
  using element = detail::element_t<T>;
  detail::require_element<T>();
  return detail::moments_instantiation(reinterpret_cast<element const*>(in), n, out, how, detail::named(on));
}
template <class T>
[[nodiscard]] cudaError_t moments(T const* in, std::int64_t n, tessera::moments<double>* out,
                                  execution on = {}) noexcept {
  return grid::moments(in, n, out, order::this_device, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
