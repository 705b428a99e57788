// The uniform arguments of a call on ranges in memory, packed into one number that host tiles compare and report:
//
//   63     62 … 40                39 … 0
//   1      bits of the addresses  n
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

struct range_uniform {
  static constexpr unsigned bits = 40;
  static constexpr stl::uint64_t lengths = (stl::uint64_t{1} << bits) - 1;
  static constexpr stl::uint64_t mark = stl::uint64_t{1} << 63;

  TESSERA_FN static stl::uint64_t of(void const* first, void const* second, stl::uint64_t n) {
    auto const a = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(first));
    auto const b = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(second));
    stl::uint64_t const addresses = a * 0x9e3779b97f4a7c15u + b * 0xd1b54a32d192ed03u;
    return mark | (addresses >> 41) << bits | (n & lengths);
  }
};

}  // namespace detail
TESSERA_NAMESPACE_END
