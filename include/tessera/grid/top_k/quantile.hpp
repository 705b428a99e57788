// The position of a quantile in sorted elements, and the interpolation between two of them.
//
//   n = 5, q = 0.3    its place is q · (n − 1) = 1.2: 0.2 of the way from the element of rank 1 to that of rank 2
#pragma once

#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A place between the element of a rank and the next. With `fraction` = 0 it is that element's.
struct quantile_place {
  std::int64_t rank;
  double fraction;
};

TESSERA_FN quantile_place quantile_place_of(double q, std::int64_t n) noexcept {
  double const place = tessera::detail::rounded_multiply(q, static_cast<double>(n - 1));
  auto const rank = static_cast<std::int64_t>(place);
  if (rank >= n - 1) return {n - 1, 0};
  return {rank, place - static_cast<double>(rank)};
}

/// The number at a fraction between 0 and 1, both excluded, of the way from `lower` to `upper`, which isn't less:
/// computed in double, and rounded once more to T.
template <class T>
TESSERA_FN T interpolated(T const& lower, T const& upper, double fraction) {
  auto const a = tessera::detail::convert<double>(lower), b = tessera::detail::convert<double>(upper);
  if (a == b) return lower;  // infinities, too
  // Not a + fraction · (b − a), whose difference could overflow. Rounding may not take it beyond either.
  double const x = tessera::detail::rounded_add(tessera::detail::rounded_multiply(1 - fraction, a),
                                                tessera::detail::rounded_multiply(fraction, b));
  return tessera::detail::convert<T>(x < a ? a : x > b ? b : x);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
