// The library's explicit instantiations of scans by key: the functions that scan_by_key.hpp declares. Sums of signed
// integers are those of unsigned ones, and keys are compared by their bits.
#include <tessera/grid/scan_by_key.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Key, class T, class Op, class R>
cudaError_t scan_by_key_instantiation(Key const* keys, T const* in, std::int64_t n, T* out,
                                      segmented_scan_request<R> const& what, execution on) noexcept {
  return scan_by_key_launcher<Key>::launch(keys, in, n, out, Op{}, equal_to{}, what, on);
}

#define TESSERA_SCAN_BY_KEY_INSTANTIATION(Key, T)               \
  template cudaError_t scan_by_key_instantiation<Key, T, plus>( \
      Key const*, T const*, std::int64_t, T*, segmented_scan_request<T> const&, execution) noexcept;

TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint32_t, float)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint32_t, double)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint32_t, std::uint32_t)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint32_t, std::uint64_t)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint64_t, float)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint64_t, double)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint64_t, std::uint32_t)
TESSERA_SCAN_BY_KEY_INSTANTIATION(std::uint64_t, std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
