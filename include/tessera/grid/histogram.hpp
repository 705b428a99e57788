// Counts the elements of an array in bins of equal width.
//
//   in          3  0  9  2  2 −1  5         int, 4 bins over [0, 8)
//   bin         1  0  .  1  1  .  2
//   counts      1  3  1  0                  outside: 1 below, 1 above
//
//   error = tessera::grid::histogram(in, n, counts, 256, lower, upper, outside, {stream, memory});
//
// One kernel reads the array once (several times if the bins exceed shared memory). Constant data take no longer than
// other data. histogram.cuh also takes integers of 8 and 16 bits and bool, and counts elements of any type in bins
// given by a function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/histogram/mistaken_histogram.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>

struct __half;
struct __nv_bfloat16;

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The numbers of elements in no bin.
struct out_of_range {
  std::uint64_t below;  // lower than `lower`
  std::uint64_t above;  // `upper` and higher
  std::uint64_t nan;
};

namespace detail {

/// True if the library has the kernel for T, an element_t.
template <class T>
inline constexpr bool has_histogram = is_element<T> || stl::is_same_v<T, std::uint8_t>;

// These are compiled into the library.
template <class T, class Bound>
TESSERA_API cudaError_t histogram_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                                Bound lower, Bound upper, out_of_range* outside, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; histogram.cuh specializes the class.
template <class T, class = void>
struct histogram_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::histogram: the library counts std::uint8_t (cast chars), integers of 32 and 64 bits, "
                  "float, double, __half and "
                  "__nv_bfloat16: for other numbers include <tessera/grid/histogram.cuh> in a .cu file.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Counts the n elements of `in` in `bins` even bins over [lower, upper), and the elements outside separately.
///
/// in            on the device, n from 0 to 2^40, aligned to its elements: std::uint8_t, std::int32_t, std::uint32_t,
///               std::int64_t, std::uint64_t, float, double, __half, __nv_bfloat16.
/// counts        on the device, `bins` counts, which are overwritten.
/// bins          1 … 65536.
/// lower, upper  lower < upper. For integers of up to 32 bits std::int64_t, for those of 64 bits T: values of T, or its
///               highest value + 1. For floats T, float for 16-bit ones. They are finite, and so are upper − lower and
///               bins / (upper − lower), which overflows if the bounds are as close as denormals are.
/// outside       on the device, or null; overwritten.
///
/// Bin           The bin of an integer is floor((x − lower) · bins / (upper − lower)), exactly. The bin of a float is
///               floor((x − lower) · (bins / (upper − lower))), each of the three operations rounded to nearest in T
///               (float for 16-bit floats), and at most bins − 1. NaNs are counted separately; −0 is 0.
/// Returns       as all calls on arrays: docs/reference/arrays.md.
/// Cost          one kernel, which reads n · sizeof(T) bytes; several times if a block's shared memory doesn't hold 4
///               bytes for each bin: up to two times with 227 KiB (sm_90), up to three with 99 KiB (sm_86, sm_89,
///               sm_120), up to five with 64 KiB (sm_75). Only the counters of a workspace are used.
/// Order         Counts are integers, the same in every run.
template <class T>
[[nodiscard]] cudaError_t histogram(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<T> lower, detail::bound_t<T> upper, out_of_range* outside = nullptr,
                                    execution on = {}) noexcept {
  using element = detail::element_t<T>;
  static_assert(detail::has_even_bins<T>,
                "grid::histogram: elements are integers of up to 64 bits, bool, float, double, __half or "
                "__nv_bfloat16: grid::histogram_by of <tessera/grid/histogram.cuh> counts others, in the bins "
                "that a function gives them.");
  if constexpr (!detail::has_even_bins<T>) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::has_histogram<element>) {
    return detail::histogram_instantiation<element>(
        reinterpret_cast<element const*>(in), n, counts, bins, static_cast<detail::bound_t<element>>(lower),
        static_cast<detail::bound_t<element>>(upper), outside, detail::named(on));
  } else {
    return detail::histogram_launcher<T>::launch(in, n, counts, bins, lower, upper, outside, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
