// Rows mapped to rows by an operation of your own: one or two reductions of each row, and a function of each element
// and of their results. For nvcc.
//
//   struct l2_normalize {
//     __host__ __device__ tessera::plus first_operator() const { return {}; }
//     __host__ __device__ float first(float x, int) const { return x * x; }
//     __host__ __device__ float result(float x, int, float sum) const { return x / sqrtf(sum); }
//   };
//
//   error = tessera::grid::map_rows(x, y, l2_normalize{}, {stream, memory});
//
// A row operation is an object that is copied to the GPU. Its functions are const, in CUDA `__host__ __device__`, and
// take elements as the type N that they are computed in: float for 16-bit floats, else the element's own type.
//
//   first_operator()                      the operator of the first reduction: plus, maximum, make_operator(…), …
//   first(x, column)                      what it combines of an element: an N. The column is an int
//   second_operator()                     the operator of the second reduction, if there is one
//   second(x, column)                     what that combines: an N
//   second(x, column, first)              the same, if it depends on the first result
//   result(x, column, first)              the element of the output, an N that is rounded to the element's type
//   result(x, column, first, second)      the same with two reductions
//
// Operators have an identity, commute, and combine two Ns. The functions may be called more than once for an element,
// and for a 0 in place of elements after a row's end, in an existing column.
//
// The output is the input, or overlaps it nowhere. A row's bits depend on its elements, its number of columns, the
// types and the operation, and on no other row, stride or stream, if the compiler rounds the operation's own arithmetic
// the same in every kernel: use __fmul_rn or -fmad=false where it could contract. NaN and infinities are what the
// operation makes of them.
//
// Cost: one read and one write of each element. Rows of more columns than the blocks that share one hold in registers
// are read once more, and once more again if `second` takes the first result. A workspace then holds a number or two of
// each part of a row.
#pragma once

#include <tessera/grid/rows.hpp>
#include <tessera/grid/rows/caller_map.hpp>
#include <tessera/grid/rows/map_launch.cuh>

#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class F, class Number, class = void>
inline constexpr bool has_first_reduction = false;
template <class F, class Number>
inline constexpr bool
    has_first_reduction<F, Number,
                        stl::void_t<decltype(stl::declval<F const&>().first_operator()),
                                    decltype(static_cast<Number>(stl::declval<F const&>().first(Number{}, int{})))>> =
        true;
template <class F, class Number, class = void>
inline constexpr bool has_result_of_one = false;
template <class F, class Number>
inline constexpr bool has_result_of_one<
    F, Number, stl::void_t<decltype(static_cast<Number>(stl::declval<F const&>().result(Number{}, int{}, Number{})))>> =
    true;
template <class F, class Number, class = void>
inline constexpr bool has_result_of_two = false;
template <class F, class Number>
inline constexpr bool has_result_of_two<
    F, Number,
    stl::void_t<decltype(static_cast<Number>(stl::declval<F const&>().result(Number{}, int{}, Number{}, Number{})))>> =
    true;
template <class F, class Number, class = void>
inline constexpr bool has_second_of_element = false;
template <class F, class Number>
inline constexpr bool
    has_second_of_element<F, Number, stl::void_t<decltype(stl::declval<F const&>().second(Number{}, int{}))>> = true;

/// An operator that the reductions of a row operation take.
template <class Op, class Number>
constexpr bool can_reduce_rows_by() {
  if constexpr (detail::can_reduce<Op, Number>()) {
    static_assert(operator_traits<Op, Number>::commutative,
                  "grid::map_rows: the operators of a row operation commute: write make_operator(f, identity, "
                  "commutative).");
    return operator_traits<Op, Number>::commutative;
  } else {
    return false;
  }
}

/// True if F is a row operation on elements of T. Says what is missing.
template <class T, class F>
constexpr bool require_row_operation() {
  using number = arithmetic_t<T>;
  constexpr bool has_type = stl::is_same_v<T, float> || stl::is_same_v<T, double> || tessera::detail::is_half<T>;
  static_assert(has_type, "grid::map_rows is for float, double, __half and __nv_bfloat16.");
  static_assert(has_first_reduction<F, number>,
                "grid::map_rows: a row operation has const functions first_operator() and first(x, column), which "
                "gives a number.");
  constexpr bool is_complete = [] {
    if constexpr (has_second_reduction<F>) {
      return (second_needs_first<F, number> || has_second_of_element<F, number>)&&has_result_of_two<F, number>;
    } else {
      return has_result_of_one<F, number>;
    }
  }();
  static_assert(is_complete,
                "grid::map_rows: a row operation has a const function result(x, column, first); with "
                "second_operator() it has second(x, column) or second(x, column, first), and result(x, column, first, "
                "second).");
  if constexpr (has_type && has_first_reduction<F, number> && is_complete) {
    using operators = row_operators<F, number>;
    return detail::can_reduce_rows_by<typename operators::first_type, number>() &&
           detail::can_reduce_rows_by<typename operators::second_type, number>();
  } else {
    return false;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// y[r][c] = row_operation.result(x[r][c], c, first[, second]) by the row operation's reductions of x[r]. See above.
template <class In, class Out, class RowOperation>
[[nodiscard]] cudaError_t map_rows(matrix<In> x, matrix<Out> y, RowOperation row_operation,
                                   execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(std::is_same_v<T, Out>, "grid::map_rows: the output's elements are of the input's type.");
  if constexpr (std::is_same_v<T, Out> && detail::require_row_operation<T, RowOperation>()) {
    return detail::map_matrix<T>(x, y, nullptr, detail::caller_map<T, RowOperation>{row_operation}, true, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
