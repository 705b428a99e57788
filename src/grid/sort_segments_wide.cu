// sort_segments of double and integers of 64 bits. Types of one size share their kernels.
#include "sort_segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_SEGMENTS_INSTANTIATIONS(double)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::int64_t)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
