// See select.cpp.
#include "select.cpp"
