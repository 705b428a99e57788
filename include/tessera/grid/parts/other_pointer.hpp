// Pointers to another type than a call stores. Overloads that take them don't compile, and say what to write: those of
// mistaken_*.hpp of each family.
#pragma once

#include <tessera/grid/parts/reduced.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// True if an argument is a pointer, but to something else than a Wanted.
template <class Given, class Wanted>
inline constexpr bool is_other_pointer = stl::is_pointer_v<Given> && !stl::is_convertible_v<Given, Wanted*>;
template <class Given, class Wanted>
using if_other_pointer = stl::enable_if_t<is_other_pointer<Given, Wanted>, bool>;

/// An argument of a call that doesn't compile: of any type, or a braced list. No overload has more of them.
struct ignored {
  template <class... Given>
  ignored(Given const&...) noexcept {}
};

/// Says of a count or a position what it must be.
template <class Given>
constexpr cudaError_t require_64_bits() {
  static_assert(!is_other_pointer<Given, std::int64_t>,
                "A count or an index of a whole array is a std::int64_t on the GPU: write std::int64_t* for "
                "the pointer to it.");
  return cudaErrorNotSupported;
}

/// Says of the result of reducing elements of T by Op what it must be.
template <class T, class Op, class Given>
constexpr cudaError_t require_reduced() {
  constexpr bool is_other = is_other_pointer<Given, reduced<T, Op>>;
  constexpr bool adds_short = stl::is_same_v<reduced<T, Op>, int> && !stl::is_same_v<T, int>;
  constexpr bool counts = stl::is_same_v<T, bool> && !stl::is_same_v<reduced<T, Op>, bool>;
  constexpr bool widens = tessera::detail::is_half<T> && stl::is_same_v<reduced<T, Op>, float>;
  static_assert(!(is_other && adds_short),
                "Sums of integers of 8 and 16 bits are int, as in C++: write int* for the result. An operator of "
                "one type keeps it, as std::plus<short> does.");
  static_assert(!(is_other && counts),
                "A sum of bools is how many are true, a std::uint64_t: write std::uint64_t* for the result.");
  static_assert(!(is_other && widens), "Sums and products of 16-bit floats are float: write float* for the result.");
  static_assert(!is_other || adds_short || counts || widens,
                "The result has the type of the elements, and isn't const: write T* for it. The "
                "transform_reduce of the .cuh converts to other types.");
  return cudaErrorNotSupported;
}

// A result of several numbers has an index in the array, a column of a row, both extremes, or moments.
template <class>
inline constexpr bool has_index = false;
template <class T>
inline constexpr bool has_index<indexed<T, std::int64_t>> = true;
template <class>
inline constexpr bool has_column = false;
template <class T>
inline constexpr bool has_column<indexed<T, int>> = true;
template <class>
inline constexpr bool has_extremes = false;
template <class T>
inline constexpr bool has_extremes<min_max<T>> = true;

/// Says of a result of several numbers what it must be.
template <class Wanted, class Given>
constexpr cudaError_t require_result() {
  constexpr bool is_other = is_other_pointer<Given, Wanted>;
  static_assert(!is_other || !has_index<Wanted>,
                "grid::argmin, argmax: out points to an indexed<T, std::int64_t> on the GPU, a value and its index, "
                "for elements of T: tessera::indexed<float, std::int64_t>* of floats.");
  static_assert(!is_other || !has_column<Wanted>,
                "grid::argmin_rows, argmax_rows: out points to indexed<T, int> on the GPU, a value and its column, "
                "for elements of T: tessera::indexed<float, int>* of floats.");
  static_assert(!is_other || !has_extremes<Wanted>,
                "grid::minmax, minmax_rows: out points to a min_max<T> on the GPU, both values, for elements of T: "
                "tessera::min_max<float>* of floats.");
  static_assert(!is_other || has_index<Wanted> || has_column<Wanted> || has_extremes<Wanted>,
                "grid::moments, moments_rows: out points to a tessera::moments<double> on the GPU; of rows of other "
                "elements than doubles to tessera::moments<float>.");
  return cudaErrorNotSupported;
}

}  // namespace detail
}  // namespace grid
TESSERA_NAMESPACE_END
