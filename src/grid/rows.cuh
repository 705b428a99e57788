// The library's definitions for rows.hpp, of the types in instantiations.py.
#pragma once

#include "grid/shared_rows.hpp"

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/least_of_flipped.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The operator that combines a row's elements of T by Op. 16-bit floats are compared as floats.
template <class T, class Op>
constexpr auto operator_of_rows() {
  if constexpr (tessera::detail::is_half<T> && is_one_of<Op, minimum, maximum>) {
    return shared_kernel<float, Op>::of();
  } else {
    return shared_kernel<T, Op>::of();
  }
}

/// Stores a row's value, rounded to the type of the results.
template <class Out, class T>
struct store_number {
  Out* out;
  element_format<T> format;

  TESSERA_FN void operator()(std::int64_t row, arithmetic_t<T> const& value) const {
    if constexpr (stl::is_same_v<Out, T>) {
      out[row] = detail::from_number(value, format);
    } else {
      out[row] = tessera::detail::convert<Out>(value);
    }
  }
};
/// Stores a row's extremes.
template <class T>
struct store_extremes {
  min_max<T>* out;
  element_format<T> format;

  TESSERA_FN void operator()(std::int64_t row, min_max<arithmetic_t<T>> const& both) const {
    out[row] = {detail::from_number(both.min, format), detail::from_number(both.max, format)};
  }
};

template <class T>
cudaError_t arg_rows(matrix<T const> in, indexed<T, int>* out, bool greatest, execution on) noexcept {
  using element = row_kernel_t<typename shared_kernel<T, tessera::argmin>::type>;
  using number = arithmetic_t<element>;
  using fold = element_fold<element, tessera::argmin, as_flipped_indexed<number>>;
  auto const flipped = flipped_bits<number>::template of<T>(greatest);
  constexpr auto format = detail::row_format_of<T, element>();
  return fold_matrix_by<fold_tuning::few_short_rows>(
      detail::rows_as<element const>(in), fold{{}, {flipped}},
      store_flipped_indexed<element>{reinterpret_cast<indexed<element, int>*>(out), flipped, format}, on, format);
}

}  // namespace TESSERA_ARCHS

template <class T, class Op, class R>
cudaError_t reduce_rows_instantiation(matrix<T const> in, R* out, execution on) noexcept {
  using element = row_kernel_t<typename shared_kernel<T, Op>::type>;
  using number = arithmetic_t<element>;
  using result = stl::conditional_t<stl::is_same_v<R, float> && has_16_bits<element>, R, element>;
  auto const op = detail::operator_of_rows<T, Op>();
  using fold = element_fold<element, stl::remove_const_t<decltype(op)>, as_number>;
  constexpr auto format = detail::row_format_of<T, element>();
  return fold_matrix_by<short_rows_for<T, Op>>(detail::rows_as<element const>(in), fold{op, {}},
                                               store_number<result, element>{reinterpret_cast<result*>(out), format},
                                               on, format);
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
  using shared = shared_kernel<T, tessera::minmax>;
  using element = row_kernel_t<typename shared::type>;
  auto const op = shared::of();
  using fold = element_fold<element, stl::remove_const_t<decltype(op)>, as_extremes>;
  constexpr auto format = detail::row_format_of<T, element>();
  return fold_matrix_by<fold_tuning::few_short_rows>(
      detail::rows_as<element const>(in), fold{op, {}},
      store_extremes<element>{reinterpret_cast<min_max<element>*>(out), format}, on, format);
}

template <class T>
cudaError_t moments_rows_instantiation(matrix<T const> in, moments_of_rows_t<T>* out, execution on) noexcept {
  using element = row_kernel_t<T>;
  return fold_matrix_by<fold_tuning::short_rows>(detail::rows_as<element const>(in), norm_map<element>{},
                                                 store_as<moments_of_rows_t<T>>{out}, on, detail::row_format_of<T>());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
