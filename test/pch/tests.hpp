// What all tests of plain C++ read, read once: a precompiled header. Each test includes what it uses all the same.
#include <gtest/gtest.h>

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>
