// reduce of float and double.
#include "reduce_instances.cuh"

namespace tessera::grid::detail {

TESSERA_REDUCE_INSTANCES(float)
TESSERA_REDUCE_INSTANCES(double)

}  // namespace tessera::grid::detail
