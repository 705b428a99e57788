// sort, sort_by_key and argsort of float.
#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(float, less)
TESSERA_SORT_INSTANTIATIONS(float, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
