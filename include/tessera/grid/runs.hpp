// Runs of equal neighbors in an array: the first of each (unique), their lengths, or their values reduced: one kernel
// launch.
//
//   keys                a a b b b a c c
//   values              1 2 3 4 5 6 7 8
//   unique              a b a c                  count: 4
//   unique_by_key       a b a c   1 3 6 7        count: 4
//   run_length_encode   a b a c   2 3 1 2        count: 4
//   reduce_by_key       a b a c   3 12 6 15      count: 4
//
//   tessera::equal_to const equal;
//   tessera::grid::workspace memory;                                          // once, for all calls of a stream
//   error = tessera::grid::unique(keys, n, out, count);                       // out may be `keys`
//   error = tessera::grid::unique_by_key(keys, values, n, out, firsts, count);
//   error = tessera::grid::run_length_encode(keys, n, out, lengths, count, equal, {stream, memory});
//   error = tessera::grid::reduce_by_key(keys, values, n, out, sums, count, plus{}, equal, {stream, memory});
//
// All of them
//   take      n keys, n from 0 to 2^40, and as many values, in memory that the GPU can address, at any multiple of
//             their alignment. Keys: float, double, and integers of 32 and 64 bits. Equal keys that aren't neighbors
//             are in different runs: sort them before. <tessera/grid/runs.cuh> has other types, and your own
//             relations and operators.
//   equal     equal_to: of floats, NaNs are equal to each other, and −0 to +0. It compares neighbors, as
//             equal(predecessor, key); the key of a run is its first one.
//   give      results side by side in the order of the array, one for each run: outputs have room for as many as
//             there are, or for n. On the GPU, too: count, how many runs there are, a std::int64_t, apart from all
//             inputs and outputs; 0 if n is 0.
//   calls     Where a tile reaches beyond the array, equal and op are called with copies of the last key and value,
//             whose results are dropped.
//   return    as all calls on arrays: docs/reference/arrays.md. The number of results isn't known at the call, so not
//             every overlap is detected.
//   cost      one launch, one read of each key and value, and one write of each result. Beyond the first tile (a few
//             thousand keys) a workspace has 16 to 32 bytes for each tile.
//
// Source: heads of segments and a sum of them, G. Blelloch, "Prefix sums and their applications", 1990, by the
// look-back of grid/parts/look_back.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/select/mistaken_runs.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// The type whose kernel serves keys of T: integers are equal where their bits are.
template <class T>
using key_t = combined_as_t<T, plus>;
/// Integers of as many bytes.
template <class T>
using length_t = stl::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using moved_t = stl::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T, class Equal>
inline constexpr bool has_key_instantiation = stl::is_same_v<Equal, equal_to>&&
    is_one_of<element_t<T>, float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
/// Values that are only moved.
template <class V>
inline constexpr bool is_moved_as_integer = is_exchangeable_v<V> && sizeof(V) == alignof(V) &&
                                            (sizeof(V) == 4 || sizeof(V) == 8);
template <class T, class V, class Op, class Equal>
inline constexpr bool has_reduce_by_key_instantiation = has_key_instantiation<T, Equal>&&
    tessera::detail::is_integer<T>&& stl::is_same_v<Op, plus>&& has_key_instantiation<V, equal_to>;

// In the library, for types as above.
template <class T>
TESSERA_API cudaError_t unique_instantiation(T const* in, std::int64_t n, T* out, std::int64_t* count,
                                             execution on) noexcept;
template <class T, class V>
TESSERA_API cudaError_t unique_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out,
                                                    V* values_out, std::int64_t* count, execution on) noexcept;
template <class T, class Length>
TESSERA_API cudaError_t run_length_instantiation(T const* in, std::int64_t n, T* values, Length* lengths,
                                                 std::int64_t* count, execution on) noexcept;
template <class T, class V>
TESSERA_API cudaError_t reduce_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out,
                                                    V* values_out, std::int64_t* count, execution on) noexcept;

inline namespace TESSERA_ARCHS {

// Calls that no explicit instantiation serves: runs.cuh specializes each class.
template <class T, class = void>
struct unique_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::unique, unique_by_key: the library has no kernel for these types and this relation: "
                  "include <tessera/grid/runs.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};
template <class T, class = void>
struct runs_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::run_length_encode, reduce_by_key: the library has no kernel for these types, this "
                  "relation and operator: include <tessera/grid/runs.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

/// True if Equal compares neighbors.
template <class T, class Equal>
constexpr bool is_equality() {
  constexpr bool possible = stl::is_invocable_v<Equal const&, T const&, T const&>;
  static_assert(possible,
                "grid::unique, unique_by_key, run_length_encode, reduce_by_key: equal(a, b) says whether two "
                "keys are equal, and can be called while const; it comes after the count (of reduce_by_key: "
                "after the operator), then the execution: unique(in, n, out, count, "
                "tessera::equal_to{}, {stream, memory}).");
  return possible;
}

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The first key of each run: out[0], out[1] …
///
/// out    `in` itself, or apart from it.
template <class T, class Equal = equal_to>
[[nodiscard]] cudaError_t unique(T const* in, std::int64_t n, T* out, std::int64_t* count, Equal equal = {},
                                 execution on = {}) noexcept {
  if constexpr (!detail::is_equality<T, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::has_key_instantiation<T, Equal>) {
    using key = detail::key_t<T>;
    return detail::unique_instantiation(reinterpret_cast<key const*>(in), n, reinterpret_cast<key*>(out), count,
                                        detail::named(on));
  } else {
    return detail::unique_launcher<T>::launch(in, n, out, count, equal, on);
  }
}

/// As unique, and stores the values that belong to those keys, too.
///
/// values       of any trivially copyable type whose size is 4 or 8 bytes, and its alignment, too.
/// keys_out     `keys` itself, or apart from both inputs; values_out likewise.
template <class T, class V, class Equal = equal_to>
[[nodiscard]] cudaError_t unique_by_key(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                                        std::int64_t* count, Equal equal = {}, execution on = {}) noexcept {
  if constexpr (!detail::is_equality<T, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::has_key_instantiation<T, Equal> && detail::is_moved_as_integer<V>) {
    using key = detail::key_t<T>;
    using value = detail::moved_t<V>;
    return detail::unique_by_key_instantiation(
        reinterpret_cast<key const*>(keys), reinterpret_cast<value const*>(values), n, reinterpret_cast<key*>(keys_out),
        reinterpret_cast<value*>(values_out), count, detail::named(on));
  } else {
    return detail::unique_launcher<T>::launch(keys, values, n, keys_out, values_out, count, equal, on);
  }
}

/// The first key of each run, and how many keys it has.
///
/// values     apart from `in`.
/// lengths    integers of 32 or 64 bits, apart from `in`. One of 32 bits holds lengths below 2^31, unsigned ones
///            below 2^32.
template <class T, class Length, class Equal = equal_to>
[[nodiscard]] cudaError_t run_length_encode(T const* in, std::int64_t n, T* values, Length* lengths,
                                            std::int64_t* count, Equal equal = {}, execution on = {}) noexcept {
  static_assert(tessera::detail::is_integer<Length> && (sizeof(Length) == 4 || sizeof(Length) == 8),
                "grid::run_length_encode: lengths are integers of 32 or 64 bits.");
  auto* const out = reinterpret_cast<detail::length_t<Length>*>(lengths);
  if constexpr (!detail::is_equality<T, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::has_key_instantiation<T, Equal>) {
    using key = detail::key_t<T>;
    return detail::run_length_instantiation(reinterpret_cast<key const*>(in), n, reinterpret_cast<key*>(values), out,
                                            count, detail::named(on));
  } else {
    return detail::runs_launcher<T>::launch(in, n, values, out, count, equal, on);
  }
}

/// The first key of each run, and its values, combined by `op` in their order.
///
/// keys          integers of 32 and 64 bits.
/// values        float, double, and integers of 32 and 64 bits.
/// keys_out, values_out    apart from both inputs. values_out are values of V; <tessera/grid/runs.cuh> has others, and
///               adds integers of 8 and 16 bits as int: see reduced_t.
/// op            plus. It need not commute, nor have an identity.
/// Order         that of the array. The bits of float sums depend on n, the types, the elements, on whether the GPU
///               has large tiles (grid/parts/tile_tuning.hpp; sm_90, sm_100), and on whether the library is compiled
///               for sm_75, too: neither on timing nor on addresses.
/// Error         A float sum of a run of L elements is off by at most (L / 2^16 + 34) · 2^-24 · Σ|x|. For
///               doubles 2^-53 replaces 2^-24.
template <class T, class V, class Op = plus, class Equal = equal_to>
[[nodiscard]] cudaError_t reduce_by_key(T const* keys, V const* values, std::int64_t n, T* keys_out,
                                        reduced_t<V, Op>* values_out, std::int64_t* count, Op op = {}, Equal equal = {},
                                        execution on = {}) noexcept {
  using combine = tessera::detail::normalized_t<Op, V>;
  if constexpr (!detail::is_equality<T, Equal>() || !detail::can_combine<combine, reduced_t<V, Op>>()) {
    return cudaErrorNotSupported;
  } else if constexpr (detail::has_reduce_by_key_instantiation<T, V, combine, Equal>) {
    using key = detail::key_t<T>;
    using value = detail::key_t<V>;
    return detail::reduce_by_key_instantiation(
        reinterpret_cast<key const*>(keys), reinterpret_cast<value const*>(values), n, reinterpret_cast<key*>(keys_out),
        reinterpret_cast<value*>(values_out), count, detail::named(on));
  } else {
    return detail::runs_launcher<T>::launch(keys, values, n, keys_out, values_out, count, op, equal, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
