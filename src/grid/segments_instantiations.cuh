// The library's explicit instantiations of reduce_segments: the functions that segments.hpp declares.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class Offset, class R>
cudaError_t segments_instantiation(T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                   cudaStream_t stream, workspace* memory) noexcept {
  using shared = shared_kernel<T, Op>;
  using element = typename shared::type;
  using result = stl::conditional_t<stl::is_same_v<element, T>, R, element>;
  return segments_launcher<element>::launch(reinterpret_cast<element const*>(in), offsets, segments,
                                            reinterpret_cast<result*>(out), shared::of(), stream, memory);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

#define TESSERA_SEGMENTS_INSTANTIATION(T, Op)                                                               \
  template cudaError_t segments_instantiation<T, Op>(T const*, std::uint32_t const*, std::int64_t,          \
                                                     reduced_t<T, Op>*, cudaStream_t, workspace*) noexcept; \
  template cudaError_t segments_instantiation<T, Op>(T const*, std::int64_t const*, std::int64_t,           \
                                                     reduced_t<T, Op>*, cudaStream_t, workspace*) noexcept;
#define TESSERA_SEGMENTS_INSTANTIATIONS(T)      \
  TESSERA_SEGMENTS_INSTANTIATION(T, plus)       \
  TESSERA_SEGMENTS_INSTANTIATION(T, multiplies) \
  TESSERA_SEGMENTS_INSTANTIATION(T, minimum)    \
  TESSERA_SEGMENTS_INSTANTIATION(T, maximum)
