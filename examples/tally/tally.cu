// The example for the GPU as well: nvcc compiles a .cu file as CUDA without `-x cu`.
#include "tally.cpp"
