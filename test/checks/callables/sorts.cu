// Calls that CUB's kernels sort for: versions.py compiles them with CUB of several versions of CUDA.
#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>

using namespace tessera::grid::detail;

cudaError_t sort_floats(float const* in, std::int64_t n, float* out, std::int32_t const* values,
                        std::int32_t* values_out, tessera::grid::execution on) {
  (void)sort_launcher<float>::launch(in, n, out, tessera::less{}, on);
  return sort_by_key_launcher<float>::launch(in, values, n, out, values_out, tessera::greater{}, on);
}

cudaError_t sort_counted_floats(float const* in, tessera::grid::device_count n, float* out, std::int32_t* indices,
                                tessera::grid::execution on) {
  (void)tessera::grid::sort(in, n, out, tessera::less{}, on);
  return tessera::grid::argsort(in, n, indices, tessera::greater{}, on);
}

cudaError_t top_floats(float const* in, std::int64_t n, float* out, std::int64_t* indices,
                       tessera::grid::execution on) {
  return top_k_launcher<float>::launch(in, n, n, out, indices, true, on);
}
