// reduce_segments of float and double.
#include "segments_instantiations.cuh"

namespace tessera::grid::detail {

TESSERA_SEGMENTS_INSTANTIATIONS(float)
TESSERA_SEGMENTS_INSTANTIATIONS(double)

}  // namespace tessera::grid::detail
