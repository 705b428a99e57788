// What a scan may start with: a value that the type of its results can hold.
#pragma once

#include <tessera/detail/number.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Whether a scan's start loses what it holds: a fraction, or the upper half of 64 bits. (An int may be a start of shorts, and a double
/// one of floats: literals are.)
template <class Init, class Result>
inline constexpr bool start_narrows = loses_fraction<Init, Result> ||
                                      (is_integer<Init> && is_integer<Result> && sizeof(Init) > 4 &&
                                       sizeof(Init) > sizeof(Result));

/// Refuses such a start.
template <class Init, class Result>
TESSERA_FN constexpr void require_start() {
  static_assert(
      !start_narrows<Init, Result>,
      "A scan combines values of x's type (of a range in memory, of out's), which can't hold this start: "
      "write static_cast<float>(x) to scan in the start's type, or static_cast<int>(init) to scan in x's.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
