// The cases of reduce_indexed_test.cpp on the GPU.
#include "reduce_indexed_test.cpp"
