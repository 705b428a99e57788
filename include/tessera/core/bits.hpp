// Reinterpreting the bytes of a value, and the integers that have as many.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Copies as memcpy does. Unlike memcpy it accepts types whose copy constructors are trivial in fact but not by
/// declaration.
TESSERA_FN void copy_bytes(void* to, void const* from, stl::size_t bytes) {
  compiler::copy(to, from, bytes);
}

/// The value of type To that has the bytes of `from`.
template <class To, class From>
TESSERA_FN To from_bits(From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  From const held = from;  // in memory `from` is aligned; copy_bytes would load each byte alone
  To to;
  detail::copy_bytes(TESSERA_ADDRESS_OF(to), TESSERA_ADDRESS_OF(held), sizeof(To));
  return to;
}

/// The unsigned integer of so many bytes.
template <stl::size_t Bytes>
struct unsigned_of {
  using type = stl::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = stl::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = stl::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = stl::uint64_t;
};

/// Returns x, but hides its value from the compiler, which otherwise specializes the following code for each value it
/// has seen.
TESSERA_FN stl::uint32_t opaque(stl::uint32_t x) {
#if TESSERA_ARCH
  asm("" : "+r"(x));
#endif
  return x;
}

/// Returns x and makes the compiler compute it here, even if the result isn't used. Unlike `opaque` it doesn't hide the
/// value: another computation of the same x may reuse this one.
TESSERA_FN stl::uint32_t found_once(stl::uint32_t x) {
#if TESSERA_ARCH
  asm volatile("" : "+r"(x));
#endif
  return x;
}

/// Returns `bits`, with those of `more` if x isn't above `last`: by a comparison, and an operation that depends on it.
/// nvcc 13.0 chooses between `more` and 0 before it.
TESSERA_FN stl::uint32_t with_bits_up_to(stl::uint32_t bits, stl::uint32_t more, stl::uint32_t x, stl::uint32_t last) {
#if TESSERA_ARCH
  asm("{ .reg .pred up_to; setp.le.u32 up_to, %1, %2; @up_to or.b32 %0, %0, %3; }"
      : "+r"(bits)
      : "r"(x), "r"(last), "r"(more));
  return bits;
#else
  return x <= last ? bits | more : bits;
#endif
}

}  // namespace detail
TESSERA_NAMESPACE_END
