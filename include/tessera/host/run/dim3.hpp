// Extents and positions of host blocks and grids, like CUDA's dim3.
#pragma once

#include <tessera/core/config.hpp>

#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// Extents (1 if not given) or a position. The conversion from a number is implicit, so that one can write
/// `launch_block(48, kernel)`.
struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;

  dim3() = default;
  template <class X, class Y = unsigned, class Z = unsigned,
            class = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> && std::is_integral_v<Z>>>
  TESSERA_FN constexpr dim3(X x_, Y y_ = 1, Z z_ = 1)
      : x(static_cast<unsigned>(x_)), y(static_cast<unsigned>(y_)), z(static_cast<unsigned>(z_)) {}

  TESSERA_FN constexpr unsigned long long volume() const { return 1ull * x * y * z; }
  /// The position of the item of rank `rank`; x varies fastest.
  TESSERA_FN constexpr dim3 at(unsigned rank) const { return {rank % x, rank / x % y, rank / x / y}; }

  TESSERA_FN friend constexpr bool operator==(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
  TESSERA_FN friend constexpr bool operator!=(dim3 a, dim3 b) { return !(a == b); }
};

}  // namespace host
TESSERA_NAMESPACE_END
