// The cases of match_test.cpp on the GPU.
#include "match_test.cpp"
