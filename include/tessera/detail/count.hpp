// The number of elements or lanes that a caller's integer says.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The type in which elements of a range of this length are counted.
template <class Integer>
using count_t = stl::conditional_t<(sizeof(Integer) > 4), stl::uint64_t, stl::uint32_t>;

/// n, or 0 where it is negative. It is bounded as a number of 32 bits or more: ptxas 13.0 to 13.3 drops the comparison with 0 of a
/// maximum of 16 bits (docs/explanation/compilers-faults.md).
template <class Integer>
TESSERA_FN constexpr count_t<Integer> count_of(Integer n) {
  if constexpr (stl::is_signed_v<Integer>) {
    auto const wide = static_cast<stl::conditional_t<(sizeof(Integer) > 4), stl::int64_t, stl::int32_t>>(n);
    return wide < 0 ? 0 : static_cast<count_t<Integer>>(wide);
  } else {
    return n;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
