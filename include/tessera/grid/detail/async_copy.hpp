// 16 bytes from global to shared memory without a register in between.
//
// Source: PTX ISA, `cp.async` (sm_80 on). Before it, and on a host, a load and a store.
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/bits.hpp>

namespace tessera::grid::detail {

/// Both are multiples of 16. What it writes can be read by this thread after wait_for_copies.
TESSERA_FN void copy_sixteen_bytes(void* shared, void const* global) {
#if TESSERA_ARCH >= 800
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#elif TESSERA_ARCH
  *static_cast<uint4*>(shared) = *static_cast<uint4 const*>(global);
#else
  tessera::detail::copy_bytes(shared, global, 16);
#endif
}

/// Waits for all copies of this thread.
TESSERA_FN void wait_for_copies() {
#if TESSERA_ARCH >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace tessera::grid::detail
