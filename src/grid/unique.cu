// The first of each run of equal neighbors. Integers and floats of one size share a kernel, and values that belong to
// them are only moved: one kernel for each of their sizes.
#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/runs.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t unique_instantiation(T const* in, std::int64_t n, T* out, std::int64_t* count,
                                 execution on) noexcept {
  using shared = shared_equality<T>;
  using key = typename shared::type;
  return unique_launcher<key>::launch(reinterpret_cast<key const*>(in), n, reinterpret_cast<key*>(out), count,
                                      shared::of(), on);
}

template <class T, class V>
cudaError_t unique_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out,
                                        V* values_out, std::int64_t* count, execution on) noexcept {
  using shared = shared_equality<T>;
  using key = typename shared::type;
  return unique_launcher<key>::launch(reinterpret_cast<key const*>(keys), values, n,
                                      reinterpret_cast<key*>(keys_out), values_out, count, shared::of(), on);
}

#define TESSERA_UNIQUE_BY_KEY_INSTANTIATION(T, V)                                                  \
  template cudaError_t unique_by_key_instantiation<T, V>(T const*, V const*, std::int64_t, T*, V*, \
                                                         std::int64_t*, execution) noexcept;
#define TESSERA_UNIQUE_INSTANTIATION(T)                                                   \
  template cudaError_t unique_instantiation<T>(T const*, std::int64_t, T*, std::int64_t*, \
                                               execution) noexcept;                       \
  TESSERA_UNIQUE_BY_KEY_INSTANTIATION(T, std::uint32_t)                                   \
  TESSERA_UNIQUE_BY_KEY_INSTANTIATION(T, std::uint64_t)

TESSERA_UNIQUE_INSTANTIATION(float)
TESSERA_UNIQUE_INSTANTIATION(double)
TESSERA_UNIQUE_INSTANTIATION(std::uint32_t)
TESSERA_UNIQUE_INSTANTIATION(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
