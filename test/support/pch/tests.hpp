// The precompiled header of all tests in plain C++. Each test still includes the headers that it uses.
// (This header includes nothing of tessera, whose headers change. clean_build.hpp does.)
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>
