// The library's definitions for sort.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort/number_sort.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Before>
cudaError_t sort_instantiation(T const* in, std::int64_t n, T* out, execution on) noexcept {
  keys_alone* const none = nullptr;
  return detail::sort_number_arrays<Before>(in, none, n, out, none, on);
}
template <class Key, class Before, class Value>
cudaError_t sort_by_key_instantiation(Key const* keys, Value const* values, std::int64_t n, Key* keys_out,
                                      Value* values_out, execution on) noexcept {
  return detail::sort_number_arrays<Before>(keys, values, n, keys_out, values_out, on);
}
template <class T, class Before, class Index>
cudaError_t argsort_instantiation(T const* in, std::int64_t n, Index* indices, execution on) noexcept {
  return detail::argsort_numbers<Before>(in, n, indices, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
