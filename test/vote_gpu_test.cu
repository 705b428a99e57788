// The cases of vote_test.cpp on the GPU.
#include "vote_test.cpp"
