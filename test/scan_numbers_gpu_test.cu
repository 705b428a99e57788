// The cases of scan_numbers_test.cpp on the GPU.
#include "scan_numbers_test.cpp"
