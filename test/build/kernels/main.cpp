// consumer cpu | gpu: exits with 0 if both files' counts are right, with 77 where there is no GPU.
#include "counts.hpp"

#include <cstring>

namespace {

bool are_right(cudaError_t (*count)(int const*, std::int64_t, std::uint64_t*)) {
  constexpr int n = 1001;
  int* in = nullptr;
  std::uint64_t* counts = nullptr;
  if (cudaMallocManaged(reinterpret_cast<void**>(&in), n * sizeof(int)) != cudaSuccess) return false;
  if (cudaMallocManaged(reinterpret_cast<void**>(&counts), 2 * sizeof(std::uint64_t)) != cudaSuccess) return false;
  for (int i = 0; i < n; ++i) in[i] = i;
  bool const right = count(in, n, counts) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
                     counts[0] == 501 && counts[1] == 500;
  return cudaFree(in) == cudaSuccess && cudaFree(counts) == cudaSuccess && right;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "gpu") != 0) return 0;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  return are_right(counts_one) && are_right(counts_two) ? 0 : 1;
}
