// The lengths of runs of equal neighbors, of 32 or 64 bits by one kernel, and the sums of their values. Sums of
// signed integers are those of unsigned ones; integers and floats of one size share the kernel of lengths.
#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/runs.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Length>
cudaError_t run_length_instantiation(T const* in, std::int64_t n, T* values, Length* lengths,
                                     std::int64_t* count, execution on) noexcept {
  lengths_of_any_size const out{lengths, sizeof(Length) == 8};
  using shared = shared_equality<T>;
  using key = typename shared::type;
  return encode_runs<run_lengths<void>>(reinterpret_cast<key const*>(in), n, reinterpret_cast<key*>(values),
                                        lengths, out, count, shared::of(), on);
}

template <class T, class V>
cudaError_t reduce_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out,
                                        V* values_out, std::int64_t* count, execution on) noexcept {
  return runs_launcher<T>::launch(keys, values, n, keys_out, values_out, count, plus{}, equal_to{}, on);
}

#define TESSERA_LENGTH_INSTANTIATION(T, Length)                                                 \
  template cudaError_t run_length_instantiation<T, Length>(T const*, std::int64_t, T*, Length*, \
                                                           std::int64_t*, execution) noexcept;
#define TESSERA_REDUCE_BY_KEY_INSTANTIATION(T, V)                                                  \
  template cudaError_t reduce_by_key_instantiation<T, V>(T const*, V const*, std::int64_t, T*, V*, \
                                                         std::int64_t*, execution) noexcept;

TESSERA_LENGTH_INSTANTIATION(float, std::int32_t)
TESSERA_LENGTH_INSTANTIATION(float, std::int64_t)
TESSERA_LENGTH_INSTANTIATION(double, std::int32_t)
TESSERA_LENGTH_INSTANTIATION(double, std::int64_t)
TESSERA_LENGTH_INSTANTIATION(std::uint32_t, std::int32_t)
TESSERA_LENGTH_INSTANTIATION(std::uint32_t, std::int64_t)
TESSERA_LENGTH_INSTANTIATION(std::uint64_t, std::int32_t)
TESSERA_LENGTH_INSTANTIATION(std::uint64_t, std::int64_t)

TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint32_t, float)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint32_t, double)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint32_t, std::uint32_t)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint32_t, std::uint64_t)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint64_t, float)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint64_t, double)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint64_t, std::uint32_t)
TESSERA_REDUCE_BY_KEY_INSTANTIATION(std::uint64_t, std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
