// Operators that share a kernel: which of two numbers is the extreme one, or how bits are combined, is known when it
// runs.
//
//   op        greatest<U>: the greater of a ^ flip and b ^ flip      flip, of 8 bits
//   maximum   of unsigned integers                                   00000000
//   maximum   of signed ones                                         10000000
//   minimum   of unsigned ones                                       11111111
//   minimum   of signed ones                                         01111111
//
// Floats have both extremes computed, and one is taken. Doubles, whose extremes take several instructions each, are
// compared by their bits. Products of 32 bits share a kernel, be they of integers or floats; those of integers of 64
// bits do with bit operations. In segments, which take long to compile, sums of doubles do with products.
//
// 16-bit floats share kernels on rows, where both formats are floats (rows/row_element.hpp). An array of them has so
// many elements that arithmetic is what scans and segments wait for: only their extremes share a kernel in segments.
//
// An equality is shared, too: that of numbers of one size, which are told whether they are floats.
//
// An operator takes some instructions more than one that is known to the compiler. So they serve arrays, for which a
// GPU waits for memory, and where a kernel takes long to compile.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/canonical_key.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Minimum or maximum of signed or unsigned integers, on their bits.
template <class U>
struct greatest {
  U flip;

  TESSERA_FN constexpr U operator()(U const& a, U const& b) const { return (a ^ flip) < (b ^ flip) ? b : a; }
};

/// The least and the greatest of signed or unsigned integers, on their bits.
template <class U>
struct both_extremes {
  greatest<U> of_min, of_max;

  TESSERA_FN constexpr min_max<U> operator()(min_max<U> const& a, min_max<U> const& b) const {
    return {of_min(a.min, b.min), of_max(a.max, b.max)};
  }
};

/// Minimum or maximum of floats, as `minimum` and `maximum` have them.
template <class T>
struct extreme_of {
  bool is_greatest;

  TESSERA_FN T operator()(T const& a, T const& b) const {
    T const least = minimum{}(a, b), greatest = maximum{}(a, b);
    return is_greatest ? greatest : least;
  }
};
template <>
struct extreme_of<double> {
  bool is_greatest;

  TESSERA_FN double operator()(double const& a, double const& b) const {
    bool const is_less = key(a) < key(b);
    double const extreme = is_less == is_greatest ? b : a;
    return a != a || b != b ? tessera::detail::one_nan<double>() : extreme;
  }

 private:
  /// Ordered as the numbers are, -0 before +0.
  TESSERA_FN static std::int64_t key(double x) {
    auto const bits = tessera::detail::from_bits<std::int64_t>(x);
    return bits ^ (bits < 0 ? INT64_MAX : 0);
  }
};

/// equal_to of floats, by their bits: NaNs are equal to each other, and −0 to +0. In a loop over neighbors a compiler
/// computes the key of each once.
template <class U>
struct equal_floats {
  TESSERA_FN bool operator()(U const& a, U const& b) const {
    if constexpr (sizeof(U) == 4) {
      return key(a) == key(b);
    } else {
      return equal_to{}(tessera::detail::from_bits<double>(a), tessera::detail::from_bits<double>(b));
    }
  }

 private:
  TESSERA_FN static U key(U x) {
    return tessera::detail::from_bits<U>(tessera::detail::canonical_float<false>(tessera::detail::from_bits<float>(x)));
  }
};
/// equal_to of integers.
template <class U>
struct equal_bits {
  TESSERA_FN constexpr bool operator()(U const& a, U const& b) const { return a == b; }
};
/// equal_to of numbers, by their bits.
template <class U>
struct equal_numbers {
  bool are_floats;

  TESSERA_FN bool operator()(U const& a, U const& b) const {
    return are_floats ? equal_floats<U>{}(a, b) : equal_bits<U>{}(a, b);
  }
};

/// use(equal); with equal_numbers, by one branch, use(equal_floats) or use(equal_bits), for a loop over many pairs.
template <class Equal, class Use>
TESSERA_FN auto with_equality(Equal const& equal, Use const& use) {
  return use(equal);
}
template <class U, class Use>
TESSERA_FN auto with_equality(equal_numbers<U> const& equal, Use const& use) {
  return equal.are_floats ? use(equal_floats<U>{}) : use(equal_bits<U>{});
}

/// And, or and exclusive or of bits: those that both have if `both`, and those that differ if `either`.
template <class U>
struct bits_combined {
  U both, either;

  TESSERA_FN constexpr U operator()(U const& a, U const& b) const { return (a & b & both) | ((a ^ b) & either); }
};

/// Products of numbers of 32 bits, on their bits: of integers, or of floats.
struct either_product {
  bool are_floats;

  TESSERA_FN std::uint32_t operator()(std::uint32_t const& a, std::uint32_t const& b) const {
    float const of_floats =
        tessera::detail::rounded_multiply(tessera::detail::from_bits<float>(a), tessera::detail::from_bits<float>(b));
    return are_floats ? tessera::detail::from_bits<std::uint32_t>(of_floats) : a * b;
  }
};

/// Products of integers, or bits combined.
struct product_or_bits {
  bits_combined<std::uint64_t> bits;
  bool is_product;

  TESSERA_FN constexpr std::uint64_t operator()(std::uint64_t const& a, std::uint64_t const& b) const {
    return is_product ? a * b : bits(a, b);
  }
};

/// Sum or product of doubles.
struct sum_or_product {
  bool is_product;

  TESSERA_FN double operator()(double const& a, double const& b) const {
    double const sum = plus{}(a, b), product = multiplies{}(a, b);
    return is_product ? product : sum;
  }
};

/// The comparison of numbers of T in the library's kernels: `type` is theirs, and of() gives the equality.
template <class T>
struct shared_equality {
  using type = stl::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr equal_numbers<type> of() { return {tessera::detail::is_float<T>}; }
};

/// The combination of elements of T by Op in the library's kernels: `type` is the elements', of() gives the operator.
template <class T, class Op, bool Integer = tessera::detail::is_integer<T>>
struct shared_kernel {
  static constexpr bool shares_product = stl::is_same_v<T, float> && stl::is_same_v<Op, multiplies>;
  using type = stl::conditional_t<shares_product, std::uint32_t, combined_as_t<T, Op>>;

  static constexpr auto of() {
    if constexpr (shares_product) {
      return either_product{true};
    } else if constexpr (is_one_of<Op, minimum, maximum> && tessera::detail::is_float<T>) {
      return extreme_of<T>{stl::is_same_v<Op, maximum>};
    } else {
      return Op{};
    }
  }
};
template <class T, class Op>
struct shared_kernel<T, Op, true> {
  using type = element_t<stl::make_unsigned_t<T>>;

  static constexpr auto of() {
    constexpr type none = 0, all = static_cast<type>(~none);
    if constexpr (is_one_of<Op, minimum, maximum>) {
      constexpr type sign = static_cast<type>(type{1} << (8 * sizeof(type) - 1));
      return greatest<type>{static_cast<type>((tessera::detail::is_signed_integer<T> ? sign : none) ^
                                              (stl::is_same_v<Op, minimum> ? all : none))};
    } else if constexpr (sizeof(T) == 4 && stl::is_same_v<Op, multiplies>) {
      return either_product{false};
    } else if constexpr (is_one_of<Op, bit_and, bit_or, bit_xor> ||
                         (sizeof(T) == 8 && stl::is_same_v<Op, multiplies>)) {
      constexpr bits_combined<type> bits{stl::is_same_v<Op, bit_xor> ? none : all,
                                         stl::is_same_v<Op, bit_and> ? none : all};
      if constexpr (sizeof(T) == 8) {
        return product_or_bits{bits, stl::is_same_v<Op, multiplies>};
      } else {
        return bits;
      }
    } else if constexpr (stl::is_same_v<Op, tessera::minmax>) {
      return both_extremes<type>{shared_kernel<T, minimum>::of(), shared_kernel<T, maximum>::of()};
    } else {
      return Op{};
    }
  }
};

}  // namespace grid::detail

template <class U>
struct operator_traits<grid::detail::both_extremes<U>, min_max<U>> : detail::builtin_traits<true> {
  TESSERA_FN static constexpr min_max<U> identity(grid::detail::both_extremes<U> const& op) {
    return {op.of_min.flip, op.of_max.flip};
  }
};
template <class U>
struct operator_traits<grid::detail::greatest<U>, U> : detail::builtin_traits<true> {
  TESSERA_FN static constexpr U identity(grid::detail::greatest<U> const& op) { return op.flip; }
};
template <class T>
struct operator_traits<grid::detail::extreme_of<T>, T> : detail::builtin_traits<true> {
  TESSERA_FN static T identity(grid::detail::extreme_of<T> const& op) {
    return op.is_greatest ? detail::lowest<T>() : detail::highest<T>();
  }
};
template <class U>
struct operator_traits<grid::detail::bits_combined<U>, U> : detail::builtin_traits<true> {
  /// All bits for `and`, which doesn't keep those that differ.
  TESSERA_FN static constexpr U identity(grid::detail::bits_combined<U> const& op) {
    return static_cast<U>(~op.either);
  }
};
template <>
struct operator_traits<grid::detail::either_product, std::uint32_t> : detail::builtin_traits<true> {
  TESSERA_FN static std::uint32_t identity(grid::detail::either_product const& op) {
    return op.are_floats ? detail::from_bits<std::uint32_t>(1.0f) : 1;
  }
};
template <>
struct operator_traits<grid::detail::product_or_bits, std::uint64_t> : detail::builtin_traits<true> {
  TESSERA_FN static constexpr std::uint64_t identity(grid::detail::product_or_bits const& op) {
    return op.is_product ? 1 : ~op.bits.either;
  }
};
template <>
struct operator_traits<grid::detail::sum_or_product, double> : detail::builtin_traits<true> {
  TESSERA_FN static double identity(grid::detail::sum_or_product const& op) { return op.is_product ? 1.0 : 0.0; }
  TESSERA_FN static double neutral(grid::detail::sum_or_product const& op) { return op.is_product ? 1.0 : -0.0; }
};

namespace detail {

template <>
struct nan_canonicalizer<grid::detail::sum_or_product, double> {
  TESSERA_FN static double of(double x) { return detail::with_canonical_nan(x); }
};

}  // namespace detail

TESSERA_NAMESPACE_END
