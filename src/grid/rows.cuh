// The library's definitions for rows.hpp, of the types in instantiations.py.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/least_of_flipped.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The reductions that are used most have a shape for every length of short rows.
template <class T, class Op>
using short_rows_for = stl::conditional_t<!tessera::detail::is_integer<T> && is_one_of<Op, plus, minimum, maximum>,
                                          fold_tuning::short_rows, fold_tuning::few_short_rows>;

/// The operator that combines a row's elements of T by Op. 16-bit floats are compared as floats.
template <class T, class Op>
constexpr auto operator_of_rows() {
  if constexpr (tessera::detail::is_half<T> && is_one_of<Op, minimum, maximum>) {
    return shared_kernel<float, Op>::of();
  } else {
    return shared_kernel<T, Op>::of();
  }
}

template <class T>
cudaError_t arg_rows(matrix<T const> in, indexed<T, int>* out, bool greatest, execution on) noexcept {
  using element = typename shared_kernel<T, tessera::argmin>::type;
  using number = arithmetic_t<element>;
  using fold = element_fold<element, tessera::argmin, as_flipped_indexed<number>>;
  auto const flipped = flipped_bits<number>::template of<T>(greatest);
  matrix<element const> const same(reinterpret_cast<element const*>(in.data), in.row_count, in.column_count, in.stride);
  return fold_matrix_by<fold_tuning::few_short_rows>(
      same, fold{{}, {flipped}},
      store_flipped_indexed<element, number>{reinterpret_cast<indexed<element, int>*>(out), flipped}, on);
}

}  // namespace TESSERA_ARCHS

template <class T, class Op, class R>
cudaError_t reduce_rows_instantiation(matrix<T const> in, R* out, execution on) noexcept {
  using element = typename shared_kernel<T, Op>::type;
  using result = stl::conditional_t<stl::is_same_v<element, T>, R, element>;
  matrix<element const> const same(reinterpret_cast<element const*>(in.data), in.row_count, in.column_count, in.stride);
  return transform_matrix<short_rows_for<T, Op>>(same, reinterpret_cast<result*>(out),
                                                 detail::operator_of_rows<T, Op>(), as_number{}, on);
}

template <class T>
cudaError_t argmin_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept {
  return detail::arg_rows(in, out, false, on);
}

template <class T>
cudaError_t argmax_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept {
  return detail::arg_rows(in, out, true, on);
}

template <class T>
cudaError_t minmax_rows_instantiation(matrix<T const> in, min_max<T>* out, execution on) noexcept {
  return transform_matrix<fold_tuning::few_short_rows>(in, out, tessera::minmax{}, as_extremes{}, on);
}

template <class T>
cudaError_t moments_rows_instantiation(matrix<T const> in, moments_of_rows_t<T>* out, execution on) noexcept {
  return fold_matrix<fold_tuning::short_rows>(in, out, norm_map<T>{}, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
