// Reductions of arrays of any type by any operator: the kernel, for nvcc.
//
//   // How many are above a threshold, by any function of the elements:
//   tessera::grid::transform_reduce(in, n, count, tessera::plus{},
//                                   [=] __host__ __device__(float x) { return x > t ? 1 : 0; });
//   // A struct by an operator of your own, which need not commute:
//   tessera::grid::reduce(parts, n, whole, tessera::make_operator(join{}, part{}), {stream, memory});
//   // From a start, in whose type elements are combined: ints as doubles.
//   error = tessera::grid::reduce(counts, n, sum, tessera::plus{}, 0.5, {stream, memory});
//
// `out` may be an iterator (core/iterators.hpp), such as one that transforms the result, which it is given once.
// Everything else is as in reduce.hpp. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/memory_iterators.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/reduce/argmin_agent.hpp>
#include <tessera/grid/reduce/moments_agent.hpp>
#include <tessera/grid/reduce/packed_argmin_agent.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/grid/reduce/started_agent.hpp>
#include <tessera/grid/start_on_device.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class In, class Agent, class Op, class R, class Out>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    reduce_kernel(reader_parameter<In> in, std::int64_t n, even_share share, aligned<Agent> agent, aligned<Op> op,
                  shared_partials<R> shared, reader_parameter<Out> out) {
  wait_for_stream();
  detail::run_reduce_agent<reduce_tuning::threads>(cooperative_groups::this_thread_block(), detail::reader_in(in), n,
                                                   share, agent.value, op.value, shared, detail::reader_in(out));
}

template <class In, class Agent, class Op, class R, class Out>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    counted_reduce_kernel(reader_parameter<In> in, device_count n, even_share share, aligned<Agent> agent,
                          aligned<Op> op, shared_partials<R> shared, reader_parameter<Out> out) {
  wait_for_stream();
  std::int64_t const count = detail::count_now(n);
  share.run = (count + share.blocks - 1) / share.blocks;
  detail::run_reduce_agent<reduce_tuning::threads>(cooperative_groups::this_thread_block(), detail::reader_in(in),
                                                   count, share, agent.value, op.value, shared, detail::reader_in(out));
}

template <unsigned Vectors, class T>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    packed_argmin_kernel(T const* in, std::int64_t n, flipped_bits<T> flipped, packed_argmin_share share,
                         shared_packed_best shared, indexed<T, std::int64_t>* out) {
  wait_for_stream();
  __shared__ std::uint64_t known;
  detail::run_packed_argmin_agent<reduce_tuning::threads, Vectors>(cooperative_groups::this_thread_block(), in, n,
                                                                   flipped, share, known, shared, first_of_ties{},
                                                                   best_place<T>{out});
}

template <unsigned Vectors, class T>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    tied_packed_argmin_kernel(T const* in, std::int64_t n, flipped_bits<T> flipped, packed_argmin_share share,
                              shared_packed_best shared, chosen_of_ties ties, best_places<T> out) {
  wait_for_stream();
  __shared__ std::uint64_t known;
  detail::run_packed_argmin_agent<reduce_tuning::threads, Vectors>(cooperative_groups::this_thread_block(), in, n,
                                                                   flipped, share, known, shared, ties, out);
}

static_assert(workspace::slot_bytes >= reduce_tuning::most_resident_blocks * most_slot_words * sizeof(std::uint64_t),
              "A block has a slot for each word of a partial.");

/// The number of multiprocessors that an array is cut for.
inline cudaError_t multiprocessors_for(order how, int& count) noexcept {
  count = reduce_tuning::multiprocessors;
  if (how == order::any_device) return cudaSuccess;
  return detail::query_device(cudaDevAttrMultiProcessorCount, count);
}

/// Reduces an array: `agent` gives the lanes' partials, of type R, and `op` combines them.
template <class R, class In, class N, class Agent, class Op, class Out>
cudaError_t reduce_array(In const& in, N const& n, Out const& out, Agent const& agent, Op const& op, order how,
                         execution on) noexcept {
  using T = value_of<In>;
  std::int64_t const most = detail::most_of(n);
  if (!detail::are_apart(in, most, out) || !detail::is_count(n, out, 1)) return cudaErrorInvalidValue;
  int multiprocessors = 0;
  cudaError_t const error = detail::multiprocessors_for(how, multiprocessors);
  if (error != cudaSuccess) return error;
  constexpr unsigned reads = detail::reads_of<T, In>(Agent::template bytes<T>);
  even_share const share = detail::even_share_of<reads>(in, most, multiprocessors);
  auto const run = [&](shared_partials<R> const& shared) {
    launch_shape const shape{share.blocks, reduce_tuning::threads};
    reader_parameter<In> const reader(in);
    reader_parameter<Out> const writer(out);
    if constexpr (is_on_device<N>) {
      return detail::launch<counted_reduce_kernel<In, Agent, Op, R, Out>>(shape, on.stream, reader, n, share, agent, op,
                                                                          shared, writer);
    } else {
      return detail::launch<reduce_kernel<In, Agent, Op, R, Out>>(shape, on.stream, reader, n, share, agent, op, shared,
                                                                  writer);
    }
  };
  if (share.blocks == 1) return run({});
  pooled_workspace const scratch(on, detail::partial_bytes(share.blocks, sizeof(R)));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({static_cast<R*>(scratch.data()), scratch.counters(), scratch.slot_words()});
}

/// Calls launch(share, shared) for argmin or argmax of an array by packed_argmin_agent.hpp.
template <unsigned Vectors, class T, class Launch>
cudaError_t packed_argmin_array(T const* in, std::int64_t n, execution on, Launch launch) noexcept {
  int multiprocessors = 0;
  cudaError_t const error = detail::multiprocessors_for(order::this_device, multiprocessors);
  if (error != cudaSuccess) return error;
  packed_argmin_share const share =
      detail::packed_argmin_share_of<reduce_tuning::threads, Vectors>(in, n, detail::resident_blocks(multiprocessors));
  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return launch(share, shared_packed_best{scratch.slot_words(), scratch.counters()});
}

/// True if an array of n elements is long enough for a packed best, and not too long.
template <class T>
bool is_packed_argmin(std::int64_t n) noexcept {
  constexpr auto least = reduce_tuning::packed_argmin_bytes / static_cast<std::int64_t>(sizeof(T));
  return n >= least && detail::fits_packed_argmin<T>(n);
}

/// argmin or argmax of an array: argmin of elements that have these bits flipped.
template <class In, class N, class T = value_of<In>>
cudaError_t arg_array(In const& in, N const& n, indexed<T, std::int64_t>* out, flipped_bits<T> flipped,
                      execution on) noexcept {
  using agent = argmin_agent<T>;
  if constexpr (!reads_elements<In> && !is_on_device<N> && detail::fits_packed_argmin<T>(0)) {
    if (detail::is_packed_argmin<T>(n)) {
      if (!detail::are_apart(in, n, out)) return cudaErrorInvalidValue;
      constexpr unsigned vectors = detail::vectors_of<T>(agent::template bytes<T>);
      return detail::packed_argmin_array<vectors>(
          in, n, on, [&](packed_argmin_share const& share, shared_packed_best const& shared) {
            return detail::launch<packed_argmin_kernel<vectors, T>>({share.blocks, reduce_tuning::threads}, on.stream,
                                                                    in, n, flipped, share, shared, out);
          });
    }
  }
  return detail::reduce_array<indexed<T, std::int64_t>>(in, n, out, agent{flipped}, tessera::argmin{},
                                                        order::this_device, on);
}

/// argmin or argmax with a choice among ties, into two places.
template <class In, class N, class T = value_of<In>>
cudaError_t arg_array_into(In const& in, N const& n, T* value, std::int64_t* index, ties which, flipped_bits<T> flipped,
                           execution on) noexcept {
  using agent = tied_argmin_agent<T>;
  std::int64_t const most = detail::most_of(n);
  if (!detail::are_apart(in, most, value) || !detail::are_apart(in, most, index) ||
      detail::overlap(value, 1, index, 1) || !detail::is_count(n, index, 1))
    return cudaErrorInvalidValue;
  chosen_of_ties const chosen{which == ties::last};
  if constexpr (!reads_elements<In> && !is_on_device<N> && detail::fits_packed_argmin<T>(0)) {
    if (detail::is_packed_argmin<T>(n)) {
      constexpr unsigned vectors = detail::vectors_of<T>(agent::template bytes<T>);
      return detail::packed_argmin_array<vectors>(
          in, n, on, [&](packed_argmin_share const& share, shared_packed_best const& shared) {
            return detail::launch<tied_packed_argmin_kernel<vectors, T>>({share.blocks, reduce_tuning::threads},
                                                                         on.stream, in, n, flipped, share, shared,
                                                                         chosen, best_places<T>{value, index});
          });
    }
  }
  return detail::reduce_array<indexed<T, std::int64_t>>(in, n, value, agent{flipped, chosen, index}, tessera::argmin{},
                                                        order::this_device, on);
}

using minmax_operator = tessera::minmax;  // grid::minmax is a function

/// 1 for an element that has the predicate.
template <class Pred>
struct as_count {
  Pred pred;
  template <class T>
  TESSERA_FN std::int64_t operator()(T const& x, std::int64_t index) const {
    return static_cast<bool>(tessera::detail::apply<std::int64_t>(pred, x, index)) ? 1 : 0;
  }
};
struct as_both {
  template <class T>
  TESSERA_FN min_max<T> operator()(T const& x) const {
    return tessera::as_min_max(x);
  }
};

/// The type of f(x) or f(x, index), with messages if Op or F aren't what transform_reduce takes.
template <class T, class Op, class F>
struct reduced_term {
  static_assert(!tessera::detail::are_swapped<std::int64_t, T, Op, F>(),
                "grid::transform_reduce: op comes before f, as in std::transform_reduce: write transform_reduce(in, n, "
                "out, op, f).");
  static_assert(tessera::detail::takes_element<std::int64_t, T, F>,
                "f(x) or f(x, index) takes an element, and its index as a std::int64_t, and can be called while const; "
                "op comes before it. A lambda is __host__ __device__: the host asks it for the type of its result.");
  using type = decltype(tessera::detail::apply<std::int64_t>(stl::declval<F const&>(), stl::declval<T const&>(),
                                                             std::int64_t{}));
};

template <class T, class R>
constexpr void require_reduced_types() {
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  static_assert(sizeof(R) <= 1024,
                "grid::reduce: results have up to 1024 bytes. Shared memory has no room for longer ones.");
  tessera::detail::require_assignable<R>();
}

/// f of what an iterator makes of the elements of its memory.
template <class F, class G, class T>
struct on_memory {
  F f;
  G of_memory;
  template <class X>
  TESSERA_FN auto operator()(X const& x, std::int64_t index) const {
    T const element = of_memory(x);
    return tessera::detail::apply<std::int64_t>(f, element, index);
  }
};

/// Calls run(in, f), or run(memory, f of the iterator's function) if an iterator computes its elements from memory.
template <class In, class F, class Run>
cudaError_t reduce_from_memory(In const& in, F const& f, Run run) noexcept {
  if constexpr (tessera::detail::computes_from_memory<In>) {
    auto const g = tessera::detail::function_on_memory(in);
    return run(tessera::detail::memory_of(in), on_memory<F, stl::remove_const_t<decltype(g)>, value_of<In>>{f, g});
  } else {
    return run(in, f);
  }
}

template <class In, class N, class Out, class Op, class F>
cudaError_t transform_array(In const& in, N const& n, Out const& out, Op const& op, F const& f, order how,
                            execution on) noexcept {
  using term = typename reduced_term<value_of<In>, Op, F>::type;
  using combine = tessera::detail::normalized_t<Op, term>;
  using result = tessera::detail::range_result_t<Op, term, std::int64_t>;
  detail::require_reduced_types<value_of<In>, result>();
  if constexpr (can_reduce<combine, result>()) {
    combine const canonical_op = tessera::detail::normalize<term>(op);
    return detail::reduce_from_memory(in, f, [&](auto const& from, auto const& g) {
      using agent = operator_agent<result, combine, stl::decay_t<decltype(g)>>;
      return detail::reduce_array<result>(from, n, out, agent{canonical_op, g}, canonical_op, how, on);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

/// True if a start is valid: on the device, its pointer is aligned and not null.
template <class Start>
bool is_valid_start(Start const&) noexcept {
  return true;
}
template <class T>
bool is_valid_start(device_start<T> const& start) noexcept {
  return start.value != nullptr && detail::is_array(start.value, 1);
}

/// start op f(in[0]) op f(in[1]) …
template <class In, class N, class Out, class Op, class F, class Start>
cudaError_t reduce_after(In const& in, N const& n, Out const& out, Op const& op, F const& f, Start const& start,
                         order how, execution on) noexcept {
  using term = typename reduced_term<value_of<In>, Op, F>::type;
  using R = started_t<Start, Op>;
  using combine = tessera::detail::normalized_t<Op, R>;
  detail::require_reduced_types<value_of<In>, R>();
  if constexpr (tessera::detail::can_accumulate<R, term>() && can_combine<combine, R>()) {
    if (!detail::is_valid_start(start)) return cudaErrorInvalidValue;
    auto const first = detail::start_in<R>(start);
    return detail::reduce_from_memory(in, f, [&](auto const& from, auto const& g) {
      using agent = started_agent<R, combine, stl::decay_t<decltype(g)>, stl::remove_const_t<decltype(first)>>;
      typename agent::op const with{tessera::detail::normalize<R>(op)};
      return detail::reduce_array<typename agent::term>(from, n, out, agent{{with, {g}}, first}, with, how, on);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

template <class T>
struct reduce_launcher<T, void> {
  template <class In, class N, class Out, class Op>
  static cudaError_t launch(In const& in, N const& n, Out const& out, Op op, order how, execution on) noexcept {
    if constexpr (tessera::detail::is_half<T> && stl::is_same_v<reduced_t<T, Op>, float>) {
      return detail::transform_array(in, n, out, op, as_result<float>{}, how, on);
    } else {
      return detail::transform_array(in, n, out, op, tessera::detail::as_it_is{}, how, on);
    }
  }
};

}  // namespace TESSERA_ARCHS

/// The least or greatest element by an iterator, into two places.
template <class In, class T>
cudaError_t arg_of_iterator(In const& in, std::int64_t n, T* value, std::int64_t* index, bool greatest, ties which,
                            execution on) noexcept {
  static_assert(stl::is_same_v<T, value_of<In>>, "grid::argmin, argmax: value points to an element of the array.");
  if constexpr (!tessera::detail::is_computed<In>) {
    auto const reader = tessera::detail::reader_of(in);
    return greatest ? grid::argmax(reader, n, value, index, which, on)
                    : grid::argmin(reader, n, value, index, which, on);
  } else {
    detail::require_element<T>();
    return detail::arg_array_into(in, n, value, index, which, flipped_bits<T>::of(greatest), on);
  }
}

/// The least or greatest element, given to an iterator.
template <class In, class N, class Out>
cudaError_t arg_into_writer(In const& in, N const& n, Out const& out, bool greatest, execution on) noexcept {
  using T = value_of<In>;
  using best = indexed<T, std::int64_t>;
  detail::require_element<T>();
  return detail::reduce_array<best>(tessera::detail::reader_of(in), n, detail::writer_of<best>(out),
                                    argmin_agent<T>{flipped_bits<T>::of(greatest)}, tessera::argmin{},
                                    order::this_device, on);
}

/// True if Start is a value that a reduction begins with, and Out is where its result goes.
template <class Start, class Out>
using if_start_of_reduction = stl::enable_if_t<tessera::detail::is_reader<Out> && !stl::is_pointer_v<Start> &&
                                                   !is_execution<Start> && !stl::is_same_v<Start, order>,
                                               bool>;

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out = f(in[0]) op f(in[1]) op … op f(in[n − 1]); the identity of `op` if n is 0. For any trivially copyable
/// elements, and results of f of up to 1024 bytes.
///
/// op    any operator with an identity. It need not commute, but is faster if it does: say so by make_operator.
/// f     f(x), or f(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__ __device__`. It
///       is called once for each element.
/// out   a pointer to the type that f's results are combined in, or to one that it converts to; or an iterator
///       (core/iterators.hpp), which is given one result of the former. Integers of 8 and 16 bits are added as int; a
///       sum that is stored into one of them wraps.
/// Cost  for an operator that doesn't commute: a `reduce` of a warp for every 512 bytes.
template <class In, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, std::int64_t n, Out out, Op op, F f, order how,
                                           execution on = {}) noexcept {
  return detail::transform_array(tessera::detail::reader_of(in), n, tessera::detail::address_of(out), op, f, how, on);
}
template <class In, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, std::int64_t n, Out out, Op op, F f, execution on = {}) noexcept {
  return grid::transform_reduce(in, n, out, op, f, order::this_device, on);
}

template <class In, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, device_count n, Out out, Op op, F f, order how,
                                           execution on = {}) noexcept {
  return detail::transform_array(tessera::detail::reader_of(in), n, tessera::detail::address_of(out), op, f, how, on);
}
template <class In, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, device_count n, Out out, Op op, F f, execution on = {}) noexcept {
  return grid::transform_reduce(in, n, out, op, f, order::this_device, on);
}

/// *out = start op f(in[0]) op f(in[1]) op … op f(in[n − 1]); the start if n is 0.
///
/// start   a value of any type, or start_on_device(value). Elements are combined in its type, as in Thrust: ints with a
///         start of 0.0 as doubles. Halves are still added and multiplied as floats, integers of 8 and 16 bits as int.
///         A start whose type can't hold each result of f is refused, such as an int for floats.
/// op      any operator. It needs no identity; with one it is faster.
/// n       may be count_on_device(count, at_most).
template <class In, class N, class Out, class Op, class F, class Start,
          detail::if_start_of_reduction<Start, Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, N n, Out out, Op op, F f, Start const& start, order how,
                                           execution on = {}) noexcept {
  return detail::reduce_after(tessera::detail::reader_of(in), detail::count_as_given(n),
                              tessera::detail::address_of(out), op, f, start, how, on);
}
template <class In, class N, class Out, class Op, class F, class Start,
          detail::if_start_of_reduction<Start, Out> = true>
[[nodiscard]] cudaError_t transform_reduce(In in, N n, Out out, Op op, F f, Start const& start,
                                           execution on = {}) noexcept {
  return grid::transform_reduce(in, n, out, op, f, start, order::this_device, on);
}

/// *out = start op in[0] op in[1] op … op in[n − 1]. `out` has the type that elements are combined in, which is the
/// start's, or is an iterator. Otherwise as transform_reduce with a start.
template <class In, class N, class Out, class Op, class Start, detail::if_start_of_reduction<Start, Out> = true>
[[nodiscard]] cudaError_t reduce(In in, N n, Out out, Op op, Start const& start, order how,
                                 execution on = {}) noexcept {
  auto const writer = tessera::detail::address_of(out);
  using started = detail::started_t<Start, Op>;
  static_assert(stl::is_same_v<tessera::detail::written_t<stl::decay_t<decltype(writer)>, started>, started>,
                "The result of a reduction with a start has the start's type (float for halves that are added or "
                "multiplied, int for shorter integers that are added): write a start of the type of *out, as 0.0f "
                "for a float*.");
  auto const reader = tessera::detail::reader_of(in);
  return detail::reduce_after(reader, detail::count_as_given(n), writer, op, tessera::detail::as_it_is{}, start, how,
                              on);
}
template <class In, class N, class Out, class Op, class Start, detail::if_start_of_reduction<Start, Out> = true>
[[nodiscard]] cudaError_t reduce(In in, N n, Out out, Op op, Start const& start, execution on = {}) noexcept {
  return grid::reduce(in, n, out, op, start, order::this_device, on);
}

/// reduce with n on the device (count_on_device.hpp).
template <class In, class Op>
[[nodiscard]] cudaError_t reduce(In in, device_count n, reduced_t<detail::value_of<In>, Op>* out, Op op, order how,
                                 execution on = {}) noexcept {
  using combine = tessera::detail::normalized_t<Op, detail::value_of<In>>;
  if constexpr (detail::can_combine<combine, detail::value_of<In>>()) {
    return detail::reduce_launcher<detail::value_of<In>>::launch(tessera::detail::reader_of(in), n, out, op, how, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Op = plus>
[[nodiscard]] cudaError_t reduce(In in, device_count n, reduced_t<detail::value_of<In>, Op>* out, Op op = {},
                                 execution on = {}) noexcept {
  return grid::reduce(in, n, out, op, order::this_device, on);
}

/// reduce of reduce.hpp, by an iterator (core/iterators.hpp).
///
/// Bits  A float sum may differ in its last bits from that by a pointer: lanes take other elements.
template <class In, class Op, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t reduce(In in, std::int64_t n, reduced_t<detail::value_of<In>, Op>* out, Op op, order how,
                                 execution on = {}) noexcept {
  using combine = tessera::detail::normalized_t<Op, detail::value_of<In>>;
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::reduce(tessera::detail::reader_of(in), n, out, op, how, on);
  } else if constexpr (detail::can_combine<combine, detail::value_of<In>>()) {
    return detail::reduce_launcher<detail::value_of<In>>::launch(in, n, out, op, how, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Op = plus, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t reduce(In in, std::int64_t n, reduced_t<detail::value_of<In>, Op>* out, Op op = {},
                                 execution on = {}) noexcept {
  return grid::reduce(in, n, out, op, order::this_device, on);
}
/// argmin of reduce.hpp, by an iterator.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmin(In in, std::int64_t n, indexed<detail::value_of<In>, std::int64_t>* out,
                                 execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::argmin(tessera::detail::reader_of(in), n, out, on);
  } else {
    detail::require_element<detail::value_of<In>>();
    return detail::arg_array(in, n, out, detail::flipped_bits<detail::value_of<In>>::of(false), on);
  }
}
/// argmax of reduce.hpp, by an iterator.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmax(In in, std::int64_t n, indexed<detail::value_of<In>, std::int64_t>* out,
                                 execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::argmax(tessera::detail::reader_of(in), n, out, on);
  } else {
    detail::require_element<detail::value_of<In>>();
    return detail::arg_array(in, n, out, detail::flipped_bits<detail::value_of<In>>::of(true), on);
  }
}
/// argmin of reduce.hpp by an iterator, into two places or with a choice among ties.
template <class In, class T, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmin(In in, std::int64_t n, T* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_of_iterator(in, n, value, index, false, which, on);
}
template <class In, class T, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmin(In in, std::int64_t n, T* value, std::int64_t* index, execution on = {}) noexcept {
  return detail::arg_of_iterator(in, n, value, index, false, ties::first, on);
}
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmin(In in, std::int64_t n, indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return out == nullptr ? cudaErrorInvalidValue : grid::argmin(in, n, &out->value, &out->index, which, on);
}
/// argmax of reduce.hpp by an iterator, into two places or with a choice among ties.
template <class In, class T, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmax(In in, std::int64_t n, T* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  return detail::arg_of_iterator(in, n, value, index, true, which, on);
}
template <class In, class T, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmax(In in, std::int64_t n, T* value, std::int64_t* index, execution on = {}) noexcept {
  return detail::arg_of_iterator(in, n, value, index, true, ties::first, on);
}
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argmax(In in, std::int64_t n, indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return out == nullptr ? cudaErrorInvalidValue : grid::argmax(in, n, &out->value, &out->index, which, on);
}
/// minmax of reduce.hpp, by an iterator.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t minmax(In in, std::int64_t n, min_max<detail::value_of<In>>* out,
                                 execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::minmax(tessera::detail::reader_of(in), n, out, on);
  } else {
    detail::require_element<detail::value_of<In>>();
    return detail::transform_array(in, n, out, detail::minmax_operator{}, detail::as_both{}, order::this_device, on);
  }
}
/// moments of reduce.hpp, by an iterator.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t moments(In in, std::int64_t n, tessera::moments<double>* out, order how,
                                  execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::moments(tessera::detail::reader_of(in), n, out, how, on);
  } else {
    detail::require_element<detail::value_of<In>>();
    return detail::reduce_array<tessera::moments<double>>(in, n, out, detail::moments_agent{}, welford{}, how, on);
  }
}
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t moments(In in, std::int64_t n, tessera::moments<double>* out, execution on = {}) noexcept {
  return grid::moments(in, n, out, order::this_device, on);
}

// ---- With n on the device (count_on_device.hpp)

template <class In>
[[nodiscard]] cudaError_t argmin(In in, device_count n, indexed<detail::value_of<In>, std::int64_t>* out,
                                 execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  return detail::arg_array(tessera::detail::reader_of(in), n, out, detail::flipped_bits<T>::of(false), on);
}
template <class In>
[[nodiscard]] cudaError_t argmax(In in, device_count n, indexed<detail::value_of<In>, std::int64_t>* out,
                                 execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  return detail::arg_array(tessera::detail::reader_of(in), n, out, detail::flipped_bits<T>::of(true), on);
}
template <class In>
[[nodiscard]] cudaError_t argmin(In in, device_count n, detail::value_of<In>* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  return detail::arg_array_into(tessera::detail::reader_of(in), n, value, index, which,
                                detail::flipped_bits<T>::of(false), on);
}
template <class In>
[[nodiscard]] cudaError_t argmin(In in, device_count n, detail::value_of<In>* value, std::int64_t* index,
                                 execution on = {}) noexcept {
  return grid::argmin(in, n, value, index, ties::first, on);
}
template <class In>
[[nodiscard]] cudaError_t argmax(In in, device_count n, detail::value_of<In>* value, std::int64_t* index, ties which,
                                 execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  return detail::arg_array_into(tessera::detail::reader_of(in), n, value, index, which,
                                detail::flipped_bits<T>::of(true), on);
}
template <class In>
[[nodiscard]] cudaError_t argmax(In in, device_count n, detail::value_of<In>* value, std::int64_t* index,
                                 execution on = {}) noexcept {
  return grid::argmax(in, n, value, index, ties::first, on);
}
template <class In>
[[nodiscard]] cudaError_t minmax(In in, device_count n, min_max<detail::value_of<In>>* out,
                                 execution on = {}) noexcept {
  detail::require_element<detail::value_of<In>>();
  return detail::transform_array(tessera::detail::reader_of(in), n, out, detail::minmax_operator{}, detail::as_both{},
                                 order::this_device, on);
}
template <class In>
[[nodiscard]] cudaError_t moments(In in, device_count n, tessera::moments<double>* out, order how,
                                  execution on = {}) noexcept {
  detail::require_element<detail::value_of<In>>();
  return detail::reduce_array<tessera::moments<double>>(tessera::detail::reader_of(in), n, out, detail::moments_agent{},
                                                        welford{}, how, on);
}
template <class In>
[[nodiscard]] cudaError_t moments(In in, device_count n, tessera::moments<double>* out, execution on = {}) noexcept {
  return grid::moments(in, n, out, order::this_device, on);
}

template <class In>
[[nodiscard]] cudaError_t argmin(In in, device_count n, indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return out == nullptr ? cudaErrorInvalidValue : grid::argmin(in, n, &out->value, &out->index, which, on);
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::value_of<In>, std::int64_t>> = true>
cudaError_t argmin(In, device_count, Out, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_result<indexed<detail::value_of<In>, std::int64_t>, Out>();
}
template <class In>
[[nodiscard]] cudaError_t argmax(In in, device_count n, indexed<detail::value_of<In>, std::int64_t>* out, ties which,
                                 execution on = {}) noexcept {
  return out == nullptr ? cudaErrorInvalidValue : grid::argmax(in, n, &out->value, &out->index, which, on);
}
template <class In, class Out, detail::if_other_pointer<Out, indexed<detail::value_of<In>, std::int64_t>> = true>
cudaError_t argmax(In, device_count, Out, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_result<indexed<detail::value_of<In>, std::int64_t>, Out>();
}
template <class In, class Out, detail::if_other_pointer<Out, min_max<detail::value_of<In>>> = true>
cudaError_t minmax(In, device_count, Out, detail::ignored = {}) {
  return detail::require_result<min_max<detail::value_of<In>>, Out>();
}

// ---- Into an iterator; n may be on the device

template <class In, class N, class Out, class Op, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t reduce(In in, N n, Out out, Op op, order how, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  auto const reader = tessera::detail::reader_of(in);
  auto const count = detail::count_as_given(n);
  auto const writer = detail::writer_of<reduced_t<T, Op>>(out);
  if constexpr (stl::is_pointer_v<decltype(writer)> && !detail::is_on_device<N>) {
    return grid::reduce(reader, count, writer, op, how, on);
  } else if constexpr (detail::can_combine<tessera::detail::normalized_t<Op, T>, T>()) {
    return detail::reduce_launcher<T>::launch(reader, count, writer, op, how, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class N, class Out, class Op = plus, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t reduce(In in, N n, Out out, Op op = {}, execution on = {}) noexcept {
  return grid::reduce(in, n, out, op, order::this_device, on);
}
/// The least element and its index: *out is given an indexed<T, std::int64_t>.
template <class In, class N, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t argmin(In in, N n, Out out, execution on = {}) noexcept {
  return detail::arg_into_writer(in, detail::count_as_given(n), out, false, on);
}
/// The greatest element and its index: *out is given an indexed<T, std::int64_t>.
template <class In, class N, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t argmax(In in, N n, Out out, execution on = {}) noexcept {
  return detail::arg_into_writer(in, detail::count_as_given(n), out, true, on);
}
/// *out is given a min_max<T>.
template <class In, class N, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t minmax(In in, N n, Out out, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  return detail::transform_array(tessera::detail::reader_of(in), detail::count_as_given(n),
                                 detail::writer_of<min_max<T>>(out), detail::minmax_operator{}, detail::as_both{},
                                 order::this_device, on);
}
/// *out is given a moments<double>.
template <class In, class N, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t moments(In in, N n, Out out, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  detail::require_element<T>();
  auto const reader = tessera::detail::reader_of(in);
  auto const writer = detail::writer_of<tessera::moments<double>>(out);
  detail::moments_agent const agent{};
  return detail::reduce_array<tessera::moments<double>>(reader, detail::count_as_given(n), writer, agent, welford{},
                                                        order::this_device, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
