// The k elements of an array that come first, in order; the element of one rank, or of several.
//
//   in                     3  9  2  9  7            n = 5
//   top_k, k = 3           values 9 9 7   indices 1 3 4
//   nth_element, rank 1    value  3       index   0          by less{}: one element comes before it
//   quantiles 0, ½, 1      2 7 9
//
//   error = tessera::grid::top_k(in, n, 100, values, indices, tessera::greater{}, {stream, memory});
//   error = tessera::grid::nth_element(in, n, n / 2, median);
//   error = tessera::grid::quantiles(in, n, q, 3, out, tessera::grid::quantile_method::lower);
//
// All of them
//   take      in: n elements in memory that the GPU can address, n from 0 to 2^40, and to 2^32 for each multiprocessor,
//             aligned to its elements: float, double, __half, __nv_bfloat16, integers of 32 and 64 bits.
//             <tessera/grid/top_k.cuh> has other types, and orders by a function.
//   order     greater{} or less{}, or an alias such as std::less<>. In both NaNs come last, equal to each other, and −0
//             is equal to 0. Of equal elements the lowest index comes first. Elements are copied with all their bits.
//             (The operator `largest` puts NaNs first instead: a NaN among a tile's values isn't lost then, as with
//             `maximum`. Here it is found by its index.)
//   give      the same bits at each call: what a stable sort gives, exactly.
//   return    as all calls on arrays: docs/reference/arrays.md; for more than some thousand results, as calls that run
//             CUB's kernels.
//   cost      one read of the array, plus up to 2^19 samples of it, 2^22 of more than 2^32 elements. One kernel; the
//             entries of more than some thousand results are then sorted by CUB's radix sort. (For those of less than
//             2^21 elements, or for about half of all or more, a kernel and CUB sort all elements instead.)
//             If the samples mislead, which takes an array made for it, the kernel reads the array again for each 11
//             bits of element and index that it needs, up to 6 times for elements of up to 4 bytes (10 for more than
//             2^32 of 4, and for those of 8), and once more. On an H100 2^28 such floats took 8.5 times as long as
//             others, and ten times where keys also agree in 22 bits, since blocks then count in few places.
//   memory    entries, of 8 bytes, and of 16 for elements of 8 bytes and for more than 2^32 elements of 4. For top_k up
//             to some thousand: 5 MB up to 2^28 elements, and a 64th of what elements of 2 bytes take above. For one
//             rank: up to 3 entries for each of less than 2^21 elements, and one for 12 of more: 175 MB for a median of
//             2^28 floats. For more results: two entries for each of them and for some more, or for each element
//             where all are sorted; and a few percent of that.
//
// Sources: see grid/top_k/bucket_agent.hpp and grid/top_k/digit_agent.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/top_k/mistaken_top_k.hpp>
#include <tessera/tile/requirements.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// Says which of n sorted elements is the quantile q. Its place q · (n − 1) is computed in double; numpy has the same
/// names.
enum class quantile_method {
  lower,    ///< the element at the place, or before it
  higher,   ///< the element at the place, or after it
  nearest,  ///< the nearer of `lower` and `higher`; if the place is halfway, the one with an even rank
  linear,   ///< interpolated between `lower` and `higher`; for float, double, __half and __nv_bfloat16 only
  midpoint  ///< the mean of `lower` and `higher`; for the same types only
};

namespace detail {

// In the library. One kernel serves both orders, and all numbers of a size: a rank_order (top_k_entry.hpp) says which.
template <class T>
TESSERA_API cudaError_t top_k_instantiation(T const* in, std::int64_t n, std::int64_t k, T* values,
                                            std::int64_t* indices, bool falling, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t nth_element_instantiation(T const* in, std::int64_t n, std::int64_t rank, T* value,
                                                  std::int64_t* index, bool falling, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t quantiles_instantiation(T const* in, std::int64_t n, double const* q, std::int64_t count,
                                                T* out, quantile_method method, execution on) noexcept;

inline namespace TESSERA_ARCHS {

// Calls that no explicit instantiation serves: top_k.cuh specializes each class.
template <class T, class = void>
struct top_k_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::top_k, nth_element, quantiles: the library has kernels for float, double, __half, "
                  "__nv_bfloat16 and integers of 32 and 64 bits: for other numbers include "
                  "<tessera/grid/top_k.cuh> in a .cu file; its top_k_by orders any elements by a function.");
    return cudaErrorNotSupported;
  }
};
template <class T, class = void>
struct nth_element_launcher : top_k_launcher<T> {};
template <class T, class = void>
struct quantiles_launcher : top_k_launcher<T> {};

}  // namespace TESSERA_ARCHS

/// True if `before` is greater or less on T. A static assertion says what to write if it is another function.
template <class T, class Before>
constexpr bool can_select() {
  using order = tessera::detail::canonical_comparator_t<Before, T>;
  constexpr bool known = is_one_of<order, less, greater>;
  static_assert(known,
                "grid::top_k: before is tessera::greater{} or tessera::less{}: top_k_by of "
                "<tessera/grid/top_k.cuh> orders elements by a number that a function makes of each.");
  return known;
}
template <class T, class Before>
inline constexpr bool is_falling = stl::is_same_v<tessera::detail::canonical_comparator_t<Before, T>, greater>;

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k elements that come first, in order, and their indices.
///
/// k        0 … n.
/// values   k elements, or null if only indices are wanted.
/// indices  k of them, or null.
template <class T, class Before = greater>
[[nodiscard]] cudaError_t top_k(T const* in, std::int64_t n, std::int64_t k, tessera::detail::same_t<T>* values,
                                std::int64_t* indices, Before = {}, execution on = {}) noexcept {
  using element = detail::element_t<T>;
  if constexpr (!detail::can_select<T, Before>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::is_element<element>) {
    return detail::top_k_instantiation(reinterpret_cast<element const*>(in), n, k, reinterpret_cast<element*>(values),
                                       indices, detail::is_falling<T, Before>, detail::named(on));
  } else {
    return detail::top_k_launcher<T>::launch(in, n, k, values, indices, detail::is_falling<T, Before>, on);
  }
}

/// The element that has `rank` others before it, and its index.
///
/// rank          0 … n − 1
/// value, index  one each. Either may be null, but not both.
template <class T, class Before = less>
[[nodiscard]] cudaError_t nth_element(T const* in, std::int64_t n, std::int64_t rank, tessera::detail::same_t<T>* value,
                                      std::int64_t* index = nullptr, Before = {}, execution on = {}) noexcept {
  using element = detail::element_t<T>;
  if constexpr (!detail::can_select<T, Before>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::is_element<element>) {
    return detail::nth_element_instantiation(reinterpret_cast<element const*>(in), n, rank,
                                             reinterpret_cast<element*>(value), index, detail::is_falling<T, Before>,
                                             detail::named(on));
  } else {
    return detail::nth_element_launcher<T>::launch(in, n, rank, value, index, detail::is_falling<T, Before>, on);
  }
}

/// The quantiles q[0] … q[count − 1] of the elements by less{}.
///
/// n       at least 1, unless count is 0
/// q       in the CPU's memory, each from 0 to 1. They are read before the call returns.
/// out     `count` elements: out[i] is the quantile q[i].
/// method  for integers linear and midpoint return cudaErrorInvalidValue: their results need not be integers.
/// NaN     NaNs count as the greatest elements. (numpy gives NaN if there is one.) If one of the two elements that
///         linear and midpoint combine is a NaN, the result is NaN. Between −infinity and infinity it is NaN, too;
///         between a finite number and an infinity it is that infinity.
/// Error   linear and midpoint compute in double, within 3 units of 2^-53 of the greater of both elements, and round
///         once to T.
/// Cost    that of nth_element for each: the array is read `count` times. Where linear and midpoint need two elements
///         it is read twice, and a small kernel follows.
template <class T>
[[nodiscard]] cudaError_t quantiles(T const* in, std::int64_t n, double const* q, std::int64_t count, T* out,
                                    quantile_method method = quantile_method::nearest, execution on = {}) noexcept {
  using element = detail::element_t<T>;
  if constexpr (detail::is_element<element>) {
    return detail::quantiles_instantiation(reinterpret_cast<element const*>(in), n, q, count,
                                           reinterpret_cast<element*>(out), method, detail::named(on));
  } else {
    return detail::quantiles_launcher<T>::launch(in, n, q, count, out, method, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
