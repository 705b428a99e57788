// One kernel for argmin and argmax, and of integers for signed and unsigned ones: the least is sought of elements that
// have bits flipped.
//
//   flipped bits    argmin              argmax
//   floats          none                the sign
//   unsigned        none                all
//   signed          the sign            all but the sign     they are compared as unsigned ones
//
// The result's bits are flipped back. So a NaN comes back as it was, and what no elements give is the operator's
// identity.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/words.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The bits of a number that are flipped: A is the type that elements are compared in.
template <class A>
struct flipped_bits {
  using bits = typename tessera::detail::unsigned_of<sizeof(A)>::type;
  bits flip = 0;

  /// The bits to flip in elements of T, so that the least is what is sought: the greatest, or the least.
  template <class T = A>
  static constexpr flipped_bits of(bool greatest) {
    constexpr bits none = 0, all = static_cast<bits>(~none);
    constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(A) - 1));
    if constexpr (tessera::detail::is_integer<T>) {
      constexpr bool as_unsigned = tessera::detail::is_signed_integer<T> && !tessera::detail::is_signed_integer<A>;
      return {static_cast<bits>((as_unsigned ? sign : none) ^ (greatest ? all : none))};
    } else {
      return {greatest ? sign : none};
    }
  }
  TESSERA_FN A operator()(A x) const {
    return tessera::detail::from_bits<A>(static_cast<bits>(tessera::detail::from_bits<bits>(x) ^ flip));
  }
  /// Elements of A: word by word.
  template <class Elements>
  TESSERA_FN Elements each(Elements const& x) const {
    auto words = tessera::detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < tessera::detail::word_count<Elements>; ++i) words.word[i] ^= word(i);
    return tessera::detail::from_words<Elements>(words);
  }

 private:
  /// The bits to flip in word i of neighboring elements.
  TESSERA_FN std::uint32_t word([[maybe_unused]] unsigned i) const {
    if constexpr (sizeof(A) == 8) {
      return static_cast<std::uint32_t>(flip >> (i % 2 * 32));
    } else {
      constexpr std::uint32_t each_place = sizeof(A) == 4 ? 1u : sizeof(A) == 2 ? 0x10001u : 0x1010101u;
      return flip * each_place;
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
