// The library's definitions for segments.hpp, of the types in instantiations.py.
// Operators share kernels: see shared_operators.hpp.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// What elements of T are combined by in this part: doubles have a kernel for each extreme, since one that is known when
/// it runs needs more registers than there are. 16-bit floats have one for both.
template <class T, class Op>
struct kernel_of_segments : shared_kernel<T, Op> {
  static constexpr auto of() {
    if constexpr (tessera::detail::is_half<T> && is_one_of<Op, minimum, maximum>) {
      return extreme_of<T>{stl::is_same_v<Op, maximum>};
    } else {
      return shared_kernel<T, Op>::of();
    }
  }
};
template <class Op>
struct kernel_of_segments<double, Op> {
  using type = double;
  static constexpr auto of() {
    if constexpr (is_one_of<Op, minimum, maximum>) {
      return Op{};
    } else {
      return sum_or_product{stl::is_same_v<Op, multiplies>};
    }
  }
};
}  // namespace TESSERA_ARCHS

template <class T, class Op, class Offset, class R>
cudaError_t segments_instantiation(T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                   execution on) noexcept {
  using shared = kernel_of_segments<T, Op>;
  using element = typename shared::type;
  using result = stl::conditional_t<stl::is_same_v<element, T>, R, element>;
  return segments_launcher<element>::launch(reinterpret_cast<element const*>(in), offsets, segments,
                                            reinterpret_cast<result*>(out), shared::of(), on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
