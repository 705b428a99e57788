// Reductions of arrays of any type by any operator: the kernel, for nvcc.
//
//   // how many are above a threshold: any function of the elements
//   tessera::grid::transform_reduce(in, n, count, tessera::plus{},
//                                   [=] __host__ __device__(float x) { return x > t ? 1 : 0; });
//   // a struct by an operator of one's own, which need not commute
//   tessera::grid::reduce(parts, n, whole, tessera::make_operator(join{}, part{}), stream, &memory);
//
// As reduce.hpp says in all else. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/detail/extreme_blocks.hpp>
#include <tessera/grid/detail/launch.cuh>
#include <tessera/grid/detail/lease.hpp>
#include <tessera/grid/detail/moment_blocks.hpp>
#include <tessera/grid/detail/record_blocks.hpp>
#include <tessera/grid/detail/reduce_blocks.hpp>
#include <tessera/grid/reduce.hpp>

namespace tessera::grid {

namespace detail {

template <class T, class Own, class Op, class R, class Out>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_a_multiprocessor)
    reduce_kernel(T const* in, std::int64_t n, array_cut cut, Own own, Op op, shared_parts<R> shared,
                  Out* out) {
  reduce_blocks<reduce_tuning::threads>(cooperative_groups::this_thread_block(), in, n, cut, own, op, shared,
                                        out);
}

static_assert(workspace::slot_bytes >= reduce_tuning::most_places * 8 * sizeof(std::uint64_t) &&
                  2 * (1 + reduce_tuning::piece_sizes) <= 8,
              "Two slots for each block where there are pieces, four or fewer elsewhere.");

/// The multiprocessors that an array is cut for.
inline cudaError_t multiprocessors_for(order how, int& count) noexcept {
  count = reduce_tuning::multiprocessors;
  if (how == order::any_device) return cudaSuccess;
  return ask_device(cudaDevAttrMultiProcessorCount, count);
}

/// What blocks find as `own` says, combined by `op` on values of R.
template <class R, class T, class Own, class Op, class Out>
cudaError_t reduce_array(T const* in, std::int64_t n, Out* out, Own const& own, Op const& op, order how,
                         cudaStream_t stream, workspace* memory) noexcept {
  if (!are_apart(in, n, out)) return cudaErrorInvalidValue;
  int multiprocessors = 0;
  cudaError_t const error = multiprocessors_for(how, multiprocessors);
  if (error != cudaSuccess) return error;
  array_cut const cut =
      cut_array<vectors_of<T>(Own::template bytes<T>)>(in, n, multiprocessors, Own::in_pieces);
  auto const run = [&](shared_parts<R> const& shared) {
    return launch(reduce_kernel<T, Own, Op, R, Out>, {cut.blocks, reduce_tuning::threads}, stream, in, n, cut,
                  own, op, shared, out);
  };
  if (cut.blocks == 1) return run({});
  static_assert(fits_pieces<R> || !Own::in_pieces, "Blocks with pieces have two slots each.");
  lease const place(memory, fits_slots<R> ? 0 : most_places(multiprocessors) * sizeof(R), stream);
  if (place.error() != cudaSuccess) return place.error();
  return run({static_cast<R*>(place.data()), place.counters(), place.slots()});
}

template <class Arg, unsigned Vectors, class T>
__global__ void __launch_bounds__(reduce_tuning::threads, reduce_tuning::blocks_a_multiprocessor)
    record_kernel(T const* in, std::int64_t n, record_cut cut, shared_record shared,
                  indexed<T, std::int64_t>* out) {
  __shared__ std::uint64_t known;
  improve_record<Arg, reduce_tuning::threads, Vectors>(cooperative_groups::this_thread_block(), in, n, cut,
                                                       known, shared, out);
}

/// argmin or argmax of an array.
template <class Arg, class T, class Own>
cudaError_t arg_array(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, Own const& own,
                      cudaStream_t stream, workspace* memory) noexcept {
  if constexpr (fits_record<T>(0)) {
    if (n >= reduce_tuning::record_bytes / static_cast<std::int64_t>(sizeof(T)) && fits_record<T>(n)) {
      if (!are_apart(in, n, out)) return cudaErrorInvalidValue;
      int multiprocessors = 0;
      cudaError_t const error = multiprocessors_for(order::this_device, multiprocessors);
      if (error != cudaSuccess) return error;
      constexpr unsigned threads = reduce_tuning::threads, vectors = vectors_of<T>(Own::template bytes<T>);
      record_cut const cut = cut_for_record<threads, vectors>(in, n, most_places(multiprocessors));
      lease const place(memory, 0, stream);
      if (place.error() != cudaSuccess) return place.error();
      return launch(record_kernel<Arg, vectors, T>, {cut.blocks, threads}, stream, in, n, cut,
                    shared_record{place.slots(), place.counters()}, out);
    }
  }
  return reduce_array<indexed<T, std::int64_t>>(in, n, out, own, Arg{}, order::this_device, stream, memory);
}

struct as_float {
  template <class T>
  TESSERA_FN float operator()(T const& x) const {
    return tessera::detail::convert<float>(x);
  }
};
struct as_both {
  template <class T>
  TESSERA_FN min_max<T> operator()(T const& x) const {
    return as_min_max(x);
  }
};

template <class T, class Out, class Op, class F>
cudaError_t transform_array(T const* in, std::int64_t n, Out* out, Op const& op, F const& f, order how,
                            cudaStream_t stream, workspace* memory) noexcept {
  static_assert(
      !are_swapped<std::int64_t, T, Op, F>(),
      "grid::transform_reduce: op comes before f, as in std::transform_reduce: write transform_reduce(in, n, "
      "out, op, f).");
  static_assert(
      takes_element<std::int64_t, T, F>,
      "f(x) or f(x, index) takes an element, and its index as a std::int64_t, and can be called while const; "
      "op comes before it. A lambda is __host__ __device__: the host asks it for the type of its result.");
  using term = decltype(apply<std::int64_t>(f, *in, std::int64_t{}));
  using combine = normalized_t<Op, term>;
  using result = result_t<combine, term>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<result>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  if constexpr (can_reduce<combine, result>()) {
    combine const canonical_op = normalize<term>(op);
    return reduce_array<result>(in, n, out, own_of_operator<result, combine, F>{canonical_op, f},
                                canonical_op, how, stream, memory);
  } else {
    return cudaErrorNotSupported;
  }
}

template <class T, class Out, class Op>
cudaError_t launch_reduce(kernels, T const* in, std::int64_t n, Out* out, Op op, order how,
                          cudaStream_t stream, workspace* memory) noexcept {
  if constexpr (is_half<T> && stl::is_same_v<reduced_t<T, Op>, float>) {
    return transform_array(in, n, out, op, as_float{}, how, stream, memory);
  } else {
    return transform_array(in, n, out, op, as_it_is{}, how, stream, memory);
  }
}

}  // namespace detail

/// *out = f(in[0]) op f(in[1]) op … op f(in[n − 1]); the identity of `op` where n is 0. Of any trivially copyable
/// elements.
///
/// op    any operator with an identity. It need not commute, but is faster where it does: say so by make_operator.
/// f     f(x), or f(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__ __device__` both.
///       Called once an element.
/// out   what f's results are combined to, or what that converts to.
/// Cost  of an operator that doesn't commute: a `reduce` of a warp for every 512 bytes.
template <class T, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(T const* in, std::int64_t n, Out* out, Op op, F f, order how,
                                           cudaStream_t stream = nullptr,
                                           workspace* memory = nullptr) noexcept {
  return detail::transform_array(in, n, out, op, f, how, stream, memory);
}
template <class T, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(T const* in, std::int64_t n, Out* out, Op op, F f,
                                           cudaStream_t stream = nullptr,
                                           workspace* memory = nullptr) noexcept {
  return detail::transform_array(in, n, out, op, f, order::this_device, stream, memory);
}

}  // namespace tessera::grid
