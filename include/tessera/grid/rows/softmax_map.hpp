// The Map (map_rows.hpp) of softmax and of its logarithm.
#pragma once

#include <tessera/grid/rows/map_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The factor by which exponentials are scaled before they are added up: 2^8 if results are rounded to 16 bits. Then
/// every exponential that bfloat16 can tell from 0 is a normal float.
template <class T>
inline constexpr float exponential_unit = has_16_bits<T> ? 256.0f : 1.0f;

/// exp(x) for x ≤ 0, to within 2 units in the last place, and for NaN. It is Taylor's series about the nearest
/// multiple of log 2, without a branch: the compiler's own function has a branch for each element.
TESSERA_FN double exponential_below_one(double x) {
  double const within = x < -800.0 ? -800.0 : x;  // exp(−800) is 0
  double const shifter = 6755399441055744.0;      // 1.5 · 2^52: a number added to it is rounded to an integer
  double const shifted = tessera::detail::rounded_fma(within, 1.4426950408889634, shifter);
  double const n = shifted - shifter;
  double const r = tessera::detail::rounded_fma(n, -2.319046813846299e-17,
                                                tessera::detail::rounded_fma(n, -0.6931471805599453, within));
  double power = 1.0 / 6227020800.0;  // 1 / 13!
  TESSERA_UNROLL
  for (double const factor : {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                              1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0}) {
    power = tessera::detail::rounded_fma(power, r, factor);
  }
  // The factor 2^n is applied in two halves: neither is subnormal, even if the result is.
  int const exponent = static_cast<int>(n == n ? n : 0.0), half = exponent / 2;
  auto const two_to_the = [](int e) {
    return tessera::detail::from_bits<double>(static_cast<std::uint64_t>(1023 + e) << 52);
  };
  return tessera::detail::rounded_multiply(tessera::detail::rounded_multiply(power, two_to_the(half)),
                                           two_to_the(exponent - half));
}

/// exp(x) for x ≤ 0, scaled by exponential_unit. For 16 bits it is the GPU's exp2 of x · log2(e): its relative error is
/// |x| · 2^-24 + 2^-22, so that a result rounded to 16 bits is now and then the other of two neighboring numbers.
template <class T>
TESSERA_FN arithmetic_t<T> scaled_exponential(arithmetic_t<T> x) {
  if constexpr (has_16_bits<T>) {
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

/// Softmax, or its logarithm if `logarithms`.
///
/// While a row is summed, its elements are replaced by their exponentials. A 16-bit element has no room for one, so
/// that it is computed again for the result: memory is slow enough for that, and registers are better used for loads.
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

  TESSERA_FN static number lowest() { return tessera::detail::lowest<number>(); }
  TESSERA_FN log_sum_exp combining() const { return {}; }

  TESSERA_FN static bool is_infinite(number x) { return x == tessera::detail::highest<number>() || x == lowest(); }

  template <class Fragment>
  TESSERA_FN static number greatest(Fragment const& fragment) {
    number max = lowest();
    if constexpr ((Fragment::whole || Fragment::aligned) && has_packed_maximum<T>) {
      if constexpr (stl::is_same_v<T, any_half>) {
        return detail::with_half_type(
            fragment.format, [&](auto known) { return packed_greatest<typename decltype(known)::type>(fragment); });
      } else {
        return packed_greatest<T>(fragment);
      }
    }
    fragment.for_each_vector(lowest(), [&](unsigned, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) max = maximum{}(max, x[j]);
    });
    return max;
  }
  /// The greatest element of whole vectors of halves of type Half.
  template <class Half, class Fragment>
  TESSERA_FN static number packed_greatest(Fragment const& fragment) {
    packed<Half> all{};
    TESSERA_UNROLL
    for (std::uint32_t& word : all.word) word = packed_lowest<Half>;
    TESSERA_UNROLL
    for (unsigned v = 0; v < Fragment::vectors; ++v) {
      if (!fragment.has_valid(v)) continue;
      TESSERA_UNROLL
      for (unsigned w = 0; w < 4; ++w) {
        std::uint32_t const word = fragment.data[v].word[w];
        all.word[w] = Fragment::whole && v == 0 ? word : detail::packed_maximum<Half>(all.word[w], word);
      }
    }
    number max = lowest();
    auto const x = detail::unpack<Half>(all);
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) max = maximum{}(max, x[j]);
    return max;
  }
  /// The maximum to subtract from each element; 0 for a row of −∞ only, whose exponentials are then 0. If the row has a
  /// +∞, every +∞ is first replaced by 0 and every other element by −∞.
  template <class Fragment>
  TESSERA_FN static number subtracted_maximum(Fragment& fragment, number max) {
    if (max == tessera::detail::highest<number>()) {
      fragment.transform([](number x) { return x == tessera::detail::highest<number>() ? number(0) : lowest(); });
    }
    return is_infinite(max) ? number(0) : max;
  }
  /// Σ exp(x − top).
  template <class Fragment>
  TESSERA_FN number sum(Fragment& fragment, number top) const {
    constexpr unsigned A = Fragment::width < 4 ? Fragment::width : 4;
    items<number, A> sums{};
    fragment.for_each_vector(lowest(), [&](unsigned v, auto const& x) {
      numbers_t<T> exponentials;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) {
        exponentials[j] = detail::scaled_exponential<T>(x[j] - top);
        sums[j % A] = tessera::detail::rounded_add(sums[j % A], exponentials[j]);  // never contracted
      }
      if constexpr (keeps) {
        if (!logarithms) fragment.data[v] = detail::pack<T>(exponentials, fragment.format);
      }
    });
    number total = sums[0];
    TESSERA_UNROLL
    for (unsigned a = 1; a < A; ++a) total += sums[a];
    return total / unit;
  }

  template <class Fragment>
  TESSERA_FN statistic of_fragment(Fragment& fragment) const {
    number const max = greatest(fragment);
    return {max, sum(fragment, subtracted_maximum(fragment, max))};
  }
  /// The statistic of a lane's elements so far, and of those of another fragment.
  template <class Fragment>
  TESSERA_FN statistic continued(statistic const& so_far, Fragment& fragment) const {
    number const max = maximum{}(so_far.max, greatest(fragment));
    number const own = sum(fragment, subtracted_maximum(fragment, max));
    return {max, tessera::detail::rounded_fma(so_far.sum, tessera::detail::shrink_of(so_far.max, max), own)};
  }
  /// The statistics of all lanes of a tile, combined, in each of them: one exponential a lane.
  template <class Tile>
  TESSERA_FN statistic combined(Tile const& tile, statistic const& own) const {
    number const max = detail::reduce_row(tile, own.max, maximum{}, 0);
    number const scaled = tessera::detail::rounded_multiply(own.sum, tessera::detail::shrink_of(own.max, max));
    return {max, detail::reduce_row(tile, scaled, plus{}, 1)};
  }
  template <class Tile, class Fragment>
  TESSERA_FN statistic measure(Tile const& tile, Fragment& fragment, int) const {
    number const max = detail::reduce_row(tile, greatest(fragment), maximum{}, 0);
    number const own = sum(fragment, subtracted_maximum(fragment, max));
    return {max, detail::reduce_row(tile, own, plus{}, 1)};
  }
  template <class Fragment>
  TESSERA_FN void prepare(Fragment& fragment, statistic const& own) const {
    (void)sum(fragment, subtracted_maximum(fragment, own.max));
  }

  TESSERA_FN finished finish(statistic const& own, statistic const& all) const {
    number const apart = tessera::detail::distance(own.max, all.max);
    number const top = is_infinite(own.max) ? number(0) : own.max;
    if (logarithms) return {top, number(0), all.sum == number(0) ? apart : apart - tessera::detail::logarithm(all.sum)};
    return {top, all.sum == number(0) ? number(0) : tessera::detail::exponential(apart) / (all.sum * unit), number(0)};
  }
  template <class Fragment>
  TESSERA_FN auto map(Fragment const& fragment, unsigned v, finished const& by,
                      [[maybe_unused]] int column_count) const {
    auto y = fragment.numbers(v, lowest());
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) {
      if (logarithms) {
        y[j] = (y[j] - by.top) + by.offset;
      } else {
        y[j] = (keeps ? y[j] : detail::scaled_exponential<T>(y[j] - by.top)) * by.scale;
      }
    }
    if constexpr (!Fragment::aligned) {
      if (fragment.limit < column_count &&
          !fragment.all_valid(v)) {  // Invalid elements give 0, whatever the row holds.
        TESSERA_UNROLL
        for (unsigned j = 0; j < Fragment::width; ++j)
          y[j] = fragment.is_valid(v, j) ? y[j] : logarithms ? lowest() : number(0);
      }
    }
    return y;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
