// The Map (map_rows.hpp) of a caller's row operation (map_rows.cuh).
#pragma once

#include <tessera/grid/rows/map_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class F, class = void>
inline constexpr bool has_second_reduction = false;
template <class F>
inline constexpr bool has_second_reduction<F, stl::void_t<decltype(stl::declval<F const&>().second_operator())>> = true;

/// True if what the second reduction combines depends on the first one's result.
template <class F, class Number, class = void>
inline constexpr bool second_needs_first = false;
template <class F, class Number>
inline constexpr bool
    second_needs_first<F, Number, stl::void_t<decltype(stl::declval<F const&>().second(Number{}, int{}, Number{}))>> =
        true;

/// The results of a row's reductions.
template <class Number>
struct row_results {
  Number first, second;
};

/// The operators of a row operation's reductions. `second` is `first` where there is one reduction.
template <class F, class Number>
struct row_operators {
  TESSERA_FN static auto first(F const& f) { return tessera::detail::normalize<Number>(f.first_operator()); }
  TESSERA_FN static auto second(F const& f) {
    if constexpr (has_second_reduction<F>) {
      return tessera::detail::normalize<Number>(f.second_operator());
    } else {
      return first(f);
    }
  }
  using first_type = decltype(first(stl::declval<F const&>()));
  using second_type = decltype(second(stl::declval<F const&>()));
};

/// Combines the results of two parts of a row.
template <class F>
struct join_row_results {
  F f;

  template <class Number>
  TESSERA_FN row_results<Number> operator()(row_results<Number> const& a, row_results<Number> const& b) const {
    using operators = row_operators<F, Number>;
    row_results<Number> all{static_cast<Number>(operators::first(f)(a.first, b.first)), a.second};
    if constexpr (has_second_reduction<F>) all.second = static_cast<Number>(operators::second(f)(a.second, b.second));
    return all;
  }
};

/// The functions of an element and its column that element_fold calls.
template <class F, class Number>
struct first_term {
  F f;
  TESSERA_FN Number operator()(Number x, int column) const { return static_cast<Number>(f.first(x, column)); }
};
template <class F, class Number>
struct second_term {
  F f;
  Number first;
  TESSERA_FN Number operator()(Number x, int column) const {
    if constexpr (second_needs_first<F, Number>) {
      return static_cast<Number>(f.second(x, column, first));
    } else {
      return static_cast<Number>(f.second(x, column));
    }
  }
};

/// Reduces a row once or twice, and maps its elements by the results.
///
/// Rows that don't fit in registers are measured by parts. If the second reduction needs the first one's result, they
/// are measured twice: without `firsts` for the first reduction, and with the first results of all rows for the second.
template <class T, class F>
struct caller_map {
  using number = arithmetic_t<T>;
  using statistic = row_results<number>;
  using value = statistic;
  using combine = join_row_results<F>;
  using finished = statistic;
  using first_result = number;
  static constexpr bool measures_twice = second_needs_first<F, number>;
  static constexpr unsigned reductions = has_second_reduction<F> ? 2 : 1;

  F f;
  number const* firsts = nullptr;
  number first_of_row{};  // of firsts

  TESSERA_FN combine combining() const { return {f}; }
  TESSERA_FN caller_map for_row(std::int64_t row) const { return {f, firsts, firsts ? firsts[row] : number{}}; }

  template <class Fragment>
  TESSERA_FN statistic of_fragment(Fragment const& fragment) const {
    statistic own = tessera::detail::neutral_of<combine, statistic>::get(combining());
    if (!measures_twice || !firsts) own.first = reduce_first(fragment);
    if constexpr (has_second_reduction<F>) {
      if (!measures_twice || firsts) own.second = reduce_second(fragment, first_of_row);
    }
    return own;
  }
  template <class Tile, class Fragment>
  TESSERA_FN statistic measure(Tile const& tile, Fragment const& fragment, int) const {
    statistic all{};
    all.first = detail::reduce_row(tile, reduce_first(fragment), operators::first(f), 0);
    if constexpr (has_second_reduction<F>)
      all.second = detail::reduce_row(tile, reduce_second(fragment, all.first), operators::second(f), 1);
    return all;
  }
  template <class Fragment>
  TESSERA_FN void prepare(Fragment const&, statistic const&) const {}
  TESSERA_FN finished finish(statistic const&, statistic const& all) const {
    return {measures_twice && firsts ? first_of_row : all.first, all.second};
  }
  template <class Fragment>
  TESSERA_FN auto map(Fragment const& fragment, unsigned v, finished const& by, int column_count) const {
    auto y = fragment.numbers(v, number{});
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) {
      int const i = fragment.index(v) + static_cast<int>(j);
      // The operation may look something up by the column: what isn't stored gets one that exists.
      int const column = Fragment::aligned || i < column_count ? i : 0;
      if constexpr (has_second_reduction<F>) {
        y[j] = static_cast<number>(f.result(y[j], column, by.first, by.second));
      } else {
        y[j] = static_cast<number>(f.result(y[j], column, by.first));
      }
    }
    return y;
  }

 private:
  using operators = row_operators<F, number>;

  template <class Fragment>
  TESSERA_FN number reduce_first(Fragment const& fragment) const {
    using term = first_term<F, number>;
    return element_fold<T, typename operators::first_type, term>{operators::first(f), term{f}}.of_fragment(fragment);
  }
  template <class Fragment>
  TESSERA_FN number reduce_second(Fragment const& fragment, number first) const {
    using term = second_term<F, number>;
    return element_fold<T, typename operators::second_type, term>{operators::second(f), term{f, first}}.of_fragment(
        fragment);
  }
};

}  // namespace grid::detail

template <class F, class Number>
struct operator_traits<grid::detail::join_row_results<F>, grid::detail::row_results<Number>> {
  using operators = grid::detail::row_operators<F, Number>;
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  /// The reductions' neutral elements.
  TESSERA_FN static grid::detail::row_results<Number> identity(grid::detail::join_row_results<F> const& join) {
    return {detail::neutral_of<typename operators::first_type, Number>::get(operators::first(join.f)),
            detail::neutral_of<typename operators::second_type, Number>::get(operators::second(join.f))};
  }
};

TESSERA_NAMESPACE_END
