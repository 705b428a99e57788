// Reductions of segments of any type by any operator, with or without offsets: the kernels, for nvcc.
//
//   auto const in_order = tessera::make_operator(join{}, part{});
//   error = tessera::grid::reduce_segments(parts, offsets, segments, wholes, in_order, {stream, memory});
//   // By begins and ends, by one length, or by a length for each (segment_list.hpp):
//   error = tessera::grid::reduce_segments(in, tessera::grid::segments_between(begins, ends), segments, sums);
//   error = tessera::grid::argmax_segments(in, offsets, segments, best);  // indexed<T, std::int64_t>* best
//
// Elements are of any trivially copyable type of up to 48 bytes. The operator is any with an identity; it need not
// commute. Everything else is as in segments.hpp.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/segments/each_segment.cuh>
#include <tessera/grid/segments/reduce_each_segment.hpp>
#include <tessera/grid/segments/segment_agent.hpp>
#include <tessera/grid/segments/segment_scratch.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// The number of blocks that fit into the shared memory of a multiprocessor, up to the number in segments_tuning. CUDA
/// reserves 1 KiB for each block.
template <class T, class R>
constexpr unsigned segment_blocks_per_multiprocessor() {
  using tuning = segments_tuning;
  static_assert(sizeof(segment_part<R>) <= detail::segment_part_bytes(sizeof(R)));
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

/// True if segments are given by offsets.
template <class Segments>
inline constexpr bool are_offsets = stl::is_pointer_v<Segments>&& reads_places<Segments>;
/// True if segments are given by offsets or by a list of segment_list.hpp.
template <class Segments>
inline constexpr bool are_segments = are_offsets<Segments> || is_segment_list<Segments>;

template <class N>
inline constexpr bool is_number_of_segments = is_on_device<N> || stl::is_convertible_v<N, std::int64_t>;

/// False if the pointers or the length that bound `count` segments can't be valid.
template <class Offset>
bool are_bounds(Offset const* offsets, std::int64_t count) noexcept {
  return count < INT64_MAX && detail::is_array(offsets, count + 1);
}
template <class Begins, class Ends>
bool are_bounds(separate_segments<Begins, Ends> const& by, std::int64_t count) noexcept {
  return detail::is_array(by.begins, count) && detail::is_array(by.ends, count);
}
inline bool are_bounds(equal_segments const& by, std::int64_t count) noexcept {
  return by.length >= 0 && (by.length == 0 || count <= INT64_MAX / by.length);
}
template <class Lengths>
bool are_bounds(adjoining_segments<Lengths> const& by, std::int64_t count) noexcept {
  return count <= INT64_MAX / 16 && detail::is_array(by.lengths, count);
}

/// True if predicate(array, n) is true for one of the arrays that bound `count` segments. n is its length.
template <class Offset, class Predicate>
bool any_of_bounds(Offset const* offsets, std::int64_t count, Predicate const& predicate) noexcept {
  return predicate(offsets, count + 1);
}
template <class Begins, class Ends, class Predicate>
bool any_of_bounds(separate_segments<Begins, Ends> const& by, std::int64_t count, Predicate const& predicate) noexcept {
  return predicate(by.begins, count) || predicate(by.ends, count);
}
template <class Predicate>
bool any_of_bounds(equal_segments const&, std::int64_t, Predicate const&) noexcept {
  return false;
}
template <class Lengths, class Predicate>
bool any_of_bounds(adjoining_segments<Lengths> const& by, std::int64_t count, Predicate const& predicate) noexcept {
  return predicate(by.lengths, count);
}

/// Adjoining segments: the index where each begins, and its length.
template <class Lengths>
struct located_segments {
  std::int64_t const* begins;  // and one more if the host knows the count: the end of the last segment
  Lengths lengths;

  TESSERA_FN segment_range operator[](std::int64_t s) const {
    return {begins[s], static_cast<std::int64_t>(tessera::detail::read_element(lengths, s))};
  }
};

/// Calls run(ranges, on), where a kernel reads the range of segment s as ranges[s]. The calls that `run` makes take at
/// most `inside` of a workspace.
template <class Offset, class N, class Run>
cudaError_t with_ranges(Offset const* offsets, N const&, segment_scratch const&, execution on, Run run) noexcept {
  return run(separate_segments<Offset const*, Offset const*>{offsets, offsets + 1}, on);
}
template <class Begins, class Ends, class N, class Run>
cudaError_t with_ranges(separate_segments<Begins, Ends> const& by, N const&, segment_scratch const&, execution on,
                        Run run) noexcept {
  return run(by, on);
}
template <class N, class Run>
cudaError_t with_ranges(equal_segments const& by, N const&, segment_scratch const&, execution on, Run run) noexcept {
  return run(by, on);
}
/// Scans the lengths first. The begins are in the same workspace, after `inside`.
template <class Lengths, class N, class Run>
cudaError_t with_ranges(adjoining_segments<Lengths> const& by, N const& count, segment_scratch const& inside,
                        execution on, Run run) noexcept {
  std::int64_t const most = detail::most_of(count), first = 0;
  segment_scratch const all = detail::located_scratch(most, inside);
  pooled_workspace const scratch(on, all.bytes, static_cast<std::size_t>(all.words));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const begins = scratch.array_after<std::int64_t>(inside.bytes);
  cudaError_t const error =
      detail::scan_elements(by.lengths, count, begins, tessera::plus{}, as_result<std::int64_t>{},
                            scan_request<std::int64_t>{true, &first, {false, begins + most}}, scratch.inside());
  return error == cudaSuccess ? run(located_segments<Lengths>{begins, by.lengths}, scratch.inside()) : error;
}

/// A reader of the lengths of segments that are given by ranges.
template <class Ranges>
struct lengths_of_ranges {
  using value_type = std::int64_t;
  Ranges ranges;
  std::int64_t at = 0;

  TESSERA_FN std::int64_t operator*() const { return ranges[at].length; }
  TESSERA_FN lengths_of_ranges operator+(std::int64_t i) const { return {ranges, at + i}; }
};
template <class Ranges>
adjoining_segments<lengths_of_ranges<Ranges>> lengths_of(Ranges const& by) noexcept {
  return {{by}};
}
template <class Lengths>
adjoining_segments<Lengths> const& lengths_of(adjoining_segments<Lengths> const& by) noexcept {
  return by;
}

/// True if there may be gaps between segments.
template <class Segments>
inline constexpr bool is_scattered = false;
template <class Begins, class Ends>
inline constexpr bool is_scattered<separate_segments<Begins, Ends>> = true;

/// The ranges of segments. Those from `count` on, a number on the device, are empty.
template <class Ranges>
struct bounded_ranges {
  Ranges ranges;
  device_count count;

  TESSERA_FN segment_range operator[](std::int64_t s) const {
    return s < detail::count_now(count) ? ranges[s] : segment_range{0, 0};
  }
};
template <class Ranges>
inline constexpr bool is_scattered<bounded_ranges<Ranges>> = true;
template <class Ranges>
bool are_bounds(bounded_ranges<Ranges> const&, std::int64_t) noexcept {
  return true;  // The caller has checked them.
}
template <class Ranges, class Predicate>
bool any_of_bounds(bounded_ranges<Ranges> const&, std::int64_t, Predicate const&) noexcept {
  return false;
}

/// True if the memory of results overlaps that of the bounds of segments.
template <class Segments, class Out>
bool overlap_bounds(Segments const& by, std::int64_t count, Out const& out, std::int64_t n) noexcept {
  return detail::any_of_bounds(
      by, count, [&](auto const& bounds, std::int64_t length) { return detail::overlap(bounds, length, out, n); });
}

/// Calls run(offsets, on) with 64-bit offsets of segments that have no gaps.
template <class Segments, class Run>
cudaError_t with_offsets(Segments const& by, std::int64_t count, segment_scratch const& inside, execution on,
                         Run run) noexcept {
  return detail::with_ranges(detail::lengths_of(by), count, inside, on,
                             [&](auto const& located, execution within) { return run(located.begins, within); });
}

/// Enables the calls that segments.hpp and scan_segments.hpp don't have: those have pointers alone.
template <class In, class Segments, class N, class Out = int*>
using if_segments = stl::enable_if_t<tessera::detail::is_reader<In> && tessera::detail::is_reader<Out> &&
                                         are_segments<Segments> && is_number_of_segments<N> &&
                                         (is_segment_list<Segments> || is_on_device<N> || !stl::is_pointer_v<In> ||
                                          !stl::is_pointer_v<Out>),
                                     bool>;

/// Checks the arguments of a call that writes a result for each segment.
template <class In, class Segments, class N, class Out>
bool are_reducible(In const& in, Segments const& segments, N const& count, Out const& out) noexcept {
  std::int64_t const most = detail::most_of(count);
  return most >= 0 && detail::is_array(in, 0) && detail::is_array(out, most) && detail::is_count(count, out, most) &&
         (most == 0 || (detail::are_bounds(segments, most) && !detail::overlap_bounds(segments, most, out, most)));
}

/// Combines f of the elements of each segment: by some lanes, a warp or blocks for each
/// (each_segment.hpp).
template <class R, class In, class Ranges, class N, class Out, class Op, class F, class Start>
cudaError_t reduce_each(In const& in, Ranges const& ranges, N const& count, Out const& out, Op const& op, F const& f,
                        Start const& start, execution on) noexcept {
  static_assert(
      is_exchangeable_v<value_of<In>> && is_exchangeable_v<R> && sizeof(value_of<In>) <= 48 && sizeof(R) <= 48,
      "grid::reduce_segments: elements are trivially copyable, of up to 48 bytes.");
  tessera::detail::require_assignable<R>();
  return detail::for_each_segment(ranges, count, segment_reduction<In, R, Op, F, Start, Out>{in, out, op, f, start},
                                  on);
}

template <class Segments>
inline constexpr bool is_adjoining = false;
template <class Lengths>
inline constexpr bool is_adjoining<adjoining_segments<Lengths>> = true;

/// reduce_segments for lists of segment_list.hpp, for iterators, and for a count on the device. Results of type R go to
/// an R* or an iterator. For a pointer, a count on the host and no start, it calls reduce_rows or, if results have
/// memory, reduce_segments by offsets, unless begins and ends are given.
template <class R, class In, class Segments, class N, class Out, class Op, class Start>
cudaError_t reduce_listed(In const& in, Segments const& segments, N const& count, Out const& out, Op const& op,
                          Start const& start, execution on) noexcept {
  using T = value_of<In>;
  using combine = tessera::detail::normalized_t<Op, R>;
  using convert = stl::conditional_t<stl::is_same_v<R, T>, tessera::detail::as_it_is, as_result<R>>;
  constexpr bool is_in_memory = stl::is_pointer_v<Out>;
  constexpr bool as_before = stl::is_pointer_v<In> && !is_on_device<N> && stl::is_same_v<Start, no_segment_start>;
  if constexpr (as_before && is_in_memory && stl::is_pointer_v<Segments>) {
    return grid::reduce_segments(in, segments, count, out, op, on);
  } else if constexpr (as_before && stl::is_same_v<Segments, equal_segments>) {
    return grid::reduce_rows(matrix<T const>(in, count, segments.length), out, op, on);
  } else if constexpr (can_reduce<combine, R>()) {
    constexpr bool by_offsets = as_before && is_in_memory && is_adjoining<Segments>;
    if (!detail::are_reducible(in, segments, count, out)) return cudaErrorInvalidValue;
    if (detail::most_of(count) == 0) return cudaSuccess;
    segment_scratch inside = detail::each_scratch(detail::most_of(count), sizeof(R));
    if constexpr (by_offsets) {
      int multiprocessors = 0;
      cudaError_t const error = detail::multiprocessors_for(order::this_device, multiprocessors);
      if (error != cudaSuccess) return error;
      inside = detail::reduced_scratch(multiprocessors, sizeof(R));
    }
    return detail::with_ranges(segments, count, inside, on, [&](auto const& ranges, execution within) {
      if constexpr (by_offsets) {
        return grid::reduce_segments(in, ranges.begins, count, out, op, within);
      } else if constexpr (is_in_memory) {
        return detail::reduce_each<R>(in, ranges, count, out, tessera::detail::normalize<R>(op), convert{}, start,
                                      within);
      } else {
        return detail::reduce_each<R>(in, ranges, count, store_as<R, Out>{out}, tessera::detail::normalize<R>(op),
                                      convert{}, start, within);
      }
    });
  } else {
    return cudaErrorNotSupported;
  }
}

/// The best element of each segment by argmin or argmax, with f of its index, given to `out`.
template <class Op, class In, class Segments, class N, class Out, class F>
cudaError_t best_of_segments(In const& in, Segments const& segments, N const& count, Out const& out, F const& f,
                             execution on) noexcept {
  using best = indexed<value_of<In>, std::int64_t>;
  std::int64_t const most = detail::most_of(count);
  if (most == 0) return cudaSuccess;
  return detail::with_ranges(
      segments, count, detail::each_scratch(most, sizeof(best)), on, [&](auto const& ranges, execution within) {
        return detail::reduce_each<best>(in, ranges, count, out, Op{}, f, no_segment_start{}, within);
      });
}
template <class Op, class In, class Segments, class N, class T>
cudaError_t arg_segments(In const& in, Segments const& segments, N const& count, indexed<T, std::int64_t>* out,
                         execution on) noexcept {
  detail::require_element<T>();
  if (!detail::are_reducible(in, segments, count, out)) return cudaErrorInvalidValue;
  return detail::best_of_segments<Op>(in, segments, count, out, as_indexed_element{}, on);
}
template <class Op, class In, class Segments, class N, class T>
cudaError_t arg_segments(In const& in, Segments const& segments, N const& count, indexed<T, std::int64_t>* out,
                         ties which, execution on) noexcept {
  detail::require_element<T>();
  if (!detail::are_reducible(in, segments, count, out)) return cudaErrorInvalidValue;
  chosen_of_ties const chosen{which == ties::last};
  return detail::best_of_segments<Op>(in, segments, count, store_numbered_best<best_place<T>>{{out}, chosen},
                                      as_numbered_element{chosen}, on);
}
template <class Op, class In, class Segments, class N, class T>
cudaError_t arg_segments(In const& in, Segments const& segments, N const& count, T* value, std::int64_t* index,
                         ties which, execution on) noexcept {
  detail::require_element<T>();
  std::int64_t const most = detail::most_of(count);
  if (!detail::are_reducible(in, segments, count, value) || !detail::are_reducible(in, segments, count, index) ||
      detail::overlap(value, most, index, most))
    return cudaErrorInvalidValue;
  chosen_of_ties const chosen{which == ties::last};
  return detail::best_of_segments<Op>(in, segments, count, store_numbered_best<best_places<T>>{{value, index}, chosen},
                                      as_numbered_element{chosen}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// reduce_segments of segments.hpp, also for segments without offsets, for iterators, and for a count on the device.
///
/// in        a pointer or a random-access iterator (core/iterators.hpp).
/// segments  offsets, or a list of segment_list.hpp.
/// count     the number of segments: an integer, or a count_on_device.
/// out       a result for each segment, in memory apart from all that is read; or an iterator that gets it.
/// Cost      by the arguments. The first three rows are for a pointer `in` and a count on the host, and those of
///           offsets and lengths for a pointer `out`:
///
///   offsets            as in segments.hpp
///   lengths            as in segments.hpp, after a scan of the lengths
///   one length         as reduce_rows, for up to 2^30 elements
///   all other calls    two launches, one read of the elements of each segment and two of its bounds: by a lane for
///                      every 8 of up to 256 elements, by a warp for up to 2048, and by blocks for more
///
/// In the last row the workspace has up to 420 KiB, and 32 KiB for each byte of a result. The bits of a float sum
/// depend on its elements and, from 257 elements on, their address modulo 16 bytes. A sum of L floats is off by at most
/// (L / 32 + 16) · 2^-24 · Σ|x|; for doubles 2^-53 replaces 2^-24.
///
/// For lengths the workspace of any row also has 8 bytes for each segment, and about 1 % of that.
template <class In, class Segments, class N, class Op = plus, detail::if_segments<In, Segments, N> = true>
[[nodiscard]] cudaError_t reduce_segments(In in, Segments segments, N count, reduced_t<detail::value_of<In>, Op>* out,
                                          Op op = {}, execution on = {}) noexcept {
  return detail::reduce_listed<reduced_t<detail::value_of<In>, Op>>(
      tessera::detail::reader_of(in), segments, detail::count_as_given(count), out, op, detail::no_segment_start{}, on);
}
template <class In, class Segments, class N, class Out, class Op = plus,
          detail::if_segments<In, Segments, N, Out> = true, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t reduce_segments(In in, Segments segments, N count, Out out, Op op = {},
                                          execution on = {}) noexcept {
  using result = reduced_t<detail::value_of<In>, Op>;
  return detail::reduce_listed<result>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                       detail::writer_of<result>(out), op, detail::no_segment_start{}, on);
}

// Results of another type: these calls don't compile, and the message says what to write.
template <class In, class Segments, class N, class Out, class Op = plus, detail::if_segments<In, Segments, N> = true,
          detail::if_other_pointer<Out, reduced_t<detail::value_of<In>, Op>> = true>
cudaError_t reduce_segments(In, Segments, N, Out, Op = {}, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_reduced<detail::value_of<In>, Op, Out>();
}
template <class In, class Segments, class N, class Out, stl::enable_if_t<detail::are_segments<Segments>, bool> = true,
          detail::if_other_pointer<Out, indexed<detail::value_of<In>, std::int64_t>> = true>
cudaError_t argmin_segments(In, Segments, N, Out, detail::ignored = {}) {
  return detail::require_result<indexed<detail::value_of<In>, std::int64_t>, Out>();
}
template <class In, class Segments, class N, class Out, stl::enable_if_t<detail::are_segments<Segments>, bool> = true,
          detail::if_other_pointer<Out, indexed<detail::value_of<In>, std::int64_t>> = true>
cudaError_t argmax_segments(In, Segments, N, Out, detail::ignored = {}) {
  return detail::require_result<indexed<detail::value_of<In>, std::int64_t>, Out>();
}

/// out[s] = start op first element op … op last element of segment s; the start if the segment is empty. For offsets,
/// too. Cost, bits and error are always those in the last row of the table above.
template <class In, class Segments, class N, class Op, class Start,
          class = detail::is_start<Start, reduced_t<detail::value_of<In>, Op>>,
          stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t reduce_segments(In in, Segments segments, N count, reduced_t<detail::value_of<In>, Op>* out,
                                          Op op, Start const& start, execution on = {}) noexcept {
  using result = reduced_t<detail::value_of<In>, Op>;
  tessera::detail::require_start<Start, result>();
  return detail::reduce_listed<result>(tessera::detail::reader_of(in), segments, detail::count_as_given(count), out, op,
                                       detail::segment_start<result>{static_cast<result>(start)}, on);
}
template <class In, class Segments, class N, class Out, class Op, class Start,
          class = detail::is_start<Start, reduced_t<detail::value_of<In>, Op>>,
          stl::enable_if_t<detail::are_segments<Segments>, bool> = true, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t reduce_segments(In in, Segments segments, N count, Out out, Op op, Start const& start,
                                          execution on = {}) noexcept {
  using result = reduced_t<detail::value_of<In>, Op>;
  tessera::detail::require_start<Start, result>();
  return detail::reduce_listed<result>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                       detail::writer_of<result>(out), op,
                                       detail::segment_start<result>{static_cast<result>(start)}, on);
}

/// The least value of each segment and its index in the segment, by the rules of argmin in reduce.hpp.
///
/// in, segments, count, Cost   as reduce_segments above. Cost is always the last row of its table.
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmin_segments(In in, Segments segments, N count,
                                          indexed<detail::value_of<In>, std::int64_t>* out,
                                          execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmin>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               out, on);
}

/// The least values with a choice among equal ones, or into two arrays: value[s] and index[s] of segment s. An empty
/// segment has the index INT64_MAX there, too.
///
/// value, index   an element for each segment, in memory apart from each other and from all that is read
/// which          see `ties` in reduce.hpp: of equal values the first or the last, and so of NaNs
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmin_segments(In in, Segments segments, N count,
                                          indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                          execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmin>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               out, which, on);
}
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmin_segments(In in, Segments segments, N count, detail::value_of<In>* value,
                                          std::int64_t* index, ties which, execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmin>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               value, index, which, on);
}
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmin_segments(In in, Segments segments, N count, detail::value_of<In>* value,
                                          std::int64_t* index, execution on = {}) noexcept {
  return grid::argmin_segments(in, segments, count, value, index, ties::first, on);
}

/// The greatest value of each segment and its index in the segment, by the rules of argmax in reduce.hpp. Otherwise as
/// argmin_segments.
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmax_segments(In in, Segments segments, N count,
                                          indexed<detail::value_of<In>, std::int64_t>* out,
                                          execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmax>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               out, on);
}
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmax_segments(In in, Segments segments, N count,
                                          indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                          execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmax>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               out, which, on);
}
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmax_segments(In in, Segments segments, N count, detail::value_of<In>* value,
                                          std::int64_t* index, ties which, execution on = {}) noexcept {
  return detail::arg_segments<tessera::argmax>(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                               value, index, which, on);
}
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t argmax_segments(In in, Segments segments, N count, detail::value_of<In>* value,
                                          std::int64_t* index, execution on = {}) noexcept {
  return grid::argmax_segments(in, segments, count, value, index, ties::first, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
