// The library's definitions for segments.hpp, of the types in instantiations.py.
// Signed and unsigned integers share kernels, and so do minimum and maximum, and bit operations: see
// shared_operators.hpp.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// Doubles have a kernel for each operator: an extreme that is known when it runs needs more registers than there are.
template <class Op>
struct kernel_of_doubles {
  using type = double;
  static constexpr Op of() { return {}; }
};

}  // namespace TESSERA_ARCHS

template <class T, class Op, class Offset, class R>
cudaError_t segments_instantiation(T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                   execution on) noexcept {
  using shared = stl::conditional_t<stl::is_same_v<T, double>, kernel_of_doubles<Op>, shared_kernel<T, Op>>;
  using element = typename shared::type;
  using result = stl::conditional_t<stl::is_same_v<element, T>, R, element>;
  return segments_launcher<element>::launch(reinterpret_cast<element const*>(in), offsets, segments,
                                            reinterpret_cast<result*>(out), shared::of(), on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
