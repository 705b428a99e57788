// reduce_rows of integers. Sums, products and bit operations are those of unsigned integers: see combined_as.
#include "rows_instantiations.cuh"

#define TESSERA_ROWS_ORDER(T)            \
  TESSERA_ROWS_INSTANTIATION(T, minimum) \
  TESSERA_ROWS_INSTANTIATION(T, maximum)
#define TESSERA_ROWS_BITS(T)             \
  TESSERA_ROWS_INSTANTIATION(T, bit_and) \
  TESSERA_ROWS_INSTANTIATION(T, bit_or)  \
  TESSERA_ROWS_INSTANTIATION(T, bit_xor)

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_ROWS_ORDER(std::int32_t)
TESSERA_ROWS_ORDER(std::int64_t)
TESSERA_ROWS_INSTANTIATIONS(std::uint32_t)
TESSERA_ROWS_INSTANTIATIONS(std::uint64_t)
TESSERA_ROWS_BITS(std::uint32_t)
TESSERA_ROWS_BITS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
