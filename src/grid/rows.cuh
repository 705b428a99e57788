// What the library has of rows.hpp, for the types of instantiations.py.
#pragma once

#include <tessera/grid/rows.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The reductions that are used most have a shape for every length of short rows.
template <class T, class Op>
using short_rows_for =
    stl::conditional_t<!tessera::detail::is_integer<T> && is_one_of<Op, plus, minimum, maximum>,
                       fold_tuning::short_rows, fold_tuning::few_short_rows>;

}  // namespace TESSERA_ARCHS

template <class T, class Op, class R>
cudaError_t reduce_rows_instantiation(matrix<T const> in, R* out, execution on) noexcept {
  return transform_matrix<short_rows_for<T, Op>>(in, out, Op{}, as_number{}, on);
}

template <class T>
cudaError_t argmin_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept {
  return transform_matrix<fold_tuning::few_short_rows>(in, out, tessera::argmin{}, as_indexed{}, on);
}

template <class T>
cudaError_t argmax_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept {
  return transform_matrix<fold_tuning::few_short_rows>(in, out, tessera::argmax{}, as_indexed{}, on);
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
