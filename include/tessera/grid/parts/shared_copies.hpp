// Copies to shared memory that the thread doesn't wait for, and loads of units of some bytes. On sm_75, and on host
// tiles, it waits. Source: PTX ISA, cp.async.
#pragma once

#include <tessera/group/shared_words.hpp>
#include <tessera/tile/load_store.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Begins to copy 16 bytes from global to shared memory, both at multiples of 16 bytes.
TESSERA_FN void begin_copy(unsigned char* to, unsigned char const* from) {
#if TESSERA_ARCH >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(tessera::detail::shared_address(to)), "l"(from)
               : "memory");
#else
  tessera::detail::store_sixteen_bytes(to, tessera::detail::load_sixteen_bytes(from));
#endif
}
/// Waits for the thread's copies.
TESSERA_FN void finish_copies() {
#if TESSERA_ARCH >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/// Loads a unit that store_unit may have stored.
template <class Unit>
TESSERA_FN void load_unit(Unit& to, unsigned char const* from) {
#if TESSERA_ARCH
  to = *reinterpret_cast<Unit const*>(from);
#else
  tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(to), from, sizeof(Unit));
#endif
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
