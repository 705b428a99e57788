// The cases of multi_warp_reduce_test.cpp on the GPU.
#include "multi_warp_reduce_test.cpp"
