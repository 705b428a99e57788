// Segments of arrays of any type in any order: the kernels of sort_segments.hpp, for nvcc.
//
//   error = tessera::grid::sort_segments(points, n, offsets, segments, sorted, nearer{}, {stream, memory});
//   error = tessera::grid::sort_segments_by_key(points, names, n, offsets, segments, points_out, names_out, nearer{},
//                                               {stream, memory});
//   auto const windows = tessera::grid::segments_between(begins, ends);  // or others of segment_list.hpp
//   error = tessera::grid::sort_segments(points, n, windows, segments, sorted, nearer{}, {stream, memory});
//   auto const keys = thrust::make_transform_iterator(points, distance_of{});  // or another random-access iterator
//   error = tessera::grid::sort_segments_by_key(keys, names, n, offsets, segments, keys_out, names_out);
//
// Elements, keys and values are of any trivially copyable type of up to 64 bytes, with or without a default
// constructor. All sorts are stable, but for floats in `less` and `greater` without values, as in sort_segments.hpp.
// Numbers of up to 64 bits in these two orders, alone or with values of 4 or 8 bytes, are sorted as the library sorts
// them. For all other types a block sorts 2048 elements at a time, or 1024 if key and value have more than 16 bytes;
// comparisons read the elements from global memory. Everything else is as in sort_segments.hpp.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/segments/copy_each_segment.hpp>
#include <tessera/grid/segments/segment_input.hpp>
#include <tessera/grid/sort/sort_long_segments_agent.hpp>
#include <tessera/grid/sort_segments.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Codec>
__global__ void __launch_bounds__(segment_sort_tuning::threads, Codec::blocks_per_multiprocessor)
    sort_segments_kernel(segment_sort_task<Codec> task, long_segment_list longs) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_sort_segments_agent(cooperative_groups::this_thread_block(), threadIdx.x, blockIdx.x, gridDim.x, task,
                                  longs, *reinterpret_cast<segment_sort_storage<Codec>*>(shared));
}
template <class Codec>
__global__ void __launch_bounds__(segment_sort_tuning::threads, Codec::blocks_per_multiprocessor)
    long_segments_kernel(segment_sort_task<Codec> task, long_segment_list longs, unsigned* counter) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_sort_long_segments_agent(cooperative_groups::this_thread_block(), threadIdx.x, gridDim.x, task, longs,
                                       *reinterpret_cast<segment_sort_storage<Codec>*>(shared), counter);
}

/// The size and alignment of keys or values, in bytes. Values of 0 bytes: there are none.
struct element_shape {
  std::size_t size, align;
};
/// These say whether the arrays of a call are valid, and apart where they must be.
inline bool is_array_of(void const* p, std::int64_t n, element_shape shape) noexcept {
  if (n < 0 || n > INT64_MAX / static_cast<std::int64_t>(shape.size)) return false;
  return (p != nullptr || n == 0) && reinterpret_cast<std::uintptr_t>(p) % shape.align == 0;
}
inline bool are_apart_of(void const* p, element_shape a, void const* q, element_shape b, std::int64_t n) noexcept {
  return !detail::overlap(static_cast<char const*>(p), n * static_cast<std::int64_t>(a.size),
                          static_cast<char const*>(q), n * static_cast<std::int64_t>(b.size));
}
inline bool are_sortable_elements(segment_sort_call const& call, element_shape key, element_shape value) noexcept {
  bool const fine = detail::is_array_of(call.keys, call.n, key) && detail::is_array_of(call.keys_out, call.n, key) &&
                    (call.keys == call.keys_out || detail::are_apart_of(call.keys, key, call.keys_out, key, call.n));
  if (value.size == 0) return fine;
  return fine && detail::is_array_of(call.values, call.n, value) &&
         detail::is_array_of(call.values_out, call.n, value) &&
         (call.values == call.values_out || detail::are_apart_of(call.values, value, call.values_out, value, call.n)) &&
         detail::are_apart_of(call.keys, key, call.values_out, value, call.n) &&
         detail::are_apart_of(call.values, value, call.keys_out, key, call.n) &&
         detail::are_apart_of(call.keys_out, key, call.values_out, value, call.n);
}
inline bool are_sortable(segment_sort_call const& call, element_shape key, element_shape value) noexcept {
  if (call.segments < 0 || call.n < 0) return false;
  if (call.segments == 0 || call.n == 0) return true;
  element_shape const offset = call.wide_offsets ? element_shape{8, 8} : element_shape{4, 4};
  if (call.segments == INT64_MAX || !detail::is_array_of(call.offsets, call.segments + 1, offset)) return false;
  std::int64_t const offset_bytes = (call.segments + 1) * static_cast<std::int64_t>(offset.size);
  auto const holds_offsets = [&](void const* out, element_shape shape) {
    return detail::overlap(static_cast<char const*>(out), call.n * static_cast<std::int64_t>(shape.size),
                           static_cast<char const*>(call.offsets), offset_bytes);
  };
  return detail::are_sortable_elements(call, key, value) && !holds_offsets(call.keys_out, key) &&
         (value.size == 0 || !holds_offsets(call.values_out, value));
}

/// The task of one call. `spare`, in the workspace, has room for the keys in `key_bytes` bytes, and then for the
/// values.
template <class Codec, class MakeArrays>
segment_sort_task<Codec> make_task(Codec const& codec, segment_sort_call const& call, void* spare,
                                   std::size_t key_bytes, MakeArrays const& arrays_of) {
  auto* const spare_values = static_cast<char*>(spare) + key_bytes;
  return {codec,
          arrays_of(const_cast<void*>(call.keys), const_cast<void*>(call.values)),
          arrays_of(call.keys_out, call.values_out),
          arrays_of(spare, spare_values),
          {call.offsets, call.wide_offsets},
          call.segments};
}

/// Launches a kernel whose blocks sort in dynamic shared memory. With the memory of its collectives, a block has more
/// than the 48 KiB that static memory may have, and less than the 64 KiB of every GPU from sm_75 on.
template <class Codec, auto* Kernel, class... Arguments>
cudaError_t launch_sorter(launch_shape shape, cudaStream_t stream, Arguments const&... arguments) noexcept {
  shape.shared_bytes = sizeof(segment_sort_storage<Codec>);
  return detail::launch<Kernel>(shape, stream, arguments...);
}

/// Launches the kernel for short segments, and the one for long segments if n allows any. arrays_of(keys, values) makes
/// a Codec::arrays.
template <class Codec, class MakeArrays>
cudaError_t sort_segments_by(Codec const& codec, segment_sort_call const& call, element_shape key, element_shape value,
                             MakeArrays const& arrays_of, execution on) noexcept {
  using tuning = segment_sort_tuning;
  if (!detail::are_sortable(call, key, value)) return cudaErrorInvalidValue;
  if (call.segments == 0 || call.n == 0) return cudaSuccess;
  int multiprocessors = 0;
  cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  auto const shape_for = [&](std::int64_t parts) {
    std::int64_t const most = std::int64_t{multiprocessors} * Codec::blocks_per_multiprocessor;
    return launch_shape{parts < most ? parts : most, tuning::threads};
  };
  launch_shape const shape = shape_for(detail::ceiling_divide(call.n, tuning::least_part) +
                                       detail::ceiling_divide(call.segments, tuning::least_part));
  if (call.n <= Codec::capacity) {
    auto const task = detail::make_task(codec, call, nullptr, 0, arrays_of);
    return detail::launch_sorter<Codec, sort_segments_kernel<Codec>>(shape, on.stream, task,
                                                                     long_segment_list{nullptr, nullptr});
  }
  static_assert(sizeof(long_segment_tile) == segment_sort_memory::bytes_of_tile &&
                Codec::capacity >= tuning::least_capacity);
  auto const n = static_cast<std::size_t>(call.n), tiles = 2 * n / Codec::capacity;
  segment_sort_memory const memory(n, Codec::capacity, key.size, value.size);
  pooled_workspace const scratch(on, memory.bytes);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const list = static_cast<char*>(scratch.data());
  long_segment_list const longs{reinterpret_cast<long_segment_tile*>(list), scratch.slot_words()};
  auto const task = detail::make_task(codec, call, list + memory.list_bytes, memory.key_bytes, arrays_of);
  error = detail::launch_sorter<Codec, sort_segments_kernel<Codec>>(shape, on.stream, task, longs);
  if (error != cudaSuccess) return error;
  return scratch.clear_after(detail::launch_sorter<Codec, long_segments_kernel<Codec>>(
      shape_for(static_cast<std::int64_t>(tiles)), on.stream, task, longs, scratch.counters()));
}

/// Sorts segments of numbers. Values move with the numbers as bytes.
template <class T, class Before>
cudaError_t sort_number_segments(segment_sort_call const& call, execution on) noexcept {
  using bits = typename unsigned_of<sizeof(T)>::type;
  auto const coding = key_coding<bits>::template of<T, stl::is_same_v<Before, greater>>();
  element_shape const key{sizeof(T), alignof(T)};
  if (call.moved == moved_with_keys::nothing) {
    return detail::sort_segments_by(
        direct_keys<bits>{coding}, call, key, {0, 1},
        [](void* keys, void*) { return typename direct_keys<bits>::arrays{static_cast<bits*>(keys)}; }, on);
  }
  auto const bytes = static_cast<unsigned>(call.moved);
  return detail::sort_segments_by(
      packed_keys<bits>{coding}, call, key, {bytes, bytes > 0 ? bytes : 1},
      [bytes](void* keys, void* values) {
        return typename packed_keys<bits>::arrays{static_cast<bits*>(keys), {values, bytes}};
      },
      on);
}

/// Sorts segments of all other types, by a comparator.
template <class T, class Value, class Before>
cudaError_t sort_compared_segments(Before const& before, segment_sort_call const& call, execution on) noexcept {
  using codec = compared_keys<T, Value, Before>;
  constexpr bool has_values = codec::has_values;
  element_shape const key{sizeof(T), alignof(T)};
  element_shape const value = has_values ? element_shape{sizeof(Value), alignof(Value)} : element_shape{0, 1};
  return detail::sort_segments_by(
      codec{before}, call, key, value,
      [](void* keys, void* values) {
        return typename codec::arrays{static_cast<typename codec::key_bytes*>(keys),
                                      static_cast<typename codec::value_bytes*>(values)};
      },
      on);
}

template <class T>
struct sort_segments_launcher<T, void> {
  template <class Value, class Before>
  static cudaError_t launch(segment_sort_call const& call, T const*, Value const*, Before const& before,
                            execution on) noexcept {
    using comparator = tessera::detail::canonical_comparator_t<Before, T>;
    using value = stl::conditional_t<stl::is_void_v<Value>, no_values, Value>;
    static_assert(is_exchangeable_v<T> && is_exchangeable_v<value> && sizeof(T) <= 64 && sizeof(value) <= 64,
                  "grid::sort_segments: elements, keys and values are trivially copyable, of up to 64 bytes.");
    if constexpr (tessera::detail::has_sort_key<T, comparator> &&
                  (stl::is_void_v<Value> || has_value_instantiation<value>)) {
      return detail::sort_number_segments<T, comparator>(call, on);
    } else {
      return detail::sort_compared_segments<T, value>(tessera::detail::canonical_comparator<T>(before), call, on);
    }
  }
};

/// Copies each segment to its place in an array without gaps, or back.
template <class T, class Ranges>
cudaError_t copy_segments(T const* from, T* to, located_segments<Ranges> const& located, std::int64_t count, bool back,
                          execution on) noexcept {
  using bytes = opaque_t<T>;
  using ends = placed_segments<bytes>;
  return detail::for_each_segment(
      located.lengths.ranges, count,
      segment_copy<ends>{{reinterpret_cast<bytes const*>(from), reinterpret_cast<bytes*>(to), located.begins, back}},
      on);
}

template <class In>
__global__ void __launch_bounds__(sort_input_tuning::threads)
    segment_input_kernel(aligned<segment_input_task<In>> task) {
  wait_for_stream();
  detail::run_segment_input_agent(threadIdx.x, blockIdx.x, task.value);
}

/// Copies the elements of all segments from a reader to the array where they are sorted in place. A pointer's are not
/// copied.
template <class T, class Out, class Offset>
cudaError_t copy_input(T const*, std::int64_t, Out*, Offset const*, std::int64_t, execution) noexcept {
  return cudaSuccess;
}
template <class In, class T, class Offset>
cudaError_t copy_input(In const& in, std::int64_t n, T* out, Offset const* offsets, std::int64_t segments,
                       execution on) noexcept {
  launch_shape const shape{detail::ceiling_divide(n, sort_input_tuning::of_block), sort_input_tuning::threads};
  return detail::launch<segment_input_kernel<In>>(
      shape, on.stream,
      segment_input_task<In>{in, reinterpret_cast<opaque_t<T>*>(out), segment_offsets::of(offsets), segments});
}
/// Copies each segment to its place in an array without gaps.
template <class T, class Ranges>
cudaError_t gather_segments(T const* from, T* to, located_segments<Ranges> const& located, std::int64_t count,
                            execution on) noexcept {
  return detail::copy_segments(from, to, located, count, false, on);
}
template <class In, class T, class Ranges>
cudaError_t gather_segments(In const& in, T* to, located_segments<Ranges> const& located, std::int64_t count,
                            execution on) noexcept {
  using ends = gathered_segments<In>;
  return detail::for_each_segment(located.lengths.ranges, count,
                                  segment_copy<ends>{{in, reinterpret_cast<opaque_t<T>*>(to), located.begins}}, on);
}

/// Where elements are sorted from: the array that a pointer points to, or the output, to which a reader's are copied.
template <class T, class Out>
T const* sorted_from(T const* in, Out*) noexcept {
  return in;
}
template <class In, class Out>
Out const* sorted_from(In const&, Out* out) noexcept {
  return out;
}

/// The size and alignment of keys or values; void: there are none.
template <class T>
inline constexpr element_shape shape_of{sizeof(T), alignof(T)};
template <>
inline constexpr element_shape shape_of<void>{0, 1};

/// Sorts segments by offsets of elements that readers read. sort(keys, values, offsets, keys_out, values_out, on) is
/// the call by pointers. There is a value for each key unless Value is void.
template <class Keys, class Values, class Offset, class Key, class Value, class Sort>
cudaError_t sort_by_offsets(Keys const& keys, Values const& values, std::int64_t n, Offset const* offsets,
                            std::int64_t segments, Key* keys_out, Value* values_out, execution on,
                            Sort const& sort) noexcept {
  auto const* const from = detail::sorted_from(keys, keys_out);
  auto const* const values_from = detail::sorted_from(values, values_out);
  if constexpr (stl::is_pointer_v<Keys> && stl::is_pointer_v<Values>) {
    return sort(from, values_from, offsets, keys_out, values_out, on);
  } else {
    segment_sort_call const call{from,     values_from, n,          offsets, sizeof(Offset) == 8,
                                 segments, keys_out,    values_out, {}};
    if (!detail::are_sortable(call, shape_of<Key>, shape_of<Value>)) return cudaErrorInvalidValue;
    if (n == 0 || segments == 0) return cudaSuccess;
    auto const run = [&](execution within) {
      cudaError_t error = detail::copy_input(keys, n, keys_out, offsets, segments, within);
      if (error == cudaSuccess) error = detail::copy_input(values, n, values_out, offsets, segments, within);
      return error == cudaSuccess ? sort(from, values_from, offsets, keys_out, values_out, within) : error;
    };
    // The first launch comes after the sort has its memory.
    segment_scratch const inside = detail::sorted_scratch(n, sizeof(Key), shape_of<Value>.size);
    if (inside.bytes == 0) return run(on);
    pooled_workspace const scratch(on, inside.bytes);
    return scratch.error() == cudaSuccess ? run(scratch.inside()) : scratch.error();
  }
}

/// Sorts segments that are given by a list of segment_list.hpp. Segments by begins and ends are copied into an array
/// without gaps, sorted there, and copied back.
template <class Keys, class Values, class Segments, class N, class Key, class Value, class Sort>
cudaError_t sort_listed(Keys const& keys, Values const& values, std::int64_t n, Segments const& by, N const& number,
                        Key* keys_out, Value* values_out, execution on, Sort const& sort) noexcept {
  std::int64_t const count = detail::most_of(number);
  constexpr std::size_t value_bytes = shape_of<Value>.size;
  if (n < 0 || count < 0) return cudaErrorInvalidValue;
  if (n == 0 || count == 0) return cudaSuccess;
  segment_sort_call const call{detail::sorted_from(keys, keys_out),
                               detail::sorted_from(values, values_out),
                               n,
                               nullptr,
                               true,
                               count,
                               keys_out,
                               values_out,
                               {}};
  auto const bytes_of = [&](std::size_t size) { return n * static_cast<std::int64_t>(size); };
  if (!detail::are_sortable_elements(call, shape_of<Key>, shape_of<Value>) || !detail::are_bounds(by, count) ||
      detail::overlap_bounds(by, count, keys_out, n) ||
      (value_bytes > 0 &&
       detail::overlap_bounds(by, count, reinterpret_cast<char const*>(values_out), bytes_of(value_bytes))) ||
      !detail::is_count(number, keys_out, n) ||
      !detail::is_count(number, reinterpret_cast<char const*>(values_out), bytes_of(value_bytes)))
    return cudaErrorInvalidValue;
  if constexpr (is_on_device<N>) {
    segment_scratch const gathered = detail::gathered_scratch(n, count, sizeof(Key), value_bytes);
    return detail::with_ranges(by, number, gathered, on, [&](auto const& ranges, execution within) {
      using bounded = bounded_ranges<stl::decay_t<decltype(ranges)>>;
      return detail::sort_listed(keys, values, n, bounded{ranges, number}, count, keys_out, values_out, within, sort);
    });
  } else if constexpr (!is_scattered<Segments>) {
    return detail::with_offsets(by, count, detail::sorted_scratch(n, sizeof(Key), value_bytes), on,
                                [&](std::int64_t const* offsets, execution within) {
                                  return detail::sort_by_offsets(keys, values, n, offsets, count, keys_out, values_out,
                                                                 within, sort);
                                });
  } else {
    segment_scratch const inside = detail::gathering_scratch(n, count, sizeof(Key), value_bytes),
                          all = detail::gathered_scratch(n, count, sizeof(Key), value_bytes);
    pooled_workspace const scratch(on, all.bytes, static_cast<std::size_t>(all.words));
    if (scratch.error() != cudaSuccess) return scratch.error();
    auto* const spare_keys = scratch.array_after<Key>(detail::located_scratch(count, inside).bytes);
    auto* const spare_values = reinterpret_cast<Value*>(
        reinterpret_cast<char*>(spare_keys) + detail::on_lines(static_cast<std::size_t>(bytes_of(sizeof(Key)))));
    auto const run = [&](auto const& located, execution within) {
      cudaError_t error = detail::gather_segments(keys, spare_keys, located, count, within);
      if constexpr (value_bytes > 0) {
        if (error == cudaSuccess) error = detail::gather_segments(values, spare_values, located, count, within);
      }
      if (error == cudaSuccess)
        error = sort(spare_keys, spare_values, located.begins, spare_keys, spare_values, within);
      if (error == cudaSuccess) error = detail::copy_segments(spare_keys, keys_out, located, count, true, within);
      if constexpr (value_bytes > 0) {
        if (error == cudaSuccess) error = detail::copy_segments(spare_values, values_out, located, count, true, within);
      }
      return error;
    };
    return detail::with_ranges(detail::lengths_of(by), count, inside, scratch.inside(), run);
  }
}

/// Enables the calls that sort_segments.hpp doesn't have: by a list, with a count on the device, or by an iterator.
template <class Segments, class N, class... In>
using if_sorted_here =
    stl::enable_if_t<are_segments<Segments> && is_number_of_segments<N> &&
                         (... && !stl::is_convertible_v<In, std::int64_t>)&&(
                             is_segment_list<Segments> || is_on_device<N> || (... || !stl::is_pointer_v<In>)),
                     bool>;

/// Sorts segments of elements that readers read, however they are given. Of these calls, a static assertion refuses
/// outputs of other types.
template <class Keys, class Values, class Segments, class N, class Key, class Value, class Sort>
cudaError_t sort_any(Keys const& keys, Values const& values, std::int64_t n, Segments const& segments, N const& number,
                     Key* keys_out, Value* values_out, execution on, Sort const& sort) noexcept {
  constexpr bool one_type =
      stl::is_same_v<value_of<Keys>, Key> && (stl::is_void_v<Value> || stl::is_same_v<value_of<Values>, Value>);
  static_assert(one_type,
                "grid::sort_segments, sort_segments_by_key: an output has the type of the elements that are sorted "
                "into it.");
  static_assert(is_exchangeable_v<Key>,
                "grid::sort_segments, sort_segments_by_key: keys and values are trivially copyable.");
  if constexpr (!one_type) {
    return cudaErrorNotSupported;
  } else if constexpr (stl::is_pointer_v<Segments> && !is_on_device<N>) {
    return detail::sort_by_offsets(keys, values, n, segments, number, keys_out, values_out, on, sort);
  } else {
    return detail::sort_listed(keys, values, n, segments, number, keys_out, values_out, on, sort);
  }
}

/// The values of keys alone, and where they go.
inline constexpr void const* no_values_in = nullptr;
inline constexpr void* no_values_out = nullptr;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// sort_segments of sort_segments.hpp, also for segments without offsets, for iterators, and for a count on the device.
///
/// in        a pointer or a random-access iterator (core/iterators.hpp). Precondition: if it reads the output, it
///           computes element i from the output's element i alone.
/// segments  offsets, or a list of segment_list.hpp. No two segments overlap.
/// count     the number of segments: an integer, or a count_on_device.
/// n         an upper bound of the number of elements of all segments, and of the index after each one's last element.
/// Cost      by the kind of segments:
///
///   lengths, one length         a scan that makes offsets, then the call by offsets
///   begins and ends,            copies into an array without gaps, a sort there, and copies back: three reads and
///   or a count on the device    writes of each element, five more launches or, with values, nine, and n more
///                               elements in the workspace
///
/// Elements read by an iterator are first copied to the output, in one launch, and sorted there. Where segments are
/// copied anyway, it costs nothing more. The workspace also has 8 bytes for each segment that offsets don't give, or 16
/// for lengths with a count on the device, and for copies up to 256 KiB.
template <class In, class Segments, class N, class T, class Before = less,
          detail::if_sorted_here<Segments, N, In> = true>
[[nodiscard]] cudaError_t sort_segments(In in, std::int64_t n, Segments segments, N count, T* out, Before before = {},
                                        execution on = {}) noexcept {
  auto const number = detail::count_as_given(count);
  return detail::sort_any(tessera::detail::reader_of(in), detail::no_values_in, n, segments, number, out,
                          detail::no_values_out, on,
                          [&](T const* from, void const*, auto const* offsets, T* to, void*, execution within) {
                            return grid::sort_segments(from, n, offsets, detail::most_of(number), to, before, within);
                          });
}

/// As sort_segments above; equal elements stay in the order of `in`.
template <class In, class Segments, class N, class T, class Before = less,
          detail::if_sorted_here<Segments, N, In> = true>
[[nodiscard]] cudaError_t stable_sort_segments(In in, std::int64_t n, Segments segments, N count, T* out,
                                               Before before = {}, execution on = {}) noexcept {
  auto const number = detail::count_as_given(count);
  return detail::sort_any(
      tessera::detail::reader_of(in), detail::no_values_in, n, segments, number, out, detail::no_values_out, on,
      [&](T const* from, void const*, auto const* offsets, T* to, void*, execution within) {
        return grid::stable_sort_segments(from, n, offsets, detail::most_of(number), to, before, within);
      });
}

/// As sort_segments above, with a value for each key; keys, values or both may be read by iterators. The values of
/// equal keys stay in the order of `values`.
template <class Keys, class Values, class Segments, class N, class Key, class Value, class Before = less,
          detail::if_sorted_here<Segments, N, Keys, Values> = true>
[[nodiscard]] cudaError_t sort_segments_by_key(Keys keys, Values values, std::int64_t n, Segments segments, N count,
                                               Key* keys_out, Value* values_out, Before before = {},
                                               execution on = {}) noexcept {
  auto const number = detail::count_as_given(count);
  return detail::sort_any(
      tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, segments, number, keys_out, values_out,
      on,
      [&](Key const* from, Value const* values_from, auto const* offsets, Key* to, Value* values_to, execution within) {
        return grid::sort_segments_by_key(from, values_from, n, offsets, detail::most_of(number), to, values_to, before,
                                          within);
      });
}

// ---- Into contiguous iterators, as into their memory

template <class In, class Segments, class N, class Out, class Before = less, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t sort_segments(In in, std::int64_t n, Segments segments, N count, Out out, Before before = {},
                                        execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<Out>()) {
    return grid::sort_segments(in, n, segments, count, tessera::detail::address_of(out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Segments, class N, class Out, class Before = less, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t stable_sort_segments(In in, std::int64_t n, Segments segments, N count, Out out,
                                               Before before = {}, execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<Out>()) {
    return grid::stable_sort_segments(in, n, segments, count, tessera::detail::address_of(out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class Keys, class Values, class Segments, class N, class KeysOut, class ValuesOut, class Before = less,
          detail::if_any_writer<KeysOut, ValuesOut> = true>
[[nodiscard]] cudaError_t sort_segments_by_key(Keys keys, Values values, std::int64_t n, Segments segments, N count,
                                               KeysOut keys_out, ValuesOut values_out, Before before = {},
                                               execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<KeysOut, ValuesOut>()) {
    return grid::sort_segments_by_key(keys, values, n, segments, count, tessera::detail::address_of(keys_out),
                                      tessera::detail::address_of(values_out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
