// The library's definitions for norm.hpp, of the types in instantiations.py.
#pragma once

#include "grid/shared_rows.hpp"

#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/norm_map.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
cudaError_t norm_instantiation(matrix<T const> in, matrix<T> out, T const* weight, T const* bias, double epsilon,
                               bool centered, execution on) noexcept {
  if (!(epsilon >= 0)) return cudaErrorInvalidValue;
  bool aligned = true;
  for (T const* const parameters : {weight, bias}) {
    if (!parameters) continue;
    if (!is_array(parameters, in.column_count) ||
        (is_matrix(out) && overlap(parameters, in.column_count, out.data, extent_of(out))))
      return cudaErrorInvalidValue;
    aligned = aligned && reinterpret_cast<std::uintptr_t>(parameters) % 16 == 0;
  }
  using element = row_kernel_t<T>;
  norm_map<element> const map{reinterpret_cast<element const*>(weight), reinterpret_cast<element const*>(bias),
                              static_cast<arithmetic_t<T>>(epsilon), centered};
  return map_matrix(detail::rows_as<element const>(in), detail::rows_as<element>(out), nullptr, map, aligned, on,
                    detail::row_format_of<T>());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
