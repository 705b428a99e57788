// Scans of integers. Signed and unsigned ones share kernels, and so do minimum and maximum: see shared_operators.hpp.
#include "scan_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SCAN_INSTANTIATION(std::uint32_t, plus)
TESSERA_SCAN_INSTANTIATION(std::uint32_t, minimum)
TESSERA_SCAN_INSTANTIATION(std::uint32_t, maximum)
TESSERA_SCAN_INSTANTIATION(std::int32_t, minimum)
TESSERA_SCAN_INSTANTIATION(std::int32_t, maximum)
TESSERA_SCAN_INSTANTIATION(std::uint64_t, plus)
TESSERA_SCAN_INSTANTIATION(std::uint64_t, minimum)
TESSERA_SCAN_INSTANTIATION(std::uint64_t, maximum)
TESSERA_SCAN_INSTANTIATION(std::int64_t, minimum)
TESSERA_SCAN_INSTANTIATION(std::int64_t, maximum)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
