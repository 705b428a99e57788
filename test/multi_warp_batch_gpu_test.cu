// The cases of multi_warp_batch_test.cpp on the GPU.
#include "multi_warp_batch_test.cpp"
