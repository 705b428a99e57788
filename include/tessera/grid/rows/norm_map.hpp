// The Map (map_rows.hpp) of layer norm and root-mean-square norm. It is a Fold (fold_rows.hpp) for moments, too.
#pragma once

#include <tessera/grid/rows/computed_fragment.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/operators/welford.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Computes (x − mean) / √(variance + ε) · weight + bias. If not `centered`, it computes x / √(mean of x² + ε) ·
/// weight + bias, by the same sums about 0. What the compiler may contract is rounded explicitly, so that all kernels
/// and CPU lanes give the same bits.
template <class T>
struct norm_map {
  using number = arithmetic_t<T>;
  using statistic = tessera::moments<number>;
  using value = statistic;
  using combine = welford;
  static constexpr bool counts_elements = true;

  T const* weight = nullptr;  // null: ones
  T const* bias = nullptr;    // null: zeros
  number epsilon = 0;
  bool centered = true;

  struct finished {
    number mean, scale;
  };

  TESSERA_FN welford combining() const { return {}; }

  /// Σ (x − from).
  template <class Fragment>
  TESSERA_FN static number sum(Fragment const& fragment, number from) {
    constexpr unsigned A = Fragment::width < 4 ? Fragment::width : 4;
    items<number, A> sums{};
    fragment.for_each_vector(from, [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j)
        sums[j % A] = tessera::detail::rounded_add(sums[j % A], x[j] - from);
    });
    return total(sums);
  }
  /// Σ (x − mean)².
  template <class Fragment>
  TESSERA_FN static number squares(Fragment const& fragment, number mean) {
    constexpr unsigned A = Fragment::width < 4 ? Fragment::width : 4;
    items<number, A> sums{};
    fragment.for_each_vector(mean, [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) {
        number const apart = x[j] - mean;
        sums[j % A] = tessera::detail::rounded_fma(apart, apart, sums[j % A]);
      }
    });
    return total(sums);
  }

  template <class Fragment>
  TESSERA_FN statistic of_fragment(Fragment const& fragment) const {
    number const n = static_cast<number>(fragment.valid_count());
    number mean = 0;
    if (centered && n > number(0)) {
      number const first = fragment.first_valid();  // Equal values have distance 0 from it.
      mean = tessera::detail::rounded_add(first, tessera::detail::rounded_divide(sum(fragment, first), n));
    }
    number const m2 = squares(fragment, mean);
    // If a value is infinite, the mean alone may be infinite. NaN stays NaN when parts of a row are combined.
    return {n, tessera::detail::is_nan(m2) ? m2 : mean, m2};
  }
  template <class Fragment>
  TESSERA_FN void prepare(Fragment const&, statistic const&) const {}
  template <class Tile, class Fragment>
  TESSERA_FN statistic measure(Tile const& tile, Fragment const& fragment, int elements) const {
    number const n = static_cast<number>(elements);
    number mean = 0;
    if (centered) {
      mean = detail::reduce_row(tile, sum(fragment, number(0)), plus{}, 0) / n;
      if (elements == 0) mean = 0;
    }
    return {n, mean, detail::reduce_row(tile, squares(fragment, mean), plus{}, 1)};
  }

  TESSERA_FN finished finish(statistic const&, statistic const& all) const {
    return {all.mean,
            tessera::detail::rounded_divide(number(1), tessera::detail::rounded_sqrt(all.variance() + epsilon))};
  }
  template <class Fragment>
  TESSERA_FN auto map(Fragment const& fragment, unsigned v, finished const& by, int column_count) const {
    auto y = fragment.numbers(v, number(0));
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) y[j] = (y[j] - by.mean) * by.scale;
    if (weight) {
      auto const w = parameters(fragment, v, weight, column_count);
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) y[j] = tessera::detail::rounded_multiply(y[j], w[j]);
    }
    if (bias) {
      auto const b = parameters(fragment, v, bias, column_count);
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) y[j] = tessera::detail::rounded_add(y[j], b[j]);
    }
    return y;
  }

  /// The norm of the columns of a row from this one on.
  TESSERA_FN norm_map from_column(std::int64_t column) const {
    return {weight ? weight + column : nullptr, bias ? bias + column : nullptr, epsilon, centered};
  }

 private:
  template <unsigned A>
  TESSERA_FN static number total(items<number, A> const& sums) {
    number all = sums[0];
    TESSERA_UNROLL
    for (unsigned a = 1; a < A; ++a) all += sums[a];
    return all;
  }
  /// The weights or biases of vector v's columns.
  template <class Fragment>
  TESSERA_FN static auto parameters(Fragment const& fragment, unsigned v, T const* from,
                                    [[maybe_unused]] int column_count) {
    int const i = fragment.index(v);
    if constexpr (Fragment::aligned) return detail::unpack<T>(detail::load_packed(from + i), fragment.format);
    if (!Fragment::by_address && Fragment::width > 1 && detail::shift_of(from) == 0 &&
        i + static_cast<int>(Fragment::width) <= column_count)
      return detail::unpack<T>(detail::load_packed(from + i), fragment.format);
    numbers_t<T> loaded{};
    TESSERA_UNROLL
    for (int j = 0; j < static_cast<int>(Fragment::width); ++j) {
      if (i + j >= 0 && i + j < column_count) loaded[j] = detail::to_number(from[i + j], fragment.format);
    }
    return loaded;
  }
  template <unsigned Threads, unsigned Vectors>
  TESSERA_FN static auto parameters(computed_fragment<T, Threads, Vectors> const& fragment, unsigned v, T const* from,
                                    int) {
    numbers_t<T> loaded{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < fragment.width; ++j)
      loaded[j] = detail::to_number(from[fragment.column(v, j)], fragment.format);
    return loaded;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
