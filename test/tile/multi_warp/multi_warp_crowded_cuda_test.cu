// The cases of multi_warp_crowded_test.cpp on the GPU, in kernels that keep hardware barriers 1 to 4 to themselves.
// Not for racecheck: to it the barrier of cooperative_groups, made of words in memory, is none, nor is a barrier that a warp
// comes to in pieces which a WARPSYNC has just joined.
#define TESSERA_FIRST_BARRIER 5
#include "multi_warp_crowded_test.cpp"
