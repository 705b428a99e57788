// The cases of docs_test.cpp on the GPU.
#include "docs_test.cpp"
