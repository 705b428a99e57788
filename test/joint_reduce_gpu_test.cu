// The cases of joint_reduce_test.cpp on the GPU.
#include "joint_reduce_test.cpp"
