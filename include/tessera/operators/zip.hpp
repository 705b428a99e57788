// zip: several operators on tuples of values, member by member, in one pass.
//
//   rank                     0       1       2       3
//   as_zipped(x, y)          a  p    b  q    c  r    d  s
//   zip(plus{}, maximum{})   a + b + c + d  max(p, q, r, s), in every lane
//
//   auto [sum, best] = tessera::reduce(tile, as_zipped(x, y), zip(plus{}, maximum{}));
//
// Each member has the bits that a collective of its own would give it, except for truth values: a sum of bools stays a
// bool here. The exchanges of one step are independent.
#pragma once

#include <tessera/core/tuple_members.hpp>
#include <tessera/core/words.hpp>
#include <tessera/operators/basic.hpp>

#if !defined(__CUDACC_RTC__)
#include <utility>
#endif

TESSERA_NAMESPACE_BEGIN

/// A tuple that lanes exchange: unlike `std::tuple` it is trivially copyable if its members are. Make it with
/// `as_zipped(a, b, …)`; take it apart by `auto [a, b] = z;` (not under NVRTC) or `get<0>(z)`.
template <class... T>
struct zipped : detail::tuple::members<stl::index_sequence_for<T...>, T...> {
  static_assert(sizeof...(T) >= 1, "zipped<T, ...> has at least one member.");
};

/// A tuple of these values.
template <class... T>
TESSERA_FN constexpr zipped<T...> as_zipped(T... values) {
  return {{{values}...}};
}

/// Member I.
template <stl::size_t Index, class... T>
TESSERA_FN constexpr decltype(auto) get(zipped<T...>& z) {
  static_assert(Index < sizeof...(T), "get<I>(z): z has fewer members; the first is get<0>(z).");
  return detail::member_of<Index>(z);
}
template <stl::size_t Index, class... T>
TESSERA_FN constexpr decltype(auto) get(zipped<T...> const& z) {
  static_assert(Index < sizeof...(T), "get<I>(z): z has fewer members; the first is get<0>(z).");
  return detail::member_of<Index>(z);
}
template <stl::size_t Index, class... T>
TESSERA_FN constexpr auto&& get(zipped<T...>&& z) {
  static_assert(Index < sizeof...(T), "get<I>(z): z has fewer members; the first is get<0>(z).");
  return static_cast<stl::remove_reference_t<decltype(detail::member_of<Index>(z))>&&>(detail::member_of<Index>(z));
}

template <class... T>
struct is_exchangeable<zipped<T...>> : stl::bool_constant<(is_exchangeable_v<T> && ...)> {};

namespace detail {

/// True if Op, or the operator it is an alias of, combines values of T.
template <class Op, class T>
inline constexpr bool combines = takes_two_of<normalized_t<Op, T>, T>;

/// True if there are as many Ops as Ts, and each combines values of its type.
template <class OpsTuple, class Tuple, class = void>
inline constexpr bool combines_members = false;
template <class... Ops, class... T>
inline constexpr bool combines_members<zipped<Ops...>, zipped<T...>, stl::enable_if_t<sizeof...(Ops) == sizeof...(T)>> =
    (combines<Ops, T> && ...);

/// Several operators as one on tuples: the result of `zip`.
template <class... Ops>
struct zip_operator {
  zipped<Ops...> ops;

  template <class... T, stl::enable_if_t<detail::combines_members<zipped<Ops...>, zipped<T...>>, bool> = true>
  TESSERA_FN zipped<T...> operator()(zipped<T...> const& a, zipped<T...> const& b) const {
    return combine(a, b, stl::index_sequence_for<T...>{});
  }

 private:
  template <class... T, stl::size_t... Index>
  TESSERA_FN zipped<T...> combine(zipped<T...> const& a, zipped<T...> const& b, stl::index_sequence<Index...>) const {
    return {{{static_cast<T>(detail::normalize<T>(detail::member_of<Index>(ops))(detail::member_of<Index>(a),
                                                                                 detail::member_of<Index>(b)))}...}};
  }
};

}  // namespace detail

/// The operator on `zipped<T1, T2, …>` that combines the first members by `op1`, the second by `op2`, and so on.
///
/// Operators  any, also other libraries'; one a member. A zip may be a member of a zip.
/// Traits     it has an identity if all of them do, and commutes if all do.
template <class... Ops>
TESSERA_FN constexpr detail::zip_operator<Ops...> zip(Ops... ops) {
  static_assert(sizeof...(Ops) >= 1, "zip(op, ...): give an operator for each member.");
  return {{{{ops}...}}};
}

namespace detail {

template <class Op, class Tuple, class Indices>
struct zip_traits;
template <class... Ops, class... T, stl::size_t... Index>
struct zip_traits<zip_operator<Ops...>, zipped<T...>, stl::index_sequence<Index...>> {
  static constexpr bool has_identity = (operator_traits<normalized_t<Ops, T>, T>::has_identity && ...);
  static constexpr bool commutative = (operator_traits<normalized_t<Ops, T>, T>::commutative && ...);

  TESSERA_FN static zipped<T...> identity(zip_operator<Ops...> const& op) {
    return {{{operator_traits<normalized_t<Ops, T>, T>::identity(
        detail::normalize<T>(detail::member_of<Index>(op.ops)))}...}};
  }
};

template <class... Ops, class... T>
inline constexpr bool ties_have_same_bits<zip_operator<Ops...>, zipped<T...>> =
    (ties_have_same_bits<normalized_t<Ops, T>, T> && ...);

template <class... Ops, class... T>
struct neutral_element<operator_traits<zip_operator<Ops...>, zipped<T...>>, zipped<T...>, zip_operator<Ops...>> {
  template <class Op, class M>
  using of_member = neutral_element<operator_traits<normalized_t<Op, M>, M>, M, normalized_t<Op, M>>;

  static constexpr bool is_identity = (of_member<Ops, T>::is_identity && ...);

  TESSERA_FN static zipped<T...> get(zip_operator<Ops...> const& op) {
    return get(op, stl::index_sequence_for<T...>{});
  }

 private:
  template <stl::size_t... Index>
  TESSERA_FN static zipped<T...> get(zip_operator<Ops...> const& op, stl::index_sequence<Index...>) {
    return {{{of_member<Ops, T>::get(detail::normalize<T>(detail::member_of<Index>(op.ops)))}...}};
  }
};

template <class... Ops, class... T>
struct nan_canonicalizer<zip_operator<Ops...>, zipped<T...>> {
  TESSERA_FN static zipped<T...> of(zipped<T...> const& x) { return of(x, stl::index_sequence_for<T...>{}); }

 private:
  template <stl::size_t... Index>
  TESSERA_FN static zipped<T...> of(zipped<T...> const& x, stl::index_sequence<Index...>) {
    return {{{nan_canonicalizer<normalized_t<Ops, T>, T>::of(detail::member_of<Index>(x))}...}};
  }
};

}  // namespace detail

template <class... Ops, class... T>
struct operator_traits<detail::zip_operator<Ops...>, zipped<T...>>
    : stl::conditional_t<sizeof...(Ops) == sizeof...(T),
                         detail::zip_traits<detail::zip_operator<Ops...>, zipped<T...>, stl::index_sequence_for<T...>>,
                         detail::builtin_traits<false>> {};

// ---- argmin and argmax of zipped<T, Index, …>: members after the index move along.

namespace detail {

template <class Before, class T, class... Rest>
TESSERA_FN zipped<T, Rest...> best_zipped(zipped<T, Rest...> const& a, zipped<T, Rest...> const& b, Before before) {
  bool second = false;
  if constexpr (sizeof...(Rest) == 0) {
    second = detail::second_wins(detail::member_of<0>(a), 0, detail::member_of<0>(b), 0, before);
  } else {
    second = detail::second_wins(detail::member_of<0>(a), detail::member_of<1>(a), detail::member_of<0>(b),
                                 detail::member_of<1>(b), before);
  }
  return detail::select(second, b, a);
}

/// Further members may differ if value and index are equal: it commutes only without them.
template <bool Greatest, class T, class... Rest>
struct best_zipped_traits : builtin_traits<false> {};
template <bool Greatest, class T, class Index, class... Rest>
struct best_zipped_traits<Greatest, T, Index, Rest...> {
  static constexpr bool has_identity =
      is_number<T> && is_integer<Index> && (stl::is_default_constructible<Rest>::value && ...);
  static constexpr bool commutative = has_identity && sizeof...(Rest) == 0;

  template <class Op>
  TESSERA_FN static zipped<T, Index, Rest...> identity(Op const&) {
    return {{{Greatest ? lowest<T>() : highest<T>()}, {highest<Index>()}, {Rest{}}...}};
  }
};

template <class T, class... Rest>
inline constexpr bool ties_have_same_bits<argmin, zipped<T, Rest...>> = !is_any_float<T>;
template <class T, class... Rest>
inline constexpr bool ties_have_same_bits<argmax, zipped<T, Rest...>> = !is_any_float<T>;

}  // namespace detail

template <class T, class... Rest>
TESSERA_FN zipped<T, Rest...> argmin::operator()(zipped<T, Rest...> const& a, zipped<T, Rest...> const& b) const {
  return detail::best_zipped(a, b, detail::less_value{});
}
template <class T, class... Rest>
TESSERA_FN zipped<T, Rest...> argmax::operator()(zipped<T, Rest...> const& a, zipped<T, Rest...> const& b) const {
  return detail::best_zipped(a, b, detail::greater_value{});
}

template <class T, class... Rest>
struct operator_traits<argmin, zipped<T, Rest...>> : detail::best_zipped_traits<false, T, Rest...> {};
template <class T, class... Rest>
struct operator_traits<argmax, zipped<T, Rest...>> : detail::best_zipped_traits<true, T, Rest...> {};

TESSERA_NAMESPACE_END

// The standard's names for `auto [a, b] = z;`.
#if !defined(__CUDACC_RTC__)
template <class... T>
struct std::tuple_size<tessera::zipped<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t Index, class... T>
struct std::tuple_element<Index, tessera::zipped<T...>> {
  using type = std::remove_reference_t<decltype(tessera::get<Index>(std::declval<tessera::zipped<T...>&>()))>;
};
#endif
