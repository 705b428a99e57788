// The cases of joint_reduce_structs_test.cpp on the GPU.
#include "joint_reduce_structs_test.cpp"
