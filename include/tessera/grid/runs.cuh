// Runs of keys of any type, equal by any relation, and their values by any operator: the kernels, for nvcc.
//
//   auto const same_x = [] __host__ __device__(point a, point b) { return a.x == b.x; };
//   error = tessera::grid::unique(points, n, out, count, same_x, {stream, memory});
//   error = tessera::grid::reduce_by_key(cells, parts, n, cells_out, wholes, count, join{}, equal, {stream, memory});
//   error = tessera::grid::non_trivial_runs(points, n, offsets, lengths, count, same_x, {stream, memory});
//
// equal is an equivalence relation, a function object or a lambda, in CUDA `__host__ __device__`. It is called once
// for each key and its predecessor, and more often for the last key, if a tile reaches beyond the array. That also
// holds for an operator.
//
// Keys and values are of any trivially copyable types of up to 1024 bytes, and may be read by iterators
// (core/iterators.hpp); n may be a number on the device (count_on_device.hpp). The results of unique, unique_by_key,
// run_length_encode and reduce_by_key may go into iterators, such as those that discard the keys; a length is then a
// std::int64_t. Everything else is as in runs.hpp. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/runs.hpp>
#include <tessera/grid/select.cuh>
#include <tessera/grid/select/repeats_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    runs_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_runs_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                *reinterpret_cast<runs_storage<task_of<Given>, Shape>*>(shared));
}

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    repeats_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_repeats_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                   *reinterpret_cast<repeats_storage<task_of<Given>, Shape>*>(shared));
}

template <class T, class Equal, class Sums, class In, class Out, class N>
cudaError_t run_runs(runs_task<T, Equal, Sums, In, Out> const& task, N const& n, execution on) noexcept {
  using task_t = runs_task<T, Equal, Sums, In, Out>;
  using large = runs_shape<T, Sums, tile_kind::large>;
  using small_tile = runs_shape<T, Sums, kind_of_small>;
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 1024,
                "Keys are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  bool const is_short = task.n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<runs_storage, task_t>::template with, large, small_tile>(
      is_short, [&](auto shape, unsigned warps) {
        using shape_t = decltype(shape);
        return detail::launch_tile_loop<runs_kernel<shape_t, given_task<task_t, N>>, run_prefix<typename Sums::total>,
                                        shape_t, runs_storage<task_t, shape_t>>(
            detail::runs_tile_count<shape_t>(task.n, warps), warps, detail::with_count(task, n), on);
      });
}

/// True if results of runs can be written at `out` while n elements at `in` are read, and the counts lie elsewhere.
template <class In, class N, class Out>
bool are_apart_for_runs(In const& in, N const& n, Out const& out, std::int64_t const* count) noexcept {
  std::int64_t const most = detail::most_of(n);
  return detail::are_countable(in, most, out, count) && !detail::begins_within(out, in, most) &&
         detail::is_count_beside(n, out, count);
}

template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Equal>
cudaError_t unique_arrays(Keys const& keys, Values const& values, N const& number, KeysOut const& keys_out,
                          ValuesOut const& values_out, std::int64_t* count, Equal const& equal, execution on) noexcept {
  using T = value_of<Keys>;
  using V = value_of<Values>;
  static_assert(is_exchangeable_v<V> && sizeof(V) <= 1024,
                "Values are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  std::int64_t const n = detail::most_of(number);
  if (!detail::are_selectable(keys, n, keys_out, count) || !detail::are_selectable(values, n, values_out, count) ||
      detail::begins_within(keys_out, values, n) || detail::begins_within(values_out, keys, n) ||
      !detail::are_different(keys_out, values_out, n) || !detail::is_count_beside(number, keys_out, count) ||
      !detail::is_count_beside(number, values_out, count))
    return cudaErrorInvalidValue;
  using paired = paired_values<V, Values, ValuesOut>;
  bool const in_place = detail::is_in_place(keys, keys_out) || detail::is_in_place(values, values_out);
  return detail::run_select(
      select_task<T, if_head<Equal>, paired, Keys, KeysOut>{
          keys, n, keys_out, count, {equal}, {values, values_out}, in_place},
      on, number);
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
    return detail::unique_arrays(keys, values, n, keys_out, values_out, count, equal, on);
  }
};

/// Encodes runs; `Lengths` is a run_lengths for `out`, the array that begins at `lengths`.
template <class Lengths, class In, class N, class Out, class Begin, class Equal>
cudaError_t encode_runs(In const& in, N const& number, Out const& values, Begin const& lengths,
                        typename Lengths::array const& out, std::int64_t* count, Equal const& equal,
                        execution on) noexcept {
  using T = value_of<In>;
  std::int64_t const n = detail::most_of(number);
  if (!detail::are_apart_for_runs(in, number, values, count) ||
      !detail::are_apart_for_runs(in, number, lengths, count) || !detail::are_different(values, lengths, n))
    return cudaErrorInvalidValue;
  return detail::run_runs(runs_task<T, Equal, Lengths, In, Out>{in, n, values, count, {equal}, {out}}, number, on);
}

template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Op, class Equal>
cudaError_t reduce_runs(Keys const& keys, Values const& values, N const& number, KeysOut const& keys_out,
                        ValuesOut const& values_out, std::int64_t* count, Op const& op, Equal const& equal,
                        execution on) noexcept {
  using T = value_of<Keys>;
  using V = value_of<Values>;
  using R = tessera::detail::written_t<ValuesOut, reduced_t<V, Op>>;
  static_assert(is_exchangeable_v<V> && is_exchangeable_v<R> && sizeof(V) <= 1024 && sizeof(R) <= 1024,
                "Values are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  std::int64_t const n = detail::most_of(number);
  if (!detail::are_apart_for_runs(keys, number, keys_out, count) ||
      !detail::are_apart_for_runs(values, number, values_out, count) || detail::begins_within(keys_out, values, n) ||
      detail::begins_within(values_out, keys, n) || !detail::are_different(keys_out, values_out, n))
    return cudaErrorInvalidValue;
  auto const combine = tessera::detail::normalize<R>(op);
  using values_t = run_values<V, R, stl::decay_t<decltype(combine)>, R, Values, ValuesOut>;
  return detail::run_runs(
      runs_task<T, Equal, values_t, Keys, KeysOut>{keys, n, keys_out, count, {equal}, {values, values_out, combine}},
      number, on);
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
    return detail::reduce_runs(keys, values, n, keys_out, values_out, count, op, equal, on);
  }
};

/// True if runs of more than one key can be found. If not, a static assertion says what to write.
template <class In, class Offsets, class Lengths, class Equal>
constexpr bool finds_repeats() {
  using Offset = tessera::detail::written_t<Offsets, std::int64_t>;
  using Length = tessera::detail::written_t<Lengths, std::int64_t>;
  constexpr bool are_integers = tessera::detail::is_integer<Offset> && tessera::detail::is_integer<Length> &&
                                (sizeof(Offset) == 4 || sizeof(Offset) == 8) &&
                                (sizeof(Length) == 4 || sizeof(Length) == 8);
  static_assert(are_integers, "grid::non_trivial_runs: offsets and lengths are integers of 32 or 64 bits.");
  return are_integers && is_equality<value_of<In>, Equal>();
}

/// Finds the runs of more than one key, if the arguments are right.
template <class In, class N, class Offsets, class Lengths, class Equal>
cudaError_t find_repeats(In const& in, N const& number, Offsets const& offsets, Lengths const& lengths,
                         std::int64_t* count, Equal const& equal, execution on) noexcept {
  using task = repeats_task<In, Equal, Offsets, Lengths>;
  using Offset = tessera::detail::written_t<Offsets, std::int64_t>;
  static_assert(is_exchangeable_v<value_of<In>> && sizeof(value_of<In>) <= 1024,
                "Keys are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  std::int64_t const n = detail::most_of(number);
  if (!detail::are_apart_for_runs(in, number, offsets, count) ||
      !detail::are_apart_for_runs(in, number, lengths, count) || !detail::are_different(offsets, lengths, n) ||
      !detail::fits_index<Offset>(n - 1))
    return cudaErrorInvalidValue;
  using large = typename task::template shape<tile_kind::large>;
  using small_tile = typename task::template shape<kind_of_small>;
  bool const is_short = n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<repeats_storage, task>::template with, large, small_tile>(
      is_short, [&](auto shape, unsigned warps) {
        using shape_t = decltype(shape);
        return detail::launch_tile_loop<repeats_kernel<shape_t, given_task<task, N>>, counted_starts, shape_t,
                                        repeats_storage<task, shape_t>>(
            shape_t::tile_count(n, warps), warps,
            detail::with_count(task{in, n, offsets, lengths, count, {equal}}, number), on);
      });
}

template <class In, class N, class Offsets, class Lengths, class Equal>
cudaError_t find_read_repeats(In const& in, N const& n, Offsets const& offsets, Lengths const& lengths,
                              std::int64_t* count, Equal const& equal, execution on) noexcept {
  if constexpr (finds_repeats<In, Offsets, Lengths, Equal>()) {
    return detail::find_repeats(tessera::detail::reader_of(in), n, offsets, lengths, count, equal, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// True if T is the type of a reader's elements, and of keys that Equal compares. If not, a static assertion says what
/// to write.
template <class In, class T>
constexpr bool keeps_type() {
  constexpr bool is_same = stl::is_same_v<value_of<In>, T>;
  static_assert(is_same,
                "grid::unique, unique_by_key, run_length_encode, reduce_by_key: keys_out has the type of the "
                "keys, and unique_by_key's values_out that of the values.");
  return is_same;
}
template <class In, class T, class Equal>
constexpr bool finds_runs() {
  return keeps_type<In, T>() && is_equality<value_of<In>, Equal>();
}

// Calls by iterators, or with n on the device. Those by pointers are in runs.hpp.

/// The type of the elements that a call stores, a pointer's or the given one.
template <class Out, class T>
using stored_t = tessera::detail::written_t<Out, T>;
/// True if a call of these types is one by pointers, and no number is on the device.
template <class N, class... It>
inline constexpr bool has_pointers_alone = !is_on_device<N> && (... && stl::is_pointer_v<It>);

template <class In, class N, class Out, class Equal>
cudaError_t unique_read(In const& in, N const& n, Out const& out, std::int64_t* count, Equal const& equal,
                        execution on) noexcept {
  if constexpr (!finds_runs<In, stored_t<Out, value_of<In>>, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (has_pointers_alone<N, In, Out>) {
    return grid::unique(in, n, out, count, equal, on);
  } else {
    return detail::select_array(in, n, out, count, if_head<Equal>{equal}, on);
  }
}
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Equal>
cudaError_t unique_read_by_key(Keys const& keys, Values const& values, N const& n, KeysOut const& keys_out,
                               ValuesOut const& values_out, std::int64_t* count, Equal const& equal,
                               execution on) noexcept {
  if constexpr (!finds_runs<Keys, stored_t<KeysOut, value_of<Keys>>, Equal>() ||
                !keeps_type<Values, stored_t<ValuesOut, value_of<Values>>>()) {
    return cudaErrorNotSupported;
  } else if constexpr (has_pointers_alone<N, Keys, Values, KeysOut, ValuesOut>) {
    return grid::unique_by_key(keys, values, n, keys_out, values_out, count, equal, on);
  } else {
    return detail::unique_arrays(keys, values, n, keys_out, values_out, count, equal, on);
  }
}
template <class In, class N, class Out, class Lengths, class Equal>
cudaError_t encode_read(In const& in, N const& n, Out const& values, Lengths const& lengths, std::int64_t* count,
                        Equal const& equal, execution on) noexcept {
  using Length = stored_t<Lengths, std::int64_t>;
  constexpr bool are_integers = tessera::detail::is_integer<Length> && (sizeof(Length) == 4 || sizeof(Length) == 8);
  static_assert(are_integers, "grid::run_length_encode: lengths are integers of 32 or 64 bits.");
  if constexpr (!are_integers || !finds_runs<In, stored_t<Out, value_of<In>>, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (has_pointers_alone<N, In, Out, Lengths>) {
    return grid::run_length_encode(in, n, values, lengths, count, equal, on);
  } else {
    return detail::encode_runs<run_lengths<Length, Lengths>>(in, n, values, lengths, lengths, count, equal, on);
  }
}
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Op, class Equal>
cudaError_t reduce_read(Keys const& keys, Values const& values, N const& n, KeysOut const& keys_out,
                        ValuesOut const& values_out, std::int64_t* count, Op const& op, Equal const& equal,
                        execution on) noexcept {
  using R = stored_t<ValuesOut, reduced_t<value_of<Values>, Op>>;
  if constexpr (!finds_runs<Keys, stored_t<KeysOut, value_of<Keys>>, Equal>()) {
    return cudaErrorNotSupported;
  } else if constexpr (has_pointers_alone<N, Keys, Values, KeysOut, ValuesOut>) {
    return grid::reduce_by_key(keys, values, n, keys_out, values_out, count, op, equal, on);
  } else if constexpr (can_combine<tessera::detail::normalized_t<Op, value_of<Values>>, R>()) {
    return detail::reduce_runs(keys, values, n, keys_out, values_out, count, op, equal, on);
  } else {
    return cudaErrorNotSupported;
  }
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
///            other. Or iterators that write std::int64_t. If n − 1 doesn't fit into an offset, the call returns
///            cudaErrorInvalidValue.
/// count      on the GPU: how many such runs there are.
/// equal      as in run_length_encode. It compares the keys at the ends of a warp's part of a tile twice.
/// Cost       one launch and one read of each key; a workspace has up to 32 bytes for each tile.
template <class In, class Offsets, class Lengths, class Equal = equal_to>
[[nodiscard]] cudaError_t non_trivial_runs(In in, std::int64_t n, Offsets offsets, Lengths lengths, std::int64_t* count,
                                           Equal equal = {}, execution on = {}) noexcept {
  return detail::find_read_repeats(in, n, tessera::detail::address_of(offsets), tessera::detail::address_of(lengths),
                                   count, equal, on);
}

// ---- With n on the device (count_on_device.hpp)

/// unique of runs.hpp with n on the device: the first key of each run.
template <class In, class T, class Equal = equal_to>
[[nodiscard]] cudaError_t unique(In in, device_count n, T* out, std::int64_t* count, Equal equal = {},
                                 execution on = {}) noexcept {
  return detail::unique_read(tessera::detail::reader_of(in), n, out, count, equal, on);
}
/// unique_by_key of runs.hpp with n on the device: the first key of each run, and its value.
template <class Keys, class Values, class T, class V, class Equal = equal_to>
[[nodiscard]] cudaError_t unique_by_key(Keys keys, Values values, device_count n, T* keys_out, V* values_out,
                                        std::int64_t* count, Equal equal = {}, execution on = {}) noexcept {
  return detail::unique_read_by_key(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                                    values_out, count, equal, on);
}
/// run_length_encode of runs.hpp with n on the device: the first key of each run, and the run's length.
template <class In, class T, class Length, class Equal = equal_to>
[[nodiscard]] cudaError_t run_length_encode(In in, device_count n, T* values, Length* lengths, std::int64_t* count,
                                            Equal equal = {}, execution on = {}) noexcept {
  return detail::encode_read(tessera::detail::reader_of(in), n, values, lengths, count, equal, on);
}
/// reduce_by_key of runs.hpp with n on the device: the first key of each run, and the run's values combined.
template <class Keys, class Values, class T, class Op = plus, class Equal = equal_to>
[[nodiscard]] cudaError_t reduce_by_key(Keys keys, Values values, device_count n, T* keys_out,
                                        reduced_t<detail::value_of<Values>, Op>* values_out, std::int64_t* count,
                                        Op op = {}, Equal equal = {}, execution on = {}) noexcept {
  return detail::reduce_read(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                             values_out, count, op, equal, on);
}
template <class In, class Offsets, class Lengths, class Equal = equal_to>
[[nodiscard]] cudaError_t non_trivial_runs(In in, device_count n, Offsets offsets, Lengths lengths, std::int64_t* count,
                                           Equal equal = {}, execution on = {}) noexcept {
  return detail::find_read_repeats(in, n, tessera::detail::address_of(offsets), tessera::detail::address_of(lengths),
                                   count, equal, on);
}

// ---- By iterators

/// The calls of runs.hpp, with keys and values by iterators.
template <class In, class T, class Equal = equal_to, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t unique(In in, std::int64_t n, T* out, std::int64_t* count, Equal equal = {},
                                 execution on = {}) noexcept {
  return detail::unique_read(tessera::detail::reader_of(in), n, out, count, equal, on);
}
template <class Keys, class Values, class T, class V, class Equal = equal_to,
          detail::if_any_iterator<Keys, Values> = true>
[[nodiscard]] cudaError_t unique_by_key(Keys keys, Values values, std::int64_t n, T* keys_out, V* values_out,
                                        std::int64_t* count, Equal equal = {}, execution on = {}) noexcept {
  return detail::unique_read_by_key(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                                    values_out, count, equal, on);
}
template <class In, class T, class Length, class Equal = equal_to, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t run_length_encode(In in, std::int64_t n, T* values, Length* lengths, std::int64_t* count,
                                            Equal equal = {}, execution on = {}) noexcept {
  return detail::encode_read(tessera::detail::reader_of(in), n, values, lengths, count, equal, on);
}
template <class Keys, class Values, class T, class Op = plus, class Equal = equal_to,
          detail::if_any_iterator<Keys, Values> = true>
[[nodiscard]] cudaError_t reduce_by_key(Keys keys, Values values, std::int64_t n, T* keys_out,
                                        reduced_t<detail::value_of<Values>, Op>* values_out, std::int64_t* count,
                                        Op op = {}, Equal equal = {}, execution on = {}) noexcept {
  return detail::reduce_read(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                             values_out, count, op, equal, on);
}

// ---- Into iterators; n may be on the device

/// unique of runs.hpp into an iterator.
template <class In, class N, class Out, class Equal = equal_to, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t unique(In in, N n, Out out, std::int64_t* count, Equal equal = {},
                                 execution on = {}) noexcept {
  return detail::unique_read(tessera::detail::reader_of(in), detail::count_as_given(n),
                             detail::writer_of<detail::value_of<In>>(out), count, equal, on);
}
/// unique_by_key of runs.hpp with keys or values, or both, into iterators.
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Equal = equal_to,
          detail::if_any_writer<KeysOut, ValuesOut> = true>
[[nodiscard]] cudaError_t unique_by_key(Keys keys, Values values, N n, KeysOut keys_out, ValuesOut values_out,
                                        std::int64_t* count, Equal equal = {}, execution on = {}) noexcept {
  return detail::unique_read_by_key(tessera::detail::reader_of(keys), tessera::detail::reader_of(values),
                                    detail::count_as_given(n), detail::writer_of<detail::value_of<Keys>>(keys_out),
                                    detail::writer_of<detail::value_of<Values>>(values_out), count, equal, on);
}
/// run_length_encode of runs.hpp with keys or lengths, or both, into iterators. One that isn't contiguous is given
/// lengths as std::int64_t.
template <class In, class N, class Out, class Lengths, class Equal = equal_to,
          detail::if_any_writer<Out, Lengths> = true>
[[nodiscard]] cudaError_t run_length_encode(In in, N n, Out values, Lengths lengths, std::int64_t* count,
                                            Equal equal = {}, execution on = {}) noexcept {
  return detail::encode_read(tessera::detail::reader_of(in), detail::count_as_given(n),
                             detail::writer_of<detail::value_of<In>>(values), tessera::detail::address_of(lengths),
                             count, equal, on);
}
/// reduce_by_key of runs.hpp with keys or values, or both, into iterators.
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Op = plus, class Equal = equal_to,
          detail::if_any_writer<KeysOut, ValuesOut> = true>
[[nodiscard]] cudaError_t reduce_by_key(Keys keys, Values values, N n, KeysOut keys_out, ValuesOut values_out,
                                        std::int64_t* count, Op op = {}, Equal equal = {}, execution on = {}) noexcept {
  using result = reduced_t<detail::value_of<Values>, Op>;
  return detail::reduce_read(tessera::detail::reader_of(keys), tessera::detail::reader_of(values),
                             detail::count_as_given(n), detail::writer_of<detail::value_of<Keys>>(keys_out),
                             detail::writer_of<result>(values_out), count, op, equal, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
