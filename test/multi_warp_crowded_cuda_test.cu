// The cases of multi_warp_crowded_test.cpp on the GPU, in kernels that keep hardware barriers 1 to 4 to themselves.
// Not for racecheck: to it the barrier of cooperative_groups, made of words in memory, is none.
#define TESSERA_FIRST_BARRIER 5
#include "multi_warp_crowded_test.cpp"
