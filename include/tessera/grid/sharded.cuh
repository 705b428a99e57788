// Reductions, scans and histograms of an array of which each of several GPUs holds a part: for nvcc.
//
//   tessera::grid::communicator ranks(comm);                 // see sharded.hpp
//   auto const part = ranks.shard_of(total);                 // or another cut: see shard.hpp
//   error = tessera::grid::reduce(ranks, in, part, sum);     // every rank gets the sum of all elements
//   error = tessera::grid::reduce(ranks, in, part, sum, tessera::plus{}, tessera::grid::order::any_device);
//   error = tessera::grid::argmax(ranks, in, part, best);    // best->index is one of the whole array
//   error = tessera::grid::inclusive_scan(ranks, in, part, out);
//
// Other families have headers of their own: sharded_select.cuh, sharded_sort.cuh and sharded_top_k.cuh, and for rows
// sharded_rows.cuh and sharded_sample_rows.cuh. What follows is true of them, too.
//
// All of them
//   take      what the calls on one array take, but for `ranks` first, and a shard in place of n: `in` points to this
//             rank's part.count elements. `part` says where they are in the whole array, and how long that is. All
//             ranks give the same total, operator and options.
//   give      the results of the calls on the whole array, on every rank. Partial results are combined in the order of
//             the ranks by each rank: all have the same bits, in every run with these shards.
//   order     order::this_device: the bits of float sums depend on the shards and GPUs. order::any_device: the array is
//             cut into the same chunks wherever it lies, so that a sum has the same bits on 1, 2, 4, 8 or more ranks,
//             on any GPUs. Shards must then be those of shard_of. (They aren't the bits of the call without ranks.)
//   return    as all calls on arrays (docs/reference/arrays.md), and the errors of sharded.hpp.
//   memory    `memory` of the execution serves the local step. What is exchanged is in the communicator's memory, or if
//             that is more than 64 KiB, in memory of the library's pool.
//   cost      that of the local call, an exchange of a few bytes, and a kernel of one warp. NCCL makes the exchange, or
//             that kernel itself over NVLink (sharded.hpp). A scan reads its elements twice.
//
// Source: docs/how-to/several-gpus.md has costs and a model of more GPUs.
#pragma once

#include <tessera/grid/histogram.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/sharded.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/rank_on_gpu.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// True if Start is a value that a scan begins with, or start_on_device(value).
template <class Start>
using if_start_of_shards = stl::enable_if_t<!stl::is_pointer_v<Start> && !is_execution<Start>, bool>;

/// f with the index of the whole array, if it takes one.
template <class F>
struct function_of_shard {
  F f;
  std::int64_t begin;

  template <class T>
  TESSERA_FN auto operator()(T const& x, std::int64_t index) const {
    return tessera::detail::apply<std::int64_t>(f, x, begin + index);
  }
};

struct as_moments_of_double {
  template <class A>
  TESSERA_FN tessera::moments<double> operator()(A const& x) const {
    return tessera::as_moments(static_cast<double>(x));
  }
};

/// Reduces f(x, index) of all elements.
template <class In, class Out, class Op, class F>
cudaError_t transform_shards(communicator& ranks, In const& in, shard const& part, Out* out, Op const& op, F const& f,
                             execution on) noexcept {
  using T = value_of<In>;
  using term = typename reduced_term<T, Op, F>::type;
  using R = tessera::detail::range_result_t<Op, term, std::int64_t>;
  using combine = tessera::detail::normalized_t<Op, R>;
  if constexpr (can_reduce<combine, R>()) {
    cudaError_t const error = detail::check_shard(ranks, in, part, out);
    if (error != cudaSuccess) return error;
    return detail::combine_shards<R>(
        rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op), [&](R* own) {
          return grid::transform_reduce(in, part.count, own, op, function_of_shard<F>{f, part.begin}, on);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

/// Reduces f(x) in chunks, as combine_chunks does.
template <class R, class T, class Out, class Op, class F>
cudaError_t transform_chunks(communicator& ranks, T const* in, shard const& part, Out* out, Op const& op, F const& f,
                             execution on) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_chunks<R>(rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op),
                                   [&](std::int64_t first, int count, std::int64_t length, R* own) {
                                     return grid::transform_reduce_rows(matrix<T const>(in + first, count, length), own,
                                                                        op, f, on);
                                   });
}

template <class R, class Op, class In, class Out>
cudaError_t arg_of_shards(communicator& ranks, In const& in, shard const& part, Out* out, bool greatest,
                          execution on) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part, out);
  if (error != cudaSuccess) return error;
  rank_on_gpu const rank(ranks, on.stream);
  return detail::combine_shards<R>(rank, part, out, Op{}, [&](R* own) {
    cudaError_t const found = greatest ? grid::argmax(in, part.count, own, on) : grid::argmin(in, part.count, own, on);
    return found == cudaSuccess ? rank.run(shift_index_agent<value_of<In>>{own, part.begin}) : found;
  });
}

/// Scans; Start is a value, or a device_start.
template <class In, class Out, class Op, class Start, class R>
cudaError_t scan_of_shards(communicator& ranks, In const& in, shard const& part, Out const& out, Op const& op,
                           bool exclusive, Start const& start, bool has_start, scan_options<R> const& options,
                           execution on) noexcept {
  using combine = tessera::detail::normalized_t<Op, R>;
  static_assert(operator_traits<combine, R>::has_identity,
                "A scan over several GPUs takes an operator with an identity: a rank may have no elements. Write "
                "make_operator(f, identity).");
  if constexpr (operator_traits<combine, R>::has_identity) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    combine const normal_op = tessera::detail::normalize<R>(op);
    scan_options<R> const local{options.suffix, nullptr};
    return detail::scan_shards<R>(
        rank_on_gpu(ranks, on.stream), part, normal_op, detail::start_in<R>(start), has_start, options.suffix,
        options.total, [&](R* own) { return grid::transform_reduce(in, part.count, own, op, as_result<R>{}, on); },
        [&](R* carry) {
          return exclusive ? grid::exclusive_scan(in, part.count, out, op, grid::start_on_device(carry), local, on)
                           : grid::inclusive_scan(in, part.count, out, op, grid::start_on_device(carry), local, on);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

/// An exclusive scan then begins with the operator's identity, an inclusive one with the first element.
template <class In, class Out, class Op, class R>
cudaError_t scan_without_start(communicator& ranks, In const& in, shard const& part, Out const& out, Op const& op,
                               bool exclusive, scan_options<R> const& options, execution on) noexcept {
  using traits = operator_traits<tessera::detail::normalized_t<Op, R>, R>;
  R const identity = static_cast<R>(traits::identity(tessera::detail::normalize<R>(op)));
  return detail::scan_of_shards(ranks, in, part, out, op, exclusive, identity, exclusive, options, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out = f(x[0]) op f(x[1]) op … of the whole array; the identity of `op` if it is empty.
///
/// op   any operator with an identity. It need not commute.
/// f    f(x), or f(x, index) with the index of the whole array.
/// out  as in transform_reduce of reduce.cuh
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(communicator& ranks, In in, shard part, Out* out, Op op, F f,
                                           execution on = {}) noexcept {
  return detail::transform_shards(ranks, tessera::detail::reader_of(in), part, out, op, f, on);
}

/// *out = x[0] op x[1] op … of the whole array; the identity of `op` if it is empty. Any operator with an identity and
/// trivially copyable type.
///
/// in   a pointer, or with order::this_device any iterator
/// how  see above. Of 2^26 and 2^28 floats a rank on H100s, order::any_device has 0.93 and 0.96 of the speed of
///      order::this_device.
template <class In, class Op>
[[nodiscard]] cudaError_t reduce(communicator& ranks, In in, shard part, reduced_t<detail::value_of<In>, Op>* out,
                                 Op op, order how, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  using R = reduced_t<T, Op>;
  auto const reader = tessera::detail::reader_of(in);
  if (how == order::any_device) {
    if constexpr (stl::is_pointer_v<stl::remove_const_t<decltype(reader)>>) {
      return detail::transform_chunks<R>(ranks, reader, part, out, op, detail::as_result<R>{}, on);
    } else {
      return cudaErrorInvalidValue;
    }
  }
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op),
                                   [&](R* own) { return grid::reduce(reader, part.count, own, op, on); });
}
template <class In, class Op = plus>
[[nodiscard]] cudaError_t reduce(communicator& ranks, In in, shard part, reduced_t<detail::value_of<In>, Op>* out,
                                 Op op = {}, execution on = {}) noexcept {
  return grid::reduce(ranks, in, part, out, op, order::this_device, on);
}

/// The least value and its index in the whole array: the lowest index of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmin(communicator& ranks, In in, shard part,
                                 indexed<detail::value_of<In>, std::int64_t>* out, execution on = {}) noexcept {
  return detail::arg_of_shards<indexed<detail::value_of<In>, std::int64_t>, tessera::argmin>(
      ranks, tessera::detail::reader_of(in), part, out, false, on);
}
/// The greatest value and its index in the whole array: the lowest index of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmax(communicator& ranks, In in, shard part,
                                 indexed<detail::value_of<In>, std::int64_t>* out, execution on = {}) noexcept {
  return detail::arg_of_shards<indexed<detail::value_of<In>, std::int64_t>, tessera::argmax>(
      ranks, tessera::detail::reader_of(in), part, out, true, on);
}

/// The least and the greatest value of the whole array.
template <class In>
[[nodiscard]] cudaError_t minmax(communicator& ranks, In in, shard part, min_max<detail::value_of<In>>* out,
                                 execution on = {}) noexcept {
  using R = min_max<detail::value_of<In>>;
  auto const reader = tessera::detail::reader_of(in);
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, detail::minmax_operator{},
                                   [&](R* own) { return grid::minmax(reader, part.count, own, on); });
}

/// Count, mean and the sum of squared distances from the mean of the whole array.
///
/// how  order::any_device takes a pointer.
template <class In>
[[nodiscard]] cudaError_t moments(communicator& ranks, In in, shard part, tessera::moments<double>* out, order how,
                                  execution on = {}) noexcept {
  using R = tessera::moments<double>;
  auto const reader = tessera::detail::reader_of(in);
  if (how == order::any_device) {
    if constexpr (stl::is_pointer_v<stl::remove_const_t<decltype(reader)>>) {
      return detail::transform_chunks<R>(ranks, reader, part, out, welford{}, detail::as_moments_of_double{}, on);
    } else {
      return cudaErrorInvalidValue;
    }
  }
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, welford{},
                                   [&](R* own) { return grid::moments(reader, part.count, own, on); });
}
template <class In>
[[nodiscard]] cudaError_t moments(communicator& ranks, In in, shard part, tessera::moments<double>* out,
                                  execution on = {}) noexcept {
  return grid::moments(ranks, in, part, out, order::this_device, on);
}

/// out[i] = x[0] op … op x[i] of the whole array, for this rank's elements.
///
/// out      as in inclusive_scan of scan.cuh; may be `in`
/// options  with `suffix` from the end of the whole array; `total` is that of the whole array
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_without_start(ranks, tessera::detail::reader_of(in), part, out, op, false, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op = {},
                                         execution on = {}) noexcept {
  return grid::inclusive_scan(ranks, in, part, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}
/// out[i] = start op x[0] op … op x[i]. The start is the same on all ranks: a value, or start_on_device(value).
template <class In, class Out, class Op, class Start, detail::if_start_of_shards<Start> = true>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_of_shards(ranks, tessera::detail::reader_of(in), part, out, op, false, start, true, options, on);
}

/// out[i] = start op x[0] op … op x[i − 1] of the whole array; without a start from the operator's identity.
template <class In, class Out, class Op, class Start, detail::if_start_of_shards<Start> = true>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_of_shards(ranks, tessera::detail::reader_of(in), part, out, op, true, start, true, options, on);
}
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_without_start(ranks, tessera::detail::reader_of(in), part, out, op, true, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op = {},
                                         execution on = {}) noexcept {
  return grid::exclusive_scan(ranks, in, part, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// The counts of the whole array in bins, on every rank: of equal width, or between edges. If the options ask for the
/// numbers of elements in no bin, these are the rank's own. Otherwise as histogram() of histogram.cuh.
template <class In>
[[nodiscard]] cudaError_t histogram(communicator& ranks, In in, shard part, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                    histogram_options options = {}, execution on = {}) noexcept {
  cudaError_t error = detail::check_shard(ranks, tessera::detail::reader_of(in), part);
  if (error == cudaSuccess) error = grid::histogram(in, part.count, counts, bins, lower, upper, options, on);
  if (error != cudaSuccess) return error;
  return detail::communicator_access::add_counts(ranks, counts, bins, detail::named(on.stream));
}
template <class In, class Edges, stl::enable_if_t<tessera::detail::is_reader<Edges>, bool> = true>
[[nodiscard]] cudaError_t histogram(communicator& ranks, In in, shard part, std::uint64_t* counts, std::int64_t bins,
                                    Edges edges, histogram_options options = {}, execution on = {}) noexcept {
  cudaError_t error = detail::check_shard(ranks, tessera::detail::reader_of(in), part);
  if (error == cudaSuccess) error = grid::histogram(in, part.count, counts, bins, edges, options, on);
  if (error != cudaSuccess) return error;
  return detail::communicator_access::add_counts(ranks, counts, bins, detail::named(on.stream));
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
