// sort, sort_by_key and argsort of double.
#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(double, less)
TESSERA_SORT_INSTANTIATIONS(double, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
