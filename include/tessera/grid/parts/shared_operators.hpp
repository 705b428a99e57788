// Operators that share a kernel: which of two integers is the greater, or how their bits are combined, is known when it runs.
//
//   op        greatest<U>: the greater of a ^ flip and b ^ flip      flip, of 8 bits
//   maximum   of unsigned integers                                   00000000
//   maximum   of signed ones                                         10000000
//   minimum   of unsigned ones                                       11111111
//   minimum   of signed ones                                         01111111
//
// An operator takes some instructions more than one that is known to the compiler. So they serve arrays, for which a GPU waits for
// memory, and where a kernel takes long to compile.
#pragma once

#include <tessera/core/number.hpp>
#include <tessera/grid/parts/instantiations.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Minimum or maximum of signed or unsigned integers, on their bits.
template <class U>
struct greatest {
  U flip;

  TESSERA_FN constexpr U operator()(U const& a, U const& b) const { return (a ^ flip) < (b ^ flip) ? b : a; }
};

/// And, or and exclusive or of bits: those that both have if `both`, and those that differ if `either`.
template <class U>
struct bits_combined {
  U both, either;

  TESSERA_FN constexpr U operator()(U const& a, U const& b) const {
    return (a & b & both) | ((a ^ b) & either);
  }
};

/// What combines elements of T by Op in the library's kernels: `type` is the elements', and of() gives the operator.
template <class T, class Op, bool Integer = tessera::detail::is_integer<T>>
struct shared_kernel {
  using type = combined_as_t<T, Op>;
  static constexpr Op of() { return {}; }
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
    } else if constexpr (is_one_of<Op, bit_and, bit_or, bit_xor>) {
      return bits_combined<type>{stl::is_same_v<Op, bit_xor> ? none : all,
                                 stl::is_same_v<Op, bit_and> ? none : all};
    } else {
      return Op{};
    }
  }
};

}  // namespace grid::detail

template <class U>
struct operator_traits<grid::detail::greatest<U>, U> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  TESSERA_FN static constexpr U identity(grid::detail::greatest<U> const& op) { return op.flip; }
};
template <class U>
struct operator_traits<grid::detail::bits_combined<U>, U> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  /// All bits for `and`, which doesn't keep those that differ.
  TESSERA_FN static constexpr U identity(grid::detail::bits_combined<U> const& op) {
    return static_cast<U>(~op.either);
  }
};

TESSERA_NAMESPACE_END
