// The library's explicit instantiations of merges: the functions that merge.hpp declares.
#include <tessera/grid/merge.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t merge_instantiation(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out,
                                execution on) noexcept {
  return merge_launcher<T>::launch(a, na, b, nb, out, less{}, on);
}

#define TESSERA_MERGE_INSTANTIATION(T)                                                            \
  template cudaError_t merge_instantiation<T>(T const*, std::int64_t, T const*, std::int64_t, T*, \
                                              execution) noexcept;

TESSERA_MERGE_INSTANTIATION(float)
TESSERA_MERGE_INSTANTIATION(double)
TESSERA_MERGE_INSTANTIATION(std::int32_t)
TESSERA_MERGE_INSTANTIATION(std::uint32_t)
TESSERA_MERGE_INSTANTIATION(std::int64_t)
TESSERA_MERGE_INSTANTIATION(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
