// Sorts of arrays of numbers by less or greater, by their digits. They are all that the library's own kernels need:
// sort.cuh, which has sorts by comparisons besides, includes CUB, whose headers take longer to read than all others.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/call_cub.hpp>
#include <tessera/grid/sort/onesweep.cuh>
#include <tessera/grid/sort/sort_input_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// True if `out` is `in`, or has no byte in common with it.
template <class In, class T>
bool is_same_or_apart(In const& in, T const* out, std::int64_t n) noexcept {
  if constexpr (stl::is_pointer_v<In>) {
    if (static_cast<void const*>(in) == static_cast<void const*>(out)) return true;
  }
  return !detail::overlap(in, n, out, n);
}
template <class Keys, class K, class Values, class V>
bool are_sortable(Keys const& keys, K* keys_out, [[maybe_unused]] Values const& values, [[maybe_unused]] V* values_out,
                  std::int64_t n) noexcept {
  bool fine = detail::is_array(keys, n) && detail::is_array(keys_out, n) && detail::is_same_or_apart(keys, keys_out, n);
  if constexpr (!stl::is_same_v<V, keys_alone>) {
    fine = fine && detail::is_array(values, n) && detail::is_array(values_out, n) &&
           detail::is_same_or_apart(values, values_out, n) && !detail::overlap(keys, n, values_out, n) &&
           !detail::overlap(values, n, keys_out, n) && !detail::overlap(keys_out, n, values_out, n);
  }
  return fine;
}

template <class In, class Index>
bool are_argsorted(In const& in, std::int64_t n, Index* indices) noexcept {
  return detail::is_array(in, n) && detail::is_array(indices, n) && !detail::overlap(in, n, indices, n) &&
         detail::fits_index<Index>(n - 1);
}

/// True if keys of T are sorted by digits.
template <class T, class Before>
inline constexpr bool sorts_by_digits =
    tessera::detail::has_sort_key<T, tessera::detail::canonical_comparator_t<Before, T>>;

/// Sorts keys that are numbers. keys_out may be null; values are read by a pointer, or by an index_reader.
template <class T, class Before, class V, class Values, class N>
cudaError_t sort_numbers(T const* keys, T* keys_out, Values const& values, V* values_out, N const& n,
                         execution on) noexcept {
  using bits = typename unsigned_of<sizeof(T)>::type;
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  constexpr key_form form = tessera::detail::is_any_float<T> ? key_form::in_order : key_form::flipped;
  using task_t = onesweep_task<bits, form, V, Values>;
  digit_coding<bits, form> const coding(key_coding<bits>::template of<T, stl::is_same_v<comparator, greater>>());
  task_t const task{reinterpret_cast<bits const*>(keys), reinterpret_cast<bits*>(keys_out), values, values_out, coding};
  using shapes = onesweep_shapes<sizeof(T), task_t::has_values ? sizeof(V) : 0>;
  return detail::call_cub([&] { return detail::sort_by_digits<shapes>(task, n, on); });
}

/// Checks the arguments, and sorts arrays. Without values, V is keys_alone, and their pointers are null.
template <class Before, class T, class V>
cudaError_t sort_number_arrays(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                               execution on) noexcept {
  if (!detail::are_sortable(keys, keys_out, values, values_out, n)) return cudaErrorInvalidValue;
  return n == 0 ? cudaSuccess : detail::sort_numbers<T, Before>(keys, keys_out, values, values_out, n, on);
}
template <class Before, class T, class Index>
cudaError_t argsort_numbers(T const* in, std::int64_t n, Index* indices, execution on) noexcept {
  if (!detail::are_argsorted(in, n, indices)) return cudaErrorInvalidValue;
  T* const none = nullptr;
  return n == 0 ? cudaSuccess : detail::sort_numbers<T, Before>(in, none, index_reader<Index>{0}, indices, n, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
