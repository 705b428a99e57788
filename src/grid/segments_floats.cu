// reduce_segments of float and double.
#include "segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SEGMENTS_INSTANTIATIONS(float)
TESSERA_SEGMENTS_INSTANTIATIONS(double)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
