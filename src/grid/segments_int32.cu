// reduce_segments of integers of 32 bits. Sums, products and bit operations are those of unsigned integers: see combined_as.
#include "segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SEGMENTS_INSTANTIATION(std::int32_t, minimum)
TESSERA_SEGMENTS_INSTANTIATION(std::int32_t, maximum)
TESSERA_SEGMENTS_INSTANTIATIONS(std::uint32_t)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_and)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_or)
TESSERA_SEGMENTS_INSTANTIATION(std::uint32_t, bit_xor)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
