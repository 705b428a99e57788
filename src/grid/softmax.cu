// softmax_rows and log_softmax_rows of float and double.
#include "softmax_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template cudaError_t softmax_instantiation<float>(matrix<float const>, matrix<float>, std::int32_t const*,
                                                  bool, cudaStream_t, workspace*) noexcept;
template cudaError_t softmax_instantiation<double>(matrix<double const>, matrix<double>, std::int32_t const*,
                                                   bool, cudaStream_t, workspace*) noexcept;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
