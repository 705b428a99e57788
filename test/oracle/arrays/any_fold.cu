// See fold.cpp.
#include "fold.cpp"
