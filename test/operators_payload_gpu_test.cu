// The cases of operators_payload_test.cpp on the GPU.
#include "operators_payload_test.cpp"
