// sort, sort_by_key and argsort of __nv_bfloat16.
#include <cuda_bf16.h>

#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(__nv_bfloat16, less)
TESSERA_SORT_INSTANTIATIONS(__nv_bfloat16, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
