// The weights of a row's columns: integers that are proportional to a softmax, the same on GPU and host.
//
//   x − max           0      −1/scale   −2/scale   …   −31/scale   −33/scale   −∞, NaN
//   2^z               1      1/2        1/4            2^-31       2^-33       0
//   weight            2^31   2^30       2^29           1           0           0
//
// z = (x − max) · scale, where scale is log2(e) / temperature. Sums of integers don't depend on their order, so that
// whatever is decided by them is the same in every shape of a kernel and on CPU lanes.
//
// Error   a weight is off by 2^-22 of itself (and by what z is: 2^-23 · |z|), and by half a unit.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/minimum.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/grid/rows/power_of_two.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::number_wins;

/// The high 64 bits of a product.
TESSERA_FN std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t const a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/// log2 of an integer above 0, to within 2^-48 of itself or of 1.
TESSERA_FN double log2_of(std::uint64_t x) {
  constexpr std::uint64_t bias = 1023, fraction = (std::uint64_t{1} << 52) - 1;
  auto const bits = tessera::detail::from_bits<std::uint64_t>(static_cast<double>(x));
  int exponent = static_cast<int>(bits >> 52) - static_cast<int>(bias);
  auto part = tessera::detail::from_bits<double>((bits & fraction) | bias << 52);  // from 1 to 2
  if (part > 1.4142135623730951) {
    part = tessera::detail::rounded_multiply(part, 0.5);
    ++exponent;
  }
  // log(part) = 2 · artanh(t); |t| is up to 0.172
  double const t = tessera::detail::rounded_divide(tessera::detail::rounded_add(part, -1.0),
                                                   tessera::detail::rounded_add(part, 1.0)),
               square = tessera::detail::rounded_multiply(t, t);
  double series = 1.0 / 19;
  TESSERA_UNROLL
  for (int i = 17; i > 0; i -= 2) series = tessera::detail::rounded_fma(series, square, 1.0 / static_cast<double>(i));
  return tessera::detail::rounded_fma(tessera::detail::rounded_multiply(t, series), 2.8853900817779268,
                                      static_cast<double>(exponent));
}

class row_weights {
 public:
  static constexpr std::uint32_t one = std::uint32_t{1} << 31;  // of the greatest element

  row_weights() = default;
  /// max is finite, and temperature above 0.
  TESSERA_FN row_weights(float max, float temperature) : max_(max) {
    constexpr float most = 0x1p126f, least = 0x1p-100f;
    float const scale = tessera::detail::rounded_divide(1.44269504f, temperature);
    scale_ = scale < least ? least : scale < most ? scale : most;
    lowest_ = tessera::detail::rounded_divide(-64.0f, scale_);
  }

  TESSERA_FN std::uint32_t operator()(float x) const {
    return tessera::detail::nearest_integer(detail::power_of_two(distance(x), scale_).scaled(31));
  }
  /// 2^z as a float; 0 if z is −64 or less.
  TESSERA_FN float number(float x) const {
    float const d = distance(x);
    return d > lowest_ ? detail::power_of_two(d, scale_).scaled(0) : 0.0f;
  }
  /// A number whose weight is 0; if there is none, the lowest.
  TESSERA_FN float first_without_weight() const {
    float const x = tessera::detail::rounded_add(max_, lowest_);
    return tessera::detail::greater_of<number_wins>(x, -3.40282347e38f);
  }
  /// z.
  TESSERA_FN double exponent(float x) const {
    return tessera::detail::rounded_multiply(static_cast<double>(distance(x)), static_cast<double>(scale_));
  }

 private:
  /// x − max, or the lowest that is told from −∞.
  TESSERA_FN float distance(float x) const {
    return tessera::detail::greater_of<number_wins>(tessera::detail::rounded_subtract(x, max_), lowest_);
  }

  float max_, scale_, lowest_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
