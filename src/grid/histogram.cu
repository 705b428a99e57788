// The library's explicit instantiations of grid::histogram.
#include <tessera/grid/histogram.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Bound>
cudaError_t histogram_instantiation(T const* in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                    Bound lower, Bound upper, out_of_range* outside, execution on) noexcept {
  return histogram_launcher<T>::launch(in, n, counts, bins, lower, upper, outside, on);
}

#define TESSERA_HISTOGRAM_OF(T)                                                                       \
  template cudaError_t histogram_instantiation<T, bound_t<T>>(T const*, std::int64_t, std::uint64_t*, \
                                                              std::int64_t, bound_t<T>, bound_t<T>,   \
                                                              out_of_range*, execution) noexcept;

TESSERA_HISTOGRAM_OF(std::uint8_t)
TESSERA_HISTOGRAM_OF(std::int32_t)
TESSERA_HISTOGRAM_OF(std::uint32_t)
TESSERA_HISTOGRAM_OF(std::int64_t)
TESSERA_HISTOGRAM_OF(std::uint64_t)
TESSERA_HISTOGRAM_OF(float)
TESSERA_HISTOGRAM_OF(double)
TESSERA_HISTOGRAM_OF(__half)
TESSERA_HISTOGRAM_OF(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
