// Combines each element of an array with its predecessor, by one kernel launch.
//
//   in                          3 1 4 1 5
//   adjacent_difference         3 -2 3 -3 4
//
//   error = tessera::grid::adjacent_difference(in, n, out);               // out[i] = in[i] − in[i − 1]; out[0] = in[0]
//   error = tessera::grid::adjacent_difference(in, n, out, tessera::minus{}, stream);
//
// Source: std::adjacent_difference; CUB's DeviceAdjacentDifference::SubtractLeftCopy.
#pragma once

#include <tessera/adjacent_difference.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// The type whose kernel serves T: differences of signed integers are computed as unsigned.
template <class T>
using subtracted_t = combined_as_t<T, plus>;

/// True if the library has a kernel for elements of T, results of Out, and Op.
template <class T, class Out, class Op>
inline constexpr bool has_difference_instantiation =
    is_one_of<subtracted_t<T>, float, double, std::uint32_t, std::uint64_t>&&
        stl::is_same_v<subtracted_t<T>, subtracted_t<Out>>&& stl::is_same_v<Op, minus>;

// In the library, for T a subtracted_t as `has_difference_instantiation` says.
template <class T>
TESSERA_API cudaError_t difference_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; adjacent_difference.cuh specializes the class.
template <class T, class = void>
struct adjacent_difference_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::adjacent_difference: the library has no kernel for these types or this function: include "
                  "<tessera/grid/adjacent_difference.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = op(in[i], in[i − 1]); out[0] = in[0].
///
/// in, out   n elements each, n from 0 to 2^40, in memory that the GPU can access, aligned to their size: float,
///           double, and integers of 32 and 64 bits. `out` must not overlap `in`. adjacent_difference.cuh has other
///           types, also for the results.
/// op        `minus`, by which integers wrap. adjacent_difference.cuh takes any function of two elements.
/// Returns   as all calls on arrays: docs/reference/arrays.md.
/// Cost      one launch, one read and one write of each element. No workspace.
template <class T, class Out, class Op = minus>
[[nodiscard]] cudaError_t adjacent_difference(T const* in, std::int64_t n, Out* out, Op op = {},
                                              execution on = {}) noexcept {
  constexpr bool possible = stl::is_invocable_v<Op const&, T const&, T const&>;
  static_assert(possible,
                "grid::adjacent_difference: op(own, predecessor) takes two elements, and can be called while const; "
                "the execution comes after it: adjacent_difference(in, n, out, tessera::minus{}, stream).");
  if constexpr (detail::has_difference_instantiation<T, Out, Op>) {
    using element = detail::subtracted_t<T>;
    return detail::difference_instantiation(reinterpret_cast<element const*>(in), n, reinterpret_cast<element*>(out),
                                            detail::named(on));
  } else if constexpr (possible) {
    return detail::adjacent_difference_launcher<T>::launch(in, n, out, op, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
