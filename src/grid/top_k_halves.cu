// top_k, nth_element and quantiles of __half and __nv_bfloat16.
#include "top_k_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_TOP_K_INSTANTIATIONS(__half)
TESSERA_TOP_K_INSTANTIATIONS(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
