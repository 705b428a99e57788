// What CPU lanes need of the compiler's flags. A launch throws what a lane threw, or the misuse that was found; and floats are those of
// IEEE 754, NaN, −0 and subnormals too, as a GPU has them under -use_fast_math as well. Headers that throw include this file before any
// other, so that its message is the compiler's first.
#pragma once

#include <tessera/config.hpp>

#if !defined(__cpp_exceptions)
#error "CPU lanes throw exceptions: compile with -fexceptions. Headers outside of tessera/host need none."
#endif

// Under these flags comparisons lose NaN and −0, sums are regrouped, and the CPU takes subnormals for 0.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__NO_SIGNED_ZEROS__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "CPU lanes compute as a GPU does: compile without -ffast-math, -Ofast and -ffinite-math-only."
#endif
