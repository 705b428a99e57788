// The cases of reduce_integers_test.cpp on the GPU.
#include "reduce_integers_test.cpp"
