// 2^z for floats, the same on GPU and host, whose own exponentials differ: by a polynomial.
//
// Error   2^-22 of itself, and what z is off by: 2^-23 · |z|.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/rounded.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// part · 2^integer, where `integer` is in the lowest bits.
struct scaled_power {
  float part;
  std::uint32_t integer;

  /// 2^more times as much.
  TESSERA_FN float scaled(std::uint32_t more) const {
    return tessera::detail::from_bits<float>(tessera::detail::from_bits<std::uint32_t>(part) +
                                             ((integer + more) << 23));
  }
};

/// 2^(x · scale).
TESSERA_FN scaled_power power_of_two(float x, float scale) {
  constexpr float rounder = 0x1.8p23f;  // adding it rounds to an integer, which is then in the lowest bits
  float const rounded = tessera::detail::rounded_fma(x, scale, rounder);
  float const f =
      tessera::detail::rounded_fma(x, scale, -tessera::detail::rounded_subtract(rounded, rounder));  // from −1/2 to 1/2
  float p = 0x1.5bba12p-10f;
  p = tessera::detail::rounded_fma(p, f, 0x1.3cea8cp-7f);
  p = tessera::detail::rounded_fma(p, f, 0x1.c6b754p-5f);
  p = tessera::detail::rounded_fma(p, f, 0x1.ebf9bcp-3f);
  p = tessera::detail::rounded_fma(p, f, 0x1.62e42ap-1f);
  p = tessera::detail::rounded_fma(p, f, 1.0f);
  return {p, tessera::detail::from_bits<std::uint32_t>(rounded)};
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
