// The cases of lanes_test.cpp on the GPU.
#include "lanes_test.cpp"
