// reduce_rows and moments_rows of float and double.
#include "rows_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_ROWS_INSTANTIATIONS(float)
TESSERA_ROWS_INSTANTIATIONS(double)
TESSERA_ROWS_MOMENTS(float)
TESSERA_ROWS_MOMENTS(double)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
