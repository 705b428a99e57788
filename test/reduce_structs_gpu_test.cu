// The cases of reduce_structs_test.cpp on the GPU.
#include "reduce_structs_test.cpp"
