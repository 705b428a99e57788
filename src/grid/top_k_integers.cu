// top_k, nth_element and quantiles of integers.
#include "top_k_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_TOP_K_INSTANTIATIONS(std::int32_t)
TESSERA_TOP_K_INSTANTIATIONS(std::uint32_t)
TESSERA_TOP_K_INSTANTIATIONS(std::int64_t)
TESSERA_TOP_K_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
