// The functions of the engine of CPU lanes, compiled with all optimizations: see ../meson.build.
#include <tessera/host/launch.hpp>
