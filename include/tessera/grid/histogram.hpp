// Counts the elements of an array in bins: of equal width, or between edges of any spacing.
//
//   in          3  0  9  2  2 −1  5         int
//   bin         1  0  .  1  1  .  2         4 bins over [0, 8)
//   counts      1  3  1  0                  outside: 1 below, 1 above
//   bin         1  0  .  1  1  .  1         2 bins, edges 0, 2, 9
//   counts      1  4                        outside: 1 below, 1 above; with a closed last bin 9 is in it
//
//   error = tessera::grid::histogram(in, n, counts, 256, lower, upper, outside, {stream, memory});
//   error = tessera::grid::histogram(in, n, counts, 256, edges);  // 257 edges on the device
//
// One kernel reads the array once (several times if the bins exceed shared memory). Constant data take no longer than
// other data. histogram.cuh also has edges of another type than the elements, and counts elements of any type in bins
// given by a function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/histogram/edge_request.hpp>
#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/histogram/mistaken_histogram.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <type_traits>

struct __half;
struct __nv_bfloat16;

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The numbers of elements in no bin.
struct out_of_range {
  std::uint64_t below;  // lower than `lower`
  std::uint64_t above;  // `upper` and higher; with last_bin::closed higher than `upper`
  std::uint64_t nan;
};

/// The end of the last bin. Each other bin is half open: its upper edge is in the next one.
enum class last_bin {
  half_open,  // The highest edge is above all bins, as in CUB.
  closed      // The highest edge is in the last bin, as in NumPy.
};

/// Options of a histogram. A pointer to an out_of_range stands for options with this `outside`.
struct histogram_options {
  out_of_range* outside = nullptr;  // on the device, or null; overwritten
  last_bin last = last_bin::half_open;

  constexpr histogram_options() noexcept = default;
  constexpr histogram_options(out_of_range* apart, last_bin end = last_bin::half_open) noexcept
      : outside(apart), last(end) {}
  constexpr histogram_options(last_bin end) noexcept : last(end) {}
};

namespace detail {

/// The type that elements of T are counted as: the integer of an enumeration, and the integer of an integer's size and
/// sign.
template <class T, bool Enum = stl::is_enum_v<T>>
struct counted_as {
  using type = T;
};
template <class T>
struct counted_as<T, true> : counted_as<std::underlying_type_t<T>> {};
template <>
struct counted_as<bool, false> {
  using type = std::uint8_t;
};
template <class T>
using number_of_t = typename counted_as<T>::type;
template <class T>
using counted_t =
    stl::conditional_t<tessera::detail::is_integer<number_of_t<T>> && sizeof(T) <= 2,
                       stl::conditional_t<tessera::detail::is_signed_integer<number_of_t<T>>,
                                          stl::conditional_t<sizeof(T) == 1, std::int8_t, std::int16_t>,
                                          stl::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>>,
                       element_t<number_of_t<T>>>;
/// The type whose kernel serves elements of T: integers are counted as unsigned ones with the sign's bit flipped.
template <class T>
using binned_t = typename stl::conditional_t<tessera::detail::is_integer<counted_t<T>>,
                                             tessera::detail::unsigned_of<sizeof(T)>, counted_as<counted_t<T>>>::type;

// These are compiled into the library.
template <class T, class Bound>
TESSERA_API cudaError_t histogram_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                                Bound lower, Bound upper, bool is_signed, histogram_options options,
                                                execution on) noexcept;
template <class T>
TESSERA_API cudaError_t edges_instantiation(T const* in, std::int64_t n, std::uint64_t* counts,
                                            edge_request<T> const& edges, out_of_range* outside, execution on) noexcept;

/// True if elements of this type have even bins.
template <class Element>
constexpr bool can_count() {
  static_assert(has_even_bins<Element>,
                "grid::histogram: elements are integers of up to 64 bits, bool, enumerations, float, double, __half or "
                "__nv_bfloat16: grid::histogram_by of <tessera/grid/histogram.cuh> counts others, in the bins "
                "that a function gives them.");
  return has_even_bins<Element>;
}
/// True if elements of this type can be counted between edges of that type.
template <class Element, class Edge>
constexpr bool can_count_between() {
  constexpr bool possible = has_even_bins<Element> && has_even_bins<Edge>;
  constexpr bool fits = possible && holds_all<Edge, Element>;
  static_assert(
      possible,
      "grid::histogram: elements and edges are integers of up to 64 bits, bool, enumerations, float, double, "
      "__half or __nv_bfloat16: grid::histogram_by of <tessera/grid/histogram.cuh> counts others, in the bins "
      "that a function gives them.");
  static_assert(fits || !possible,
                "grid::histogram: edges have the type of the elements, or one that has all of their values: double for "
                "ints, float for bytes. Otherwise an edge couldn't be compared with an element exactly.");
  return fits;
}

/// The edges of a call, as elements of type Key.
template <class Key, class Edge>
edge_request<Key> request_of(Edge const* edges, std::int64_t bins, histogram_options const& options) noexcept {
  bool const has_bins = bins >= 1 && bins <= std::int64_t{most_bins};
  return {reinterpret_cast<Key const*>(edges), has_bins ? static_cast<unsigned>(bins) : 0u, sign_bit<counted_t<Edge>>,
          options.last == last_bin::closed};
}

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; histogram.cuh specializes the class.
template <class T, class Edge, class = void>
struct edges_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::histogram: in the library edges have the type of the elements: for edges of another type "
                  "include <tessera/grid/histogram.cuh> in a .cu file.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Counts the n elements of `in` in `bins` even bins over [lower, upper), and the elements outside separately.
///
/// in            on the device, n from 0 to 2^40, aligned to its elements: integers of 8 to 64 bits, bool,
///               enumerations, float, double, __half, __nv_bfloat16.
/// counts        on the device, `bins` counts, which are overwritten.
/// bins          1 … 65536.
/// lower, upper  lower < upper. For integers of up to 32 bits std::int64_t: values of T, or its highest value + 1. For
///               those of 64 bits T, whose highest value is in a bin with last_bin::closed alone. For enumerations
///               those of their integers. For floats T, float for 16-bit ones. They are finite, and so are
///               upper − lower and bins / (upper − lower), which overflows if the bounds are as close as denormals are.
/// options       `outside`: the numbers of elements in no bin, or null. `last_bin::closed`: elements equal to `upper`
///               are in the last bin. {outside, last_bin::closed} is both.
///
/// Bin           The bin of an integer is floor((x − lower) · bins / (upper − lower)), exactly. The bin of a float is
///               floor((x − lower) · (bins / (upper − lower))), each of the three operations rounded to nearest in T
///               (float for 16-bit floats), and at most bins − 1. NaNs are counted separately; −0 is 0. As many bins as
///               upper − lower count each integer by itself.
/// Returns       as all calls on arrays: docs/reference/arrays.md.
/// Cost          one kernel, which reads n · sizeof(T) bytes; several times if a block's shared memory doesn't hold 4
///               bytes for each bin: up to two times with 227 KiB (sm_90), up to three with 99 KiB (sm_86, sm_89,
///               sm_120), up to five with 64 KiB (sm_75). Only the counters of a workspace are used.
/// Order         Counts are integers, the same in every run.
template <class T>
[[nodiscard]] cudaError_t histogram(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<detail::counted_t<T>> lower,
                                    detail::bound_t<detail::counted_t<T>> upper, histogram_options options = {},
                                    execution on = {}) noexcept {
  using element = detail::counted_t<T>;
  if constexpr (detail::can_count<element>()) {
    using binned = detail::binned_t<T>;
    using bound = detail::bound_t<binned>;
    return detail::histogram_instantiation<binned>(reinterpret_cast<binned const*>(in), n, counts, bins,
                                                   static_cast<bound>(lower), static_cast<bound>(upper),
                                                   detail::sign_bit<element> != 0, options, detail::named(on));
  } else {
    return cudaErrorNotSupported;
  }
}

/// Counts the n elements of `in` in the bins between neighboring edges: x is in bin i if edges[i] ≤ x < edges[i + 1].
/// Elements below the first edge, from the last one on, and NaNs are counted separately.
///
/// in, counts, options as above: `last_bin::closed` puts elements equal to the last edge into the last bin.
/// bins          1 … 65536.
/// edges         on the device, bins + 1 values in ascending order, of the elements' type. (In a .cu file with
///               histogram.cuh of any type that has all values of T, such as floats for bytes.) They may be infinite,
///               and −0 is 0. Equal ones have an empty bin between them. If they aren't in order, or one is NaN, the
///               counts are unspecified.
///
/// Returns       as above.
/// Cost          one kernel, which reads n · sizeof(T) bytes. A table divides the edges' range into more intervals
///               than bins, and an element is compared only with the edges in its interval: once or twice for edges at
///               even, random or exponentially growing distances, at most log2(bins) + 1 times. (Elements of one byte
///               aren't searched: each of their values is counted.) The array is read several times if a block's
///               shared memory doesn't hold 8 bytes for each bin: up to 3 times with 227 KiB. For elements of 8
///               bytes, a bin takes 12 bytes, and the array is read up to 4 times.
/// Order         Counts are integers, the same in every run.
template <class T, class Edge>
[[nodiscard]] cudaError_t histogram(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                    Edge const* edges, histogram_options options = {}, execution on = {}) noexcept {
  using element = detail::counted_t<T>;
  using edge = detail::counted_t<Edge>;
  if constexpr (detail::can_count_between<element, edge>()) {
    constexpr bool shared = stl::is_same_v<edge, element>;
    using key = stl::conditional_t<shared, detail::binned_t<Edge>, edge>;
    auto const request = detail::request_of<key>(edges, bins, options);
    if constexpr (shared) {
      return detail::edges_instantiation<key>(reinterpret_cast<key const*>(in), n, counts, request, options.outside,
                                              detail::named(on));
    } else {
      return detail::edges_launcher<element, edge>::launch(reinterpret_cast<element const*>(in), n, counts, request,
                                                           options.outside, on);
    }
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
