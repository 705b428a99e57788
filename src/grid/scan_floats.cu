// Scans of float, double and 16-bit floats, whose sums are added up as floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "scan_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SCAN_INSTANTIATION(float, plus)
TESSERA_SCAN_INSTANTIATION(float, minimum)
TESSERA_SCAN_INSTANTIATION(float, maximum)
TESSERA_SCAN_INSTANTIATION(double, plus)
TESSERA_SCAN_INSTANTIATION(double, minimum)
TESSERA_SCAN_INSTANTIATION(double, maximum)
TESSERA_SCAN_INSTANTIATION(__half, plus)
TESSERA_SCAN_INSTANTIATION(__half, minimum)
TESSERA_SCAN_INSTANTIATION(__half, maximum)
TESSERA_SCAN_INSTANTIATION(__nv_bfloat16, plus)
TESSERA_SCAN_INSTANTIATION(__nv_bfloat16, minimum)
TESSERA_SCAN_INSTANTIATION(__nv_bfloat16, maximum)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
