// The cases of multi_warp_mixtures_test.cpp on the GPU.
#include "multi_warp_mixtures_test.cpp"
