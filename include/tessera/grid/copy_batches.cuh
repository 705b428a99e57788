// Copies many buffers of any sizes and alignments: for nvcc.
//
//   sources          p0   p1   p2 …        pointers, destinations and sizes are on the GPU
//   destinations     q0   q1   q2 …
//   sizes            3    70   1000000 …   q0[0 … 2] = p0[0 … 2], and so on
//
//   error = tessera::grid::copy_batches(sources, destinations, sizes, count, {stream, memory});
//
// Source: CUB's DeviceMemcpy::Batched and DeviceCopy::Batched.
#pragma once

#include <tessera/grid/copy/copy_agent.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>

#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Given>
__global__ void __launch_bounds__(copy_tuning::threads) copy_list_kernel(aligned<Given> given, copy_list list) {
  wait_for_stream();
  auto const& task = detail::task_now(given.value);
  detail::run_copy_list_agent(cooperative_groups::this_thread_block(), task, list, blockIdx.x);
}
template <class Given>
__global__ void __launch_bounds__(copy_tuning::threads, copy_tuning::blocks_per_multiprocessor)
    copy_kernel(aligned<Given> given, copy_list list) {
  wait_for_stream();
  auto const& task = detail::task_now(given.value);
  detail::run_copy_agent(cooperative_groups::this_thread_block(), task, list, blockIdx.x, gridDim.x,
                         copy_tuning::threads / 32);
}

template <class Sources, class Destinations, class Sizes, class N>
cudaError_t copy_buffers(Sources const& sources, Destinations const& destinations, Sizes const& sizes, N const& number,
                         unsigned scale, execution on) noexcept {
  std::int64_t const count = detail::most_of(number);
  using tuning = copy_tuning;
  using task_t = copy_task<Sources, Destinations, Sizes>;
  if (!detail::is_array(sources, count) || !detail::is_array(destinations, count) || !detail::is_array(sizes, count) ||
      count > UINT32_MAX || !detail::is_count(number, static_cast<char*>(nullptr), 0))
    return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  int multiprocessors = 0;
  cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  // All blocks that the GPU holds at a time, even for few buffers: those may be long.
  std::int64_t const blocks = multiprocessors * std::int64_t{tuning::blocks_per_multiprocessor};
  std::int64_t const of_warp = detail::ceiling_divide(count, blocks * (tuning::threads / 32));
  task_t const task{sources, destinations, sizes, count, scale, static_cast<unsigned>(of_warp < 32 ? of_warp : 32)};
  auto const given = detail::with_count(task, number);
  pooled_workspace const scratch(on, detail::copy_list_bytes(count));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto const list = copy_list::of(scratch.data(), scratch.counters());
  error = detail::launch<copy_list_kernel<given_task<task_t, N>>>(
      {detail::ceiling_divide(count, tuning::threads), tuning::threads}, on.stream, given, list);
  if (error != cudaSuccess) return error;
  return scratch.clear_after(
      detail::launch<copy_kernel<given_task<task_t, N>>>({blocks, tuning::threads}, on.stream, given, list));
}

/// Arrays of pointers and of sizes, which one kernel reads for all types of a size; iterators as they are.
template <class P, class Reader>
auto pointers_of(Reader const& reader) {
  if constexpr (stl::is_pointer_v<Reader>) {
    return reinterpret_cast<P const*>(reader);
  } else {
    return reader;
  }
}
template <class Reader>
auto sizes_of(Reader const& reader) {
  using bits = stl::conditional_t<sizeof(value_of<Reader>) == 4, std::uint32_t, std::uint64_t>;
  return detail::pointers_of<bits>(reader);
}

/// The bytes of an element; those of void are bytes.
template <class T>
inline constexpr unsigned bytes_of_copied = sizeof(T);
template <>
inline constexpr unsigned bytes_of_copied<void> = 1;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// destinations[i][0 … sizes[i] − 1] = sources[i][0 … sizes[i] − 1], for each i below `count`.
///
/// sources, destinations, sizes    `count` each, in memory that the GPU can access or by random-access iterators
///            (core/iterators.hpp): pointers to such memory, at any multiple of their elements' alignment, and integers
///            of 32 or 64 bits, from 0 on. Elements are of one trivially copyable type; of pointers to void they are
///            bytes. A pointer may be null where the size is 0.
/// count      from 0 to 2^32 − 1, or a count_on_device.
/// Overlap    Each buffer is apart from all others that are written, and from sources, destinations, sizes and a count;
///            that isn't verified.
/// Returns    as all calls on arrays: docs/reference/arrays.md.
/// Cost       two launches, one read and one write of each byte, and two reads of the sizes. A workspace of 8 bytes for
///            every 32 buffers.
template <class Sources, class Destinations, class Sizes, class N>
[[nodiscard]] cudaError_t copy_batches(Sources sources, Destinations destinations, Sizes sizes, N count,
                                       execution on = {}) noexcept {
  using from_t = detail::value_of<Sources>;
  using to_t = detail::value_of<Destinations>;
  using integer = detail::value_of<Sizes>;
  constexpr bool are_sizes = tessera::detail::is_integer<integer> && (sizeof(integer) == 4 || sizeof(integer) == 8);
  static_assert(are_sizes, "grid::copy_batches: sizes are integers of 32 or 64 bits.");
  constexpr bool are_pointers = stl::is_pointer_v<from_t> && stl::is_pointer_v<to_t>;
  static_assert(are_pointers, "grid::copy_batches: sources and destinations are arrays of pointers.");
  using element = stl::remove_pointer_t<to_t>;
  constexpr bool are_alike = stl::is_same_v<stl::remove_cv_t<stl::remove_pointer_t<from_t>>, element>;
  static_assert(are_alike || !are_pointers,
                "grid::copy_batches: sources and destinations have elements of one type, and destinations aren't "
                "const. For bytes write void const* const* and void* const*.");
  if constexpr (!stl::is_void_v<element> && are_pointers) {
    static_assert(is_exchangeable_v<element>,
                  "Elements are trivially copyable; or specialize tessera::is_exchangeable.");
  }
  if constexpr (are_sizes && are_alike && are_pointers) {
    return detail::copy_buffers(detail::pointers_of<void const*>(tessera::detail::reader_of(sources)),
                                detail::pointers_of<void*>(tessera::detail::reader_of(destinations)),
                                detail::sizes_of(tessera::detail::reader_of(sizes)), detail::count_as_given(count),
                                detail::bytes_of_copied<element>, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
