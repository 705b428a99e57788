// reduce of float and double.
#include "reduce_instantiations.cuh"

namespace tessera::grid::detail {

TESSERA_REDUCE_INSTANTIATIONS(float)
TESSERA_REDUCE_INSTANTIATIONS(double)

}  // namespace tessera::grid::detail
