// The cases of reduce_wide_test.cpp on the GPU.
#include "reduce_wide_test.cpp"
