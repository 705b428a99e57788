// The cases of histogram_test.cpp on the GPU.
#include "histogram_test.cpp"
