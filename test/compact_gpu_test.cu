// The cases of compact_test.cpp on the GPU.
#include "compact_test.cpp"
