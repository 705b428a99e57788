// The library's instances of reduce_segments: what segments.hpp declares.
#pragma once

#include <tessera/grid/segments.cuh>

namespace tessera::grid::detail {

template <class T, class Op, class Offset, class R>
cudaError_t segments_instance(T const* in, Offset const* offsets, std::int64_t segments, R* out,
                              cudaStream_t stream, workspace* memory) noexcept {
  return launch_segments(kernels{}, in, offsets, segments, out, Op{}, stream, memory);
}

}  // namespace tessera::grid::detail

#define TESSERA_SEGMENTS_INSTANCE(T, Op)                                                               \
  template cudaError_t segments_instance<T, Op>(T const*, std::int32_t const*, std::int64_t,           \
                                                reduced_t<T, Op>*, cudaStream_t, workspace*) noexcept; \
  template cudaError_t segments_instance<T, Op>(T const*, std::int64_t const*, std::int64_t,           \
                                                reduced_t<T, Op>*, cudaStream_t, workspace*) noexcept;
#define TESSERA_SEGMENTS_INSTANCES(T)      \
  TESSERA_SEGMENTS_INSTANCE(T, plus)       \
  TESSERA_SEGMENTS_INSTANCE(T, multiplies) \
  TESSERA_SEGMENTS_INSTANCE(T, minimum)    \
  TESSERA_SEGMENTS_INSTANCE(T, maximum)
