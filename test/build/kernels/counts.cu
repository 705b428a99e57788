// COUNTS of one file: the headers' kernel and its launcher, instantiated with the same types in each file.
#include <tessera/grid/histogram.cuh>

#include "counts.hpp"

struct is_odd {
  __device__ unsigned operator()(int x) const { return x % 2 != 0; }
};

cudaError_t COUNTS(int const* in, std::int64_t n, std::uint64_t* counts) {
  return tessera::grid::histogram_by(in, n, counts, 2, is_odd{});
}
