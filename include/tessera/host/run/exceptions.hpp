// The compiler flags that CPU lanes require. A launch throws a lane's exception or the misuse that was found. Floats
// follow IEEE 754 with NaN, −0 and subnormals, as the library's do on a GPU even under -use_fast_math. Headers that
// throw include this file before any other, so that its message comes first.
#pragma once

#include <tessera/core/config.hpp>

#if !defined(__cpp_exceptions)
#error "CPU lanes throw exceptions: compile with -fexceptions. Headers outside of tessera/host need none."
#endif

// Under these flags comparisons ignore NaN and −0, sums are reassociated, and the CPU flushes subnormals.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__NO_SIGNED_ZEROS__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "CPU lanes compute as a GPU does: compile without -ffast-math, -Ofast and -ffinite-math-only."
#endif
