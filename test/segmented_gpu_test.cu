// The cases of segmented_test.cpp on the GPU.
#include "segmented_test.cpp"
