// The precompiled header of the tests where all of them are compiled at once, as CI does. A change of any header
// of tessera would compile all of them again, so a build that somebody works in has tests.hpp.
#include "tests.hpp"

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

#include "../backend.hpp"
#include "../samples.hpp"
