// See order.cpp.
#include "order.cpp"
