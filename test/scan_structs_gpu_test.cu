// The cases of scan_structs_test.cpp on the GPU.
#include "scan_structs_test.cpp"
