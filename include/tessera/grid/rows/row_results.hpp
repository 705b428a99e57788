// How the results of rows and segments are stored: converted, by a pointer or an iterator.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/number.hpp>
#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A row's value, converted to the type of the results.
template <class R>
struct converted_result {
  template <class Value>
  TESSERA_FN static R of(Value const& value) {
    return tessera::detail::convert<R>(value);
  }
};
template <class T>
struct converted_result<indexed<T, int>> {
  template <class Value>
  TESSERA_FN static indexed<T, int> of(indexed<Value, int> const& best) {
    return {tessera::detail::convert<T>(best.value), best.index};
  }
};
template <class T>
struct converted_result<min_max<T>> {
  template <class Value>
  TESSERA_FN static min_max<T> of(min_max<Value> const& both) {
    return {tessera::detail::convert<T>(both.min), tessera::detail::convert<T>(both.max)};
  }
};
/// Stores a row's value as an R, by a pointer or an iterator.
template <class R, class Out = R*>
struct store_as {
  Out out;
  template <class Value>
  TESSERA_FN void operator()(std::int64_t row, Value const& value) const {
    tessera::detail::write_element(out, row, converted_result<R>::of(value));
  }
};
/// Stores values of rows as an R; if R is void, a pointer gets its elements' type, and an iterator the values.
template <class R, class Out, class Value>
using store_of_rows = store_as<stl::conditional_t<stl::is_void_v<R>, tessera::detail::written_t<Out, Value>, R>, Out>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
