// The cases of scan_scratch_test.cpp on the GPU.
#include "scan_scratch_test.cpp"
