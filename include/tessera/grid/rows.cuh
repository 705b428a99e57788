// Reductions of rows of any type by any operator: the kernels, for nvcc.
//
//   // How many of each row are above a threshold, by any function of the elements:
//   tessera::grid::transform_reduce_rows(x, counts, tessera::plus{},
//                                        [=] __host__ __device__(float v) { return v > t ? 1 : 0; });
//   // A struct by an operator of your own, which need not commute:
//   tessera::grid::reduce_rows(parts, wholes, tessera::make_operator(join{}, part{}), {stream, memory});
//
// `out` may be an iterator, too (core/iterators.hpp). Everything else is as in rows.hpp. Lambdas need nvcc's
// --extended-lambda.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/row_results.hpp>
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
/// The blocks of a multiprocessor for which fold_medium_kernel keeps its registers few: sums and extremes of floats.
/// 0: as many as there are.
template <class T, class Fold>
inline constexpr unsigned least_medium_blocks = sizeof(T) == 4 && needs_few_registers<Fold> ? 6 : 0;

template <class Shape, class T, class Fold, class Store>
__global__ void __launch_bounds__(Shape::block_threads, least_medium_blocks<T, Fold>)
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

/// Those for which fold_large_kernel does: log-sum-exp of 16-bit floats, and sums of numbers of 4 bytes and of 16-bit
/// ones to floats. Others would spill, as would unaligned 16-bit floats in the 48 registers that ptxas gives them by
/// itself.
template <class Shape, class T, class Fold>
inline constexpr unsigned least_large_blocks = !has_16_bits<T>             ? 0
                                               : !Shape::aligned           ? 4
                                               : needs_few_registers<Fold> ? 6
                                                                           : 0;
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

template <class T, class Out>
cudaError_t check_fold(matrix<T const> const& in, Out const& out) noexcept {
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

/// Stores results as store_of_rows has them.
template <class ShortRows, class R = void, class T, class Fold, class Out>
cudaError_t fold_matrix(matrix<T const> const& in, Out const& out, Fold const& fold, execution on) noexcept {
  return detail::fold_matrix_by<ShortRows>(in, fold, store_of_rows<R, Out, typename Fold::value>{out}, on);
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

/// Combines the results of f for all elements by op, in the row's order if op doesn't commute. Stores results as
/// store_of_rows has them.
template <class ShortRows, class R = void, class T, class Out, class Op, class F>
cudaError_t transform_matrix(matrix<T const> const& in, Out const& out, Op const& op, F const& f,
                             execution on) noexcept {
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, arithmetic_t<T>, int>>>;
  using combine = tessera::detail::normalized_t<Op, term>;
  using value = tessera::detail::range_result_t<combine, term, std::int64_t>;
  static_assert(tessera::is_exchangeable_v<T> && tessera::is_exchangeable_v<value>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  if constexpr (!can_reduce<combine, value>()) {
    return cudaErrorNotSupported;
  } else if constexpr (operator_traits<combine, value>::commutative) {
    combine const canonical_op = tessera::detail::normalize<term>(op);
    return detail::fold_matrix<ShortRows, R>(in, out, element_fold<T, combine, F>{canonical_op, f}, on);
  } else {
    cudaError_t const error = detail::check_fold(in, out);
    if (error != cudaSuccess) return error;
    using store = store_of_rows<R, Out, value>;
    return detail::launch<fold_in_order_kernel<T, combine, F, store>>(
        {detail::ceiling_divide(in.row_count, 8), 256}, on.stream, detail::fold_task(in),
        tessera::detail::normalize<term>(op), f, store{out});
  }
}

template <class T>
struct reduce_rows_launcher<T, void> {
  template <class Out, class Op>
  static cudaError_t launch(matrix<T const> in, Out* out, Op op, execution on) noexcept {
    return detail::transform_matrix<fold_tuning::few_short_rows>(in, out, op, as_number{}, on);
  }
};

/// The reductions that are used most have a shape for every length of short rows. The bits of a sum depend on it.
template <class T, class Op>
using short_rows_for = stl::conditional_t<!tessera::detail::is_integer<T> && is_one_of<Op, plus, minimum, maximum>,
                                          fold_tuning::short_rows, fold_tuning::few_short_rows>;

/// Reduces f(x, column) of rows of numbers by an operator, neither of which has data, into an iterator, which gets an R
/// for each row.
template <class R, class Op, class F, class In, class Out>
cudaError_t reduce_numbers(matrix<In> const& in, Out const& out, execution on) noexcept {
  using T = stl::remove_const_t<In>;
  detail::require_element<element_t<T>>();
  return detail::transform_matrix<fold_tuning::few_short_rows, R>(matrix<T const>(in), out, Op{}, F{}, on);
}

/// True if rows of T have moments. If not, a static assertion says what to write.
template <class T>
constexpr bool has_moments_of_rows() {
  constexpr bool is_float = is_one_of<T, float, double, __half, __nv_bfloat16>;
  static_assert(is_float,
                "grid::moments_rows is for rows of float, double, __half and __nv_bfloat16: for integers write "
                "transform_reduce_rows with as_moments(float(x)) and welford{}.");
  return is_float;
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[r] = f(x[r][0]) op f(x[r][1]) op …; the identity of `op` if there are no columns. For any trivially copyable
/// elements.
///
/// op    any operator with an identity. It need not commute, but is faster if it does: say so by make_operator.
/// f     f(x), or f(x, column) with an int: a function object or a lambda, in CUDA `__host__ __device__`. It is
///       called once for each element; 16-bit floats are passed as floats.
/// out   a pointer to the type that f's results are combined in, or to one that it converts to; or an iterator, which
///       gets what is combined. Integers of 8 and 16 bits are added as int; a sum that is stored into one of them
///       wraps.
/// Cost  for an operator that doesn't commute: a warp for each row, and a `reduce` of the warp for every 512 bytes.
template <class In, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce_rows(matrix<In> in, Out out, Op op, F f, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(!tessera::detail::are_swapped<int, detail::arithmetic_t<T>, Op, F>(),
                "grid::transform_reduce_rows: op comes before f, as in std::transform_reduce: write "
                "transform_reduce_rows(in, out, op, f).");
  return detail::transform_matrix<detail::fold_tuning::few_short_rows>(
      matrix<T const>(in), tessera::detail::address_of(out), op, detail::caller_function<F>{f}, on);
}

// ---- Results by an iterator (core/iterators.hpp): *(out + r) = row r's result. Bits and cost are those by a pointer;
// a contiguous iterator is one.

/// reduce_rows of rows.hpp: *(out + r) is given a reduced_t<T, Op>.
template <class In, class Out, class Op = plus, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t reduce_rows(matrix<In> in, Out out, Op op = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  using result = reduced_t<T, Op>;
  if constexpr (tessera::detail::is_contiguous_writer<result, Out>) {
    return grid::reduce_rows(in, tessera::detail::address_of(out), op, on);
  } else {
    using short_rows = detail::short_rows_for<T, tessera::detail::normalized_t<Op, result>>;
    return detail::transform_matrix<short_rows, result>(matrix<T const>(in), out, op, detail::as_number{}, on);
  }
}
/// *(out + r) is given an indexed<T, int>.
template <class In, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t argmin_rows(matrix<In> in, Out out, execution on = {}) noexcept {
  using result = indexed<std::remove_const_t<In>, int>;
  if constexpr (tessera::detail::is_contiguous_writer<result, Out>) {
    return grid::argmin_rows(in, tessera::detail::address_of(out), on);
  } else {
    return detail::reduce_numbers<result, tessera::argmin, detail::as_indexed>(in, out, on);
  }
}
/// *(out + r) is given an indexed<T, int>.
template <class In, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t argmax_rows(matrix<In> in, Out out, execution on = {}) noexcept {
  using result = indexed<std::remove_const_t<In>, int>;
  if constexpr (tessera::detail::is_contiguous_writer<result, Out>) {
    return grid::argmax_rows(in, tessera::detail::address_of(out), on);
  } else {
    return detail::reduce_numbers<result, tessera::argmax, detail::as_indexed>(in, out, on);
  }
}
/// *(out + r) is given a min_max<T>.
template <class In, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t minmax_rows(matrix<In> in, Out out, execution on = {}) noexcept {
  using result = min_max<std::remove_const_t<In>>;
  if constexpr (tessera::detail::is_contiguous_writer<result, Out>) {
    return grid::minmax_rows(in, tessera::detail::address_of(out), on);
  } else {
    return detail::reduce_numbers<result, tessera::minmax, detail::as_extremes>(in, out, on);
  }
}
/// *(out + r) is given a moments<float>, of doubles a moments<double>.
template <class In, class Out, detail::if_iterator<Out> = true>
[[nodiscard]] cudaError_t moments_rows(matrix<In> in, Out out, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  using result = detail::moments_of_rows_t<T>;
  if constexpr (tessera::detail::is_contiguous_writer<result, Out>) {
    return grid::moments_rows(in, tessera::detail::address_of(out), on);
  } else if constexpr (detail::has_moments_of_rows<T>()) {
    return detail::fold_matrix<detail::fold_tuning::short_rows, result>(matrix<T const>(in), out, detail::norm_map<T>{},
                                                                        on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
