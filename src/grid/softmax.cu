// softmax_rows and log_softmax_rows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "softmax_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template cudaError_t softmax_instantiation<float>(matrix<float const>, matrix<float>, std::int32_t const*,
                                                  bool, execution) noexcept;
template cudaError_t softmax_instantiation<double>(matrix<double const>, matrix<double>, std::int32_t const*,
                                                   bool, execution) noexcept;
template cudaError_t softmax_instantiation<__half>(matrix<__half const>, matrix<__half>, std::int32_t const*,
                                                   bool, execution) noexcept;
template cudaError_t softmax_instantiation<__nv_bfloat16>(matrix<__nv_bfloat16 const>, matrix<__nv_bfloat16>,
                                                          std::int32_t const*, bool, execution) noexcept;

cudaError_t softmax128_of(__nv_bfloat16* out, __nv_bfloat16 const* in, std::int64_t rows,
                          execution on) noexcept {
  if (reinterpret_cast<std::uintptr_t>(out) % 256 != 0 || reinterpret_cast<std::uintptr_t>(in) % 256 != 0)
    return cudaErrorInvalidValue;
  return softmax_rows(matrix{in, rows, 128}, matrix{out, rows, 128}, nullptr, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
