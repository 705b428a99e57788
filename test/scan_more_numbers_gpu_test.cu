// The cases of scan_more_numbers_test.cpp on the GPU.
#include "scan_more_numbers_test.cpp"
