// reduce of integers. Sums, products and bit operations are those of unsigned integers: see combined_as.
#include "reduce_instantiations.cuh"

#define TESSERA_REDUCE_ORDER(T)            \
  TESSERA_REDUCE_INSTANTIATION(T, minimum) \
  TESSERA_REDUCE_INSTANTIATION(T, maximum)
#define TESSERA_REDUCE_BITS(T)             \
  TESSERA_REDUCE_INSTANTIATION(T, bit_and) \
  TESSERA_REDUCE_INSTANTIATION(T, bit_or)  \
  TESSERA_REDUCE_INSTANTIATION(T, bit_xor)

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_REDUCE_ORDER(std::int32_t)
TESSERA_REDUCE_ORDER(std::int64_t)
TESSERA_REDUCE_INSTANTIATIONS(std::uint32_t)
TESSERA_REDUCE_INSTANTIATIONS(std::uint64_t)
TESSERA_REDUCE_BITS(std::uint32_t)
TESSERA_REDUCE_BITS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
