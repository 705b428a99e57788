// Reductions of arrays of any type by any operator: the kernel, for nvcc.
//
//   // How many are above a threshold, by any function of the elements:
//   tessera::grid::transform_reduce(in, n, count, tessera::plus{},
//                                   [=] __host__ __device__(float x) { return x > t ? 1 : 0; });
//   // A struct by an operator of your own, which need not commute:
//   tessera::grid::reduce(parts, n, whole, tessera::make_operator(join{}, part{}), {stream, memory});
//
// Everything else is as in reduce.hpp. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/reduce/argmin_agent.hpp>
#include <tessera/grid/reduce/moments_agent.hpp>
#include <tessera/grid/reduce/packed_argmin_agent.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T, class Agent, class Op, class R, class Out>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    reduce_kernel(T const* in, std::int64_t n, even_share share, aligned<Agent> agent, aligned<Op> op,
                  shared_partials<R> shared, Out* out) {
  wait_for_stream();
  detail::run_reduce_agent<reduce_tuning::threads>(cooperative_groups::this_thread_block(), in, n, share, agent.value,
                                                   op.value, shared, out);
}

template <unsigned Vectors, class T>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_per_multiprocessor)
    packed_argmin_kernel(T const* in, std::int64_t n, flipped_bits<T> flipped, packed_argmin_share share,
                         shared_packed_best shared, indexed<T, std::int64_t>* out) {
  wait_for_stream();
  __shared__ std::uint64_t known;
  detail::run_packed_argmin_agent<reduce_tuning::threads, Vectors>(cooperative_groups::this_thread_block(), in, n,
                                                                   flipped, share, known, shared, out);
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
template <class R, class T, class Agent, class Op, class Out>
cudaError_t reduce_array(T const* in, std::int64_t n, Out* out, Agent const& agent, Op const& op, order how,
                         execution on) noexcept {
  if (!detail::are_apart(in, n, out)) return cudaErrorInvalidValue;
  int multiprocessors = 0;
  cudaError_t const error = detail::multiprocessors_for(how, multiprocessors);
  if (error != cudaSuccess) return error;
  even_share const share =
      detail::even_share_of<detail::vectors_of<T>(Agent::template bytes<T>)>(in, n, multiprocessors);
  auto const run = [&](shared_partials<R> const& shared) {
    return detail::launch<reduce_kernel<T, Agent, Op, R, Out>>({share.blocks, reduce_tuning::threads}, on.stream, in, n,
                                                               share, agent, op, shared, out);
  };
  if (share.blocks == 1) return run({});
  pooled_workspace const scratch(on, fits_slots<R> ? 0 : detail::resident_blocks(multiprocessors) * sizeof(R));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({static_cast<R*>(scratch.data()), scratch.counters(), scratch.slot_words()});
}

/// argmin or argmax of an array by packed_argmin_agent.hpp.
template <unsigned Vectors, class T>
cudaError_t packed_argmin_array(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, flipped_bits<T> flipped,
                                execution on) noexcept {
  if (!detail::are_apart(in, n, out)) return cudaErrorInvalidValue;
  int multiprocessors = 0;
  cudaError_t const error = detail::multiprocessors_for(order::this_device, multiprocessors);
  if (error != cudaSuccess) return error;
  packed_argmin_share const share =
      detail::packed_argmin_share_of<reduce_tuning::threads, Vectors>(in, n, detail::resident_blocks(multiprocessors));
  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return detail::launch<packed_argmin_kernel<Vectors, T>>(
      {share.blocks, reduce_tuning::threads}, on.stream, in, n, flipped, share,
      shared_packed_best{scratch.slot_words(), scratch.counters()}, out);
}

/// argmin or argmax of an array: argmin of elements that have these bits flipped.
template <class T>
cudaError_t arg_array(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, flipped_bits<T> flipped,
                      execution on) noexcept {
  using agent = argmin_agent<T>;
  if constexpr (detail::fits_packed_argmin<T>(0)) {
    constexpr auto least = reduce_tuning::packed_argmin_bytes / static_cast<std::int64_t>(sizeof(T));
    if (n >= least && detail::fits_packed_argmin<T>(n))
      return detail::packed_argmin_array<detail::vectors_of<T>(agent::template bytes<T>)>(in, n, out, flipped, on);
  }
  return detail::reduce_array<indexed<T, std::int64_t>>(in, n, out, agent{flipped}, tessera::argmin{},
                                                        order::this_device, on);
}

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

template <class T, class Out, class Op, class F>
cudaError_t transform_array(T const* in, std::int64_t n, Out* out, Op const& op, F const& f, order how,
                            execution on) noexcept {
  static_assert(!tessera::detail::are_swapped<std::int64_t, T, Op, F>(),
                "grid::transform_reduce: op comes before f, as in std::transform_reduce: write transform_reduce(in, n, "
                "out, op, f).");
  static_assert(tessera::detail::takes_element<std::int64_t, T, F>,
                "f(x) or f(x, index) takes an element, and its index as a std::int64_t, and can be called while const; "
                "op comes before it. A lambda is __host__ __device__: the host asks it for the type of its result.");
  using term = decltype(tessera::detail::apply<std::int64_t>(f, *in, std::int64_t{}));
  using combine = tessera::detail::normalized_t<Op, term>;
  using result = tessera::detail::range_result_t<Op, term, std::int64_t>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<result>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  static_assert(sizeof(result) <= 1024,
                "grid::reduce: results have up to 1024 bytes. Shared memory has no room for longer ones.");
  tessera::detail::require_assignable<result>();
  if constexpr (can_reduce<combine, result>()) {
    combine const canonical_op = tessera::detail::normalize<term>(op);
    return detail::reduce_array<result>(in, n, out, operator_agent<result, combine, F>{canonical_op, f}, canonical_op,
                                        how, on);
  } else {
    return cudaErrorNotSupported;
  }
}

template <class T>
struct reduce_launcher<T, void> {
  template <class Out, class Op>
  static cudaError_t launch(T const* in, std::int64_t n, Out* out, Op op, order how, execution on) noexcept {
    if constexpr (tessera::detail::is_half<T> && stl::is_same_v<reduced_t<T, Op>, float>) {
      return detail::transform_array(in, n, out, op, as_result<float>{}, how, on);
    } else {
      return detail::transform_array(in, n, out, op, tessera::detail::as_it_is{}, how, on);
    }
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out = f(in[0]) op f(in[1]) op … op f(in[n − 1]); the identity of `op` if n is 0. For any trivially copyable
/// elements, and results of f of up to 1024 bytes.
///
/// op    any operator with an identity. It need not commute, but is faster if it does: say so by make_operator.
/// f     f(x), or f(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__ __device__`. It
///       is called once for each element.
/// out   the type that f's results are combined in, or one that it converts to. Integers of 8 and 16 bits are added
///       as int; a sum that is stored into one of them wraps.
/// Cost  for an operator that doesn't commute: a `reduce` of a warp for every 512 bytes.
template <class T, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(T const* in, std::int64_t n, Out* out, Op op, F f, order how,
                                           execution on = {}) noexcept {
  return detail::transform_array(in, n, out, op, f, how, on);
}
template <class T, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(T const* in, std::int64_t n, Out* out, Op op, F f,
                                           execution on = {}) noexcept {
  return detail::transform_array(in, n, out, op, f, order::this_device, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
