// Loads and stores of shared memory by its own 32-bit addresses.
//
// From a pointer the compiler recomputes the address after every branch or barrier, on sm_90 by reading a special
// register each time: a scan of 128 lanes took one and a half times as long. GPU only. Source: PTX ISA, ld and st.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>

#if TESSERA_CUDA

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The address of shared memory, computed where this is called.
TESSERA_FN unsigned shared_address([[maybe_unused]] void const* pointer) {
#if TESSERA_ARCH
  return detail::opaque(static_cast<unsigned>(__cvta_generic_to_shared(pointer)));
#else
  return 0;
#endif
}

/// Stores a unit of 1, 2 or 4 bytes.
template <class Unit>
TESSERA_FN void store_shared([[maybe_unused]] unsigned address, [[maybe_unused]] Unit x) {
#if TESSERA_ARCH
  unsigned const word = x;
  if constexpr (sizeof(Unit) == 4) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word));
  } else if constexpr (sizeof(Unit) == 2) {
    asm volatile("{ .reg .u16 h; cvt.u16.u32 h, %1; st.shared.u16 [%0], h; }" ::"r"(address), "r"(word));
  } else {
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(address), "r"(word));
  }
#endif
}

/// Stores Count units from `address` on, a multiple of their size.
template <class Unit, unsigned Count>
TESSERA_FN void store_shared([[maybe_unused]] unsigned address, [[maybe_unused]] Unit const (&x)[Count]) {
#if TESSERA_ARCH
  if constexpr (sizeof(Unit) == 4 && Count % 4 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 4) {
      asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address + 4 * i), "r"(x[i]), "r"(x[i + 1]),
                   "r"(x[i + 2]), "r"(x[i + 3]));
    }
  } else if constexpr (sizeof(Unit) == 4 && Count % 2 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 2)
      asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address + 4 * i), "r"(x[i]), "r"(x[i + 1]));
  } else {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; ++i) detail::store_shared(address + i * static_cast<unsigned>(sizeof(Unit)), x[i]);
  }
#endif
}

template <class Unit, unsigned Count>
TESSERA_FN void load_shared([[maybe_unused]] Unit (&x)[Count], [[maybe_unused]] unsigned address) {
#if TESSERA_ARCH
  if constexpr (sizeof(Unit) == 4 && Count % 4 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 4) {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[i]), "=r"(x[i + 1]), "=r"(x[i + 2]), "=r"(x[i + 3])
                   : "r"(address + 4 * i));
    }
  } else if constexpr (sizeof(Unit) == 4 && Count % 2 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 2)
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x[i]), "=r"(x[i + 1]) : "r"(address + 4 * i));
  } else {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      unsigned word = 0;
      unsigned const from = address + i * static_cast<unsigned>(sizeof(Unit));
      if constexpr (sizeof(Unit) == 4) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(from));
      } else if constexpr (sizeof(Unit) == 2) {
        asm volatile("{ .reg .u16 h; ld.shared.u16 h, [%1]; cvt.u32.u16 %0, h; }" : "=r"(word) : "r"(from));
      } else {
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(word) : "r"(from));
      }
      x[i] = static_cast<Unit>(word);
    }
  }
#endif
}

/// Loads if `loads`; otherwise the units are unspecified. Four words at a time are loaded by an instruction under a
/// predicate instead of a branch: then only lanes that load take memory time.
template <class Unit, unsigned Count>
TESSERA_FN void load_shared_if([[maybe_unused]] bool loads, Unit (&x)[Count], unsigned address) {
  if constexpr (sizeof(Unit) == 4 && Count % 4 == 0) {
#if TESSERA_ARCH
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 4) {
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                   : "=r"(x[i]), "=r"(x[i + 1]), "=r"(x[i + 2]), "=r"(x[i + 3])
                   : "r"(address + 4 * i), "r"(unsigned{loads}));
    }
#endif
  } else {
    detail::load_shared(x, address);
  }
}

/// Loads if `loads`; otherwise the units keep their values. One or two words are loaded under a predicate, too.
template <class Unit, unsigned Count>
TESSERA_FN void load_shared_or_keep([[maybe_unused]] bool loads, [[maybe_unused]] Unit (&x)[Count],
                                    [[maybe_unused]] unsigned address) {
#if TESSERA_ARCH
  if constexpr (sizeof(Unit) == 4 && Count == 1) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.shared.u32 %0, [%1]; }"
                 : "+r"(x[0])
                 : "r"(address), "r"(unsigned{loads}));
  } else if constexpr (sizeof(Unit) == 4 && Count == 2) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p ld.shared.v2.u32 {%0, %1}, [%2]; }"
                 : "+r"(x[0]), "+r"(x[1])
                 : "r"(address), "r"(unsigned{loads}));
  } else {
    if (loads) detail::load_shared(x, address);
  }
#endif
}

}  // namespace detail
TESSERA_NAMESPACE_END

#endif
