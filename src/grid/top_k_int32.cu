// top_k, nth_element and quantiles of integers of 32 bits, signed and unsigned.
#include "top_k_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_TOP_K_INSTANTIATIONS(std::int32_t)
TESSERA_TOP_K_INSTANTIATIONS(std::uint32_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
