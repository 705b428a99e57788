// What tools/compare_torch calls, with C's names. One workspace for all of them: they run on one stream.
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>
#include <tessera/grid.hpp>

namespace {

namespace grid = tessera::grid;

grid::workspace memory;

template <class T>
int softmax(void const* in, void* out, long long rows, long long columns, void* stream) {
  return grid::softmax_rows(grid::matrix<T const>{static_cast<T const*>(in), rows, columns},
                            grid::matrix<T>{static_cast<T*>(out), rows, columns}, nullptr,
                            {static_cast<cudaStream_t>(stream), memory});
}

}  // namespace

extern "C" {

int softmax_float(void const* in, void* out, long long rows, long long columns, void* stream) {
  return softmax<float>(in, out, rows, columns, stream);
}
int softmax_bf16(void const* in, void* out, long long rows, long long columns, void* stream) {
  return softmax<__nv_bfloat16>(in, out, rows, columns, stream);
}
int layer_norm_float(void const* in, void* out, long long rows, long long columns, void* stream) {
  return grid::layer_norm_rows(grid::matrix<float const>{static_cast<float const*>(in), rows, columns},
                               grid::matrix<float>{static_cast<float*>(out), rows, columns}, nullptr, nullptr, 1e-5,
                               {static_cast<cudaStream_t>(stream), memory});
}
int row_sum_float(void const* in, void* out, long long rows, long long columns, void* stream) {
  return grid::reduce_rows(grid::matrix<float const>{static_cast<float const*>(in), rows, columns},
                           static_cast<float*>(out), tessera::plus{}, {static_cast<cudaStream_t>(stream), memory});
}

}  // extern "C"
