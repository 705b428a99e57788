// The operators of the model.
//
// `algebra_for<T>(op)` is the algebra of one of the library's operators on values of T, or of a function.
// For an operator alias of another library, use the algebra of the library's operator.
#pragma once

#include "list.hpp"
#include "number.hpp"

#include <tessera/core/items.hpp>
#include <tessera/operators.hpp>

#include <cstring>
#include <tuple>
#include <utility>

namespace oracle::model {

/// A function of two values of R; a std::function is ten functions to compile for each that it holds, and this is one.
template <class R>
class combination {
 public:
  template <class F>
  combination(F const& f)
      : call_([](void const* state, R const& a, R const& b) -> R { return (*static_cast<F const*>(state))(a, b); }) {
    static_assert(sizeof(F) <= sizeof(state_) && std::is_trivially_copyable_v<F>);
    std::memcpy(state_, &f, sizeof f);
  }
  R operator()(R const& a, R const& b) const { return swapped_ ? call_(state_, b, a) : call_(state_, a, b); }
  /// The same with swapped operands.
  combination swapped() const {
    combination other = *this;
    other.swapped_ = !swapped_;
    return other;
  }

 private:
  alignas(16) unsigned char state_[32];
  R (*call_)(void const* state, R const& a, R const& b);
  bool swapped_ = false;
};

/// A function that combines values of R in rank order, its identity, and whether it commutes.
template <class R>
struct algebra {
  using result = R;
  combination<R> combine;
  maybe<R> identity;
  bool commutes = false;
};

/// Any function. It has no identity, and doesn't commute.
template <class T, class F>
algebra<T> algebra_for(F const& f) {
  return {[f](T const& a, T const& b) { return static_cast<T>(f(a, b)); }, std::nullopt, false};
}

/// make_operator(f, identity) and make_operator(f, identity, commutative).
template <class T, class F, class Identity, bool Commutative>
algebra<T> algebra_for(tessera::detail::custom_operator<F, Identity, Commutative> const& op) {
  F const f = op.function;
  return {[f](T const& a, T const& b) { return static_cast<T>(f(a, b)); }, static_cast<T>(op.identity), Commutative};
}

// ---- Arithmetic and bits. The + or * of a user's type has no known identity, and need not commute.

/// Sum. Integers wrap around. For bools a collective counts those that are true, as unsigned.
template <class T>
auto algebra_for(tessera::plus const&) {
  if constexpr (std::is_same_v<T, bool>)
    return algebra<unsigned>{[](unsigned a, unsigned b) { return a + b; }, 0u, true};
  else if constexpr (is_number<T>)
    return algebra<T>{[](T const& a, T const& b) { return sum(a, b); }, T(0), true};
  else
    return algebra<T>{[](T const& a, T const& b) { return static_cast<T>(a + b); }, std::nullopt, false};
}

/// Product. Integers wrap around.
template <class T>
algebra<T> algebra_for(tessera::multiplies const&) {
  if constexpr (std::is_same_v<T, bool>)
    return {[](bool a, bool b) { return a && b; }, true, true};
  else if constexpr (is_number<T>)
    return {[](T const& a, T const& b) { return product(a, b); }, T(1), true};
  else
    return {[](T const& a, T const& b) { return static_cast<T>(a * b); }, std::nullopt, false};
}

template <class T>
algebra<T> algebra_for(tessera::bit_and const&) {
  T ones = T(1);
  if constexpr (!std::is_same_v<T, bool>) ones = static_cast<T>(~T(0));
  return {[](T const& a, T const& b) { return static_cast<T>(a & b); }, ones, true};
}
template <class T>
algebra<T> algebra_for(tessera::bit_or const&) {
  return {[](T const& a, T const& b) { return static_cast<T>(a | b); }, T(0), true};
}
template <class T>
algebra<T> algebra_for(tessera::bit_xor const&) {
  return {[](T const& a, T const& b) { return static_cast<T>(a ^ b); }, T(0), true};
}
template <class T>
algebra<T> algebra_for(tessera::logical_and const&) {
  return {[](T const& a, T const& b) { return static_cast<T>(a && b); }, T(1), true};
}
template <class T>
algebra<T> algebra_for(tessera::logical_or const&) {
  return {[](T const& a, T const& b) { return static_cast<T>(a || b); }, T(0), true};
}

// ---- Extremes. −0 is less than +0. minimum and maximum return NaN if either operand is NaN.
// minimum_number and maximum_number ---- return the other operand if one is NaN, so that NaN is their
// identity.

template <class T>
T least(T const& a, T const& b, bool nan_wins) {
  if (is_nan(a)) return nan_wins ? a : b;
  if (is_nan(b)) return nan_wins ? b : a;
  return is_less(b, a) ? b : a;
}
template <class T>
T greatest(T const& a, T const& b, bool nan_wins) {
  if (is_nan(a)) return nan_wins ? a : b;
  if (is_nan(b)) return nan_wins ? b : a;
  return is_less(a, b) ? b : a;
}

template <class T>
algebra<T> algebra_for(tessera::minimum const&) {
  maybe<T> identity;
  if constexpr (is_number<T>) identity = highest<T>();
  return {[](T const& a, T const& b) { return least(a, b, true); }, identity, is_number<T>};
}
template <class T>
algebra<T> algebra_for(tessera::maximum const&) {
  maybe<T> identity;
  if constexpr (is_number<T>) identity = lowest<T>();
  return {[](T const& a, T const& b) { return greatest(a, b, true); }, identity, is_number<T>};
}
template <class T>
algebra<T> algebra_for(tessera::minimum_number const&) {
  T identity = highest<T>();
  if constexpr (is_float<T>) identity = not_a_number<T>();
  return {[](T const& a, T const& b) { return least(a, b, false); }, identity, true};
}
template <class T>
algebra<T> algebra_for(tessera::maximum_number const&) {
  T identity = lowest<T>();
  if constexpr (is_float<T>) identity = not_a_number<T>();
  return {[](T const& a, T const& b) { return greatest(a, b, false); }, identity, true};
}

// ---- argmin, argmax, minmax.

/// Whether b is better than a. A NaN is best, and otherwise the least (greatest) value. Of equal values,
/// which include −0 and +0, and of NaNs, the one with the lower index is better.
template <class T, class Index>
bool second_is_better(bool greatest, T const& a, Index const& a_index, T const& b, Index const& b_index) {
  if (is_nan(a) != is_nan(b)) return is_nan(b);
  if (is_nan(a)) return b_index < a_index;
  if (a < b) return greatest;
  if (b < a) return !greatest;
  return b_index < a_index;
}
template <class T, class Index>
tessera::indexed<T, Index> best(bool greatest, tessera::indexed<T, Index> const& a,
                                tessera::indexed<T, Index> const& b) {
  return second_is_better(greatest, a.value, a.index, b.value, b.index) ? b : a;
}
/// zipped<T, Index, …>: the members after the index are payload.
template <class... T>
tessera::zipped<T...> best(bool greatest, tessera::zipped<T...> const& a, tessera::zipped<T...> const& b) {
  using tessera::get;
  if constexpr (sizeof...(T) == 1)
    return second_is_better(greatest, get<0>(a), 0, get<0>(b), 0) ? b : a;
  else
    return second_is_better(greatest, get<0>(a), get<1>(a), get<0>(b), get<1>(b)) ? b : a;
}

/// The worst value: the last value, with the last index.
template <class X>
struct worst;
template <class T, class Index>
struct worst<tessera::indexed<T, Index>> {
  static maybe<tessera::indexed<T, Index>> of(bool greatest) {
    if constexpr (is_number<T> && is_integer<Index>)
      return tessera::indexed<T, Index>{greatest ? lowest<T>() : highest<T>(), highest<Index>()};
    else
      return std::nullopt;
  }
};
template <class T, class... Rest>
struct worst<tessera::zipped<T, Rest...>> {
  static maybe<tessera::zipped<T, Rest...>> of(bool) { return std::nullopt; }
};
template <class T, class Index, class... Rest>
struct worst<tessera::zipped<T, Index, Rest...>> {
  static maybe<tessera::zipped<T, Index, Rest...>> of(bool greatest) {
    if constexpr (is_number<T> && is_integer<Index>)
      return tessera::as_zipped(greatest ? lowest<T>() : highest<T>(), highest<Index>(), Rest{}...);
    else
      return std::nullopt;
  }
};

/// Whether there is a payload. Two tuples with the same value and index may have different payloads, so the
/// operator doesn't commute.
template <class X>
inline constexpr bool has_more = false;
template <class T, class Index, class Third, class... Rest>
inline constexpr bool has_more<tessera::zipped<T, Index, Third, Rest...>> = true;

template <class X>
algebra<X> algebra_for(tessera::argmin const&) {
  auto const identity = worst<X>::of(false);
  return {[](X const& a, X const& b) { return best(false, a, b); }, identity, identity.has_value() && !has_more<X>};
}
template <class X>
algebra<X> algebra_for(tessera::argmax const&) {
  auto const identity = worst<X>::of(true);
  return {[](X const& a, X const& b) { return best(true, a, b); }, identity, identity.has_value() && !has_more<X>};
}

/// minimum and maximum of the members, or argmin and argmax of indexed values.
template <class T>
struct extremes {
  static algebra<T> low() { return algebra_for<T>(tessera::minimum{}); }
  static algebra<T> high() { return algebra_for<T>(tessera::maximum{}); }
};
template <class T, class Index>
struct extremes<tessera::indexed<T, Index>> {
  static auto low() { return algebra_for<tessera::indexed<T, Index>>(tessera::argmin{}); }
  static auto high() { return algebra_for<tessera::indexed<T, Index>>(tessera::argmax{}); }
};
template <class M>
algebra<M> algebra_for(tessera::minmax const&) {
  using T = decltype(M::min);
  auto const low = extremes<T>::low();
  auto const high = extremes<T>::high();
  maybe<M> identity;
  if (low.identity) identity = M{*low.identity, *high.identity};
  return {[](M const& a, M const& b) {
            return M{extremes<T>::low().combine(a.min, b.min), extremes<T>::high().combine(a.max, b.max)};
          },
          identity, low.commutes};
}

// ---- smallest and largest: the K best of all values in order. A NaN comes first, −0 comes before +0, and
// equal indexed values are ---- ordered by index.

template <class T>
bool comes_first(bool greatest, T const& a, T const& b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && !is_nan(b);
  return greatest ? is_less(b, a) : is_less(a, b);
}
template <class T, class Index>
bool comes_first(bool greatest, tessera::indexed<T, Index> const& a, tessera::indexed<T, Index> const& b) {
  return second_is_better(greatest, b.value, b.index, a.value, a.index);
}

template <class S>
algebra<S> selection_algebra(bool greatest) {
  using T = typename std::remove_reference<decltype(std::declval<S&>()[0])>::type;
  auto const combine = [greatest](S const& a, S const& b) {
    list<T> all;
    for (unsigned i = 0; i < S::size(); ++i) all.push_back(a[i]);
    for (unsigned i = 0; i < S::size(); ++i) all.push_back(b[i]);
    auto const order =
        order_of_first(all.size(), all, [greatest](T const& x, T const& y) { return comes_first(greatest, x, y); });
    S out{};
    for (unsigned i = 0; i < S::size(); ++i) out[i] = all[order[i]];
    return out;
  };
  auto const of_one = greatest ? extremes<T>::high() : extremes<T>::low();
  S identity{};
  for (unsigned i = 0; i < S::size(); ++i) identity[i] = of_one.identity.value();
  return {combine, identity, true};
}
template <class S>
algebra<S> algebra_for(tessera::smallest const&) {
  return selection_algebra<S>(false);
}
template <class S>
algebra<S> algebra_for(tessera::largest const&) {
  return selection_algebra<S>(true);
}

// ---- welford and log_sum_exp are computed by their definitions, in higher precision, and rounded once per
// combination. No contract ---- says how they round, so results agree within an error only; see `near` in
// values.hpp. If a contract states the order, results ---- are compared bit for bit with those of the
// public operators (algebra_for).

/// Count, mean and squared distances of two groups together. If one group has no values, they are those of
/// the other.
template <class T>
algebra<tessera::moments<T>> by_definition(tessera::welford const&, tessera::moments<T> const& none) {
  using M = tessera::moments<T>;
  return {[](M const& a, M const& b) -> M {
            if (a.count == 0) return b;
            if (b.count == 0) return a;
            long double const count = static_cast<long double>(a.count) + b.count;
            long double const apart = static_cast<long double>(b.mean) - a.mean;
            long double const mean = a.mean + apart * (b.count / count);
            long double const m2 =
                static_cast<long double>(a.m2) + b.m2 + apart * apart * (a.count * (b.count / count));
            return {static_cast<T>(count), static_cast<T>(mean), static_cast<T>(m2)};
          },
          none, false};
}

/// Σ exp(x − max) · payload over two groups, each of which has its own max. The group with the greater max
/// has the weight 1. A max of −∞ contributes nothing, and a NaN makes the result NaN.
template <class T>
algebra<tessera::exp_sum<T>> by_definition(tessera::log_sum_exp const&, tessera::exp_sum<T> const&) {
  using S = tessera::exp_sum<T>;
  return {[](S const& a, S const& b) -> S {
            T const max = greatest(a.max, b.max, true);
            auto const part = [&](S const& x) {
              return x.max == max ? x.sum : x.sum * std::exp(static_cast<long double>(x.max) - max);
            };
            return {max, static_cast<T>(part(a) + part(b))};
          },
          S{lowest<T>(), T(0)}, true};
}
template <class T, class V, unsigned K>
algebra<tessera::exp_sum<T, tessera::items<V, K>>> by_definition(tessera::log_sum_exp const& op,
                                                                 tessera::exp_sum<T, tessera::items<V, K>> const&) {
  using S = tessera::exp_sum<T, tessera::items<V, K>>;
  auto const sums = by_definition(op, tessera::exp_sum<T>{});
  S none{*sums.identity, {}};
  for (unsigned k = 0; k < K; ++k) none.weighted[k] = -V(0);
  return {[op](S const& a, S const& b) {
            S out{by_definition(op, tessera::exp_sum<T>{}).combine(a, b), {}};
            auto const part = [&](S const& x, unsigned k) {
              return x.max == out.max ? static_cast<long double>(x.weighted[k])
                                      : x.weighted[k] * std::exp(static_cast<long double>(x.max) - out.max);
            };
            for (unsigned k = 0; k < K; ++k) out.weighted[k] = static_cast<V>(part(a, k) + part(b, k));
            return out;
          },
          none, true};
}
template <class S, class Op>
algebra<S> algebra_by_definition(Op const& op) {
  return by_definition(op, S{});
}

// ---- affine: the steps of the lower lane, and then those of the higher one.

template <class M>
algebra<M> algebra_for(tessera::affine const&) {
  using T = decltype(M::a);
  return {[](M const& first, M const& second) {
            if constexpr (is_float<T>) {
              T const b = first.b == T(0) ? first.b + second.b : std::fma(second.a, first.b, second.b);
              return M{first.a * second.a, b};
            } else {
              using wide = std::make_unsigned_t<T>;
              auto const a = static_cast<wide>(first.a), more = static_cast<wide>(second.a);
              return M{static_cast<T>(a * more),
                       static_cast<T>(more * static_cast<wide>(first.b) + static_cast<wide>(second.b))};
            }
          },
          M{T(1), T(0)}, false};
}

template <class M>
algebra<M> algebra_for(tessera::welford const& op) {
  return {[op](M const& a, M const& b) { return op(a, b); }, M{0, 0, 0}, false};
}
template <class S>
algebra<S> algebra_for(tessera::log_sum_exp const& op) {
  using T = decltype(S::max);
  return {[op](S const& a, S const& b) { return op(a, b); }, S{lowest<T>(), T(0)}, true};
}

// ---- zip: each operator combines its member, and may be a zip itself. Here a sum of bools is a bool:
// whether either is true.

template <class Z, class... Ops>
algebra<Z> algebra_for(tessera::detail::zip_operator<Ops...> const& op);

template <class T, class Op>
algebra<T> algebra_of_member(Op const& op) {
  if constexpr (std::is_same_v<Op, tessera::plus> && std::is_same_v<T, bool>)
    return algebra_for<bool>(tessera::logical_or{});
  else
    return algebra_for<T>(op);
}

template <class Z>
struct algebra_of_zip;
template <class... T>
struct algebra_of_zip<tessera::zipped<T...>> {
  using Z = tessera::zipped<T...>;

  /// The algebras of the operators on their members.
  template <class... Ops, std::size_t... I>
  static std::tuple<algebra<T>...> members(tessera::detail::zip_operator<Ops...> const& op, std::index_sequence<I...>) {
    return {algebra_of_member<T>(tessera::get<I>(op.ops))...};
  }
  template <class... Ops, std::size_t... I>
  static algebra<Z> all_of(tessera::detail::zip_operator<Ops...> const& op, std::index_sequence<I...> all) {
    auto const of = members(op, all);
    maybe<Z> identity;
    if ((std::get<I>(of).identity.has_value() && ...)) identity = tessera::as_zipped(*std::get<I>(of).identity...);
    return {[op](Z const& a, Z const& b) {
              auto const by = members(op, std::index_sequence<I...>{});
              return tessera::as_zipped(std::get<I>(by).combine(tessera::get<I>(a), tessera::get<I>(b))...);
            },
            identity, (std::get<I>(of).commutes && ...)};
  }
};
template <class Z, class... Ops>
algebra<Z> algebra_for(tessera::detail::zip_operator<Ops...> const& op) {
  return algebra_of_zip<Z>::all_of(op, std::index_sequence_for<Ops...>{});
}

}  // namespace oracle::model
