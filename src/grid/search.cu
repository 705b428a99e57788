// The library's explicit instantiations of searches for many needles: the functions that search.hpp declares.
#include <tessera/grid/search.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <bool Upper, class T, class Index>
cudaError_t bounds_instantiation(T const* sorted, std::int64_t n, T const* needles, std::int64_t count,
                                 Index* out, execution on) noexcept {
  return bounds_launcher<T>::template launch<Upper>(sorted, n, needles, count, out, less{}, on);
}

#define TESSERA_BOUNDS_INSTANTIATION(Upper, T, Index)                                                        \
  template cudaError_t bounds_instantiation<Upper, T, Index>(T const*, std::int64_t, T const*, std::int64_t, \
                                                             Index*, execution) noexcept;
#define TESSERA_BOUNDS_INSTANTIATIONS(T)                \
  TESSERA_BOUNDS_INSTANTIATION(false, T, std::uint32_t) \
  TESSERA_BOUNDS_INSTANTIATION(false, T, std::uint64_t) \
  TESSERA_BOUNDS_INSTANTIATION(true, T, std::uint32_t)  \
  TESSERA_BOUNDS_INSTANTIATION(true, T, std::uint64_t)

TESSERA_BOUNDS_INSTANTIATIONS(float)
TESSERA_BOUNDS_INSTANTIATIONS(double)
TESSERA_BOUNDS_INSTANTIATIONS(std::int32_t)
TESSERA_BOUNDS_INSTANTIATIONS(std::uint32_t)
TESSERA_BOUNDS_INSTANTIATIONS(std::int64_t)
TESSERA_BOUNDS_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
