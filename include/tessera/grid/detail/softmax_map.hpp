// The softmax of a row, and its logarithm, as map_rows has them.
#pragma once

#include <tessera/grid/detail/map_rows.hpp>

namespace tessera::grid::detail {

/// What sums of exponentials are counted in, where results are rounded to 16 bits: 2^-8. So scaled, what bfloat16 can
/// tell from 0 is a normal float.
template <class T>
inline constexpr float exponential_unit = tessera::detail::is_half<T> ? 256.0f : 1.0f;

/// exp(x) of x ≤ 0 to within 2 units in the last place, and of NaN: by Taylor's series about the nearest multiple of
/// log 2, without a branch, where the compiler's own has one for each element.
TESSERA_FN double exponential_below_one(double x) {
  using tessera::detail::rounded_fma;
  using tessera::detail::rounded_multiply;
  double const within = x < -800.0 ? -800.0 : x;  // exp(−800) is 0
  double const shifter = 6755399441055744.0;  // 1.5 · 2^52: what is added to it is rounded to a whole number
  double const shifted = rounded_fma(within, 1.4426950408889634, shifter);
  double const n = shifted - shifter;
  double const r = rounded_fma(n, -2.319046813846299e-17, rounded_fma(n, -0.6931471805599453, within));
  double power = 1.0 / 6227020800.0;  // 1 / 13!
  TESSERA_UNROLL
  for (double const factor :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
        1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0}) {
    power = rounded_fma(power, r, factor);
  }
  // 2^n in two halves: where results are subnormal, neither half is.
  int const whole = static_cast<int>(n == n ? n : 0.0), half = whole / 2;
  auto const two_to_the = [](int e) {
    return tessera::detail::from_bits<double>(static_cast<std::uint64_t>(1023 + e) << 52);
  };
  return rounded_multiply(rounded_multiply(power, two_to_the(half)), two_to_the(whole - half));
}

/// exp(x) of x ≤ 0 in that unit. For 16 bits by the GPU's exp2 of x · log2(e): a relative error of |x| · 2^-24 +
/// 2^-22, of which 16 bits show nothing but now and then the other one of two neighbors.
template <class T>
TESSERA_FN arithmetic_t<T> scaled_exponential(arithmetic_t<T> x) {
  if constexpr (tessera::detail::is_half<T>) {
#if TESSERA_ARCH
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(fmaf(x, 1.442695041f, 8.0f)));
    return power;
#else
    return tessera::detail::compiler::exp2(x * 1.442695041f + 8.0f);
#endif
  } else if constexpr (stl::is_same_v<T, double>) {
    return detail::exponential_below_one(x);
  } else {
    return tessera::detail::exponential(x);
  }
}

/// Softmax, or with `logarithms` its logarithm.
///
/// While a row is summed, its elements are replaced by their powers. Those of 16 bits have no room for them and are
/// computed again for the result: the memory leaves the time, and registers are better used for loads.
template <class T>
struct softmax_map {
  static constexpr bool keeps = sizeof(T) >= sizeof(float);

  using number = arithmetic_t<T>;
  using statistic = exp_sum<number>;
  using value = statistic;
  using combine = log_sum_exp;
  static constexpr number unit = exponential_unit<T>;

  bool logarithms = false;

  struct finished {
    number top, scale, offset;
  };

  TESSERA_FN static number nothing() { return tessera::detail::lowest<number>(); }
  TESSERA_FN log_sum_exp combining() const { return {}; }

  TESSERA_FN static bool is_infinite(number x) {
    return x == tessera::detail::highest<number>() || x == nothing();
  }

  template <class Lane>
  TESSERA_FN static number greatest(Lane const& lane) {
    number max = nothing();
    lane.each(nothing(), [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) max = maximum{}(max, x[j]);
    });
    return max;
  }
  /// What is taken from each x of a row before its exp: nothing of −∞ only, whose powers are 0 so. With +∞ in it, its
  /// elements are made 0, for +∞, and −∞ first.
  template <class Lane>
  TESSERA_FN static number settle_top(Lane& lane, number max) {
    if (max == tessera::detail::highest<number>()) {
      lane.replace([](number x) { return x == tessera::detail::highest<number>() ? number(0) : nothing(); });
    }
    return is_infinite(max) ? number(0) : max;
  }
  /// Σ exp(x − top).
  template <class Lane>
  TESSERA_FN number sum(Lane& lane, number top) const {
    constexpr unsigned A = Lane::E < 4 ? Lane::E : 4;
    items<number, A> sums{};
    lane.each(nothing(), [&](unsigned v, auto const& x) {
      numbers_t<T> powers;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j) {
        powers[j] = detail::scaled_exponential<T>(x[j] - top);
        sums[j % A] += powers[j];
      }
      if constexpr (keeps) {
        if (!logarithms) lane.data[v] = detail::pack<T>(powers);
      }
    });
    number total = sums[0];
    TESSERA_UNROLL
    for (unsigned a = 1; a < A; ++a) total += sums[a];
    return total / unit;
  }

  template <class Lane>
  TESSERA_FN statistic of_lane(Lane& lane) const {
    number const max = greatest(lane);
    return {max, sum(lane, settle_top(lane, max))};
  }
  template <class Tile, class Lane>
  TESSERA_FN statistic measure(Tile const& tile, Lane& lane, int) const {
    number const max = tessera::reduce(tile, greatest(lane), maximum{}, converged);
    number const own = sum(lane, settle_top(lane, max));
    return {max, tessera::reduce(tile, own, plus{}, converged)};
  }
  template <class Lane>
  TESSERA_FN void settle(Lane& lane, statistic const& own) const {
    (void)sum(lane, settle_top(lane, own.max));
  }

  TESSERA_FN finished finish(statistic const& own, statistic const& all) const {
    number const apart = tessera::detail::distance(own.max, all.max);
    number const top = is_infinite(own.max) ? number(0) : own.max;
    if (all.sum == number(0)) return {top, number(0), apart};
    return {top, tessera::detail::exponential(apart) / (all.sum * unit),
            apart - tessera::detail::logarithm(all.sum)};
  }
  template <class Lane>
  TESSERA_FN auto map(Lane const& lane, unsigned v, finished const& by, [[maybe_unused]] int columns) const {
    auto y = lane.numbers(v, nothing());
    TESSERA_UNROLL
    for (unsigned j = 0; j < Lane::E; ++j) {
      if (logarithms) {
        y[j] = (y[j] - by.top) + by.offset;
      } else {
        y[j] = (keeps ? y[j] : detail::scaled_exponential<T>(y[j] - by.top)) * by.scale;
      }
    }
    if constexpr (!Lane::whole) {
      if (lane.limit < columns && !lane.all_count(v)) {  // what doesn't count is 0, whatever the row holds
        TESSERA_UNROLL
        for (unsigned j = 0; j < Lane::E; ++j)
          y[j] = lane.counts(v, j) ? y[j] : logarithms ? nothing() : number(0);
      }
    }
    return y;
  }
};

}  // namespace tessera::grid::detail
