// Scores of logits for route_rows, the same on GPU and host: exponentials are a polynomial, since those of a GPU and of
// a host differ.
//
// Error   an exponential of a number down to −87 is off by 2^-22 + |x| · 2^-24 of itself; below −87 it is 0.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// exp(x) for x ≤ 0; 0 for −∞.
TESSERA_FN float route_exponential(float x) {
  constexpr float rounder = 0x1.8p23f;  // adding it rounds to an integer, which is then in the lowest bits
  constexpr float lowest = -87.0f;
  float const within = x > lowest ? x : lowest;
  float const rounded = tessera::detail::rounded_fma(within, 1.44269504f, rounder);
  float const f =
      tessera::detail::rounded_fma(within, 1.44269504f, -tessera::detail::rounded_subtract(rounded, rounder));
  float p = 0x1.5bba12p-10f;  // 2^f for f from −1/2 to 1/2
  p = tessera::detail::rounded_fma(p, f, 0x1.3cea8cp-7f);
  p = tessera::detail::rounded_fma(p, f, 0x1.c6b754p-5f);
  p = tessera::detail::rounded_fma(p, f, 0x1.ebf9bcp-3f);
  p = tessera::detail::rounded_fma(p, f, 0x1.62e42ap-1f);
  p = tessera::detail::rounded_fma(p, f, 1.0f);
  std::uint32_t const bits =
      tessera::detail::from_bits<std::uint32_t>(p) + (tessera::detail::from_bits<std::uint32_t>(rounded) << 23);
  return x > lowest ? tessera::detail::from_bits<float>(bits) : 0.0f;
}

/// 1 / (1 + exp(−x)).
TESSERA_FN float route_sigmoid(float x) {
  float const power = detail::route_exponential(x < 0.0f ? x : -x);
  return tessera::detail::rounded_divide(x < 0.0f ? power : 1.0f, tessera::detail::rounded_add(1.0f, power));
}

/// What the exponentials of a row have in common.
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
  auto const bits = tessera::detail::from_bits<std::uint32_t>(x == 0.0f ? 0.0f : x);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
