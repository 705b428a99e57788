// The bytes of a value as another type's.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Copies as memcpy does, and into types whose copy constructors only look as if they did something.
TESSERA_FN void copy_bytes(void* to, void const* from, stl::size_t bytes) {
  compiler::copy(to, from, bytes);
}

/// The value of type To whose bytes are those of `from`.
template <class To, class From>
TESSERA_FN To from_bits(From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  detail::copy_bytes(TESSERA_ADDRESS_OF(to), TESSERA_ADDRESS_OF(from), sizeof(To));
  return to;
}

/// x, of which the compiler knows nothing any more: so that it doesn't make two copies of the code behind it, one for each
/// value that it has seen.
TESSERA_FN stl::uint32_t opaque(stl::uint32_t x) {
#if TESSERA_ARCH
  asm("" : "+r"(x));
#endif
  return x;
}

/// x, computed where this is called, whether or not the result is used. Unlike `opaque`, it hides nothing of an x that is computed
/// elsewhere, too: there the compiler takes what it has computed here, and still knows what it is.
TESSERA_FN stl::uint32_t found_once(stl::uint32_t x) {
#if TESSERA_ARCH
  asm volatile("" : "+r"(x));
#endif
  return x;
}

}  // namespace detail
TESSERA_NAMESPACE_END
