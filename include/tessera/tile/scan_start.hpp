// Valid starts of a scan: values that the type of its results can hold.
#pragma once

#include <tessera/core/number.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if a scan's result type loses a part of its start: a fraction, or the upper half of 64 bits. (An int may start
/// a scan of shorts, and a double one of floats, since literals have these types.)
template <class Init, class Result>
inline constexpr bool start_narrows = loses_fraction<Init, Result> ||
                                      (is_integer<Init> && is_integer<Result> && sizeof(Init) > 4 &&
                                       sizeof(Init) > sizeof(Result));

/// Rejects such a start.
template <class Init, class Result>
TESSERA_FN constexpr void require_start() {
  static_assert(!start_narrows<Init, Result>,
                "A scan combines values of x's type (of a range in memory, of out's), which can't hold this start: "
                "write static_cast<float>(x) to scan in the start's type, or static_cast<int>(init) to scan in x's.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
