// The oracle on the GPU. See main.cpp.
#include "main.cpp"
