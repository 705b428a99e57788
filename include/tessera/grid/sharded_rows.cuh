// Reductions, log-sum-exps, cross entropies, softmaxes, norms and the k first of rows whose columns are on several
// GPUs, as those of a vocabulary are: for nvcc.
//
//   tessera::grid::communicator ranks(comm);                                 // see sharded.hpp
//   auto const part = ranks.shard_of(vocabulary);                            // this rank's columns; see shard.hpp
//   tessera::grid::matrix logits{data, tokens, part.count};                  // all rows, and its columns of them
//   error = tessera::grid::argmax_rows(ranks, logits, part, best, stream);   // best[r].index: a column of whole rows
//   error = tessera::grid::cross_entropy_rows(ranks, logits, part, targets, loss, {}, stream);
//
//   tessera::grid::cross_entropy_options<__nv_bfloat16> options;
//   options.gradient = logits;                                               // in place: its columns of the gradient
//   error = tessera::grid::cross_entropy_rows(ranks, logits, part, targets, loss, options, stream);
//
//                  rank 0    rank 1   rank 2
//   row 0          1  5  2 | 7  4   | 3
//   row 1          4  0  3 | 1  4   | 2         every rank: sums 22, 14; argmax {7, 3}, {4, 0}
//   columns        0 … 2   | 3  4   | 5         part of rank 1: begin 3, count 2, total 6
//
// All of them
//   take      what the calls on whole rows take (top_k_rows no options), but for `ranks` first, and after the matrix a
//             shard: which columns of the whole rows the matrix has. Its count is the matrix's number of columns, which
//             may be 0, and total up to 2^30. All ranks give the same rows, in the same order, total, targets, operator
//             and options. Targets are columns of whole rows. Weights and biases are those of the rank's own columns.
//   give      on every rank the results of whole rows; of calls that write a matrix, the rank's columns of it. Partial
//             results are combined in the order of the ranks by each rank: all have the same bits, in every run with
//             these shards on GPUs of one architecture. Other shards may give other last bits of floats.
//   error     that of the calls on whole rows, where k has 4 · ranks more (rows.hpp: ranks · u · Σ|x| more)
//   return    as all calls on arrays (docs/reference/arrays.md), the errors of sharded.hpp, and cudaErrorInvalidValue
//             if the shard isn't that of the matrix.
//   memory    as in sharded.cuh: exchanges of up to 64 KiB use the communicator's memory, larger ones the library's
//             pool.
//   cost      the local fold, which reads the columns once, an exchange of a few bytes a row by NCCL, and a kernel of a
//             thread a row. Calls that write a matrix read it once more, and write it.
//
//   call                                        bytes of a row and rank that are exchanged (twice as many of doubles)
//   reduce_rows, transform_reduce_rows          the type of the result
//   argmin_rows, argmax_rows                    8
//   log_sum_exp_rows, softmax, log_softmax      8
//   log_probability_rows, cross_entropy_rows    12; with label smoothing 16
//   moments_rows, layer norm, rms norm          12
//   top_k_rows                                  k · (4 + the element's)
//
// Rows of which each rank has some whole ones need no call of this header: those of one GPU are for them, since no row
// depends on another.
//
// Sources: M. Shoeybi et al., "Megatron-LM", 2019, for the cross entropy of a vocabulary in parts; and those of the
// calls on whole rows. docs/how-to/several-gpus.md has costs.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/sharded/combine_rows.hpp>
#include <tessera/grid/sharded/logit_parts.hpp>
#include <tessera/grid/sharded/map_known_rows.hpp>
#include <tessera/grid/sharded/moment_parts.hpp>
#include <tessera/grid/sharded/rank_on_gpu.cuh>
#include <tessera/grid/sharded/top_k_rows_agents.hpp>
#include <tessera/grid/top_k_rows.cuh>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// ptxas gives 16-bit floats 48 registers by itself, and spills: 768 threads of a multiprocessor have 80 each.
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads, sizeof(T) < 8 ? 768 / Shape::block_threads : 0)
    map_known_kernel(row_task<T> task, Map map, typename Map::statistic const* statistics, unsigned splits) {
  wait_for_stream();
  detail::map_known_rows<Shape>(cooperative_groups::this_thread_block(), task, map, statistics, splits);
}

template <bool Aligned, class T, class Map>
cudaError_t map_known_task(row_task<T> const& task, Map const& map, typename Map::statistic const* statistics,
                           cudaStream_t stream) noexcept {
  constexpr unsigned vectors_per_lane = sizeof(T) == 8 ? 2 : 4;
  using of_warps = row_shape<Aligned, 32, vectors_per_lane, 1, 128>;
  using of_blocks = row_shape<Aligned, 256, vectors_per_lane, 1, 256>;
  std::int64_t const vectors = detail::vectors_of_columns<T>(task.column_count);
  if (vectors <= std::int64_t{of_warps::row_vectors})
    return detail::launch<map_known_kernel<of_warps, T, Map>>(
        {detail::ceiling_divide(task.row_count, of_warps::tiles), of_warps::block_threads}, stream, task, map,
        statistics, 1u);
  if (task.row_count > INT32_MAX) return cudaErrorInvalidValue;
  std::int64_t const most = INT32_MAX / task.row_count,
                     wanted = detail::ceiling_divide(vectors, of_blocks::row_vectors);
  std::int64_t const splits = wanted < most ? wanted : most;
  return detail::launch<map_known_kernel<of_blocks, T, Map>>({task.row_count * splits, of_blocks::block_threads},
                                                             stream, task, map, statistics,
                                                             static_cast<unsigned>(splits));
}

/// Maps every row of `in` by a statistic of its own to `out`. `aligned` is false if what else is read isn't.
template <class T, class Map>
cudaError_t map_known(matrix<T const> const& in, matrix<T> const& out, Map const& map,
                      typename Map::statistic const* statistics, bool aligned, cudaStream_t stream) noexcept {
  if (in.row_count == 0 || in.column_count == 0) return cudaSuccess;
  row_task<T> const task{in.data, out.data, in.stride, out.stride, in.row_count, static_cast<int>(in.column_count),
                         nullptr};
  bool const good = aligned && in.column_count % row_vector_length<T> == 0 && detail::has_aligned_rows(in) &&
                    detail::has_aligned_rows(matrix<T const>(out));
  return good ? detail::map_known_task<true>(task, map, statistics, stream)
              : detail::map_known_task<false>(task, map, statistics, stream);
}

/// The first check of every call.
template <class T>
cudaError_t check_columns(communicator& ranks, matrix<T const> const& x, shard const& part) noexcept {
  cudaError_t const error = ranks.async_error();
  if (error != cudaSuccess) return error;
  return detail::is_shard(part) && part.total <= most_columns && part.count == x.column_count && detail::is_matrix(x)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}
template <class T, class Out>
cudaError_t check_columns(communicator& ranks, matrix<T const> const& x, shard const& part, Out* out) noexcept {
  cudaError_t const error = detail::check_columns(ranks, x, part);
  return error == cudaSuccess ? detail::check_fold(x, out) : error;
}
inline own_columns columns_of(shard const& part) noexcept {
  return {static_cast<int>(part.begin), static_cast<int>(part.count)};
}

/// f with the column of the whole row, if it takes one.
template <class F>
struct function_of_columns {
  F f;
  int begin;

  template <class A>
  TESSERA_FN auto operator()(A const& x, int column) const {
    return tessera::detail::apply<int>(f, x, begin + column);
  }
};

/// Combines what `local(own)` stores of each row, a value of R, to out.
template <class R, class T, class Out, class Op, class Local>
cudaError_t combine_columns(communicator& ranks, matrix<T const> const& x, shard const& part, Out* out, Op const& op,
                            Local const& local, execution on) noexcept {
  cudaError_t const error = detail::check_columns(ranks, x, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_rows(rank_on_gpu(ranks, on.stream), gathered_rows<R>{nullptr, x.row_count}, part, op,
                              store_as<Out>{out}, local);
}

/// f(x, column) of all elements, combined by op.
template <class T, class Out, class Op, class F>
cudaError_t transform_columns(communicator& ranks, matrix<T const> const& x, shard const& part, Out* out, Op const& op,
                              F const& f, execution on) noexcept {
  using term =
      stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<caller_function<F> const&, arithmetic_t<T>, int>>>;
  using combine = tessera::detail::normalized_t<Op, term>;
  using value = tessera::detail::range_result_t<combine, term, std::int64_t>;
  if constexpr (can_reduce<combine, value>()) {
    return detail::combine_columns<value>(
        ranks, x, part, out, tessera::detail::normalize<term>(op),
        [&](value* own) {
          return grid::transform_reduce_rows(x, own, op, function_of_columns<F>{f, static_cast<int>(part.begin)}, on);
        },
        on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// argmin_rows, argmax_rows or minmax_rows, by an operator without data.
template <class Op, class T, class Out, class F>
cudaError_t transform_columns_by(communicator& ranks, matrix<T const> const& x, shard const& part, Out* out, F const& f,
                                 execution on) noexcept {
  return detail::transform_columns(ranks, x, part, out, Op{}, f, on);
}

/// Combines what the ranks say of rows of logits, `per_row` numbers, and stores it by store(row, logit_part).
template <template <class> class Cap, class T, class Store>
cudaError_t combine_logits(rank_on_gpu const& rank, matrix<T const> const& logits, shard const& part, Cap<T> const& cap,
                           row_targets const& targets, int per_row, Store const& store, execution on) noexcept {
  using number = arithmetic_t<T>;
  gathered_logits<number> const parts{nullptr, logits.row_count, per_row};
  return detail::combine_rows(rank, parts, part, join_logit_parts{}, store, [&](number* own) {
    store_logit_part<T, Cap> const store_part{
        own, parts, logits.data, logits.stride, cap, targets, static_cast<int>(part.total), detail::columns_of(part)};
    return detail::fold_matrix_by<fold_tuning::short_rows>(logits, logits_fold<T, Cap>{cap, per_row > 3}, store_part,
                                                           on);
  });
}

/// The losses of rows of logits, and the gradient of the rank's columns, if there is one.
template <template <class> class Cap, class T>
cudaError_t cross_entropy_of_columns(communicator& ranks, matrix<T const> const& logits, shard const& part,
                                     Cap<T> const& cap, row_losses<T> losses, cross_entropy_options<T> const& options,
                                     execution on) noexcept {
  using number = arithmetic_t<T>;
  using sums_t = logit_sums<number>;
  rank_on_gpu const rank(ranks, on.stream);
  losses.column_count = static_cast<int>(part.total);
  int const per_row = losses.what == row_result::log_sum_exp ? 2 : losses.smoothing > 0 ? 4 : 3;
  auto const combine = [&](sums_t* sums) {
    store_whole_losses<T> const store{losses, sums};
    return detail::combine_logits(rank, logits, part, cap, losses.targets, per_row, store, on);
  };
  if (options.gradient.column_count == 0 || logits.row_count == 0) return combine(nullptr);
  auto const memory = rank.exchange(static_cast<std::size_t>(logits.row_count) * sizeof(sums_t));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const sums = static_cast<sums_t*>(memory.data());
  cudaError_t const error = combine(sums);
  if (error != cudaSuccess) return error;
  shard_gradient_map<T, Cap> const map{{{cap, losses.smoothing > 0},
                                        losses,
                                        losses.smoothing / static_cast<number>(part.total),
                                        static_cast<number>(options.grad_scale),
                                        options.grad_scales},
                                       detail::columns_of(part)};
  return detail::map_known(logits, options.gradient, map, sums, true, on.stream);
}

template <class T>
cudaError_t softmax_of_columns(communicator& ranks, matrix<T const> const& in, shard const& part, matrix<T> const& out,
                               bool logarithms, execution on) noexcept {
  using number = arithmetic_t<T>;
  cudaError_t error = detail::check_columns(ranks, in, part);
  if (error != cudaSuccess) return error;
  if (!detail::can_map<T>(in, out, nullptr)) return cudaErrorInvalidValue;
  if (in.row_count == 0) return cudaSuccess;
  rank_on_gpu const rank(ranks, on.stream);
  auto const memory = rank.exchange(static_cast<std::size_t>(in.row_count) * sizeof(exp_sum<number>));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const sums = static_cast<exp_sum<number>*>(memory.data());
  error = detail::combine_logits(rank, in, part, no_cap<T>{}, {}, 2, store_exp_sums<number>{sums}, on);
  if (error != cudaSuccess) return error;
  return detail::map_known(in, out, softmax_map<T>{logarithms}, sums, true, on.stream);
}

/// Stores the moments of whole rows.
template <class T>
cudaError_t moments_of_columns(rank_on_gpu const& rank, matrix<T const> const& x, shard const& part,
                               tessera::moments<arithmetic_t<T>>* out, bool centered, execution on) noexcept {
  using number = arithmetic_t<T>;
  using moments_t = tessera::moments<number>;
  return detail::combine_rows(rank, gathered_rows<moments_t>{nullptr, x.row_count}, part, welford{},
                              store_whole_moments<number>{out, static_cast<number>(part.total)}, [&](moments_t* own) {
                                return detail::fold_matrix_by<fold_tuning::few_short_rows>(
                                    x, norm_map<T>{nullptr, nullptr, 0, centered}, store_as<moments_t>{own}, on);
                              });
}

template <class T>
cudaError_t norm_of_columns(communicator& ranks, matrix<T const> const& in, shard const& part, matrix<T> const& out,
                            T const* weight, T const* bias, double epsilon, bool centered, execution on) noexcept {
  using number = arithmetic_t<T>;
  using moments_t = tessera::moments<number>;
  cudaError_t error = detail::check_columns(ranks, in, part);
  if (error != cudaSuccess) return error;
  if (!(epsilon >= 0) || !detail::can_map<T>(in, out, nullptr)) return cudaErrorInvalidValue;
  bool aligned = true;
  for (T const* const parameters : {weight, bias}) {
    if (!parameters) continue;
    if (!detail::is_array(parameters, in.column_count) ||
        detail::overlap(parameters, in.column_count, out.data, detail::extent_of(out)))
      return cudaErrorInvalidValue;
    aligned = aligned && reinterpret_cast<std::uintptr_t>(parameters) % 16 == 0;
  }
  if (in.row_count == 0) return cudaSuccess;
  rank_on_gpu const rank(ranks, on.stream);
  auto const memory = rank.exchange(static_cast<std::size_t>(in.row_count) * sizeof(moments_t));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const moments = static_cast<moments_t*>(memory.data());
  error = detail::moments_of_columns(rank, in, part, moments, centered, on);
  if (error != cudaSuccess) return error;
  return detail::map_known(in, out, norm_map<T>{weight, bias, static_cast<number>(epsilon), centered}, moments, aligned,
                           on.stream);
}

/// The k first of whole rows by Before, whose results' indices are of Index.
template <class Before, class T, class Index>
cudaError_t top_k_of_columns(communicator& ranks, matrix<T const> const& x, shard const& part, std::int64_t k,
                             T* values, Index* indices, execution on) noexcept {
  using order = tessera::detail::canonical_comparator_t<Before, T>;
  cudaError_t const error = detail::check_columns(ranks, x, part);
  if (error != cudaSuccess) return error;
  std::int64_t const row_count = x.row_count;
  if (!detail::are_top_k_rows(x, k, matrix<T>(values, row_count, k), matrix<Index>(indices, row_count, k), {}) ||
      (row_count > 0 && k > INT64_MAX / 64 / row_count / ranks.count()))
    return cudaErrorInvalidValue;
  return detail::top_k_of_whole_rows(rank_on_gpu(ranks, on.stream), row_count, part, k, values, indices, order{},
                                     detail::last_number<T>(is_falling<T, Before>), [&](T* own, std::int32_t* places) {
                                       return grid::top_k_rows(x, k, own, places, Before{}, {}, on);
                                     });
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[r] = f(x[r][0]) op f(x[r][1]) op … of whole rows; the identity of `op` if they have no columns.
///
/// op   any operator with an identity. It need not commute.
/// f    f(x), or f(x, column) with the column of the whole row
/// out  as in transform_reduce_rows of rows.cuh
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce_rows(communicator& ranks, matrix<In> x, shard part, Out* out, Op op, F f,
                                                execution on = {}) noexcept {
  return detail::transform_columns(ranks, matrix<std::remove_const_t<In> const>(x), part, out, op, f, on);
}

/// out[r] = x[r][0] op x[r][1] op … of whole rows, by any operator with an identity. It need not commute.
template <class In, class Op = plus>
[[nodiscard]] cudaError_t reduce_rows(communicator& ranks, matrix<In> x, shard part,
                                      reduced_t<std::remove_const_t<In>, Op>* out, Op op = {},
                                      execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  using R = reduced_t<T, Op>;
  matrix<T const> const in = x;
  return detail::combine_columns<R>(
      ranks, in, part, out, tessera::detail::normalize<R>(op),
      [&](R* own) { return grid::reduce_rows(in, own, op, on); }, on);
}

/// The least value of each whole row and its column there: the lowest column of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmin_rows(communicator& ranks, matrix<In> x, shard part,
                                      indexed<std::remove_const_t<In>, int>* out, execution on = {}) noexcept {
  return detail::transform_columns_by<tessera::argmin>(ranks, matrix<std::remove_const_t<In> const>(x), part, out,
                                                       detail::as_indexed{}, on);
}
/// The greatest value of each whole row and its column there: the lowest column of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmax_rows(communicator& ranks, matrix<In> x, shard part,
                                      indexed<std::remove_const_t<In>, int>* out, execution on = {}) noexcept {
  return detail::transform_columns_by<tessera::argmax>(ranks, matrix<std::remove_const_t<In> const>(x), part, out,
                                                       detail::as_indexed{}, on);
}

/// The least and the greatest value of each whole row; both are NaN if an element is.
template <class In>
[[nodiscard]] cudaError_t minmax_rows(communicator& ranks, matrix<In> x, shard part,
                                      min_max<std::remove_const_t<In>>* out, execution on = {}) noexcept {
  return detail::transform_columns_by<detail::minmax_operator>(ranks, matrix<std::remove_const_t<In> const>(x), part,
                                                               out, detail::as_extremes{}, on);
}

/// Count, mean and the sum of squared distances from the mean of each whole row of float, double, __half or
/// __nv_bfloat16.
template <class In>
[[nodiscard]] cudaError_t moments_rows(communicator& ranks, matrix<In> x, shard part,
                                       detail::moments_of_rows_t<In>* out, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>()) {
    matrix<T const> const in = x;
    cudaError_t const error = detail::check_columns(ranks, in, part, out);
    if (error != cudaSuccess) return error;
    return detail::moments_of_columns(detail::rank_on_gpu(ranks, on.stream), in, part, out, true, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// out[r] = log Σ exp(x[r][·]) of whole rows, without overflow.
template <class In>
[[nodiscard]] cudaError_t log_sum_exp_rows(communicator& ranks, matrix<In> x, shard part,
                                           detail::arithmetic_t<std::remove_const_t<In>>* out,
                                           execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>()) {
    matrix<T const> const in = x;
    cudaError_t const error = detail::check_columns(ranks, in, part, out);
    if (error != cudaSuccess) return error;
    detail::row_losses<T> losses;
    losses.out = out;
    return detail::cross_entropy_of_columns(ranks, in, part, detail::no_cap<T>{}, losses, {}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// out[r] = log of the softmax of the whole row x[r] at its column tokens[r]; NaN if there is no such column.
template <class In, class Token>
[[nodiscard]] cudaError_t log_probability_rows(communicator& ranks, matrix<In> x, shard part, Token const* tokens,
                                               detail::arithmetic_t<std::remove_const_t<In>>* out,
                                               execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>() && detail::require_targets<Token>()) {
    matrix<T const> const in = x;
    cudaError_t const error = detail::check_columns(ranks, in, part, out);
    if (error != cudaSuccess) return error;
    if (!detail::are_targets(tokens, out, x.row_count)) return cudaErrorInvalidValue;
    detail::row_losses<T> losses;
    losses.what = detail::row_result::log_probability;
    losses.out = out;
    losses.targets = {tokens, sizeof(Token) == sizeof(std::int64_t)};
    return detail::cross_entropy_of_columns(ranks, in, part, detail::no_cap<T>{}, losses, {}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The cross entropy of whole rows of logits, as in cross_entropy.cuh, by one exchange; with options.gradient also this
/// rank's columns of its gradient, by a second pass over them.
///
/// targets  columns of whole rows. One that is neither a column nor ignore_index makes the row's loss and gradient NaN.
/// options  those of all ranks are equal, but for the pointers
template <class In, class Target>
[[nodiscard]] cudaError_t cross_entropy_rows(communicator& ranks, matrix<In> logits, shard part, Target const* targets,
                                             detail::arithmetic_t<std::remove_const_t<In>>* loss,
                                             cross_entropy_options<std::remove_const_t<In>> const& options = {},
                                             execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>() && detail::require_targets<Target>()) {
    matrix<T const> const in = logits;
    cudaError_t const error = detail::check_columns(ranks, in, part);
    if (error != cudaSuccess) return error;
    return detail::cross_entropy<T>(in, targets, loss, options, [&](auto const& cap, auto const& losses) {
      return detail::cross_entropy_of_columns(ranks, in, part, cap, losses, options, on);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

/// out = exp(in) / Σ exp of whole rows, for this rank's columns. `out` is `in`, or doesn't overlap it. As in
/// softmax.hpp, without lengths.
template <class In, class T>
[[nodiscard]] cudaError_t softmax_rows(communicator& ranks, matrix<In> in, shard part, matrix<T> out,
                                       execution on = {}) noexcept {
  return detail::softmax_of_columns<T>(ranks, detail::rows_for<T>(in), part, out, false, on);
}
/// out = in − log Σ exp of whole rows, for this rank's columns.
template <class In, class T>
[[nodiscard]] cudaError_t log_softmax_rows(communicator& ranks, matrix<In> in, shard part, matrix<T> out,
                                           execution on = {}) noexcept {
  return detail::softmax_of_columns<T>(ranks, detail::rows_for<T>(in), part, out, true, on);
}

/// Normalizes whole rows to mean 0 and variance 1, multiplies by `weight` and adds `bias`, unless they are null: this
/// rank's columns, and as many weights and biases. As in norm.hpp.
template <class In, class T>
[[nodiscard]] cudaError_t layer_norm_rows(communicator& ranks, matrix<In> in, shard part, matrix<T> out,
                                          detail::given_t<T> const* weight = nullptr,
                                          detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                          execution on = {}) noexcept {
  return detail::norm_of_columns<T>(ranks, detail::rows_for<T>(in), part, out, weight, bias, epsilon, true, on);
}
/// Normalizes whole rows to root mean square 1, multiplies by `weight` and adds `bias`, unless they are null.
template <class In, class T>
[[nodiscard]] cudaError_t rms_norm_rows(communicator& ranks, matrix<In> in, shard part, matrix<T> out,
                                        detail::given_t<T> const* weight = nullptr,
                                        detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                        execution on = {}) noexcept {
  return detail::norm_of_columns<T>(ranks, detail::rows_for<T>(in), part, out, weight, bias, epsilon, false, on);
}

/// The k elements of each whole row that come first, in order, and their columns there, on every rank. Of equal
/// elements the lower column comes first; where there are fewer than k, the rest is as in top_k_rows.cuh.
///
/// values   k for each row, or null; indices: as many std::int32_t or std::int64_t, or null
/// Cost     that of the local top_k_rows, and an exchange of k elements and columns of each row and rank
template <class In, class Indices, class Before = greater>
[[nodiscard]] cudaError_t top_k_rows(communicator& ranks, matrix<In> x, shard part, std::int64_t k,
                                     std::remove_const_t<In>* values, Indices indices, Before = {},
                                     execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::can_select_numbers<T, Indices, Before>()) {
    using index =
        std::conditional_t<std::is_same_v<Indices, std::nullptr_t>, std::int32_t, std::remove_pointer_t<Indices>>;
    return detail::top_k_of_columns<Before, T, index>(ranks, x, part, k, values, indices, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
