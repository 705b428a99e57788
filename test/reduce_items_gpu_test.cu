// The cases of reduce_items_test.cpp on the GPU.
#include "reduce_items_test.cpp"
