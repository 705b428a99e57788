// The types of elements of rows, for random cases.
#pragma once

#include <tessera/core/number.hpp>

#include <cstdint>

#include "oracle/halves.hpp"

namespace test {

/// Calls f(a value of a type) with one that the seed chooses.
template <class F>
void with_type_of(std::uint64_t seed, F f) {
  switch (seed % 5) {
    case 0:
      return f(0.0);
    case 1:
      return f(tessera::detail::convert<__half>(0.0f));
    case 2:
      return f(tessera::detail::convert<__nv_bfloat16>(0.0f));
    default:
      return f(0.0f);
  }
}

}  // namespace test
