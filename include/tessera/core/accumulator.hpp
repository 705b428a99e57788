// A reduction with a start combines elements in the start's type. This header checks that the type holds each element,
// and reduces optional values where an operator has no identity.
#pragma once

#include <tessera/core/number.hpp>
#include <tessera/core/operator_traits.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The number of bits, without a sign, of the integers that T represents exactly.
template <class T>
TESSERA_FN constexpr int exact_bits() {
  if constexpr (is_half<T>) {
    return stl::is_same_v<T, __half> ? 11 : 8;
  } else if constexpr (is_integer<T>) {
    return static_cast<int>(8 * sizeof(T)) - (is_signed_integer<T> ? 1 : 0);
  } else {
    return stl::numeric_limits<T>::digits;
  }
}

/// True if To represents each value of From. For types that aren't numbers: if From converts to To.
template <class To, class From>
TESSERA_FN constexpr bool holds_each() {
  if constexpr (stl::is_same_v<To, From>) {
    return true;
  } else if constexpr (!is_number<To> || !is_number<From>) {
    return stl::is_convertible_v<From const&, To>;
  } else if constexpr (is_half_pair<To> || is_half_pair<From> || stl::is_same_v<To, bool>) {
    return false;
  } else if constexpr (is_any_float<From>) {
    constexpr bool is_short_range = stl::is_same_v<To, __half>;
    return is_any_float<To> && !is_short_range && exact_bits<From>() <= exact_bits<To>();
  } else {
    return exact_bits<From>() <= exact_bits<To>() &&
           (is_any_float<To> || is_signed_integer<To> || !is_signed_integer<From>);
  }
}

/// True if a reduction may begin with a start of R, its accumulator's type, and go on with terms of type Term.
template <class R, class Term>
TESSERA_FN constexpr bool can_accumulate() {
  static_assert(holds_each<R, Term>(),
                "A reduction with a start combines values in the start's type, and this one can't hold all elements: "
                "write a start of a wider type (0.0f for floats, 0.0 for doubles, std::int64_t{0} for 64-bit "
                "integers), or convert the elements by the function of transform_reduce or joint_transform_reduce.");
  return holds_each<R, Term>();
}

/// A value, or none yet. Operators without an identity are reduced in this type.
template <class R>
struct optional_term {
  words<R> word;
  stl::uint32_t exists;
};

/// Combines two optional values. It calls op only if both exist.
template <class Op>
struct joins_terms {
  Op op;
  template <class R>
  TESSERA_FN optional_term<R> operator()(optional_term<R> const& a, optional_term<R> const& b) const {
    if (!a.exists) return b;
    if (!b.exists) return a;
    R const all = static_cast<R>(op(detail::from_words<R>(a.word), detail::from_words<R>(b.word)));
    return {detail::to_words(all), 1};
  }
};

/// The accumulator of values of R by Op, a normalized_t: an R, or an optional_term if Op has no identity.
template <class Op, class R, bool HasIdentity = operator_traits<Op, R>::has_identity>
struct accumulation {
  using op = Op;
  using term = R;
  TESSERA_FN static term of(R const& x) { return x; }
  /// start op all.
  TESSERA_FN static R join(R const& start, term const& all, Op const& with) { return static_cast<R>(with(start, all)); }
};
template <class Op, class R>
struct accumulation<Op, R, false> {
  using op = joins_terms<Op>;
  using term = optional_term<R>;
  TESSERA_FN static term of(R const& x) { return {detail::to_words(x), 1}; }
  TESSERA_FN static R join(R const& start, term const& all, op const& with) {
    return static_cast<R>(with.op(start, detail::from_words<R>(all.word)));
  }
};

}  // namespace detail

template <class Op, class R>
struct operator_traits<detail::joins_terms<Op>, detail::optional_term<R>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = operator_traits<Op, R>::commutative;
  TESSERA_FN static detail::optional_term<R> identity(detail::joins_terms<Op> const&) { return {}; }
};

TESSERA_NAMESPACE_END
