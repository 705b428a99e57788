// log_sum_exp: log Σ exp(x) and the denominator of a softmax, in one pass that can't overflow: the online softmax.
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
// With a payload for each value, a row of attention: the payloads' mean, weighted by the softmax of their values.
//
//   auto const row = tessera::reduce(tile, as_exp_sum(score, value), log_sum_exp{});  // value: float, items<float, D>…
//   float const mean = row.mean();                                                     // Σ softmax(score) · value
//
// Sources: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018; extended to rows of −∞. M. N.
// Rabe, C. Staats, "Self-attention does not need O(n²) memory", 2021: the payload.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN

namespace detail {

template <class T>
TESSERA_FN T exponential(T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return expf(x);
  } else {
    return ::exp(x);
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
    return ::log(x);
  }
#else
  return compiler::log(x);
#endif
}

/// a − b, but 0 if they are equal infinities.
template <class T>
TESSERA_FN T distance(T a, T b) {
  T const apart = detail::rounded_subtract(a, b);
  return a == b ? T(0) : apart;
}

/// The factor by which the sum with the lesser maximum shrinks.
template <class T>
TESSERA_FN T shrink_of(T a_max, T b_max) {
  T const apart = detail::distance(a_max, b_max);
  return detail::exponential(apart < T(0) ? apart : -apart);
}

/// Adds payloads: a float as it is, items one by one, and any other type by its own operators.
template <class V>
struct payload {
  static constexpr bool commutes = is_float<V>;

  /// The weighted sum of no values. −0 leaves every float as it is, +0 would turn −0 into +0.
  TESSERA_FN static V nothing() {
    if constexpr (is_float<V>) {
      return -V(0);
    } else {
      return V{};
    }
  }
  template <class T>
  TESSERA_FN static V scaled(V const& x, T by) {
    if constexpr (is_float<V>) {
      return detail::rounded_result(detail::rounded_multiply(x, static_cast<V>(by)));
    } else {
      return static_cast<V>(x * by);
    }
  }
  /// greater + lesser · shrink.
  template <class T>
  TESSERA_FN static V sum(V const& greater, V const& lesser, T shrink) {
    if constexpr (is_float<V>) {
      return detail::rounded_result(detail::rounded_fma(lesser, static_cast<V>(shrink), greater));
    } else {
      return static_cast<V>(greater + static_cast<V>(lesser * shrink));
    }
  }
};
template <class V, unsigned K>
struct payload<items<V, K>> {
  static constexpr bool commutes = payload<V>::commutes;

  TESSERA_FN static items<V, K> nothing() {
    return each([](unsigned) { return payload<V>::nothing(); });
  }
  template <class T>
  TESSERA_FN static items<V, K> scaled(items<V, K> const& x, T by) {
    return each([&](unsigned i) { return payload<V>::scaled(x[i], by); });
  }
  template <class T>
  TESSERA_FN static items<V, K> sum(items<V, K> const& greater, items<V, K> const& lesser, T shrink) {
    return each([&](unsigned i) { return payload<V>::sum(greater[i], lesser[i], shrink); });
  }

 private:
  template <class F>
  TESSERA_FN static items<V, K> each(F f) {
    items<V, K> out;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) out[i] = f(i);
    return out;
  }
};

/// True if `payload` supports V.
template <class V, class T, class = void>
inline constexpr bool is_payload = false;
template <class V, class T>
inline constexpr bool
    is_payload<V, T,
               stl::void_t<decltype(static_cast<V>(stl::declval<V const&>() * stl::declval<T>())),
                           decltype(static_cast<V>(stl::declval<V const&>() + stl::declval<V const&>()))>> =
        !is_integer<V> && !is_half<V> && !stl::is_same_v<V, bool> && !stl::is_same_v<V, long double> &&
        stl::is_default_constructible<V>::value;
template <class V, unsigned K, class T>
inline constexpr bool is_payload<items<V, K>, T, void> = is_payload<V, T>;

}  // namespace detail

template <class T, class V = void>
struct exp_sum;

/// The greatest of a set of values, and the sum of exp(x − max) over them, which `log_sum_exp` combines.
/// `as_exp_sum(x)` is that of one value; −∞ contributes nothing.
///
///   row             max    sum              value()   share(x)
///   numbers, −∞     max    Σ exp(x − max)   log Σ exp(x)   exp(x) / Σ exp
///   −∞ only         −∞     0                −∞        0
///   +∞, k times     +∞     k                +∞        1/k of +∞, 0 of others
///   a NaN           NaN    NaN              NaN       NaN
template <class T>
struct exp_sum<T, void> {
  static_assert(stl::is_same_v<T, float> || stl::is_same_v<T, double>,
                "exp_sum<T>: T is float or double: write as_exp_sum(static_cast<float>(x)).");
  T max;
  T sum;

  /// log Σ exp(x).
  TESSERA_FN T value() const { return detail::arithmetic(max + detail::logarithm(sum)); }
  /// The softmax of x, which is one of the values: exp(x) / Σ exp. 0 if all values are −∞.
  TESSERA_FN T share(T x) const {
    T const part = detail::arithmetic(detail::exponential(detail::distance(x, max)) / sum);
    return sum == T(0) ? T(0) : part;
  }
};

/// As above, with the sum of the values' payloads, each weighted by its exp(x − max). `as_exp_sum(x, payload)` is that
/// of one value; if x is −∞, the payload is ignored.
///
///   row             weighted                  mean()
///   numbers, −∞     Σ exp(x − max) · payload  Σ softmax(x) · payload
///   −∞ only         zeros (−0)                zeros (+0)
///   +∞, k times     Σ payloads of +∞          their mean
///   a NaN           unspecified               NaN
///
/// V  float, double, items<V, D> of them, or any trivially copyable type whose V{} is zero and whose `v * T` and `v +
///    v` give a V: a 2×2 matrix, a complex number. An infinite payload may come out as NaN: 0 · ∞, where its weight is
///    0.
template <class T, class V>
struct exp_sum : exp_sum<T> {
  static_assert(detail::is_payload<V, T>,
                "as_exp_sum(x, payload): the payload is a float or double, items<float, D>, or a struct V with "
                "V{}, v * float and v + v: write static_cast<float>(payload), or as_items(payload) for a C "
                "array.");
  V weighted;

  /// The payloads' mean, weighted by the softmax of their values: zeros if all values are −∞. One division, and a
  /// product for each number of V.
  TESSERA_FN V mean() const {
    V const of_some = detail::payload<V>::scaled(weighted, detail::rounded_divide(T(1), this->sum));
    return detail::select(this->sum == T(0), V{}, of_some);
  }
};

template <class T, class V>
struct is_exchangeable<exp_sum<T, V>> : is_exchangeable<V> {};
template <class T>
struct is_exchangeable<exp_sum<T, void>> : stl::true_type {};

template <class T>
TESSERA_FN exp_sum<T> as_exp_sum(T x) {
  T const of_number = x == detail::lowest<T>() ? T(0) : T(1);
  return {x, x != x ? x : of_number};
}

/// The weighted payload of one value: `as_exp_sum(score, value)`.
template <class T, class V>
TESSERA_FN exp_sum<T, V> as_exp_sum(T x, V payload) {
  bool const counts = x != detail::lowest<T>();
  return {tessera::as_exp_sum(x), detail::select(counts, payload, detail::payload<V>::nothing())};
}

/// The sum over all values of both operands.
///
/// Identity    {−∞, 0}, and −0 for payloads: no values, or −∞ only.
/// Order       it commutes, except with payloads other than floats and items of floats.
/// Host, GPU   the only operator whose results may differ there, as `exp` does. max has the same bits; each combination
///             rounds sum by at most 4 units in the last place, so for 32 lanes the two agree to within 40 (without
///             -use_fast_math). So does each number of a payload, relative to the sum of the weighted magnitudes.
///             Within one platform all lanes have the same bits.
/// Cost        one exp and six other operations; for each number of a payload one more fma and two more selections.
struct log_sum_exp {
  template <class T>
  TESSERA_FN exp_sum<T> operator()(exp_sum<T> a, exp_sum<T> b) const {
    T const shrink = detail::shrink_of(a.max, b.max);
    bool const b_is_greater = a.max < b.max;
    T const greater_sum = b_is_greater ? b.sum : a.sum;
    T const lesser_sum = b_is_greater ? a.sum : b.sum;
    return {maximum{}(a.max, b.max), detail::rounded_result(detail::rounded_fma(lesser_sum, shrink, greater_sum))};
  }

  template <class T, class V>
  TESSERA_FN exp_sum<T, V> operator()(exp_sum<T, V> const& a, exp_sum<T, V> const& b) const {
    bool const second = a.max < b.max;
    V const of_greater = detail::select(second, b.weighted, a.weighted);
    V const of_lesser = detail::select(second, a.weighted, b.weighted);
    return {(*this)(exp_sum<T>{a.max, a.sum}, exp_sum<T>{b.max, b.sum}),
            detail::payload<V>::sum(of_greater, of_lesser, detail::shrink_of(a.max, b.max))};
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
template <class T, class V>
struct operator_traits<log_sum_exp, exp_sum<T, V>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = detail::payload<V>::commutes;
  template <class Op>
  TESSERA_FN static exp_sum<T, V> identity(Op const& op) {
    return {operator_traits<log_sum_exp, exp_sum<T>>::identity(op), detail::payload<V>::nothing()};
  }
};

TESSERA_NAMESPACE_END
