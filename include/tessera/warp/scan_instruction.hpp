// One step of a warp's scan on the GPU for sums of 32-bit numbers: the shuffle's own predicate controls the addition.
//
// In C++ the compiler needs an extra selection or copy. Source: PTX ISA, `shfl.sync`.
#pragma once

#include <tessera/group/warp_group.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if there is such a step for values of T. (On two lanes, floats would wait longer for that predicate than for
/// the rank's.)
template <class Group, class T, class Op>
inline constexpr bool has_scan_step = false;
#if TESSERA_ARCH
template <unsigned N, class Mask>
inline constexpr bool has_scan_step<warp_group<N, Mask>, float, plus> = N > 2;
template <unsigned N, class Mask>
inline constexpr bool has_scan_step<warp_group<N, Mask>, int, plus> = true;
template <unsigned N, class Mask>
inline constexpr bool has_scan_step<warp_group<N, Mask>, unsigned, plus> = true;
#endif

/// The x of the lane `delta` before (with `Suffix`, after) plus this lane's x; this lane's alone if there is none.
template <bool Suffix, class Group, class T>
TESSERA_FN T add_predecessor([[maybe_unused]] Group group, T x, [[maybe_unused]] unsigned delta) {
#if TESSERA_ARCH
  constexpr int bounds = static_cast<int>((32 - Group::size) << 8 | (Suffix ? 31 : 0));
  unsigned const mask = group.mask();
  if constexpr (stl::is_same_v<T, float> && Suffix) {
    asm volatile(
        "{ .reg .f32 y; .reg .pred p; shfl.sync.down.b32 y|p, %0, %1, %2, %3; @p add.rn.f32 y, y, %0; "
        "mov.f32 %0, y; }"
        : "+f"(x)
        : "r"(delta), "n"(bounds), "r"(mask));
  } else if constexpr (stl::is_same_v<T, float>) {
    asm volatile(
        "{ .reg .f32 y; .reg .pred p; shfl.sync.up.b32 y|p, %0, %1, %2, %3; @p add.rn.f32 y, y, %0; mov.f32 "
        "%0, y; }"
        : "+f"(x)
        : "r"(delta), "n"(bounds), "r"(mask));
  } else if constexpr (Suffix) {
    asm volatile(
        "{ .reg .u32 y; .reg .pred p; shfl.sync.down.b32 y|p, %0, %1, %2, %3; @p add.u32 y, y, %0; mov.u32 "
        "%0, y; }"
        : "+r"(x)
        : "r"(delta), "n"(bounds), "r"(mask));
  } else {
    asm volatile(
        "{ .reg .u32 y; .reg .pred p; shfl.sync.up.b32 y|p, %0, %1, %2, %3; @p add.u32 y, y, %0; mov.u32 %0, "
        "y; }"
        : "+r"(x)
        : "r"(delta), "n"(bounds), "r"(mask));
  }
#endif
  return x;
}

}  // namespace detail
TESSERA_NAMESPACE_END
