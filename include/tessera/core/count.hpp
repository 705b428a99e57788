// The number of elements or lanes from an integer of any type.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The type in which elements of a range of this length are counted.
template <class Integer>
using count_t = stl::conditional_t<(sizeof(Integer) > 4), stl::uint64_t, stl::uint32_t>;

/// n as a signed integer of 32 bits or more. The conversion hides from the compiler that a narrow n was narrow:
/// otherwise it assumes a bound of 16 bits, and ptxas 13.0 to 13.3 drops comparisons with such a bound
/// (docs/explanation/compilers-faults.md).
template <class Integer>
TESSERA_FN constexpr auto widened(Integer n) {
  if constexpr (sizeof(Integer) > 4) {
    return static_cast<stl::int64_t>(n);
  } else if constexpr (sizeof(Integer) == 4) {
    return static_cast<stl::int32_t>(n);
  } else {
    return static_cast<stl::int32_t>(detail::opaque(static_cast<stl::uint32_t>(stl::int32_t{n})));
  }
}

/// n, or 0 if it is negative.
template <class Integer>
TESSERA_FN constexpr count_t<Integer> count_of(Integer n) {
  if constexpr (stl::is_signed_v<Integer>) {
    auto const wide = detail::widened(n);
    return wide < 0 ? 0 : static_cast<count_t<Integer>>(wide);
  } else {
    return n;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
