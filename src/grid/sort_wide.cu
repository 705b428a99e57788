// sort, sort_by_key and argsort of double and integers of 64 bits.
#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(double, less)
TESSERA_SORT_INSTANTIATIONS(double, greater)
TESSERA_SORT_INSTANTIATIONS(std::int64_t, less)
TESSERA_SORT_INSTANTIATIONS(std::int64_t, greater)
TESSERA_SORT_INSTANTIATIONS(std::uint64_t, less)
TESSERA_SORT_INSTANTIATIONS(std::uint64_t, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
