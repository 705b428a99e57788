// argmin_rows, argmax_rows and minmax_rows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rows_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_ROWS_EXTREMES(float)
TESSERA_ROWS_EXTREMES(double)
TESSERA_ROWS_EXTREMES(__half)
TESSERA_ROWS_EXTREMES(__nv_bfloat16)
TESSERA_ROWS_EXTREMES(std::int32_t)
TESSERA_ROWS_EXTREMES(std::uint32_t)
TESSERA_ROWS_EXTREMES(std::int64_t)
TESSERA_ROWS_EXTREMES(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
