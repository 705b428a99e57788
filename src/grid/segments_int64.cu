// reduce_segments of integers of 64 bits. Sums, products and bit operations are those of unsigned integers: see combined_as.
#include "segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SEGMENTS_INSTANTIATION(std::int64_t, minimum)
TESSERA_SEGMENTS_INSTANTIATION(std::int64_t, maximum)
TESSERA_SEGMENTS_INSTANTIATIONS(std::uint64_t)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_and)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_or)
TESSERA_SEGMENTS_INSTANTIATION(std::uint64_t, bit_xor)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
