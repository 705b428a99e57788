// sort, sort_by_key and argsort of float and integers of 32 bits.
#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(float, less)
TESSERA_SORT_INSTANTIATIONS(float, greater)
TESSERA_SORT_INSTANTIATIONS(std::int32_t, less)
TESSERA_SORT_INSTANTIATIONS(std::int32_t, greater)
TESSERA_SORT_INSTANTIATIONS(std::uint32_t, less)
TESSERA_SORT_INSTANTIATIONS(std::uint32_t, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
