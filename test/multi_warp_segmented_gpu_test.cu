// The cases of multi_warp_segmented_test.cpp on the GPU.
#include "multi_warp_segmented_test.cpp"
