// layer_norm_rows and rms_norm_rows of float and double.
#include "norm_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template cudaError_t norm_instantiation<float>(matrix<float const>, matrix<float>, float const*, float const*,
                                               double, bool, cudaStream_t, workspace*) noexcept;
template cudaError_t norm_instantiation<double>(matrix<double const>, matrix<double>, double const*,
                                                double const*, double, bool, cudaStream_t,
                                                workspace*) noexcept;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
