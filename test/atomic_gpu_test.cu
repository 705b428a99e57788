// The cases of atomic_test.cpp on the GPU.
#include "atomic_test.cpp"
