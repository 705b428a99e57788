// reduce of float and double.
#include "reduce_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_REDUCE_INSTANTIATIONS(float)
TESSERA_REDUCE_INSTANTIATIONS(double)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
