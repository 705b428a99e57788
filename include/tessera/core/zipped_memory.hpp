// Several arrays in memory as one reader, whose elements are an element of each.
//
//   a                 0 1 | 2 3 4 5 | 6 7 8 9 |     | every 16 bytes, of elements of 4 bytes
//   b                 0 1 | 2 3 4 5 | 6 7 8 9 |
//   element 3         {a[3], b[3]}
//   vector            two loads, a[2] to a[5] and b[2] to b[5]
#pragma once

#include <tessera/core/tuple_members.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// An element of each of several arrays.
template <class... T>
struct zipped_element : tuple::members<stl::index_sequence_for<T...>, T...> {};

template <class... T>
TESSERA_FN zipped_element<T...> zip_elements(T const&... x) {
  return {{{x}...}};
}

/// Several arrays as one reader, of zipped elements. Where all of them begin at the same place of a vector, `length`
/// elements of each are loaded at once: 16 bytes of the array with the largest elements.
template <class... T>
struct zipped_memory {
  using value_type = zipped_element<T...>;
  using difference_type = stl::int64_t;
  using indices = stl::index_sequence_for<T...>;
  TESSERA_FN static constexpr unsigned largest() {
    unsigned most = 1;
    ((most = sizeof(T) > most ? static_cast<unsigned>(sizeof(T)) : most), ...);
    return most;
  }
  static constexpr unsigned length = 16 / largest();

  zipped_element<T const*...> first;

  TESSERA_FN zipped_memory operator+(stl::int64_t i) const { return advanced_by(i, indices{}); }
  TESSERA_FN value_type operator*() const { return element(indices{}); }
  /// True if the same number of elements of each array, front(), comes before its first vector.
  TESSERA_FN bool is_aligned() const { return are_alike(indices{}); }
  TESSERA_FN unsigned front() const { return (length - place(detail::member_of<0>(first))) % length; }

 private:
  template <stl::size_t... Index>
  TESSERA_FN zipped_memory advanced_by(stl::int64_t i, stl::index_sequence<Index...>) const {
    return {{{{detail::member_of<Index>(first) + i}...}}};
  }
  template <stl::size_t... Index>
  TESSERA_FN value_type element(stl::index_sequence<Index...>) const {
    return {{{*detail::member_of<Index>(first)}...}};
  }
  /// The place of an element in its vector.
  template <class A>
  TESSERA_FN static unsigned place(A const* at) {
    return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) / sizeof(A) % length);
  }
  template <class A>
  TESSERA_FN static bool is_element(A const* at) {
    return reinterpret_cast<stl::uintptr_t>(at) % sizeof(A) == 0;
  }
  template <stl::size_t... Index>
  TESSERA_FN bool are_alike(stl::index_sequence<Index...>) const {
    return ((is_element(detail::member_of<Index>(first)) &&
             place(detail::member_of<Index>(first)) == place(detail::member_of<0>(first))) &&
            ...);
  }
};
template <class It>
inline constexpr bool is_zipped_memory = false;
template <class... T>
inline constexpr bool is_zipped_memory<zipped_memory<T...>> = true;

}  // namespace detail
TESSERA_NAMESPACE_END
