// The cases of reduce_floats_test.cpp on the GPU.
#include "reduce_floats_test.cpp"
