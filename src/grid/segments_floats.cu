// reduce_segments of float and double.
#include "segments_instances.cuh"

namespace tessera::grid::detail {

TESSERA_SEGMENTS_INSTANCES(float)
TESSERA_SEGMENTS_INSTANCES(double)

}  // namespace tessera::grid::detail
