// reduce_segments of integers. Signed and unsigned ones share kernels, and so do minimum and maximum, and bit
// operations: see shared_operators.hpp.
#include "segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SEGMENTS_INSTANTIATION(std::int32_t, minimum)
TESSERA_SEGMENTS_INSTANTIATION(std::int32_t, maximum)
TESSERA_SEGMENTS_INSTANTIATIONS(std::uint32_t)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_and)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_or)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_xor)

TESSERA_SEGMENTS_INSTANTIATION(std::int64_t, minimum)
TESSERA_SEGMENTS_INSTANTIATION(std::int64_t, maximum)
TESSERA_SEGMENTS_INSTANTIATIONS(std::uint64_t)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_and)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_or)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_xor)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
