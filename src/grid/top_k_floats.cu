// top_k, nth_element and quantiles of float and double.
#include "top_k_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_TOP_K_INSTANTIATIONS(float)
TESSERA_TOP_K_INSTANTIATIONS(double)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
