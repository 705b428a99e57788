// Iterators that compute their elements from arrays: those that transform and those that zip.
//
//   transform(zip(a, b), f)      memory      zipped_memory{a, b}    loads vectors of a and of b
//                                function    f(tuple(a[i], b[i]))   what the iterator makes of what is loaded
//
// A transforming iterator has base() and functor(), as thrust::transform_iterator does; a zipping one has
// get_iterator_tuple(), as thrust::zip_iterator does, and a value_type that is constructed from the components.
// Reductions of arrays take the memory and the function in place of such an iterator, and so load vectors.
#pragma once

#include <tessera/core/exchangeable.hpp>
#include <tessera/core/iterators.hpp>
#include <tessera/core/zipped_memory.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Makes `get<0>(x)` find the function of the namespace of x's type.
struct no_tuple {};
template <stl::size_t>
void get(no_tuple);

template <class It, bool = is_reader<It> && !stl::is_pointer_v<It>>
inline constexpr bool is_over_memory = has_address<It>;
template <class It>
inline constexpr bool is_over_memory<It, false> = false;
template <class T>
inline constexpr bool is_over_memory<T*, false> = stl::is_convertible_v<T*, stl::remove_cv_t<T> const*>;

/// True if vectors of these types have up to 16 bytes, and together up to 128, which fit in a lane's registers.
template <class... T>
inline constexpr bool are_vectors = (is_exchangeable_v<T> && ...) &&
                                    ((16 % sizeof(T) == 0) && ...) && zipped_memory<T...>::length > 1 &&
                                    zipped_memory<T...>::length * sizeof(zipped_element<T...>) <= 128;

template <class V, class Elements, class = void>
inline constexpr bool is_tuple_of = false;
template <class V, class... T>
inline constexpr bool is_tuple_of<V, zipped_element<T...>, stl::void_t<decltype(V(stl::declval<T const&>()...))>> =
    true;

/// The zipped_memory of an iterator's components if they are arrays whose vectors can be loaded, else void.
template <class V, bool AreArrays, class... It>
struct zipped_arrays {
  using type = void;
};
template <class V, class... It>
struct zipped_arrays<V, true, It...> {
  using type = stl::conditional_t<are_vectors<value_of<It>...> && is_tuple_of<V, zipped_element<value_of<It>...>>,
                                  zipped_memory<value_of<It>...>, void>;
};
template <class V, class Tuple>
struct zipped_components {
  using type = void;
};
template <class V, template <class...> class Tuple, class... It>
struct zipped_components<V, Tuple<It...>> : zipped_arrays<V, (is_over_memory<It> && ...), It...> {};

template <class It, class = void>
struct zipped_memory_of {
  using type = void;
};
template <class It>
struct zipped_memory_of<It, stl::void_t<decltype(stl::declval<It const&>().get_iterator_tuple())>>
    : zipped_components<value_of<It>, stl::decay_t<decltype(stl::declval<It const&>().get_iterator_tuple())>> {};

template <class It>
using base_of = stl::decay_t<decltype(stl::declval<It const&>().base())>;
template <class It>
using functor_of = stl::decay_t<decltype(stl::declval<It const&>().functor())>;
template <class It, class = void>
inline constexpr bool is_transforming = false;
template <class It>
inline constexpr bool is_transforming<It, stl::void_t<base_of<It>, functor_of<It>>> =
    is_reader<base_of<It>>&& stl::is_invocable_v<functor_of<It> const&, value_of<base_of<It>> const&>;

template <class Memory, class Tuple, stl::size_t... Index>
Memory zip_arrays(Tuple const& components, stl::index_sequence<Index...>) {
  return {{{{detail::reader_of(get<Index>(components))}...}}};
}

struct no_memory {};

/// The memory that an iterator's elements are computed from: a pointer or a zipped_memory; no_memory if there is none.
template <class It>
auto memory_of(It const& it) {
  using zipped = typename zipped_memory_of<It>::type;
  if constexpr (is_over_memory<It>) {
    return detail::reader_of(it);
  } else if constexpr (!stl::is_void_v<zipped>) {
    return detail::zip_arrays<zipped>(it.get_iterator_tuple(), typename zipped::indices{});
  } else if constexpr (is_transforming<It>) {
    return detail::memory_of(it.base());
  } else {
    return no_memory{};
  }
}

/// The element of a zipping iterator: a tuple of type V.
template <class V>
struct as_tuple {
  template <class... T>
  TESSERA_FN V operator()(zipped_element<T...> const& x) const {
    return tuple_of(x, stl::index_sequence_for<T...>{});
  }

 private:
  template <class Elements, stl::size_t... Index>
  TESSERA_FN static V tuple_of(Elements const& x, stl::index_sequence<Index...>) {
    return V(detail::member_of<Index>(x)...);
  }
};

/// outer(inner(x)).
template <class Outer, class Inner>
struct composed {
  Outer outer;
  Inner inner;
  template <class X>
  TESSERA_FN auto operator()(X const& x) const {
    return outer(inner(x));
  }
};

/// The function that makes an iterator's elements of those of its memory_of.
template <class It>
auto function_on_memory(It const& it) {
  if constexpr (!is_transforming<It>) {
    return as_tuple<value_of<It>>{};
  } else if constexpr (is_over_memory<base_of<It>>) {
    return detail::function_of(it);
  } else {
    auto const inner = detail::function_on_memory(it.base());
    return composed<decltype(detail::function_of(it)), stl::remove_const_t<decltype(inner)>>{detail::function_of(it),
                                                                                             inner};
  }
}

/// True if a reader, as an algorithm takes it, computes its elements from memory.
template <class It>
inline constexpr bool computes_from_memory =
    !stl::is_pointer_v<It> && !stl::is_same_v<decltype(detail::memory_of(stl::declval<It const&>())), no_memory>;

}  // namespace detail
TESSERA_NAMESPACE_END
