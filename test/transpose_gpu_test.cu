// The cases of transpose_test.cpp on the GPU.
#include "transpose_test.cpp"
