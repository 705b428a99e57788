// The library's explicit instantiations of adjacent differences: the functions that adjacent_difference.hpp declares.
#include <tessera/grid/adjacent_difference.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t difference_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept {
  return adjacent_difference_launcher<T>::launch(in, n, out, minus{}, on);
}

#define TESSERA_DIFFERENCE_INSTANTIATION(T) \
  template cudaError_t difference_instantiation<T>(T const*, std::int64_t, T*, execution) noexcept;

TESSERA_DIFFERENCE_INSTANTIATION(float)
TESSERA_DIFFERENCE_INSTANTIATION(double)
TESSERA_DIFFERENCE_INSTANTIATION(std::uint32_t)
TESSERA_DIFFERENCE_INSTANTIATION(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
