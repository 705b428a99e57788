// CPU lanes need exceptions: a launch throws what a lane threw, or the misuse that was found. Headers that throw include this
// file before any other, so that its message is the compiler's first.
#pragma once

#include <tessera/config.hpp>

#if !defined(__cpp_exceptions)
#error "CPU lanes throw exceptions: compile with -fexceptions. Headers outside of tessera/host need none."
#endif
