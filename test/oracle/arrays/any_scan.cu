// See scan.cpp.
#include "scan.cpp"
