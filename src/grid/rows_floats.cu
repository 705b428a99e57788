// reduce_rows and moments_rows of float and double.
#include "rows_instances.cuh"

namespace tessera::grid::detail {

TESSERA_ROWS_INSTANCES(float)
TESSERA_ROWS_INSTANCES(double)
TESSERA_ROWS_MOMENTS(float)
TESSERA_ROWS_MOMENTS(double)

}  // namespace tessera::grid::detail
