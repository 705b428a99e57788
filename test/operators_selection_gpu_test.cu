// The cases of operators_selection_test.cpp on the GPU.
#include "operators_selection_test.cpp"
