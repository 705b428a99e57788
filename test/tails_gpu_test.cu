#include "tails_test.cpp"
