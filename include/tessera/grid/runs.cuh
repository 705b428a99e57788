// Runs of keys of any type, equal by any relation, and their values by any operator: the kernels, for nvcc.
//
//   auto const same_x = [] __host__ __device__(point a, point b) { return a.x == b.x; };
//   error = tessera::grid::unique(points, n, out, count, same_x, {stream, memory});
//   error = tessera::grid::reduce_by_key(cells, parts, n, cells_out, wholes, count, join{}, equal, {stream, memory});
//   error = tessera::grid::non_trivial_runs(points, n, offsets, lengths, count, same_x, {stream, memory});
//
// equal is an equivalence relation, a function object or a lambda, in CUDA `__host__ __device__`. It is called once
// for each key and its predecessor, and for the last key more often where a tile reaches beyond the array; an
// operator likewise.
//
// Keys and values are of any trivially copyable types of up to 1024 bytes. Everything else is as in runs.hpp. Lambdas
// need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/runs.hpp>
#include <tessera/grid/select.cuh>
#include <tessera/grid/select/repeats_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Task>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    runs_kernel(Task task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_runs_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                *reinterpret_cast<runs_storage<Task, Shape>*>(shared));
}

template <class Shape, class Task>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    repeats_kernel(Task task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_repeats_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                   *reinterpret_cast<repeats_storage<Task, Shape>*>(shared));
}

template <class T, class Equal, class Sums>
cudaError_t run_runs(runs_task<T, Equal, Sums> const& task, execution on) noexcept {
  using task_t = runs_task<T, Equal, Sums>;
  using large = runs_shape<T, Sums, tile_kind::large>;
  using small_tile = runs_shape<T, Sums, kind_of_small>;
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 1024,
                "Keys are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  bool const is_short = task.n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<runs_storage, task_t>::template with, large, small_tile>(
      is_short, [&](auto shape, unsigned warps) {
        using shape_t = decltype(shape);
        return detail::launch_tile_loop<runs_kernel<shape_t, task_t>, run_prefix<typename Sums::total>, shape_t,
                                        runs_storage<task_t, shape_t>>(detail::runs_tile_count<shape_t>(task.n, warps),
                                                                       warps, task, on);
      });
}

/// True if `out` can be written while n elements at `in` are read, and the count lies elsewhere.
template <class T, class Out>
bool are_apart_for_runs(T const* in, std::int64_t n, Out const* out, std::int64_t const* count) noexcept {
  return detail::are_countable(in, n, out, count) && !detail::begins_within(out, in, n);
}

/// True if two outputs of n elements begin at one address.
template <class T, class U>
bool are_different(T const* a, U const* b, std::int64_t n) noexcept {
  return n == 0 || static_cast<void const*>(a) != static_cast<void const*>(b);
}

template <class T>
struct unique_launcher<T, void> {
  template <class Equal>
  static cudaError_t launch(T const* in, std::int64_t n, T* out, std::int64_t* count, Equal const& equal,
                            execution on) noexcept {
    return detail::select_array(in, n, out, count, if_head<Equal>{equal}, on);
  }

  template <class V, class Equal>
  static cudaError_t launch(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                            std::int64_t* count, Equal const& equal, execution on) noexcept {
    static_assert(is_exchangeable_v<V> && sizeof(V) <= 1024,
                  "Values are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
    if (!detail::are_selectable(keys, n, keys_out, count) || !detail::are_selectable(values, n, values_out, count) ||
        detail::begins_within(keys_out, values, n) || detail::begins_within(values_out, keys, n) ||
        !detail::are_different(keys_out, values_out, n))
      return cudaErrorInvalidValue;
    using paired = paired_values<V>;
    return detail::run_select(
        select_task<T, if_head<Equal>, paired>{
            keys, n, keys_out, count, {equal}, {values, values_out}, keys == keys_out || values == values_out},
        on);
  }
};

/// Encodes runs; `Lengths` is a run_lengths for `out`, the array that begins at `lengths`.
template <class Lengths, class T, class Length, class Equal>
cudaError_t encode_runs(T const* in, std::int64_t n, T* values, Length const* lengths, typename Lengths::array out,
                        std::int64_t* count, Equal const& equal, execution on) noexcept {
  if (!detail::are_apart_for_runs(in, n, values, count) || !detail::are_apart_for_runs(in, n, lengths, count) ||
      !detail::are_different(values, lengths, n))
    return cudaErrorInvalidValue;
  return detail::run_runs(runs_task<T, Equal, Lengths>{in, n, values, count, {equal}, {out}}, on);
}

template <class T>
struct runs_launcher<T, void> {
  template <class Length, class Equal>
  static cudaError_t launch(T const* in, std::int64_t n, T* values, Length* lengths, std::int64_t* count,
                            Equal const& equal, execution on) noexcept {
    return detail::encode_runs<run_lengths<Length>>(in, n, values, lengths, lengths, count, equal, on);
  }

  template <class V, class R, class Op, class Equal>
  static cudaError_t launch(T const* keys, V const* values, std::int64_t n, T* keys_out, R* values_out,
                            std::int64_t* count, Op const& op, Equal const& equal, execution on) noexcept {
    static_assert(is_exchangeable_v<V> && is_exchangeable_v<R> && sizeof(V) <= 1024 && sizeof(R) <= 1024,
                  "Values are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
    if (!detail::are_apart_for_runs(keys, n, keys_out, count) ||
        !detail::are_apart_for_runs(values, n, values_out, count) || detail::begins_within(keys_out, values, n) ||
        detail::begins_within(values_out, keys, n) || !detail::are_different(keys_out, values_out, n))
      return cudaErrorInvalidValue;
    auto const combine = tessera::detail::normalize<R>(op);
    using values_t = run_values<V, R, stl::decay_t<decltype(combine)>, R>;
    return detail::run_runs(
        runs_task<T, Equal, values_t>{keys, n, keys_out, count, {equal}, {values, values_out, combine}}, on);
  }
};

/// Finds the runs of more than one, if the arguments are right.
template <class In, class Offset, class Length, class Equal>
cudaError_t find_repeats(In const& in, std::int64_t n, Offset* offsets, Length* lengths, std::int64_t* count,
                         Equal const& equal, execution on) noexcept {
  using task = repeats_task<In, Equal, Offset, Length>;
  static_assert(is_exchangeable_v<value_of<In>> && sizeof(value_of<In>) <= 1024,
                "Keys are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  if (!detail::are_countable(in, n, offsets, count) || !detail::are_countable(in, n, lengths, count) ||
      detail::begins_within(offsets, in, n) || detail::begins_within(lengths, in, n) ||
      (n > 0 && static_cast<void const*>(offsets) == static_cast<void const*>(lengths)) ||
      !detail::fits_index<Offset>(n - 1))
    return cudaErrorInvalidValue;
  using large = typename task::template shape<tile_kind::large>;
  using small_tile = typename task::template shape<kind_of_small>;
  bool const is_short = n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<repeats_storage, task>::template with, large, small_tile>(
      is_short, [&](auto shape, unsigned warps) {
        using shape_t = decltype(shape);
        return detail::launch_tile_loop<repeats_kernel<shape_t, task>, counted_starts, shape_t,
                                        repeats_storage<task, shape_t>>(
            shape_t::tile_count(n, warps), warps, task{in, n, offsets, lengths, count, {equal}}, on);
      });
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The runs of more than one key: offsets[k] is where the k-th of them begins, and lengths[k] how many keys it has.
///
///   keys       a b b b c c d         offsets   1 4         lengths   3 2         count: 2
///
/// in         n keys, also by an iterator (core/iterators.hpp).
/// offsets, lengths    integers of 32 or 64 bits, with room for all such runs, or for n / 2; apart from `in` and each
///            other. If n − 1 doesn't fit into an offset, the call returns cudaErrorInvalidValue.
/// count      on the GPU: how many such runs there are.
/// equal      as in run_length_encode. It compares the keys at the ends of a warp's part of a tile twice.
/// Cost       one launch and one read of each key; a workspace has up to 32 bytes for each tile.
template <class In, class Offset, class Length, class Equal = equal_to>
[[nodiscard]] cudaError_t non_trivial_runs(In in, std::int64_t n, Offset* offsets, Length* lengths, std::int64_t* count,
                                           Equal equal = {}, execution on = {}) noexcept {
  constexpr bool are_integers = tessera::detail::is_integer<Offset> && tessera::detail::is_integer<Length> &&
                                (sizeof(Offset) == 4 || sizeof(Offset) == 8) &&
                                (sizeof(Length) == 4 || sizeof(Length) == 8);
  static_assert(are_integers, "grid::non_trivial_runs: offsets and lengths are integers of 32 or 64 bits.");
  if constexpr (are_integers && detail::is_equality<detail::value_of<In>, Equal>()) {
    return detail::find_repeats(tessera::detail::reader_of(in), n, offsets, lengths, count, equal, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
