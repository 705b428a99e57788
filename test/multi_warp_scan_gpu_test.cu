// The cases of multi_warp_scan_test.cpp on the GPU.
#include "multi_warp_scan_test.cpp"
