// The cases of divergence_test.cpp on the GPU.
#include "divergence_test.cpp"
