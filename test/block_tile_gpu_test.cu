#include "block_tile_test.cpp"
