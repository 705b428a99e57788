// Properties of an operator on values of one type: whether it commutes, its identity, and the operator that it is an
// alias of.
#pragma once

#include <tessera/core/minimum.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/operator_aliases.hpp>

TESSERA_NAMESPACE_BEGIN

template <class Op, class T>
struct operator_traits;

template <class T, class Index>
struct indexed;
template <class T>
struct min_max;
struct argmin;
struct argmax;
struct minmax;

namespace detail {

template <class F, class Identity, bool Commutative>
struct custom_operator;

/// Traits of this library's operators, which are known for numbers. A user's type may have a `+` that doesn't commute,
/// and its `T{}` may not be zero.
template <bool OnNumbers>
struct builtin_traits {
  static constexpr bool has_identity = OnNumbers;
  static constexpr bool commutative = OnNumbers;
};

/// Another library's operator that is fixed to type On, applied to values of another type: it converts both.
template <class Ours, class On>
struct converting {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    return static_cast<T>(Ours{}(static_cast<On>(a), static_cast<On>(b)));
  }
};

/// This library's operator if `op` is an alias of one, else `op` itself.
template <class T, class Op>
TESSERA_FN auto normalize([[maybe_unused]] Op const& op) {
  using ours = typename operator_alias<Op>::type;
  using on = typename operator_alias<Op>::on;
  if constexpr (is_alias<Op, T>) {
    return ours{};
  } else if constexpr (!stl::is_void_v<ours> && stl::is_arithmetic_v<on> && stl::is_arithmetic_v<T>) {
    return converting<ours, on>{};
  } else {
    return op;
  }
}

template <class Op, class T>
using normalized_t = decltype(detail::normalize<T>(stl::declval<Op const&>()));

/// Operators of this library that take any type with the corresponding C++ operator.
template <class Op>
inline constexpr bool takes_any_type = false;
template <>
inline constexpr bool takes_any_type<plus> = true;
template <>
inline constexpr bool takes_any_type<multiplies> = true;
template <>
inline constexpr bool takes_any_type<minimum> = true;
template <>
inline constexpr bool takes_any_type<maximum> = true;
template <>
inline constexpr bool takes_any_type<bit_and> = true;
template <>
inline constexpr bool takes_any_type<bit_or> = true;
template <>
inline constexpr bool takes_any_type<bit_xor> = true;

/// True if T has the C++ operator of Op: +, *, <, &, | or ^. Halves don't need the first three.
template <class Op, class T, class = void>
inline constexpr bool has_own =
    is_any_float<T> && !stl::is_same_v<Op, bit_and> && !stl::is_same_v<Op, bit_or> && !stl::is_same_v<Op, bit_xor>;
template <class T>
inline constexpr bool has_own<plus, T, stl::void_t<decltype(stl::declval<T>() + stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<multiplies, T, stl::void_t<decltype(stl::declval<T>() * stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<minimum, T, stl::void_t<decltype(stl::declval<T>() < stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<maximum, T, stl::void_t<decltype(stl::declval<T>() < stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<bit_and, T, stl::void_t<decltype(stl::declval<T>() & stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<bit_or, T, stl::void_t<decltype(stl::declval<T>() | stl::declval<T>())>> = true;
template <class T>
inline constexpr bool has_own<bit_xor, T, stl::void_t<decltype(stl::declval<T>() ^ stl::declval<T>())>> = true;

/// True if Op itself combines two values of T.
template <class Op, class T>
TESSERA_FN constexpr bool may_be_called() {
  if constexpr (takes_any_type<Op>) {
    return has_own<Op, T>;
  } else {
    return stl::is_invocable_v<Op const&, T const&, T const&>;
  }
}
template <class Op, class T>
inline constexpr bool takes_two_of = may_be_called<Op, T>();

/// Replaces an operator that doesn't take values of the call's type, so that the message of `require_operator` is the
/// only one.
template <class Op>
struct unusable_operator {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const&) const {
    return a;
  }
};

/// The operator by which a collective combines values of T: `op`, normalized.
template <class Op, class T>
using operator_for = stl::conditional_t<takes_two_of<normalized_t<Op, T>, T>, normalized_t<Op, T>,
                                        unusable_operator<normalized_t<Op, T>>>;
template <class T, class Op>
TESSERA_FN operator_for<Op, T> to_operator([[maybe_unused]] Op const& op) {
  if constexpr (stl::is_same_v<operator_for<Op, T>, normalized_t<Op, T>>) {
    return detail::normalize<T>(op);
  } else {
    return {};
  }
}

/// The operator that the caller passed.
template <class Op>
struct given_operator {
  using type = Op;
};
template <class Op>
struct given_operator<unusable_operator<Op>> {
  using type = Op;
};

}  // namespace detail

/// Traits of an operator on T:
///
///   has_identity   true if there is `identity(op)`, with op(identity, x) == x == op(x, identity)
///   commutative    true if op(a, b) and op(b, a) have the same bits. (argmin, argmax and minmax of indexed floats
///                  count, too: a range takes either of two tied values, such as −0 and +0 with the same index.
///                  A tile always takes the lower lane's.)
///
/// For an operator of your own, give them by `make_operator`, or by specializing this template for its type. Otherwise
/// it has no identity and doesn't commute.
template <class Op, class T>
struct operator_traits
    : stl::conditional_t<detail::is_alias<Op, T>, operator_traits<typename detail::operator_alias<Op>::type, T>,
                         detail::builtin_traits<false>> {};
template <class T>
struct operator_traits<void, T> : detail::builtin_traits<false> {};
template <class Op, class T>
struct operator_traits<Op const, T> : operator_traits<Op, T> {};
template <class Op, class T>
struct operator_traits<detail::unusable_operator<Op>, T> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = false;
  TESSERA_FN static T identity(detail::unusable_operator<Op> const&);
};

template <class T>
struct operator_traits<plus, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return zero(0.0f);
  }
  /// The value of lanes that don't contribute: −0 leaves every float as it is, +0 would turn −0 into +0.
  template <class Op>
  TESSERA_FN static T neutral(Op const&) {
    return zero(-0.0f);
  }

 private:
  TESSERA_FN static T zero([[maybe_unused]] float of_floats) {
    if constexpr (detail::is_any_float<T>) {
      return detail::number<T>(of_floats);
    } else {
      return T{};
    }
  }
};

template <class T>
struct operator_traits<multiplies, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    if constexpr (detail::is_any_float<T>) {
      return detail::number<T>(1.0f);
    } else {
      return T(1);
    }
  }
};

template <class T>
struct operator_traits<minimum, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::highest<T>();
  }
};

template <class T>
struct operator_traits<maximum, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::lowest<T>();
  }
};

namespace detail {

/// NaN, or `extreme` for a type without NaN: the identity of an operator by which every number beats NaN.
template <class T>
TESSERA_FN T nan_or([[maybe_unused]] T extreme) {
  if constexpr (is_float<T>) {
    return detail::one_nan<T>();
  } else if constexpr (is_any_float<T>) {
    return detail::number<T>(detail::nan);
  } else {
    return extreme;
  }
}

}  // namespace detail

template <class T>
struct operator_traits<minimum_number, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::nan_or(detail::highest<T>());
  }
};

template <class T>
struct operator_traits<maximum_number, T> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::nan_or(detail::lowest<T>());
  }
};

template <class T>
struct operator_traits<bit_and, T> : detail::builtin_traits<detail::is_integer<T> || stl::is_same_v<T, bool>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    if constexpr (stl::is_same_v<T, bool>) {
      return true;
    } else {
      return static_cast<T>(~T{});
    }
  }
};

template <class T>
struct operator_traits<bit_or, T> : detail::builtin_traits<detail::is_integer<T> || stl::is_same_v<T, bool>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return T{};
  }
};

template <class T>
struct operator_traits<bit_xor, T> : operator_traits<bit_or, T> {};

template <class T>
struct operator_traits<logical_and, T> : detail::builtin_traits<stl::is_arithmetic_v<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::truth_as<T>(true);
  }
};

template <class T>
struct operator_traits<logical_or, T> : detail::builtin_traits<stl::is_arithmetic_v<T>> {
  template <class Op>
  TESSERA_FN static T identity(Op const&) {
    return detail::truth_as<T>(false);
  }
};

template <class T, class Index>
struct operator_traits<argmin, indexed<T, Index>>
    : detail::builtin_traits<detail::is_number<T> && detail::is_integer<Index>> {
  template <class Op>
  TESSERA_FN static indexed<T, Index> identity(Op const&) {
    return {detail::highest<T>(), detail::highest<Index>()};
  }
};

template <class T, class Index>
struct operator_traits<argmax, indexed<T, Index>>
    : detail::builtin_traits<detail::is_number<T> && detail::is_integer<Index>> {
  template <class Op>
  TESSERA_FN static indexed<T, Index> identity(Op const&) {
    return {detail::lowest<T>(), detail::highest<Index>()};
  }
};

template <class T>
struct operator_traits<minmax, min_max<T>> : detail::builtin_traits<detail::is_number<T>> {
  template <class Op>
  TESSERA_FN static min_max<T> identity(Op const&) {
    return {detail::highest<T>(), detail::lowest<T>()};
  }
};

template <class T, class Index>
struct operator_traits<minmax, min_max<indexed<T, Index>>> : operator_traits<argmin, indexed<T, Index>> {
  template <class Op>
  TESSERA_FN static min_max<indexed<T, Index>> identity(Op const&) {
    return {{detail::highest<T>(), detail::highest<Index>()}, {detail::lowest<T>(), detail::highest<Index>()}};
  }
};

namespace detail {

template <class Op, class T>
inline constexpr bool identity_loses_fraction = false;
template <class F, class Identity, bool Commutative, class T>
inline constexpr bool identity_loses_fraction<custom_operator<F, Identity, Commutative>, T> =
    loses_fraction<Identity, T>;

/// Checks that T can hold the operator's identity.
template <class Op, class T>
TESSERA_FN constexpr void require_identity() {
  static_assert(!identity_loses_fraction<Op, T>,
                "make_operator(f, identity): the values are integers and the identity is a floating-point number: "
                "write an identity of the values' type.");
}

}  // namespace detail

template <class F, class Identity, bool Commutative, class T>
struct operator_traits<detail::custom_operator<F, Identity, Commutative>, T> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = Commutative;
  TESSERA_FN static T identity(detail::custom_operator<F, Identity, Commutative> const& op) {
    detail::require_identity<detail::custom_operator<F, Identity, Commutative>, T>();
    return detail::convert<T>(op.identity);
  }
};

namespace detail {

/// The type of a result of Op on values of T: T itself, but unsigned for a sum of truth values, which is their number.
template <class Op, class T>
using result_t = stl::conditional_t<stl::is_same_v<T, bool> && stl::is_same_v<normalized_t<Op, T>, plus>, unsigned, T>;

/// True if C++ adds values of T as int. T may be incomplete, as __half is without its header.
template <class T, bool Integer = is_integer<T>>
inline constexpr bool is_added_as_int = false;
template <class T>
inline constexpr bool is_added_as_int<T, true> = sizeof(T) < sizeof(int);

/// The type of a result of Op on many values of T, whose number is a Count: result_t, except for
///
///   integers of 8 and 16 bits, by plus      int, as in C++. An operator for T alone, such as std::plus<char>, gives T.
///   bool, by plus                           a count of 32 bits, or of 64 if Count has 64
template <class Op, class T, class Count>
struct range_result {
  static constexpr bool adds = stl::is_same_v<normalized_t<Op, T>, plus> &&
                               !(is_alias<Op, T> && stl::is_same_v<typename operator_alias<Op>::on, T>);
  static constexpr bool has_long_count = stl::is_same_v<T, bool> && sizeof(Count) > 4;

  using type =
      stl::conditional_t<adds && is_added_as_int<T>, int,
                         stl::conditional_t<adds && has_long_count, stl::uint64_t, result_t<normalized_t<Op, T>, T>>>;
};
template <class Op, class T, class Count>
using range_result_t = typename range_result<Op, T, Count>::type;

/// True if two tied values, of which op keeps either, have the same bits. It is false for floats: −0 ties with +0, and
/// NaNs tie.
template <class Op, class T>
inline constexpr bool ties_have_same_bits = true;
template <class T, class Index>
inline constexpr bool ties_have_same_bits<argmin, indexed<T, Index>> = !is_any_float<T>;
template <class T, class Index>
inline constexpr bool ties_have_same_bits<argmax, indexed<T, Index>> = !is_any_float<T>;
template <class T, class Index>
inline constexpr bool ties_have_same_bits<minmax, min_max<indexed<T, Index>>> = !is_any_float<T>;

/// True if two lanes get the same bits when each takes its own value as the first operand.
template <class Op, class T>
inline constexpr bool lanes_agree_swapped = operator_traits<Op, T>::commutative&& ties_have_same_bits<Op, T>;

/// True if a call of Op may branch, so that lanes diverge: this library's operators on numbers are selections.
template <class Op, class T>
inline constexpr bool call_may_branch = !stl::is_base_of<builtin_traits<true>, operator_traits<Op, T>>::value;

/// The neutral element: the identity, unless the traits have a value whose combination changes no bits (−0 for a sum of
/// floats).
template <class Traits, class T, class Op, class = void>
struct neutral_element {
  static constexpr bool is_identity = true;
  TESSERA_FN static T get(Op const& op) { return Traits::identity(op); }
};
template <class Traits, class T, class Op>
struct neutral_element<Traits, T, Op, stl::void_t<decltype(Traits::neutral(stl::declval<Op const&>()))>> {
  static constexpr bool is_identity = is_integer<T> || stl::is_same_v<T, bool>;
  TESSERA_FN static T get(Op const& op) { return Traits::neutral(op); }
};

/// The neutral element of Op on T: the value of lanes that take no part.
template <class Op, class T>
using neutral_of = neutral_element<operator_traits<Op, T>, T, Op>;

/// Canonicalizes NaN: the payload of NaN + NaN depends on the order of operands.
template <class Op, class T>
struct nan_canonicalizer {
  TESSERA_FN static T of(T x) {
    constexpr bool sums = stl::is_same_v<Op, plus> || stl::is_same_v<Op, multiplies>;
    if constexpr (sums && stl::is_same_v<T, double>) {
      return detail::with_canonical_nan(x);
    } else {
      return x;
    }
  }
};

/// A result of Op with the same bits in all lanes: see nan_canonicalizer.
template <class Op, class T>
TESSERA_FN T canonicalize_nan(T const& x) {
  return nan_canonicalizer<Op, T>::of(x);
}

}  // namespace detail

TESSERA_NAMESPACE_END
