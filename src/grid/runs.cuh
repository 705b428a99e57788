// The library's definitions for runs.hpp, of the types in instantiations.py.
// Integers and floats of one size share a kernel, but for run lengths, which it would slow down by an eighth. Values of
// one size are only moved, and one kernel stores lengths of 32 or 64 bits. Sums of signed integers are those of
// unsigned ones.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/runs.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t unique_instantiation(T const* in, std::int64_t n, T* out, std::int64_t* count, execution on) noexcept {
  using shared = shared_equality<T>;
  using key = typename shared::type;
  return unique_launcher<key>::launch(reinterpret_cast<key const*>(in), n, reinterpret_cast<key*>(out), count,
                                      shared::of(), on);
}

template <class T, class V>
cudaError_t unique_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                                        std::int64_t* count, execution on) noexcept {
  using shared = shared_equality<T>;
  using key = typename shared::type;
  return unique_launcher<key>::launch(reinterpret_cast<key const*>(keys), values, n, reinterpret_cast<key*>(keys_out),
                                      values_out, count, shared::of(), on);
}

template <class T, class Length>
cudaError_t run_length_instantiation(T const* in, std::int64_t n, T* values, Length* lengths, std::int64_t* count,
                                     execution on) noexcept {
  lengths_of_any_size const out{lengths, sizeof(Length) == 8};
  return encode_runs<run_lengths<void>>(in, n, values, lengths, out, count, equal_to{}, on);
}

template <class T, class V>
cudaError_t reduce_by_key_instantiation(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                                        std::int64_t* count, execution on) noexcept {
  return runs_launcher<T>::launch(keys, values, n, keys_out, values_out, count, plus{}, equal_to{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
