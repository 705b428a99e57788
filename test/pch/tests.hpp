// What all tests of plain C++ read of others, read once: a precompiled header. Each includes what it uses all the same. (Nothing
// of tessera: the model's tests do without.)
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>
