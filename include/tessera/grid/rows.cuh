// Reductions of rows of any type by any operator: the kernels, for nvcc.
//
//   // How many of each row are above a threshold, by any function of the elements:
//   tessera::grid::transform_reduce_rows(x, counts, tessera::plus{},
//                                        [=] __host__ __device__(float v) { return v > t ? 1 : 0; });
//   // A struct by an operator of your own, which need not commute:
//   tessera::grid::reduce_rows(parts, wholes, tessera::make_operator(join{}, part{}), {stream, memory});
//
// Everything else is as in rows.hpp. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/row_tuning.hpp>
#include <tessera/joint_reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class T, class Fold, class Store>
__global__ void __launch_bounds__(Shape::block_threads) fold_kernel(row_task<T> task, aligned<Fold> fold, Store store) {
  wait_for_stream();
  detail::fold_rows<Shape>(cooperative_groups::this_thread_block(), task, fold.value, store);
}
template <class Shape, class T, class Fold, class Store>
__global__ void __launch_bounds__(Shape::block_threads)
    fold_medium_kernel(row_task<T> task, aligned<Fold> fold, Store store) {
  wait_for_stream();
  detail::fold_medium_rows<Shape>(cooperative_groups::this_thread_block(), task, fold.value, store);
}
template <class Shape, unsigned Rows, class T, class Fold, class Store>
__global__ void __launch_bounds__(Shape::most_threads)
    fold_lanes_kernel(row_task<T> task, aligned<Fold> fold, Store store, unsigned lanes) {
  wait_for_stream();
  detail::fold_rows_by_lanes<Shape, Rows>(cooperative_groups::this_thread_block(), task, fold.value, lanes, store);
}
/// An operator's operands: the elements in the type that they are computed in.
struct as_number {
  template <class A>
  TESSERA_FN A operator()(A x, int) const {
    return x;
  }
};

/// The blocks of a multiprocessor for which fold_large_kernel keeps its registers few: sums of numbers of 4 bytes, and
/// 16-bit ones to floats. Others would spill, as would unaligned 16-bit floats in the 48 registers that ptxas gives
/// them by itself. 0: as many as there are.
template <class Shape, class T, class Fold>
inline constexpr unsigned least_large_blocks = !Shape::aligned && has_16_bits<T> ? 4 : 0;
template <class Shape, class T>
inline constexpr unsigned least_large_blocks<Shape, T, element_fold<T, tessera::plus, as_number>> =
    !Shape::aligned || sizeof(arithmetic_t<T>) > 4 ? 0
    : sizeof(T) == 4                               ? 8
                                                   : 5;

template <class Shape, class T, class Fold, class Store>
__global__ void __launch_bounds__(Shape::block_threads, least_large_blocks<Shape, T, Fold>)
    fold_large_kernel(row_task<T> task, aligned<Fold> fold, Store store, unsigned splits,
                      typename Fold::value* partials, unsigned* counters) {
  wait_for_stream();
  __shared__ part_storage<Shape, typename Fold::value> storage;
  detail::fold_large_rows<Shape>(cooperative_groups::this_thread_block(), task, fold.value, splits, partials, counters,
                                 storage, store);
}
template <class T, class Op, class F, class Store>
__global__ void __launch_bounds__(256)
    fold_in_order_kernel(row_task<T> task, aligned<Op> op, aligned<F> f, Store store) {
  wait_for_stream();
  detail::fold_rows_in_order(cooperative_groups::this_thread_block(), task, op.value, f.value, store);
}

/// Stores a row's value, converted to the type of the results.
template <class Out>
struct store_as {
  Out* out;
  template <class R>
  TESSERA_FN void operator()(std::int64_t row, R const& value) const {
    out[row] = tessera::detail::convert<Out>(value);
  }
};
template <class T>
struct store_as<indexed<T, int>> {
  indexed<T, int>* out;
  template <class R>
  TESSERA_FN void operator()(std::int64_t row, indexed<R, int> const& best) const {
    out[row] = {tessera::detail::convert<T>(best.value), best.index};
  }
};
template <class T>
struct store_as<min_max<T>> {
  min_max<T>* out;
  template <class R>
  TESSERA_FN void operator()(std::int64_t row, min_max<R> const& both) const {
    out[row] = {tessera::detail::convert<T>(both.min), tessera::detail::convert<T>(both.max)};
  }
};

template <class T, class Out>
cudaError_t check_fold(matrix<T const> const& in, Out* out) noexcept {
  bool const good = detail::is_matrix(in) && detail::is_array(out, in.row_count) &&
                    !detail::overlap(in.data, detail::extent_of(in), out, in.row_count);
  return good ? cudaSuccess : cudaErrorInvalidValue;
}
template <class T>
row_task<T> fold_task(matrix<T const> const& in, element_format<T> format = {}) noexcept {
  return {in.data, nullptr, in.stride, 0, in.row_count, static_cast<int>(in.column_count), nullptr, format};
}

/// Long rows, each in one block or more. Blocks share rows if these are few.
template <bool Aligned, class T, class Fold, class Store>
cudaError_t fold_large(row_task<T> const& task, Fold const& fold, Store const& store, execution on) noexcept {
  using shape = fold_tuning::large_shape<Aligned>;
  using value = typename Fold::value;
  auto const run = [&](std::int64_t splits, value* partials, unsigned* counters) {
    return detail::launch<fold_large_kernel<shape, T, Fold, Store>>({task.row_count * splits, shape::block_threads},
                                                                    on.stream, task, fold, store,
                                                                    static_cast<unsigned>(splits), partials, counters);
  };
  if (task.row_count == 0 || task.row_count > fold_tuning::most_shared_rows) return run(1, nullptr, nullptr);
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const parts = row_parts::of<shape, T>(task.column_count).count;
  std::int64_t const splits = detail::splits_of(task.row_count, parts, multiprocessors);
  if (splits == 1) return run(1, nullptr, nullptr);
  pooled_workspace const scratch(on, static_cast<std::size_t>(task.row_count * parts) * sizeof(value));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run(splits, static_cast<value*>(scratch.data()), scratch.counters());
}

/// Reduces each row by `fold`, and stores its result by `store`, to `store.out`. `ShortRows` are the shapes for rows
/// that a few lanes hold, and `format` is that of the elements.
template <class ShortRows, class T, class Fold, class Store>
cudaError_t fold_matrix_by(matrix<T const> const& in, Fold const& fold, Store const& store, execution on,
                           element_format<T> format = {}) noexcept {
  cudaError_t error = detail::check_fold(in, store.out);
  if (error != cudaSuccess) return error;
  auto const task = detail::fold_task(in, format);
  std::int64_t const vectors = detail::vectors_of_columns<T>(task.column_count);
  auto const run_short = [&](auto shape) {
    using Shape = decltype(shape);
    error = detail::launch<fold_kernel<Shape, T, Fold, Store>>(
        {detail::ceiling_divide(in.row_count, Shape::block_rows), Shape::block_threads}, on.stream, task, fold, store);
  };
  bool const aligned = in.column_count % row_vector_length<T> == 0 && detail::has_aligned_rows(in);
  if (aligned && detail::with_shape_for(vectors, typename ShortRows::aligned{}, run_short)) return error;
  if (detail::with_shape_for(vectors, typename ShortRows::unaligned{}, run_short)) return error;
  auto const run_by_lanes = [&](auto shape) {
    using tuning = fold_tuning;
    constexpr unsigned lanes = decltype(shape)::threads_per_row, threads = tuning::by_lanes::most_threads;
    error = detail::launch<fold_lanes_kernel<fold_tuning::by_lanes, fold_tuning::rows_by_lanes, T, Fold, Store>>(
        {detail::ceiling_divide(in.row_count, threads / lanes * tuning::rows_by_lanes), threads}, on.stream, task, fold,
        store, lanes);
  };
  if (detail::with_shape_for(vectors, typename ShortRows::aligned{}, run_by_lanes)) return error;
  using medium = fold_tuning::medium<typename Fold::value>;
  if (vectors >= fold_tuning::long_vectors)
    return aligned ? detail::fold_large<true>(task, fold, store, on) : detail::fold_large<false>(task, fold, store, on);
  return detail::launch<fold_medium_kernel<medium, T, Fold, Store>>(
      {detail::ceiling_divide(in.row_count, medium::tiles), medium::block_threads}, on.stream, task, fold, store);
}

/// Stores results of type Out.
template <class ShortRows, class T, class Fold, class Out>
cudaError_t fold_matrix(matrix<T const> const& in, Out* out, Fold const& fold, execution on) noexcept {
  return detail::fold_matrix_by<ShortRows>(in, fold, store_as<Out>{out}, on);
}

/// An operator's operands: something made of the elements.
struct as_indexed {
  template <class A>
  TESSERA_FN indexed<A, int> operator()(A x, int column) const {
    return {x, column};
  }
};
struct as_extremes {
  template <class A>
  TESSERA_FN min_max<A> operator()(A x, int) const {
    return tessera::as_min_max(x);
  }
};
/// The caller's f(x) or f(x, column).
template <class F>
struct caller_function {
  F f;
  template <class A>
  TESSERA_FN auto operator()(A x, int column) const {
    tessera::detail::require_function<cooperative_groups::thread_block, int, F, A>();
    return tessera::detail::apply<int>(f, x, column);
  }
};

/// Combines the results of f for all elements by op, in the row's order if op doesn't commute.
template <class ShortRows, class T, class Out, class Op, class F>
cudaError_t transform_matrix(matrix<T const> const& in, Out* out, Op const& op, F const& f, execution on) noexcept {
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, arithmetic_t<T>, int>>>;
  using combine = tessera::detail::normalized_t<Op, term>;
  using value = tessera::detail::range_result_t<combine, term, std::int64_t>;
  static_assert(tessera::is_exchangeable_v<T> && tessera::is_exchangeable_v<value>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  if constexpr (!can_reduce<combine, value>()) {
    return cudaErrorNotSupported;
  } else if constexpr (operator_traits<combine, value>::commutative) {
    combine const canonical_op = tessera::detail::normalize<term>(op);
    return detail::fold_matrix<ShortRows>(in, out, element_fold<T, combine, F>{canonical_op, f}, on);
  } else {
    cudaError_t const error = detail::check_fold(in, out);
    if (error != cudaSuccess) return error;
    return detail::launch<fold_in_order_kernel<T, combine, F, store_as<Out>>>(
        {detail::ceiling_divide(in.row_count, 8), 256}, on.stream, detail::fold_task(in),
        tessera::detail::normalize<term>(op), f, store_as<Out>{out});
  }
}

template <class T>
struct reduce_rows_launcher<T, void> {
  template <class Out, class Op>
  static cudaError_t launch(matrix<T const> in, Out* out, Op op, execution on) noexcept {
    return detail::transform_matrix<fold_tuning::few_short_rows>(in, out, op, as_number{}, on);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[r] = f(x[r][0]) op f(x[r][1]) op …; the identity of `op` if there are no columns. For any trivially copyable
/// elements.
///
/// op    any operator with an identity. It need not commute, but is faster if it does: say so by make_operator.
/// f     f(x), or f(x, column) with an int: a function object or a lambda, in CUDA `__host__ __device__`. It is
///       called once for each element; 16-bit floats are passed as floats.
/// out   the type that f's results are combined in, or one that it converts to. Integers of 8 and 16 bits are added
///       as int; a sum that is stored into one of them wraps.
/// Cost  for an operator that doesn't commute: a warp for each row, and a `reduce` of the warp for every 512 bytes.
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce_rows(matrix<In> in, Out* out, Op op, F f, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(!tessera::detail::are_swapped<int, detail::arithmetic_t<T>, Op, F>(),
                "grid::transform_reduce_rows: op comes before f, as in std::transform_reduce: write "
                "transform_reduce_rows(in, out, op, f).");
  return detail::transform_matrix<detail::fold_tuning::few_short_rows>(matrix<T const>(in), out, op,
                                                                       detail::caller_function<F>{f}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
