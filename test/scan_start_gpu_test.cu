// The cases of scan_start_test.cpp on the GPU.
#include "scan_start_test.cpp"
