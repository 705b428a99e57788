// sort, sort_by_key and argsort of __half.
#include <cuda_fp16.h>

#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(__half, less)
TESSERA_SORT_INSTANTIATIONS(__half, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
