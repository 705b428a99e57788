// Integer keys of floats, if the floats themselves needn't be restored: one addition maps −0 and +0 to one value and
// all NaNs to one, and two more instructions make the integer.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/minimum.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// 0 + x or 0 − x: −0 becomes +0, and any NaN the GPU's own NaN. Independent of `-ftz`.
template <bool Negative>
TESSERA_FN float canonical_float(float x) {
#if TESSERA_ARCH
  float out;
  if constexpr (Negative) {
    asm("sub.rn.f32 %0, 0f00000000, %1;" : "=f"(out) : "f"(x));
  } else {
    asm("add.rn.f32 %0, 0f00000000, %1;" : "=f"(out) : "f"(x));
  }
  return out;
#else
  return x == 0 ? 0.0f : detail::with_canonical_nan(Negative ? -x : x);
#endif
}

/// 0 + x · sign, of a sign of 1 or −1 that is known when it runs: canonical_float<false> or <true> by one instruction.
TESSERA_FN float canonical_float(float x, float sign) {
#if TESSERA_ARCH
  float out;
  asm("fma.rn.f32 %0, %1, %2, 0f00000000;" : "=f"(out) : "f"(x), "f"(sign));
  return out;
#else
  return sign < 0 ? detail::canonical_float<true>(x) : detail::canonical_float<false>(x);
#endif
}

/// Floats (and halves, converted exactly) as integers of the same order: equal floats have the same integer, NaNs come
/// last. The descending order is that of the negatives.
template <bool Falling>
struct canonical_key {
  static constexpr stl::uint32_t sign = stl::uint32_t{1} << 31;

  TESSERA_FN static stl::uint32_t of(float x) { return of_canonical(detail::canonical_float<Falling>(x)); }
  /// The same of a canonical_float, which has the sign already that the order gives it.
  TESSERA_FN static stl::uint32_t of_canonical(float x) {
    auto const bits = detail::from_bits<stl::uint32_t>(x);
    stl::uint32_t const negative = static_cast<stl::uint32_t>(-static_cast<stl::int32_t>(bits >> 31));
    return bits ^ (negative | sign);
  }
  TESSERA_FN static float number(stl::uint32_t key) {
    return detail::canonical_float<Falling>(detail::from_bits<float>((key & sign) != 0 ? key ^ sign : ~key));
  }
};

}  // namespace detail
TESSERA_NAMESPACE_END
