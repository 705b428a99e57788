// The cases of scan_items_test.cpp on the GPU.
#include "scan_items_test.cpp"
