// The cases of adjacent_test.cpp on the GPU.
#include "adjacent_test.cpp"
