// Scores of logits for route_rows, the same on GPU and host (power_of_two.hpp).
//
// Error   an exponential of a number down to −87 is off by 2^-22 + |x| · 2^-24 of itself; below −87 it is 0.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/ieee_float.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/grid/rows/power_of_two.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// exp(x) for x ≤ 0; 0 for −∞.
TESSERA_FN float route_exponential(float x) {
  constexpr float lowest = -87.0f;
  float const power = detail::power_of_two(x > lowest ? x : lowest, 1.44269504f).scaled(0);
  return x > lowest ? power : 0.0f;
}

/// 1 / (1 + exp(−x)).
TESSERA_FN float route_sigmoid(float x) {
  float const power = detail::route_exponential(x < 0.0f ? x : -x);
  return tessera::detail::rounded_divide(x < 0.0f ? power : 1.0f, tessera::detail::rounded_add(1.0f, power));
}

/// The greatest of a row's logits, from which exponentials count.
struct route_maximum {
  float max;

  /// exp(x − max). If the maximum is +∞, 1 for +∞ and 0 for others; if it is −∞, 1.
  TESSERA_FN float exponential(float x) const {
    return detail::route_exponential(x == max ? 0.0f : tessera::detail::rounded_subtract(x, max));
  }
  TESSERA_FN bool is_lowest() const { return max == -tessera::detail::highest<float>(); }
};

/// x, or −∞ for NaN.
TESSERA_FN float route_logit(float x) {
  return x == x ? x : -tessera::detail::highest<float>();
}

/// Unsigned integers in the order of numbers, above 0. −0 and +0 have the same.
TESSERA_FN std::uint32_t route_order(float x) {
  auto const bits = tessera::detail::from_bits<std::uint32_t>(tessera::detail::ieee_is_equal(x, 0.0f) ? 0.0f : x);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
