// The edges of bins, as a call's arguments.
#pragma once

#include <tessera/core/number.hpp>
#include <tessera/grid/histogram/even_bins.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The bits of a number's mantissa.
template <class T>
inline constexpr int mantissa_bits = stl::numeric_limits<T>::digits;
template <>
inline constexpr int mantissa_bits<__half> = 11;
template <>
inline constexpr int mantissa_bits<__nv_bfloat16> = 8;

/// True if Edge has all values of T.
template <class Edge, class T>
inline constexpr bool holds_all =
    stl::is_same_v<Edge, T> ||
    (tessera::detail::is_integer<T> &&
     (tessera::detail::is_integer<Edge>
          ? (tessera::detail::is_signed_integer<Edge> || !tessera::detail::is_signed_integer<T>)&&mantissa_bits<T> <=
                mantissa_bits<Edge>
          : mantissa_bits<T> <= mantissa_bits<Edge>)) ||
    (is_binned_float<T> &&
     (stl::is_same_v<Edge, double> || (tessera::detail::is_half<T> && stl::is_same_v<Edge, float>)));

/// The type in which elements are compared with edges of type Edge: integers as unsigned ones, 16-bit floats as float.
template <class Edge>
using edge_key =
    stl::conditional_t<is_binned_float<Edge>, stl::conditional_t<stl::is_same_v<Edge, double>, double, float>,
                       stl::conditional_t<(sizeof(Edge) > 4), stl::uint64_t, stl::uint32_t>>;

/// The edges of a histogram, as the caller gave them.
template <class Edge>
struct edge_request {
  Edge const* edges;    // bins + 1, on the device
  unsigned bins;        // 0: none that can be
  edge_key<Edge> flip;  // sign_bit<Edge>, of the caller's type
  bool closed;          // The last edge is in the last bin.
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
