// What tools/compare_torch calls, with C's names: NAME_TYPE(in, parameters, out, second_out, rows, columns, stream). One workspace
// for all of them: they run on one stream.
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>
#include <tessera/grid.hpp>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>

#include <cstdint>

namespace {

namespace grid = tessera::grid;
using bf16 = __nv_bfloat16;

grid::workspace memory;

struct request {
  void const* in;
  void const* parameters;  // targets or seeds
  void* out;
  void* second_out;
  long long rows, columns;
  void* stream;

  template <class T>
  grid::matrix<T const> x() const {
    return {static_cast<T const*>(in), rows, columns};
  }
  template <class T>
  grid::matrix<T> y() const {
    return {static_cast<T*>(out), rows, columns};
  }
  grid::execution on() const { return {static_cast<cudaStream_t>(stream), memory}; }
};

template <class T>
int softmax(request const& r) {
  return grid::softmax_rows(r.x<T>(), r.y<T>(), nullptr, r.on());
}
template <int K>
int top(request const& r) {
  return grid::top_k_rows(r.x<float>(), K, static_cast<float*>(r.out), static_cast<std::int32_t*>(r.second_out),
                          tessera::greater{}, {}, r.on());
}
grid::sample_options filters() {
  grid::sample_options options;
  options.top_k = 50;
  options.top_p = 0.9f;
  return options;
}

}  // namespace

#define CALL(name, ...)                                                                                    \
  extern "C" int name(void const* in, void const* parameters, void* out, void* second_out, long long rows, \
                      long long columns, void* stream) {                                                   \
    request const r{in, parameters, out, second_out, rows, columns, stream};                               \
    return __VA_ARGS__;                                                                                    \
  }

CALL(softmax_float, softmax<float>(r))
CALL(softmax_bf16, softmax<bf16>(r))
CALL(layer_norm_float, grid::layer_norm_rows(r.x<float>(), r.y<float>(), nullptr, nullptr, 1e-5, r.on()))
CALL(row_sum_float, grid::reduce_rows(r.x<float>(), static_cast<float*>(out), tessera::plus{}, r.on()))
CALL(top_8_float, top<8>(r))
CALL(top_64_float, top<64>(r))
CALL(top_512_float, top<512>(r))
CALL(sort_float, grid::sort_rows(r.x<float>(), r.y<float>(), tessera::less{}, r.on()))
CALL(argsort_float, grid::argsort_rows(r.x<float>(), static_cast<std::int32_t*>(out), tessera::less{}, r.on()))
CALL(cumsum_float, grid::inclusive_scan_rows(r.x<float>(), r.y<float>(), tessera::plus{}, r.on()))
CALL(log_sum_exp_bf16, grid::log_sum_exp_rows(r.x<bf16>(), static_cast<float*>(out), r.on()))
CALL(cross_entropy_bf16, grid::cross_entropy_rows(r.x<bf16>(), static_cast<std::int64_t const*>(parameters),
                                                  static_cast<float*>(out), {}, r.on()))
CALL(sample_bf16, grid::sample_rows(r.x<bf16>(), static_cast<std::uint64_t const*>(parameters),
                                    static_cast<std::int32_t*>(out), filters(), r.on()))
CALL(route_bf16,
     grid::route_rows(r.x<bf16>(), 8, static_cast<float*>(second_out), static_cast<std::int32_t*>(out), {}, r.on()))
