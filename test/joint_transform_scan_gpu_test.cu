// The cases of joint_transform_scan_test.cpp on the GPU.
#include "joint_transform_scan_test.cpp"
