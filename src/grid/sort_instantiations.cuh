// The library's explicit instantiations of sort, sort_by_key and argsort: the functions that sort.hpp declares.
#pragma once

#include <tessera/grid/sort.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before>
cudaError_t sort_instantiation(T const* in, std::int64_t n, T* out, cudaStream_t stream,
                               workspace* memory) noexcept {
  return sort_launcher<T>::launch(in, n, out, Before{}, stream, memory);
}
template <class Key, class Before, class Value>
cudaError_t sort_by_key_instantiation(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                      Value* values_out, cudaStream_t stream, workspace* memory) noexcept {
  return sort_by_key_launcher<Key>::launch(keys, values, n, keys_out, values_out, Before{}, stream, memory);
}
template <class T, class Before, class Index>
cudaError_t argsort_instantiation(T const* in, std::int64_t n, Index* indices, cudaStream_t stream,
                                  workspace* memory) noexcept {
  return argsort_launcher<T>::launch(in, n, indices, Before{}, stream, memory);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

#define TESSERA_SORT_INSTANTIATION(T, Before, Value)                                                    \
  template cudaError_t sort_by_key_instantiation<T, Before>(T const*, Value const*, std::int64_t, T*,   \
                                                            Value*, cudaStream_t, workspace*) noexcept; \
  template cudaError_t argsort_instantiation<T, Before>(T const*, std::int64_t, Value*, cudaStream_t,   \
                                                        workspace*) noexcept;
#define TESSERA_SORT_INSTANTIATIONS(T, Before)                                                 \
  template cudaError_t sort_instantiation<T, Before>(T const*, std::int64_t, T*, cudaStream_t, \
                                                     workspace*) noexcept;                     \
  TESSERA_SORT_INSTANTIATION(T, Before, std::uint32_t)                                         \
  TESSERA_SORT_INSTANTIATION(T, Before, std::uint64_t)
