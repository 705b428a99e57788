// The cases of operators_zip_test.cpp and operators_moments_test.cpp on the GPU.
#include "operators_moments_test.cpp"
#include "operators_zip_test.cpp"
