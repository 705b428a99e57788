#include "padded_test.cpp"
