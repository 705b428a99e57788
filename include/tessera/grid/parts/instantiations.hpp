// The explicit instantiations: for which types and operators the library holds kernels.
//
// Other calls go to a class of the call's .hpp, which its .cuh specializes. An overload of the .cuh would have to be
// found by argument-dependent lookup, which looks into the namespaces of a user's types, too.
#pragma once

#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// T under the one name that is instantiated: std::int64_t for `long long`, say.
template <class T, bool Integer = tessera::detail::is_integer<T>>
struct element {
  using type = T;
};
template <class T>
struct element<T, true> {
  static constexpr bool is_signed = tessera::detail::is_signed_integer<T>;
  using type = stl::conditional_t<
      sizeof(T) == 4, stl::conditional_t<is_signed, std::int32_t, std::uint32_t>,
      stl::conditional_t<sizeof(T) == 8, stl::conditional_t<is_signed, std::int64_t, std::uint64_t>, T>>;
};
template <class T>
using element_t = typename element<T>::type;

/// The type whose kernel serves T under Op: sums, products and bits of signed integers are those of unsigned ones.
template <class T, class Op, bool Integer = tessera::detail::is_integer<T>>
struct combined_as {
  using type = T;
};
template <class T, class Op>
struct combined_as<T, Op, true> {
  static constexpr bool ordered = stl::is_same_v<Op, minimum> || stl::is_same_v<Op, maximum>;
  using type = stl::conditional_t<ordered, element_t<T>, element_t<stl::make_unsigned_t<T>>>;
};
template <class T, class Op>
using combined_as_t = typename combined_as<T, Op>::type;

/// The type that a call reads offsets of segments as. They are never negative, so that unsigned ones of 32 bits mean
/// what they say.
template <class Offset>
using offset_t = stl::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::int64_t>;

template <class T, class... Others>
inline constexpr bool is_one_of = (stl::is_same_v<T, Others> || ...);

/// True if the library holds kernels for arrays of T, an element_t.
template <class T>
inline constexpr bool is_element =
    is_one_of<T, float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

/// True if the library holds a kernel that reduces elements of T by Op, a normalized_t.
template <class T, class Op>
inline constexpr bool has_instantiation = is_element<T> &&
                                          (is_one_of<Op, plus, multiplies, minimum, maximum> ||
                                           (tessera::detail::is_integer<T> && is_one_of<Op, bit_and, bit_or, bit_xor>));

// The following functions say whether Op can reduce an array. If it can't, a static assertion says what to write, and
// the launcher returns without any further error of the compiler.

/// True if Op, a normalized_t, combines values of T.
template <class Op, class T>
constexpr bool can_combine() {
  constexpr bool possible = stl::is_invocable_v<Op const&, T const&, T const&>;
  static_assert(possible,
                "op(a, b) combines two elements, and can be called while const; f comes after it, then "
                "the execution, as in reduce(in, n, out, tessera::plus{}, {stream, memory}). Argmin, "
                "argmax, minmax and moments are functions of their own.");
  constexpr bool bits_of_float = tessera::detail::is_any_float<T> && is_one_of<Op, bit_and, bit_or, bit_xor>;
  static_assert(!bits_of_float, "bit_and, bit_or and bit_xor are for integers.");
  return possible && !bits_of_float;
}

/// True if Op combines values of T, and has an identity: the result if there are no elements.
template <class Op, class T>
constexpr bool can_reduce() {
  if constexpr (can_combine<Op, T>()) {
    static_assert(operator_traits<Op, T>::has_identity,
                  "A reduction gives the operator's identity where there are no elements, and this operator "
                  "has none: write make_operator(f, identity), or make_operator(f, identity, commutative) "
                  "where its operands may change places, which is faster.");
    return operator_traits<Op, T>::has_identity;
  } else {
    return false;
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
