// The oracle on the GPU: see main.cpp.
#include "main.cpp"
