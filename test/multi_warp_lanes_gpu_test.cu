// The cases of multi_warp_lanes_test.cpp on the GPU.
#include "multi_warp_lanes_test.cpp"
