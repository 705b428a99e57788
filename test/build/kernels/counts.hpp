// How many of n numbers are even, and how many odd, by two files of kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

cudaError_t counts_one(int const* in, std::int64_t n, std::uint64_t* counts);
cudaError_t counts_two(int const* in, std::int64_t n, std::uint64_t* counts);
