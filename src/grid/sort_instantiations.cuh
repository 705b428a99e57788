// The library's explicit instantiations of sort, sort_by_key and argsort: the functions that sort.hpp declares.
#pragma once

#include <tessera/grid/sort.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before>
cudaError_t sort_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept {
  return sort_launcher<T>::launch(in, n, out, Before{}, on);
}
template <class Key, class Before, class Value>
cudaError_t sort_by_key_instantiation(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                      Value* values_out, execution on) noexcept {
  return sort_by_key_launcher<Key>::launch(keys, values, n, keys_out, values_out, Before{}, on);
}
template <class T, class Before, class Index>
cudaError_t argsort_instantiation(T const* in, std::int64_t n, Index* indices, execution on) noexcept {
  return argsort_launcher<T>::launch(in, n, indices, Before{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

#define TESSERA_SORT_INSTANTIATION(T, Before, Value)                                                  \
  template cudaError_t sort_by_key_instantiation<T, Before>(T const*, Value const*, std::int64_t, T*, \
                                                            Value*, execution) noexcept;              \
  template cudaError_t argsort_instantiation<T, Before>(T const*, std::int64_t, Value*, execution) noexcept;
#define TESSERA_SORT_INSTANTIATIONS(T, Before)                                                        \
  template cudaError_t sort_instantiation<T, Before>(T const*, std::int64_t, T*, execution) noexcept; \
  TESSERA_SORT_INSTANTIATION(T, Before, std::uint32_t)                                                \
  TESSERA_SORT_INSTANTIATION(T, Before, std::uint64_t)
