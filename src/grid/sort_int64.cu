// sort, sort_by_key and argsort of std::int64_t.
#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(std::int64_t, less)
TESSERA_SORT_INSTANTIATIONS(std::int64_t, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
