// CPU lanes need exceptions: a launch throws what a lane threw, or the misuse that was found. Headers that throw include this
// file before any other, so that its message is the compiler's first.
#pragma once

#include <tessera/config.hpp>

#if !defined(__cpp_exceptions)
#error "tessera's CPU lanes report misuse by exceptions: compile the files that include <tessera/host/...> with -fexceptions. \
The other headers need none."
#endif
