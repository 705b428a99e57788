// Joint algorithms: a range in memory, processed by one tile with loads of 16 bytes.
//
//   joint_reduce  joint_transform_reduce  joint_any_of  joint_all_of  joint_none_of
//   joint_inclusive_scan  joint_exclusive_scan  joint_top_k  joint_transform_top_k  joint_merge  joint_sort
//   joint_stable_sort
#pragma once

#include <tessera/joint_merge.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/joint_scan.hpp>
#include <tessera/joint_sort.hpp>
#include <tessera/joint_top_k.hpp>
