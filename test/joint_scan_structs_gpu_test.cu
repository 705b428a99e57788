// The cases of joint_scan_structs_test.cpp on the GPU.
#include "joint_scan_structs_test.cpp"
