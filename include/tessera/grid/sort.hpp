// Whole arrays in order.
//
//   in                   7.0  2.0  NaN  -1.0
//   sort                 -1.0 2.0  7.0  NaN
//   sort, greater{}      7.0  2.0  -1.0 NaN
//   argsort              3    1    0    2           where each of them was
//
//   error = tessera::grid::sort(in, n, out);
//   error = tessera::grid::sort(in, n, in, tessera::greater{}, {stream, memory});      // in place
//   error = tessera::grid::sort_by_key(keys, values, n, keys_out, values_out, tessera::less{}, {stream, memory});
//   error = tessera::grid::argsort(in, n, indices, tessera::less{}, {stream, memory});
//
// All of them
//   take      in, keys: n elements, n from 0 to 2^40, in memory that the GPU can address, at any multiple of an
//             element's size: float, double, __half, __nv_bfloat16, and integers of 32 and 64 bits. values: as many
//             of any trivially copyable type of 4 or 8 bytes, aligned to as many. <tessera/grid/sort.cuh> has other
//             types and orders. before: less or greater, or an alias, such as std::less<>.
//   write     out, keys_out, values_out: n elements each: the array that it is made from, or apart from all other
//             arrays.
//   Order     as on tiles (tessera/sort.hpp): NaNs come last in `less` and in `greater`, equal to each other, and −0
//             is equal to +0. stable_… and argsort keep the order of equal elements; that of the others is
//             unspecified. All bits of each element are kept, and results are the same at each call.
//   return    as all calls on arrays that run CUB's kernels: docs/reference/arrays.md. So an error of an earlier call
//             that is pending is returned, and stays pending, and nothing is launched.
//   cost      one block sorts up to some thousands of elements. A radix sort of more reads each key once, and then
//             moves keys and values once for each byte of a key: 4 + 4 · 8 bytes for each float, at least 2.3 ms for
//             2^28 of them at the 4240 GB/s of a copy on an H200; 4 + 4 · 16 bytes for a float with a value of 4 bytes.
//             argsort neither reads indices nor writes sorted keys. Memory besides the arrays: as many bytes as the
//             sorted ones have; of argsort twice as many as keys, and as many as indices.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/exchangeable.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

// In the library, for T and Before as `has_sort_instantiation` says, and values of std::uint32_t and std::uint64_t.
template <class T, class Before>
TESSERA_API cudaError_t sort_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept;
template <class Key, class Before, class Value>
TESSERA_API cudaError_t sort_by_key_instantiation(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                                  Value* values_out, execution on) noexcept;
template <class T, class Before, class Index>
TESSERA_API cudaError_t argsort_instantiation(T const* in, std::int64_t n, Index* indices, execution on) noexcept;

/// True if the library sorts arrays of T, an element_t, by Before, a canonical_comparator_t.
template <class T, class Before>
inline constexpr bool has_sort_instantiation = is_element<T> &&
                                               (stl::is_same_v<Before, less> || stl::is_same_v<Before, greater>);

/// The type as which the library moves values: any of 4 or 8 bytes, aligned to as many.
template <class Value>
inline constexpr bool has_value_instantiation = is_exchangeable_v<Value> &&
                                                (sizeof(Value) == 4 || sizeof(Value) == 8) &&
                                                alignof(Value) == sizeof(Value);
template <class Value>
using moved_as_t = stl::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;

inline namespace TESSERA_ARCHS {

// Calls that no explicit instantiation serves: sort.cuh specializes each class.
template <class T, class = void>
struct sort_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::sort: the library has no kernel for this type and order: include "
                  "<tessera/grid/sort.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};
template <class T, class = void>
struct sort_by_key_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::sort_by_key: the library has no kernel for these types and this order: include "
                  "<tessera/grid/sort.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};
template <class T, class = void>
struct argsort_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::argsort: the library has no kernel for this type and order: include "
                  "<tessera/grid/sort.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

/// True if Before orders values of T. If it doesn't, a static assertion says what to write.
template <class Before, class T>
constexpr bool can_sort() {
  constexpr bool possible = stl::is_invocable_r_v<bool, Before const&, T const&, T const&>;
  static_assert(possible,
                "before(a, b) says whether element a comes first, and can be called while const; the execution "
                "comes after it: as in sort(in, n, out, tessera::less{}, {stream, memory}), and after the options: "
                "top_k_rows(x, k, values, indices, tessera::greater{}, {}, {stream, memory}).");
  return possible;
}

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out: the elements of `in` in order.
template <class T, class Before = less>
[[nodiscard]] cudaError_t sort(T const* in, std::int64_t n, T* out, Before before = {}, execution on = {}) noexcept {
  using element = detail::element_t<T>;
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  if constexpr (detail::has_sort_instantiation<element, comparator>) {
    return detail::sort_instantiation<element, comparator>(reinterpret_cast<element const*>(in), n,
                                                           reinterpret_cast<element*>(out), detail::named(on));
  } else if constexpr (detail::can_sort<comparator, T>()) {
    return detail::sort_launcher<T>::launch(in, n, out, before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// As sort; equal elements stay in the order of `in`.
template <class T, class Before = less>
[[nodiscard]] cudaError_t stable_sort(T const* in, std::int64_t n, T* out, Before before = {},
                                      execution on = {}) noexcept {
  return grid::sort(in, n, out, before, on);  // all sorts are stable
}

/// keys_out: the keys in order. values_out: the value of each.
template <class Key, class Value, class Before = less>
[[nodiscard]] cudaError_t sort_by_key(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                      Value* values_out, Before before = {}, execution on = {}) noexcept {
  using element = detail::element_t<Key>;
  using comparator = tessera::detail::canonical_comparator_t<Before, Key>;
  if constexpr (detail::has_sort_instantiation<element, comparator> && detail::has_value_instantiation<Value>) {
    using moved = detail::moved_as_t<Value>;
    return detail::sort_by_key_instantiation<element, comparator>(
        reinterpret_cast<element const*>(keys), reinterpret_cast<moved const*>(values), n,
        reinterpret_cast<element*>(keys_out), reinterpret_cast<moved*>(values_out), detail::named(on));
  } else if constexpr (detail::can_sort<comparator, Key>()) {
    return detail::sort_by_key_launcher<Key>::launch(keys, values, n, keys_out, values_out, before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// As sort_by_key; values with equal keys stay in the order of `values`.
template <class Key, class Value, class Before = less>
[[nodiscard]] cudaError_t stable_sort_by_key(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                             Value* values_out, Before before = {}, execution on = {}) noexcept {
  return grid::sort_by_key(keys, values, n, keys_out, values_out, before, on);
}

/// indices: in[indices[0]], in[indices[1]] … are the elements in order; of equal ones the lowest index comes first.
///
/// indices  n integers of 32 or 64 bits, apart from `in`. cudaErrorInvalidValue if an Index can't hold n − 1.
template <class T, class Index, class Before = less>
[[nodiscard]] cudaError_t argsort(T const* in, std::int64_t n, Index* indices, Before before = {},
                                  execution on = {}) noexcept {
  static_assert(tessera::detail::is_integer<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "grid::argsort: indices are integers of 32 or 64 bits.");
  using element = detail::element_t<T>;
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  using index = detail::moved_as_t<Index>;
  auto* const out = reinterpret_cast<index*>(indices);
  if (!detail::fits_index<Index>(n - 1)) return cudaErrorInvalidValue;
  if constexpr (detail::has_sort_instantiation<element, comparator>) {
    return detail::argsort_instantiation<element, comparator>(reinterpret_cast<element const*>(in), n, out,
                                                              detail::named(on));
  } else if constexpr (detail::can_sort<comparator, T>()) {
    return detail::argsort_launcher<T>::launch(in, n, out, before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
