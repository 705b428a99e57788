// Scans of float and double.
#include "scan_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SCAN_INSTANTIATION(float, plus)
TESSERA_SCAN_INSTANTIATION(float, minimum)
TESSERA_SCAN_INSTANTIATION(float, maximum)
TESSERA_SCAN_INSTANTIATION(double, plus)
TESSERA_SCAN_INSTANTIATION(double, minimum)
TESSERA_SCAN_INSTANTIATION(double, maximum)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
