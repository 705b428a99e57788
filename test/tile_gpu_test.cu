// The cases of tile_test.cpp on the GPU.
#include "tile_test.cpp"
