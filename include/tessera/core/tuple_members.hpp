// Members of a tuple as bases of an aggregate, which is trivially copyable if all of them are.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

// In a namespace of their own, so that unqualified calls with a tuple don't look up names in `detail`.
namespace tuple {

template <stl::size_t Index, class T>
struct member {
  T value;
};

template <class Indices, class... T>
struct members;
template <stl::size_t... Index, class... T>
struct members<stl::index_sequence<Index...>, T...> : member<Index, T>... {};

}  // namespace tuple

// I is given, T is deduced.
template <stl::size_t Index, class T>
TESSERA_FN constexpr T& member_of(tuple::member<Index, T>& z) {
  return z.value;
}
template <stl::size_t Index, class T>
TESSERA_FN constexpr T const& member_of(tuple::member<Index, T> const& z) {
  return z.value;
}

}  // namespace detail
TESSERA_NAMESPACE_END
