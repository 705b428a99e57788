// The sums of a row of logits, of which its log-sum-exp and its cross entropy are made, and the Fold (fold_rows.hpp)
// that computes them.
//
//   a row    2    1    3    1
//   max      3
//   sum      1/e + 1/e² + 1 + 1/e²     Σ exp(x − max); if max is +∞, how many are; 0 if it is −∞
//   total    7                         Σ x, where it is asked for; else 0
#pragma once

#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/softmax_map.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
struct logit_sums {
  T max, sum, total;

  /// log Σ exp(x).
  TESSERA_FN T log_sum_exp() const { return exp_sum<T>{max, sum}.value(); }
};

/// Combines the sums of two parts of a row.
struct join_logits {
  template <class T>
  TESSERA_FN logit_sums<T> operator()(logit_sums<T> const& a, logit_sums<T> const& b) const {
    exp_sum<T> const both = log_sum_exp{}(exp_sum<T>{a.max, a.sum}, exp_sum<T>{b.max, b.sum});
    return {both.max, both.sum, tessera::detail::rounded_add(a.total, b.total)};
  }
};

/// Logits as they are given.
template <class T>
struct no_cap {
  using number = arithmetic_t<T>;
  static constexpr bool exists = false;
  TESSERA_FN number operator()(number x) const { return x; }
};

/// Logits are replaced by cap · tanh(x / cap), which is below the cap, before anything else is done with them. −∞, a
/// token that can't be, stays −∞.
template <class T>
struct soft_cap {
  using number = arithmetic_t<T>;
  static constexpr bool exists = true;

  number cap, inverse;  // 1 / cap

  /// tanh(x / cap) = (1 − e) / (1 + e), with e = exp(−2x / cap), for x ≥ 0. It is off by 4 units of the arithmetic.
  TESSERA_FN number tangent(number x) const {
    number const at = x * inverse;
    number const e = power(number(-2) * (at < number(0) ? -at : at));
    number const size = quotient(number(1) - e, number(1) + e);
    return at < number(0) ? -size : size;
  }
  TESSERA_FN number operator()(number x, number tangent_of_x) const {
    return x > tessera::detail::lowest<number>() ? tessera::detail::rounded_multiply(cap, tangent_of_x) : x;
  }
  TESSERA_FN number operator()(number x) const { return (*this)(x, tangent(x)); }

 private:
  /// exp(x). exponential_below_one as well would be too much to inline for doubles.
  TESSERA_FN static number power(number x) {
    if constexpr (has_16_bits<T>) {
      return detail::scaled_exponential<T>(x) / exponential_unit<T>;
    } else {
      return tessera::detail::exponential(x);
    }
  }
  /// For a divisor from 1 to 2: without the branch that the division of floats has for others.
  TESSERA_FN static number quotient(number a, number b) {
#if TESSERA_ARCH
    if constexpr (stl::is_same_v<number, float>) return __fdividef(a, b);
#endif
    return a / b;
  }
};

/// Cap is no_cap or soft_cap.
template <class T, template <class> class Cap>
struct logits_fold {
  using number = arithmetic_t<T>;
  using value = logit_sums<number>;
  using combine = join_logits;
  static constexpr number unit = exponential_unit<T>;
  static constexpr bool combines_warps = true, takes_whole_steps = sizeof(T) <= 4,
                        needs_few_registers = has_16_bits<T> && !Cap<T>::exists;

  Cap<T> cap;
  bool has_total = false;

  TESSERA_FN join_logits combining() const { return {}; }

  template <class Fragment>
  TESSERA_FN value of_fragment(Fragment const& fragment) const {
    number const max = cap(softmax_map<T>::greatest(fragment));
    // The total first: else a whole step's numbers stay in registers until the powers are added up.
    number const total = has_total ? sum_of_numbers(fragment) : number(0);
    return {max, sum_of_powers(fragment, max), total};
  }
  /// The maxima first, then sums that are reduced to that of all: one exponential a lane, where joining takes one for
  /// each lane and shuffle.
  template <class Warp>
  TESSERA_FN value of_warp(Warp const& warp, value const& own) const {
    number const max = tessera::reduce(warp, own.max, maximum{}, converged);
    number const scaled = tessera::detail::rounded_multiply(own.sum, tessera::detail::shrink_of(own.max, max));
    value all{max, tessera::reduce(warp, scaled, plus{}, converged | to_leader), own.total};
    if (has_total) all.total = tessera::reduce(warp, own.total, plus{}, converged | to_leader);
    return all;
  }
  /// The sums of all lanes of a tile, in each of them.
  template <class Tile, class Fragment>
  TESSERA_FN value of_tile(Tile const& tile, Fragment const& fragment) const {
    number const max = cap(detail::reduce_row(tile, softmax_map<T>::greatest(fragment), maximum{}, 0));
    value all{max, sum_of_powers(fragment, max), 0};
    if (has_total) all.total = sum_of_numbers(fragment);
    all.sum = detail::reduce_row(tile, all.sum, plus{}, 1);
    if (has_total) all.total = detail::reduce_row(tile, all.total, plus{}, 2);
    return all;
  }

 private:
  /// A lane's Σ x.
  template <class Fragment>
  TESSERA_FN number sum_of_numbers(Fragment const& fragment) const {
    return sum(fragment, [](number x, bool is_valid) { return is_valid ? x : number(0); });
  }
  /// A lane's Σ exp(x − max), where `max` is the greatest logit of it or of its tile; if that is +∞, how many are.
  template <class Fragment>
  TESSERA_FN number sum_of_powers(Fragment const& fragment, number max) const {
    constexpr number highest = tessera::detail::highest<number>();
    if (max == highest) return sum(fragment, [](number x, bool) { return x == highest ? number(1) : number(0); });
    number const top = softmax_map<T>::is_infinite(max) ? number(0) : max;
    return sum(fragment, [&](number x, bool) { return detail::scaled_exponential<T>(x - top); }) / unit;
  }
  /// Σ f(x, whether x is valid). Elements that aren't valid are −∞.
  template <class Fragment, class F>
  TESSERA_FN number sum(Fragment const& fragment, F f) const {
    constexpr unsigned A = Fragment::width < 4 ? Fragment::width : 4;
    items<number, A> sums{};
    fragment.for_each_vector(tessera::detail::lowest<number>(), [&](unsigned v, auto const& x) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j)
        sums[j % A] =
            tessera::detail::rounded_add(sums[j % A], f(cap(x[j]), Fragment::aligned || fragment.is_valid(v, j)));
    });
    number total = sums[0];
    TESSERA_UNROLL
    for (unsigned a = 1; a < A; ++a) total += sums[a];
    return total;
  }
};

}  // namespace grid::detail

template <class T>
struct operator_traits<grid::detail::join_logits, grid::detail::logit_sums<T>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  template <class Op>
  TESSERA_FN static grid::detail::logit_sums<T> identity(Op const&) {
    return {detail::lowest<T>(), T(0), -T(0)};
  }
};

TESSERA_NAMESPACE_END
