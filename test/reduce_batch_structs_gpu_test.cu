// The cases of reduce_batch_structs_test.cpp on the GPU.
#include "reduce_batch_structs_test.cpp"
