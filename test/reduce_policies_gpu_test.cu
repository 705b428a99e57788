// The cases of reduce_policies_test.cpp on the GPU.
#include "reduce_policies_test.cpp"
