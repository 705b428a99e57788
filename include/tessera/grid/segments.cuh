// Segments of arrays of any type by any operator: the kernel, for nvcc.
//
//   auto const in_order = tessera::make_operator(join{}, part{});
//   error = tessera::grid::reduce_segments(parts, offsets, segments, wholes, in_order, {stream, memory});
//
// Elements are of any trivially copyable type of up to 48 bytes. The operator is any with an identity; it need not
// commute. Everything else is as in segments.hpp.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/segments/segment_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The number of blocks for which a multiprocessor has shared memory, at most what segments_tuning says. The
/// system takes 1 KiB for each block.
template <class T, class R>
constexpr unsigned segment_blocks_per_multiprocessor() {
  using tuning = segments_tuning;
  constexpr std::size_t fitting = tuning::shared_bytes_per_multiprocessor / (sizeof(segment_storage<T, R>) + 1024);
  return fitting < tuning::blocks_per_multiprocessor ? fitting : tuning::blocks_per_multiprocessor;
}

template <class T, class R, class Op, class Convert>
__global__ void __launch_bounds__(segments_tuning::threads, (segment_blocks_per_multiprocessor<T, R>()))
    segments_kernel(T const* in, segment_offsets offsets, std::int64_t segments, R* out, aligned<Op> op,
                    Convert convert, segment_part<R>* parts, unsigned* counter) {
  wait_for_stream();
  using storage_t = segment_storage<T, R>;
  // Bytes, since T need not have a default constructor.
  __shared__ alignas(storage_t) unsigned char storage[sizeof(storage_t)];
  detail::run_segment_agent(cooperative_groups::this_thread_block(), {threadIdx.x, blockIdx.x, gridDim.x},
                            segment_task<T, R>{in, offsets, segments, out}, op.value, convert,
                            *reinterpret_cast<storage_t*>(storage), parts, counter);
}

template <class Convert, class T, class R, class Op>
cudaError_t reduce_segment_array(T const* in, segment_offsets const& offsets, std::int64_t segments, R* out,
                                 Op const& op, execution on) noexcept {
  int multiprocessors = 0;
  cudaError_t const error = detail::multiprocessors_for(order::this_device, multiprocessors);
  if (error != cudaSuccess) return error;
  unsigned const blocks = static_cast<unsigned>(multiprocessors) * segment_blocks_per_multiprocessor<T, R>();
  pooled_workspace const scratch(on, blocks * sizeof(segment_part<R>));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return detail::launch<segments_kernel<T, R, Op, Convert>>(
      {blocks, segments_tuning::threads}, on.stream, in, offsets, segments, out, op, Convert{},
      static_cast<segment_part<R>*>(scratch.data()), scratch.counters());
}

template <class T>
struct segments_launcher<T, void> {
  template <class R, class Offset, class Op>
  static cudaError_t launch(T const* in, Offset const* offsets, std::int64_t segments, R* out, Op const& op,
                            execution on) noexcept {
    using convert = stl::conditional_t<stl::is_same_v<R, T>, tessera::detail::as_it_is, as_result<R>>;
    static_assert(is_exchangeable_v<T> && sizeof(T) <= 48 && sizeof(R) <= 48,
                  "grid::reduce_segments: elements are trivially copyable, of up to 48 bytes.");
    tessera::detail::require_assignable<R>();
    if (segments == 0) return cudaSuccess;
    if (segments < 0 || !detail::is_array(offsets, segments) || !detail::is_array(out, segments) ||
        !detail::is_array(in, 0) || detail::overlap(offsets, segments + 1, out, segments))
      return cudaErrorInvalidValue;
    if constexpr (can_reduce<tessera::detail::normalized_t<Op, R>, R>()) {
      return detail::reduce_segment_array<convert>(in, segment_offsets::of(offsets), segments, out,
                                                   tessera::detail::normalize<R>(op), on);
    } else {
      return cudaErrorNotSupported;
    }
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
