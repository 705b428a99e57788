// Calls on ranges and arrays read and write by iterators, as well as by pointers.
//
//   auto const squares = thrust::make_transform_iterator(x, square{});
//   float const sum = tessera::joint_reduce(tile, squares, n);             // a tile's
//   error = tessera::grid::reduce(squares, n, out);                       // an array's
//
// A reader is a pointer, or an object `it` with *(it + i) for every i from 0 to n − 1, in whatever order the call
// reads: iterators of cuda::, Thrust and CUB that count, transform, zip, permute, stride or reverse, and any like them.
// The result of *(it + i) is converted to the iterator's value_type, so it may be a proxy.
//
// A writer is a pointer, or an object with *(it + i) = x: iterators that transform, permute or discard what they get.
//
// A contiguous iterator, whose elements lie side by side in memory, is replaced by the pointer to its first element,
// and so read 16 bytes at a time. Contiguous are thrust::device_ptr, iterators of a thrust::device_vector, iterators
// whose iterator_concept (C++20) says so, such as those of cuda::std::span, and iterators of your own for which
// tessera::contiguous_address is specialized:
//
//   template <class T>
//   struct tessera::contiguous_address<my::iterator<T>> {
//     TESSERA_FN static T* of(my::iterator<T> it) { return it.address(); }
//   };
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN

/// To be specialized for contiguous iterators, with a static function of(it) that returns the pointer to *it.
template <class It, class = void>
struct contiguous_address {};

namespace detail {

/// The type of *(it + 1), if that compiles.
template <class It>
using dereferenced = decltype(*(stl::declval<It const&>() + 1));

template <class It, class = void>
inline constexpr bool is_reader = false;
template <class It>
inline constexpr bool is_reader<It, stl::void_t<dereferenced<It>>> = !stl::is_void_v<dereferenced<It>>;
template <class T>
inline constexpr bool is_reader<T*, void> = !stl::is_void_v<T>;

/// The type of a reader's elements. For a type that is no reader it is int, and a static assertion refuses the call.
template <class It, class = void>
struct member_value {
  using type = stl::decay_t<dereferenced<It>>;
};
template <class It>
struct member_value<It, stl::enable_if_t<!stl::is_void_v<typename It::value_type>>> {
  using type = stl::remove_cv_t<typename It::value_type>;
};
template <class It, bool = is_reader<It>>
struct value_of_reader {
  using type = int;
};
template <class It>
struct value_of_reader<It, true> : member_value<It> {};
template <class T>
struct value_of_reader<T*, true> {
  using type = stl::remove_cv_t<T>;
};
template <class It>
using value_of = typename value_of_reader<It>::type;

template <class It, class = void>
struct difference_of_reader {
  using type = stl::int64_t;
};
template <class It>
struct difference_of_reader<It, stl::enable_if_t<stl::is_integral_v<typename It::difference_type>>> {
  using type = typename It::difference_type;
};
/// An index as an iterator's difference_type.
template <class It, class Index>
TESSERA_FN auto difference_for(Index i) {
  return static_cast<typename difference_of_reader<It>::type>(i);
}

/// Element i of a reader.
template <class It, class Index>
TESSERA_FN value_of<It> read_element(It const& it, Index i) {
  return static_cast<value_of<It>>(*(it + detail::difference_for<It>(i)));
}
template <class T, class Index>
TESSERA_FN T read_element(T const* p, Index i) {
  return p[i];
}

/// The type to which results of type R are converted for a writer: that of a pointer's elements, else R itself.
template <class Out, class R>
struct written {
  using type = R;
};
template <class T, class R>
struct written<T*, R> {
  using type = T;
};
template <class Out, class R>
using written_t = typename written<Out, R>::type;

/// Element i of a writer becomes x.
template <class Out, class Index, class T>
TESSERA_FN void write_element(Out const& out, Index i, T const& x) {
  *(out + detail::difference_for<Out>(i)) = x;
}

/// A reader or writer that begins i elements later.
template <class It, class Index>
TESSERA_FN It advanced(It const& it, Index i) {
  return it + detail::difference_for<It>(i);
}
template <class T, class Index>
TESSERA_FN T* advanced(T* p, Index i) {
  return p + i;
}

template <class It, class = void>
inline constexpr bool has_own_address = false;
template <class It>
inline constexpr bool
    has_own_address<It, stl::void_t<decltype(contiguous_address<It>::of(stl::declval<It const&>()))>> = true;

/// The pointer that Thrust makes of its own contiguous iterators, found in the iterator's namespace.
template <class It>
using unwrapped = decltype(try_unwrap_contiguous_iterator(stl::declval<It const&>()));
template <class It, class = void>
inline constexpr bool thrust_unwraps = false;
template <class It>
inline constexpr bool thrust_unwraps<It, stl::void_t<unwrapped<It>>> = stl::is_pointer_v<unwrapped<It>>;

/// True if an iterator's iterator_concept says that it is contiguous: the concept is derived from the iterator_category
/// (the tag of random access), and `->` gives the address of `*it`.
template <class It, class = void>
inline constexpr bool has_contiguous_concept = false;
template <class It>
inline constexpr bool has_contiguous_concept<
    It, stl::void_t<typename It::iterator_concept, decltype(stl::declval<It const&>().operator->())>> =
    stl::is_base_of_v<typename It::iterator_category, typename It::iterator_concept> &&
    !stl::is_same_v<typename It::iterator_category, typename It::iterator_concept> &&
    stl::is_same_v<decltype(stl::declval<It const&>().operator->()), stl::remove_reference_t<dereferenced<It>>*>;
TESSERA_ONE_SIDED  // Those of std:: are for the host.
    template <class It>
    TESSERA_FN auto arrow_of(It const& it) {
  return it.operator->();
}

/// The pointer that a contiguous iterator stands for; any other iterator itself.
template <class It>
TESSERA_FN auto address_of(It const& it) {
  if constexpr (has_own_address<It>) {
    return contiguous_address<It>::of(it);
  } else if constexpr (thrust_unwraps<It>) {
    return try_unwrap_contiguous_iterator(it);
  } else if constexpr (has_contiguous_concept<It>) {
    return detail::arrow_of(it);
  } else {
    return it;
  }
}
template <class It>
inline constexpr bool has_address = stl::is_pointer_v<decltype(detail::address_of(stl::declval<It const&>()))>;

/// True if a call that writes elements of T takes a T* in place of this iterator.
template <class T, class It>
inline constexpr bool is_contiguous_writer =
    !stl::is_pointer_v<It> && stl::is_same_v<decltype(detail::address_of(stl::declval<It const&>())), T*>;

/// A pointer in place of a contiguous iterator over elements of R.
template <class R, class Out>
TESSERA_FN auto writer_for(Out const& out) {
  if constexpr (!is_reader<Out> || (stl::is_pointer_v<Out> && !stl::is_same_v<Out, R*>)) {
    return static_cast<R*>(nullptr);  // A static assertion refuses the call.
  } else if constexpr (is_contiguous_writer<R, Out>) {
    return detail::address_of(out);
  } else {
    return out;
  }
}

/// A call's reader as its algorithm takes it: T const* for pointers and contiguous iterators, the iterator itself for
/// others.
template <class It>
TESSERA_FN auto reader_of(It const& it) {
  static_assert(is_reader<It>,
                "first is a pointer or a random-access iterator, whose elements are *(first + i): write begin() or "
                "data() of a container.");
  if constexpr (!is_reader<It>) {
    return static_cast<int const*>(nullptr);
  } else if constexpr (stl::is_pointer_v<It>) {
    static_assert(stl::is_convertible_v<It, value_of<It> const*>,
                  "Elements are read by 16 bytes, which volatile forbids: write const_cast<T const*>(first), or an "
                  "iterator that reads one element at a time.");
    return const_cast<value_of<It> const*>(it);
  } else if constexpr (has_address<It>) {
    return static_cast<value_of<It> const*>(detail::address_of(it));
  } else {
    return it;
  }
}
template <class It>
using reader_t = decltype(detail::reader_of(stl::declval<It const&>()));

/// True if an iterator isn't contiguous.
template <class It>
inline constexpr bool is_computed = !stl::is_pointer_v<reader_t<It>>;
/// True of a transforming iterator over memory: it has base() and functor(), and reads functor()(element of base()).
/// Calls on arrays take that pointer and function in place of the iterator, and so load vectors.
template <class It, class = void>
inline constexpr bool transforms_memory = false;
template <class It>
inline constexpr bool transforms_memory<
    It, stl::void_t<decltype(stl::declval<It const&>().base()), decltype(stl::declval<It const&>().functor())>> =
    is_reader<It> && !is_computed<stl::decay_t<decltype(stl::declval<It const&>().base())>> &&
    stl::is_invocable_v<stl::decay_t<decltype(stl::declval<It const&>().functor())> const&,
                        value_of<stl::decay_t<decltype(stl::declval<It const&>().base())>> const&>;

/// functor()(x), converted to the type of the iterator's elements.
template <class T, class F>
struct transformed_element {
  F f;
  template <class X>
  TESSERA_FN T operator()(X const& x) const {
    return static_cast<T>(f(x));
  }
};
template <class It>
TESSERA_FN auto function_of(It const& it) {
  return transformed_element<value_of<It>, stl::decay_t<decltype(it.functor())>>{it.functor()};
}

/// True if a reader, as an algorithm takes it, is read element by element.
template <class It>
inline constexpr bool reads_elements = !stl::is_pointer_v<It>;

}  // namespace detail
TESSERA_NAMESPACE_END
