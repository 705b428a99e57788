// Layer norm and root-mean-square norm of a row, as map_rows has them.
#pragma once

#include <tessera/grid/detail/map_rows.hpp>
#include <tessera/operators/welford.hpp>

namespace tessera::grid::detail {

/// (x − mean) / √(variance + ε) · weight + bias; not `centered`: x / √(mean of x² + ε) · weight + bias, by the same
/// sums about 0.
template <class T>
struct norm_map {
  using number = arithmetic_t<T>;
  using statistic = tessera::moments<number>;
  using value = statistic;
  using combine = welford;

  T const* weight = nullptr;  // null: ones
  T const* bias = nullptr;    // null: zeros
  number epsilon = 0;
  bool centered = true;

  struct finished {
    number mean, scale;
  };

  TESSERA_FN welford combining() const { return {}; }

  /// Σ (x − from).
  template <class Lane>
  TESSERA_FN static number sum(Lane const& lane, number from) {
    constexpr unsigned A = Lane::E < 4 ? Lane::E : 4;
    items<number, A> sums{};
    lane.each(from, [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) sums[j % A] += x[j] - from;
    });
    return total(sums);
  }
  /// Σ (x − mean)².
  template <class Lane>
  TESSERA_FN static number squares(Lane const& lane, number mean) {
    constexpr unsigned A = Lane::E < 4 ? Lane::E : 4;
    items<number, A> sums{};
    lane.each(mean, [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) {
        number const apart = x[j] - mean;
        sums[j % A] += apart * apart;
      }
    });
    return total(sums);
  }

  template <class Lane>
  TESSERA_FN statistic of_lane(Lane const& lane) const {
    number const n = static_cast<number>(lane.own_count());
    number mean = 0;
    if (centered && n > number(0)) {
      number const first = lane.first_number();  // from it equal values are no distance apart
      mean = first + sum(lane, first) / n;
    }
    number const m2 = squares(lane, mean);
    // Of an infinity the mean alone may be infinite; NaN stays NaN when parts of a row are combined.
    return {n, tessera::detail::is_nan(m2) ? m2 : mean, m2};
  }
  template <class Lane>
  TESSERA_FN void settle(Lane const&, statistic const&) const {}
  template <class Tile, class Lane>
  TESSERA_FN statistic measure(Tile const& tile, Lane const& lane, int elements) const {
    number const n = static_cast<number>(elements);
    number mean = 0;
    if (centered) {
      mean = tessera::reduce(tile, sum(lane, number(0)), plus{}, converged) / n;
      if (elements == 0) mean = 0;
    }
    return {n, mean, tessera::reduce(tile, squares(lane, mean), plus{}, converged)};
  }

  TESSERA_FN finished finish(statistic const&, statistic const& all) const {
    using namespace tessera::detail;
    return {all.mean, rounded_divide(number(1), rounded_sqrt(all.variance() + epsilon))};
  }
  template <class Lane>
  TESSERA_FN auto map(Lane const& lane, unsigned v, finished const& by, int columns) const {
    auto y = lane.numbers(v, number(0));
    TESSERA_UNROLL
    for (unsigned j = 0; j < Lane::E; ++j) y[j] = (y[j] - by.mean) * by.scale;
    if (weight) {
      auto const w = parameters(lane, v, weight, columns);
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) y[j] *= w[j];
    }
    if (bias) {
      auto const b = parameters(lane, v, bias, columns);
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) y[j] += b[j];
    }
    return y;
  }

 private:
  template <unsigned A>
  TESSERA_FN static number total(items<number, A> const& sums) {
    number all = sums[0];
    TESSERA_UNROLL
    for (unsigned a = 1; a < A; ++a) all += sums[a];
    return all;
  }
  /// Those of vector v's columns.
  template <class Lane>
  TESSERA_FN static auto parameters(Lane const& lane, unsigned v, T const* from,
                                    [[maybe_unused]] int columns) {
    int const i = lane.index(v);
    if constexpr (Lane::whole) return detail::unpack<T>(detail::load_packed(from + i));
    numbers_t<T> some{};
    TESSERA_UNROLL
    for (int j = 0; j < static_cast<int>(Lane::E); ++j) {
      if (i + j >= 0 && i + j < columns) some[j] = static_cast<number>(from[i + j]);
    }
    return some;
  }
};

}  // namespace tessera::grid::detail
