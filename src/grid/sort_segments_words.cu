// sort_segments of float and integers of 32 bits. Types of one size share their kernels.
#include "sort_segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_SEGMENTS_INSTANTIATIONS(float)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::int32_t)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::uint32_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
