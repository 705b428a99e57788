// The cases of subnormals_test.cpp on the GPU, compiled with -use_fast_math: see test/meson.build.
#include "subnormals_test.cpp"
