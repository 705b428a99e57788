// The cases of multi_warp_short_memory_test.cpp on the GPU.
#include "multi_warp_short_memory_test.cpp"
