// The kernels and launchers of top_k.hpp, for nvcc: for other numbers, and for elements that a function orders.
//
//   auto const color = [] __host__ __device__(my_struct const& x) { return x.color; };
//   error = tessera::grid::top_k_by(in, n, k, values, indices, color);
//
// Floors on an H200, for 2^28 floats: 229 µs to read them at 4690 GB/s; 2.4 µs for the launch; for samples 2 µs at 64
// bytes each, 2^17 for the first k and 2^19 for one rank, and 2 µs until all blocks know them; 2 µs until all blocks
// know that all is filtered. Of one rank 0.8 % of the elements are kept: 17 MB are written, 4 µs; its bucket, some
// 90,000 entries, is read twice by one block from the cache, at 64 bytes a cycle and 7 µs each. So 250 µs for the
// first k, and 270 for a median: 1.2 times what reading takes. Digits alone, if the samples misled, read the array 3 to
// 7 times. For 2^20 floats: 1 µs to read them from the cache, the launch, and one wait.
#pragma once

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/top_k.hpp>
#include <tessera/grid/top_k/bucket_agent.hpp>
#include <tessera/grid/top_k/counted_rank.hpp>
#include <tessera/grid/top_k/counted_top_k.hpp>
#include <tessera/grid/top_k/digit_agent.hpp>
#include <tessera/grid/top_k/quantile.hpp>
#include <tessera/grid/top_k/selection_bytes.hpp>
#include <tessera/grid/top_k/sort_entries.cuh>
#include <tessera/tile/joint_reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Entry, class T, class Key>
__global__ void __launch_bounds__(Shape::threads, top_k_tuning::blocks_per_multiprocessor)
    top_k_kernel(select_plan plan, top_k_task<T, Key> task, top_k_memory<Entry> memory) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  auto& storage = *reinterpret_cast<top_k_storage<Shape, Entry>*>(shared);
  auto const block = cooperative_groups::this_thread_block();
  auto const& now = detail::task_now(task);
  if (!detail::run_bucket_agent<Shape>(block, plan, now, memory, storage))
    detail::run_digit_agent<Shape>(block, plan, now, memory, storage);
}

/// The ranks that a quantile lies between, and how far from the first: with `fraction` = 0 it is that element.
TESSERA_FN quantile_place quantile_by(quantile_method method, double q, std::int64_t n) noexcept {
  quantile_place const place = detail::quantile_place_of(q, n);
  bool const is_even = place.rank % 2 == 0;
  switch (method) {
    case quantile_method::linear:
      return place;
    case quantile_method::midpoint:
      return {place.rank, place.fraction > 0 ? 0.5 : 0};
    case quantile_method::higher:
      return {place.rank + (place.fraction > 0 ? 1 : 0), 0};
    case quantile_method::nearest:
      return {place.rank + (place.fraction > 0.5 || (place.fraction == 0.5 && !is_even) ? 1 : 0), 0};
    default:
      return {place.rank, 0};
  }
}
/// The rank of a quantile of n elements: of the two that it lies between, the first.
struct quantile_rank {
  quantile_method method;
  double q;

  TESSERA_FN std::int64_t operator()(std::int64_t n) const { return detail::quantile_by(method, q, n).rank; }
};

/// How far a quantile is from the first of two elements, as a kernel reads it.
struct counted_fraction {
  quantile_rank of;
  device_count n;
};
TESSERA_FN double fraction_now(double fraction) {
  return fraction;
}
TESSERA_FN double fraction_now(counted_fraction const& counted) {
  return detail::quantile_by(counted.of.method, counted.of.q, detail::count_now(counted.n)).fraction;
}

/// A selection that stores its result as it is.
struct no_interpolation {};
/// A selection whose result is interpolated: *out becomes the value at `fraction` of the way from *out to the selected
/// value, which isn't stored otherwise.
template <class T, class Fraction>
struct interpolation {
  T* out;
  Fraction fraction;
};
template <class T, class Fraction>
__global__ void interpolate_kernel(T* out, T const* upper, Fraction given) {
  wait_for_stream();
  double const fraction = detail::fraction_now(given);
  if (!stl::is_same_v<Fraction, double> && fraction == 0) return;
  *out = detail::interpolated(*out, *upper, fraction);
}

/// The parts of a workspace.
template <class Shape, class Entry>
top_k_memory<Entry> parts_of(pooled_workspace const& scratch) noexcept {
  static_assert(sizeof(digit_state<Entry>) <= workspace::counter_bytes);
  static_assert(Shape::digits * sizeof(std::uint64_t) + sizeof(bucket_state) <= workspace::slot_bytes);
  auto* const data = static_cast<char*>(scratch.data());
  return {reinterpret_cast<bucket_state*>(scratch.slot_words() + Shape::digits),
          reinterpret_cast<digit_state<Entry>*>(scratch.counters()), scratch.slot_words(),
          reinterpret_cast<std::uint64_t*>(data), reinterpret_cast<Entry*>(data + result_bytes)};
}

/// The number of multiprocessors whose blocks share n elements. Blocks of a short array would do little but find the
/// bounds: one on each multiprocessor is enough.
template <class Shape, class T, class In>
constexpr int sharing_multiprocessors(std::int64_t n, int multiprocessors) {
  return n <= multiprocessors * Shape::template elements_of_step<T, In> ? (multiprocessors + 1) / 2 : multiprocessors;
}

/// Selects the ranks 0 … target, or only `target` if `single`.
template <class Entry, class T, class Key, class Then>
cudaError_t launch_selection(top_k_task<T, Key> task, std::int64_t target, bool single, execution on,
                             Then const& then) noexcept {
  using shape = top_k_tuning::shape;
  using In = selection_reader_t<T, Key>;
  int multiprocessors = 0;
  cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  int const used = detail::sharing_multiprocessors<shape, T, In>(task.n, multiprocessors);
  even_share const share = detail::even_share_of<shape::template vectors<T, In>>(task.in, task.n, used);
  // At least two blocks of each multiprocessor share an array of this size.
  if (task.n / share.blocks > top_k_tuning::longest_part) return cudaErrorInvalidValue;
  bool const is_short = task.n <= shape::template capacity<Entry>;
  select_plan const plan =
      detail::plan_selection<shape, Entry>(task.n, target, single, share, std::int64_t{share.step} * read_length<T, In>,
                                           detail::resident_blocks(is_short ? multiprocessors : used));

  bool const sorts = plan.wanted == wanted_ranks::unsorted;
  std::size_t temporary_bytes = 0;
  if (sorts) error = detail::query_sort<Entry>(plan, temporary_bytes);
  if (error != cudaSuccess) return error;
  std::size_t const lists_end = detail::selection_bytes<Entry>(plan);
  pooled_workspace const scratch(on, lists_end + temporary_bytes);
  if (scratch.error() != cudaSuccess) return scratch.error();
  constexpr bool interpolates = !stl::is_same_v<Then, no_interpolation>;
  if constexpr (interpolates) task.values = reinterpret_cast<T*>(static_cast<char*>(scratch.data()) + value_offset);
  auto const parts = detail::parts_of<shape, Entry>(scratch);
  if (plan.lists_array) {
    error = detail::launch<list_array_kernel<Entry, T, Key>>(
        {detail::ceiling_divide(task.n, entry_threads), entry_threads}, on.stream, task, parts.lists);
  } else {
    constexpr auto* kernel = &top_k_kernel<shape, Entry, T, Key>;
    constexpr unsigned bytes = sizeof(top_k_storage<shape, Entry>);
    static_assert(bytes <= top_k_tuning::most_shared_bytes);
    error = detail::launch<kernel>({plan.blocks, shape::threads, bytes}, on.stream, plan, task, parts);
  }
  if constexpr (interpolates) {
    using number = stl::remove_pointer_t<decltype(then.out)>;
    constexpr auto* interpolate = &interpolate_kernel<number, decltype(then.fraction)>;
    if (error == cudaSuccess)
      error = detail::launch<interpolate>({1, 1}, on.stream, then.out, reinterpret_cast<number const*>(task.values),
                                          then.fraction);
    return error;
  }
  if (error != cudaSuccess || !sorts) return error;
  void* const temporary = static_cast<char*>(scratch.data()) + lists_end;
  return detail::launch_sort(plan, parts, task, temporary, temporary_bytes, on.stream);
}

/// Selects with the entries that hold keys and indices.
template <class T, class Key, class Then = no_interpolation>
cudaError_t select_elements(top_k_task<T, Key> const& task, std::int64_t target, bool single, execution on,
                            Then const& then = {}) noexcept {
  using keys = rank_keys_of<T, Key>;
  using wide = indexed_key_entry<keys>;
  if constexpr (sizeof(typename keys::key) == 8) {
    return detail::launch_selection<wide>(task, target, single, on, then);
  } else {
    using packed = packed_entry<keys>;
    if constexpr (packed::index_bits < 40) {
      if (task.n > std::int64_t{1} << packed::index_bits)
        return detail::launch_selection<wide>(task, target, single, on, then);
    }
    return detail::launch_selection<packed>(task, target, single, on, then);
  }
}

/// True if values and indices can be `count` results, at least one of them if there are any.
template <class In, class Values, class Indices>
bool are_results(In const& in, std::int64_t n, Values const& values, Indices const& indices, std::int64_t count) {
  std::int64_t const some_values = detail::is_given(values) ? count : 0,
                     some_indices = detail::is_given(indices) ? count : 0;
  return n <= top_k_tuning::longest_array && detail::is_array(in, detail::read_for(count, n)) && count <= n &&
         (count == 0 || some_values > 0 || some_indices > 0) && detail::is_array(values, some_values) &&
         detail::is_array(indices, some_indices) && !detail::overlap(in, n, values, some_values) &&
         !detail::overlap(in, n, indices, some_indices) && !detail::overlap(values, some_values, indices, some_indices);
}

template <class T>
auto top_k_task_of(T const* in, std::int64_t n, T* values, std::int64_t* indices, bool falling) {
  static_assert(tessera::detail::is_ordered_number<T>,
                "grid::top_k: elements are integers, bool, float, double, __half or __nv_bfloat16: top_k_by orders "
                "any others by a number that a function makes of each.");
  using raw = typename rank_keys<T>::bits;  // One kernel serves all numbers of a size.
  return top_k_task<raw, tessera::detail::as_it_is>{
      reinterpret_cast<raw const*>(in),           n, reinterpret_cast<raw*>(values), indices, {},
      rank_keys<T>::template order_of<T>(falling)};
}

/// A writer of results, as the kernel takes it. Other pointers are refused before by no_top_k, which says more.
template <class T, class Out>
auto outputs_of(Out const& out) {
  if constexpr (is_other_pointer<Out, T>) {
    return static_cast<T*>(nullptr);
  } else {
    return detail::writer_of<T>(out);
  }
}

/// True if elements are read by an iterator, or results go to iterators.
template <class In, class Values, class Indices>
using if_selects_by_iterators =
    stl::enable_if_t<(is_iterator<In> || is_iterator<Values> || is_iterator<Indices>)&&tessera::detail::is_reader<In>,
                     bool>;

/// The task of elements that an iterator reads, or whose results go to iterators, in the order of what `key` makes of
/// them.
template <class T, class In, class Values, class Indices, class F>
auto task_by(In const& in, std::int64_t n, Values const& values, Indices const& indices, F const& key, bool falling) {
  using number = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, T const&>>>;
  static_assert(tessera::detail::is_ordered_number<number>,
                "grid::top_k: elements are integers, bool, float, double, __half or __nv_bfloat16: top_k_by orders "
                "any others by a number that a function makes of each.");
  return top_k_task<T, key_by_reader<In, F, Values, Indices>>{
      in, n, values, indices, {key}, rank_keys<number>::template order_of<number>(falling)};
}
template <class In, class T, stl::enable_if_t<reads_elements<In>, bool> = true>
auto top_k_task_of(In const& in, std::int64_t n, T* values, std::int64_t* indices, bool falling) {
  return detail::task_by<T>(in, n, values, indices, tessera::detail::as_it_is{}, falling);
}

template <class T>
struct top_k_launcher<T, void> {
  template <class In>
  static cudaError_t launch(In const& in, std::int64_t n, std::int64_t k, T* values, std::int64_t* indices,
                            bool falling, execution on) noexcept {
    if (!detail::are_results(in, n, values, indices, k)) return cudaErrorInvalidValue;
    if (k == 0) return cudaSuccess;
    return detail::select_elements(detail::top_k_task_of(in, n, values, indices, falling), k - 1, false, on);
  }
};

template <class T>
struct nth_element_launcher<T, void> {
  template <class In>
  static cudaError_t launch(In const& in, std::int64_t n, std::int64_t rank, T* value, std::int64_t* index,
                            bool falling, execution on) noexcept {
    if (rank < 0 || rank >= n || !detail::are_results(in, n, value, index, 1)) return cudaErrorInvalidValue;
    return detail::select_elements(detail::top_k_task_of(in, n, value, index, falling), rank, true, on);
  }
};

/// Selects the ranks 0 … target, or only `target` if `single`, from as many elements as the device knows.
template <class T, class Before, class In, class Values, class Indices, class F>
cudaError_t select_counted(In const& in, device_count const& n, std::int64_t target, bool single, Values const& values,
                           Indices const& indices, F const& key, execution on) noexcept {
  using number = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, T const&>>>;
  std::int64_t const results = single ? 1 : target + 1;
  if (n.at_most < 0 || !detail::are_results(in, n.at_most, values, indices, results) ||
      !detail::is_count(n, values, results) || !detail::is_count(n, indices, results))
    return cudaErrorInvalidValue;
  if (results == 0) return cudaSuccess;
  constexpr bool falling = detail::is_falling<number, Before>;
  auto const task = detail::task_by<counted_element<T>>(
      counted_reader<In>{in, n}, n.at_most, counted_values<Values>{values}, counted_indices<Indices>{indices, n},
      counted_key<F, number>{key, detail::number_that_comes_last<number>(falling)}, falling);
  return detail::select_elements(task, target, single, on);
}

inline bool interpolates(quantile_method method) noexcept {
  return method == quantile_method::linear || method == quantile_method::midpoint;
}
template <class T>
inline constexpr bool has_fractions = tessera::detail::is_float<T> || tessera::detail::is_half<T>;
/// True if `count` quantiles of n elements of T can be found by a method.
template <class T>
bool are_quantiles(std::int64_t n, double const* q, std::int64_t count, quantile_method method) noexcept {
  if (!detail::is_array(q, count) || (n == 0 && count > 0) || (detail::interpolates(method) && !has_fractions<T>))
    return false;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!(q[i] >= 0 && q[i] <= 1)) return false;
  }
  return true;
}

/// Stores a quantile of n elements.
template <class In, class T>
cudaError_t launch_quantile(In const& in, std::int64_t n, quantile_rank const& of, T* out, execution on) noexcept {
  quantile_place const place = detail::quantile_by(of.method, of.q, n);
  auto const task = detail::top_k_task_of(in, n, out, nullptr, false);
  cudaError_t const error = detail::select_elements(task, place.rank, true, on);
  if constexpr (has_fractions<T>) {
    if (error == cudaSuccess && place.fraction > 0)
      return detail::select_elements(task, place.rank + 1, true, on, interpolation<T, double>{out, place.fraction});
  }
  return error;
}
/// Stores the quantile of as many elements as the device knows.
template <class In, class T>
cudaError_t launch_quantile(In const& in, device_count const& n, quantile_rank const& of, T* out,
                            execution on) noexcept {
  auto const select = [&](quantile_rank const& rank_of, auto const& then) {
    ranked_reader<In, quantile_rank> const reader{in, n, rank_of};
    auto const task = detail::top_k_task_of(reader, n.at_most + 1, out, nullptr, false);
    return detail::select_elements(task, rank_of(n.at_most), true, on, then);
  };
  cudaError_t const error = select(of, no_interpolation{});
  if constexpr (has_fractions<T>) {
    if (error == cudaSuccess && detail::interpolates(of.method))
      return select({quantile_method::higher, of.q}, interpolation<T, counted_fraction>{out, {of, n}});
  }
  return error;
}

template <class T>
struct quantiles_launcher<T, void> {
  template <class In, class N>
  static cudaError_t launch(In const& in, N const& n, double const* q, std::int64_t count, T* out,
                            quantile_method method, execution on) noexcept {
    std::int64_t const most = detail::most_of(n);
    constexpr std::int64_t longest = top_k_tuning::longest_array - (is_on_device<N> ? 1 : 0);
    if (most > longest || !detail::is_array(in, detail::read_for(count, most)) ||
        !detail::are_quantiles<T>(most, q, count, method) || !detail::is_array(out, count) ||
        detail::overlap(in, most, out, count) || !detail::is_count(n, out, count))
      return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (std::int64_t i = 0; i < count && error == cudaSuccess; ++i)
      error = detail::launch_quantile(in, n, {method, q[i]}, out + i, on);
    return error;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k elements that come first by key(x), in order, and their indices. Elements are of any trivially copyable type.
///
/// key     a function object, or a `__host__ __device__` lambda: the host asks it for the type of its result. It gives
///         a number: an integer, bool, float, double or 16-bit float, the same for each call with the same element. It
///         is called once or several times for each element.
/// before  greater{} or less{}, of these numbers.
template <class T, class F, class Before = greater>
[[nodiscard]] cudaError_t top_k_by(T const* in, std::int64_t n, std::int64_t k, tessera::detail::same_t<T>* values,
                                   std::int64_t* indices, F key, Before = {}, execution on = {}) noexcept {
  static_assert(stl::is_invocable_v<F const&, T const&>,
                "grid::top_k_by: key(x) takes an element and gives a number, and can be called while const.");
  using number = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, T const&>>>;
  static_assert(tessera::detail::is_ordered_number<number>,
                "grid::top_k_by: key gives an integer, bool, float, double, __half or __nv_bfloat16.");
  if constexpr (detail::can_select<number, Before>()) {
    if (!detail::are_results(in, n, values, indices, k)) return cudaErrorInvalidValue;
    if (k == 0) return cudaSuccess;
    constexpr auto order = detail::rank_keys<number>::template order_of<number>(detail::is_falling<number, Before>);
    return detail::select_elements(detail::top_k_task<T, F>{in, n, values, indices, key, order}, k - 1, false, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// top_k_by by an iterator (core/iterators.hpp). It reads each element as often as key is called, and each of the first
/// k once more. Values and indices may go to iterators, too.
template <class In, class Values, class Indices, class F, class Before = greater,
          detail::if_selects_by_iterators<In, Values, Indices> = true>
[[nodiscard]] cudaError_t top_k_by(In in, std::int64_t n, std::int64_t k, Values values, Indices indices, F key,
                                   Before before = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  if constexpr (detail::are_other_entries<T, Values, Indices>) return detail::no_top_k<T, Values, Indices>();
  auto const to = detail::outputs_of<T>(values);
  auto const at = detail::outputs_of<std::int64_t>(indices);
  constexpr bool to_memory = stl::is_pointer_v<decltype(detail::outputs_of<T>(values))> &&
                             stl::is_pointer_v<decltype(detail::outputs_of<std::int64_t>(indices))>;
  constexpr bool possible = stl::is_invocable_v<F const&, T const&>;
  static_assert(possible, "grid::top_k_by: key(x) takes an element and gives a number, and can be called while const.");
  if constexpr (!tessera::detail::is_computed<In> && to_memory) {
    return grid::top_k_by(tessera::detail::reader_of(in), n, k, to, at, key, before, on);
  } else if constexpr (possible) {
    using number = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, T const&>>>;
    if constexpr (detail::can_select<number, Before>()) {
      auto const from = tessera::detail::reader_of(in);
      if (!detail::are_results(from, n, to, at, k)) return cudaErrorInvalidValue;
      if (k == 0) return cudaSuccess;
      auto const task = detail::task_by<T>(from, n, to, at, key, detail::is_falling<number, Before>);
      return detail::select_elements(task, k - 1, false, on);
    } else {
      return cudaErrorNotSupported;
    }
  } else {
    return cudaErrorNotSupported;
  }
}
/// top_k of top_k.hpp by an iterator, or to iterators.
template <class In, class Values, class Indices, class Before = greater,
          detail::if_selects_by_iterators<In, Values, Indices> = true>
[[nodiscard]] cudaError_t top_k(In in, std::int64_t n, std::int64_t k, Values values, Indices indices,
                                Before before = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  if constexpr (detail::are_other_entries<T, Values, Indices>) return detail::no_top_k<T, Values, Indices>();
  auto const to = detail::outputs_of<T>(values);
  auto const at = detail::outputs_of<std::int64_t>(indices);
  constexpr bool to_memory = stl::is_pointer_v<decltype(detail::outputs_of<T>(values))> &&
                             stl::is_pointer_v<decltype(detail::outputs_of<std::int64_t>(indices))>;
  if constexpr (!tessera::detail::is_computed<In> && to_memory) {
    return grid::top_k(tessera::detail::reader_of(in), n, k, to, at, before, on);
  } else {
    return grid::top_k_by(in, n, k, values, indices, tessera::detail::as_it_is{}, before, on);
  }
}
/// nth_element of top_k.hpp by an iterator.
template <class In, class Before = less, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t nth_element(In in, std::int64_t n, std::int64_t rank, detail::value_of<In>* value,
                                      std::int64_t* index = nullptr, Before before = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::nth_element(tessera::detail::reader_of(in), n, rank, value, index, before, on);
  } else if constexpr (detail::can_select<T, Before>()) {
    return detail::nth_element_launcher<T>::launch(in, n, rank, value, index, detail::is_falling<T, Before>, on);
  } else {
    return cudaErrorNotSupported;
  }
}
/// The first k of as many elements as the device knows (count_on_device.hpp). If they are fewer than k, what comes
/// after them in the outputs stays as it is; k is at most at_most. Elements are read one at a time.
template <class In, class Values, class Indices, class F, class Before = greater>
[[nodiscard]] cudaError_t top_k_by(In in, device_count n, std::int64_t k, Values values, Indices indices, F key,
                                   Before = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  if constexpr (detail::are_other_entries<T, Values, Indices>) return detail::no_top_k<T, Values, Indices>();
  constexpr bool possible = stl::is_invocable_v<F const&, T const&>;
  static_assert(possible, "grid::top_k_by: key(x) takes an element and gives a number, and can be called while const.");
  if constexpr (possible) {
    using number = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, T const&>>>;
    if constexpr (detail::can_select<number, Before>()) {
      return detail::select_counted<T, Before>(tessera::detail::reader_of(in), n, k - 1, false,
                                               detail::outputs_of<T>(values), detail::outputs_of<std::int64_t>(indices),
                                               key, on);
    }
  }
  return cudaErrorNotSupported;
}
template <class In, class Values, class Indices, class Before = greater>
[[nodiscard]] cudaError_t top_k(In in, device_count n, std::int64_t k, Values values, Indices indices,
                                Before before = {}, execution on = {}) noexcept {
  return grid::top_k_by(in, n, k, values, indices, tessera::detail::as_it_is{}, before, on);
}
/// The element of one rank. Nothing is stored if there are only `rank` elements or fewer.
template <class In, class Before = less>
[[nodiscard]] cudaError_t nth_element(In in, device_count n, std::int64_t rank, detail::value_of<In>* value,
                                      std::int64_t* index = nullptr, Before = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  if constexpr (detail::can_select<T, Before>()) {
    if (rank < 0 || rank >= n.at_most) return cudaErrorInvalidValue;
    return detail::select_counted<T, Before>(tessera::detail::reader_of(in), n, rank, true, value, index,
                                             tessera::detail::as_it_is{}, on);
  } else {
    return cudaErrorNotSupported;
  }
}
/// quantiles of top_k.hpp by an iterator.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t quantiles(In in, std::int64_t n, double const* q, std::int64_t count,
                                    detail::value_of<In>* out, quantile_method method = quantile_method::nearest,
                                    execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::quantiles(tessera::detail::reader_of(in), n, q, count, out, method, on);
  } else {
    return detail::quantiles_launcher<detail::value_of<In>>::launch(in, n, q, count, out, method, on);
  }
}
/// The quantiles of as many elements as the device knows (count_on_device.hpp). Nothing is stored if there are none.
/// at_most is at least 1, unless count is 0, and below 2^40. linear and midpoint read the array twice for each.
template <class In>
[[nodiscard]] cudaError_t quantiles(In in, device_count n, double const* q, std::int64_t count,
                                    detail::value_of<In>* out, quantile_method method = quantile_method::nearest,
                                    execution on = {}) noexcept {
  return detail::quantiles_launcher<detail::value_of<In>>::launch(tessera::detail::reader_of(in), n, q, count, out,
                                                                  method, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
