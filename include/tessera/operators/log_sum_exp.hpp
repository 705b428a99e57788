// log_sum_exp: log Σ exp(x) and what a softmax divides by, in one pass that can't overflow: the online softmax.
//
//   rank               0         1          2         3
//   x                  2         −∞         3         1
//   as_exp_sum(x)      {2, 1}    {−∞, 0}    {3, 1}    {1, 1}     max, sum of exp(x − max)
//   xor 1              {2, 1}    .          {3, 1 + 1/e²}  .
//   xor 2, in all      {3, 1 + 1/e + 1/e²}
//
//   auto const row = tessera::reduce(tile, as_exp_sum(x), log_sum_exp{});
//   float const softmax = row.share(x);
//
// Source: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018; with an answer for rows of −∞.
#pragma once

#include <tessera/detail/rounded.hpp>
#include <tessera/operators.hpp>

namespace tessera {

namespace detail {

template <class T>
TESSERA_FN T exponential(T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return expf(x);
  } else {
    return exp(x);
  }
#else
  return compiler::exp(x);
#endif
}

template <class T>
TESSERA_FN T logarithm(T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return logf(x);
  } else {
    return log(x);
  }
#else
  return compiler::log(x);
#endif
}

/// a − b, but 0 where they are equal infinities.
template <class T>
TESSERA_FN T distance(T a, T b) {
  T const apart = rounded_subtract(a, b);
  return a == b ? T(0) : apart;
}

}  // namespace detail

/// The greatest of some values, and the sum of exp(x − max) over them: what `log_sum_exp` combines. `as_exp_sum(x)` is
/// that of one value, and −∞ counts for nothing.
///
///   row             max    sum              value()   share(x)
///   numbers, −∞     max    Σ exp(x − max)   log Σ exp(x)   exp(x) / Σ exp
///   −∞ only         −∞     0                −∞        0
///   +∞, k times     +∞     k                +∞        1/k of +∞, 0 of others
///   a NaN           NaN    NaN              NaN       NaN
template <class T>
struct exp_sum {
  static_assert(stl::is_same_v<T, float> || stl::is_same_v<T, double>,
                "exp_sum<T>: T is float or double: write as_exp_sum(static_cast<float>(x)).");
  T max;
  T sum;

  /// log Σ exp(x).
  TESSERA_FN T value() const { return detail::arithmetic(max + detail::logarithm(sum)); }
  /// The softmax of x, which is one of the values: exp(x) / Σ exp. 0 where all values are −∞.
  TESSERA_FN T share(T x) const {
    T const part = detail::arithmetic(detail::exponential(detail::distance(x, max)) / sum);
    return sum == T(0) ? T(0) : part;
  }
};

template <class T>
TESSERA_FN exp_sum<T> as_exp_sum(T x) {
  T const of_number = x == detail::lowest<T>() ? T(0) : T(1);
  return {x, x != x ? x : of_number};
}

/// The sum over all values of both operands.
///
/// Identity    {−∞, 0}: no values, or −∞ only. It commutes.
/// Host, GPU   the one operator that may differ there, as `exp` does. max has the same bits; of sum each combination rounds
///             by at most 4 units in the last place, so that for 32 lanes the two agree to within 40 (without
///             -use_fast_math). On either of them all lanes have the same bits.
/// Cost        one exp and six other operations.
struct log_sum_exp {
  template <class T>
  TESSERA_FN exp_sum<T> operator()(exp_sum<T> a, exp_sum<T> b) const {
    T const apart = detail::distance(a.max, b.max);
    T const shrink =
        detail::exponential(apart < T(0) ? apart : -apart);  // by which the lesser one's sum does
    bool const b_is_greater = a.max < b.max;
    T const greater_sum = b_is_greater ? b.sum : a.sum;
    T const lesser_sum = b_is_greater ? a.sum : b.sum;
    return {maximum{}(a.max, b.max),
            detail::rounded_result(detail::rounded_fma(lesser_sum, shrink, greater_sum))};
  }
};

template <class T>
struct operator_traits<log_sum_exp, exp_sum<T>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  template <class Op>
  TESSERA_FN static exp_sum<T> identity(Op const&) {
    return {detail::lowest<T>(), T(0)};
  }
};

}  // namespace tessera
