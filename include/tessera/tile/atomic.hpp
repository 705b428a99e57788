// Atomic updates of a cell of 2, 4 or 8 bytes: the GPU's instruction if the operator has one, else a loop of
// compare-and-swap. Minima and maxima of floats go through integers of the same order.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/exchangeable.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/warp/redux.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The unsigned integer of T's size that compare-and-swap takes.
template <class T>
using bits_of = stl::conditional_t<sizeof(T) == 8, unsigned long long,
                                   stl::conditional_t<sizeof(T) == 4, unsigned, unsigned short>>;

template <class T>
inline constexpr bool is_atomic_size = sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;

/// Stores `desired` if the cell holds `expected`. Returns the previous value.
template <class Bits>
TESSERA_FN Bits compare_and_swap(Bits* address, Bits expected, Bits desired) {
#if TESSERA_ARCH
  return atomicCAS(address, expected, desired);
#else
  return compiler::compare_and_swap(address, expected, desired);
#endif
}

template <class T>
TESSERA_FN T atomic_load(T const* address) {
#if TESSERA_ARCH
  bits_of<T> const held = *reinterpret_cast<bits_of<T> const volatile*>(address);
  return detail::from_bits<T>(held);
#else
  return detail::from_bits<T>(compiler::atomic_load(reinterpret_cast<bits_of<T> const*>(address)));
#endif
}

/// A loop of compare-and-swap, which serves every operator.
template <class T, class Op>
TESSERA_FN T update_by_swaps(T* address, T x, Op const& op) {
  using bits = bits_of<T>;
  bits held = detail::from_bits<bits>(detail::atomic_load(address));
  for (;;) {
    bits const expected = held;
    T const updated = static_cast<T>(op(detail::from_bits<T>(expected), x));
    held = detail::compare_and_swap(reinterpret_cast<bits*>(address), expected, detail::from_bits<bits>(updated));
    if (held == expected) return detail::from_bits<T>(held);
  }
}

/// The operator that returns its second operand: an exchange written as an update.
struct take_second {
  template <class T>
  TESSERA_FN T operator()(T const&, T const& b) const {
    return b;
  }
};

template <class T>
TESSERA_FN T exchange(T* address, T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 2) {  // the GPU has none
    return detail::update_by_swaps(address, x, take_second{});
  } else {
    using bits = bits_of<T>;
    return detail::from_bits<T>(atomicExch(reinterpret_cast<bits*>(address), detail::from_bits<bits>(x)));
  }
#else
  return detail::update_by_swaps(address, x, take_second{});
#endif
}

#if TESSERA_CUDA

/// Integers that the GPU's atomics take, by size and sign.
template <class T>
using atomic_integer =
    stl::conditional_t<sizeof(T) == 8, stl::conditional_t<is_signed_integer<T>, long long, unsigned long long>,
                       stl::conditional_t<is_signed_integer<T>, int, unsigned>>;

template <class Op, class T>
inline constexpr bool has_integer_atomic = is_integer<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                                           (is_minimum<Op> || is_maximum<Op> || is_bitwise<Op> ||
                                            stl::is_same_v<Op, plus>);
template <class Op, class T>
inline constexpr bool has_float_atomic = stl::is_same_v<Op, plus> &&
                                         (stl::is_same_v<T, float> || stl::is_same_v<T, double>);
template <class Op, class T>
inline constexpr bool has_ordered_atomic = (is_minimum<Op> || is_maximum<Op>)&&(stl::is_same_v<T, float> ||
                                                                                stl::is_same_v<T, double>);

template <class Op, class T>
TESSERA_FN T integer_atomic([[maybe_unused]] T* cell, [[maybe_unused]] T x) {
#if TESSERA_ARCH
  using integer = atomic_integer<T>;
  using bits = bits_of<T>;
  integer* const as_integer = reinterpret_cast<integer*>(cell);
  bits* const as_bits = reinterpret_cast<bits*>(cell);
  if constexpr (stl::is_same_v<Op, plus>) {
    return static_cast<T>(atomicAdd(as_bits, static_cast<bits>(x)));
  } else if constexpr (is_minimum<Op>) {
    return static_cast<T>(atomicMin(as_integer, static_cast<integer>(x)));
  } else if constexpr (is_maximum<Op>) {
    return static_cast<T>(atomicMax(as_integer, static_cast<integer>(x)));
  } else if constexpr (stl::is_same_v<Op, bit_and>) {
    return static_cast<T>(atomicAnd(as_bits, static_cast<bits>(x)));
  } else if constexpr (stl::is_same_v<Op, bit_or>) {
    return static_cast<T>(atomicOr(as_bits, static_cast<bits>(x)));
  } else {
    return static_cast<T>(atomicXor(as_bits, static_cast<bits>(x)));
  }
#else
  return x;
#endif
}

/// Minimum or maximum of floats by one integer atomic: signed if x is positive, unsigned with the opposite order if it
/// is negative. A NaN that wins is stored with the sign that orders it beyond all numbers.
template <class Op, class T>
TESSERA_FN T ordered_atomic(T* address, T x) {
  using bits = bits_of<T>;
  using integer = stl::make_signed_t<bits>;
  constexpr bool nan_wins = stl::is_same_v<Op, minimum> || stl::is_same_v<Op, maximum>;
  constexpr integer winning_nan = is_maximum<Op> ? highest<integer>() : integer{-1};

  if constexpr (!nan_wins) {
    if (detail::is_nan(x)) return detail::atomic_load(address);
  }
  integer const image = detail::is_nan(x) ? winning_nan : detail::from_bits<integer>(x);
  integer* const cell = reinterpret_cast<integer*>(address);
  bits* const cell_bits = reinterpret_cast<bits*>(address);
  using opposite = stl::conditional_t<is_maximum<Op>, minimum, maximum>;
  T const held = image >= 0
                     ? detail::from_bits<T>(detail::integer_atomic<Op>(cell, image))
                     : detail::from_bits<T>(detail::integer_atomic<opposite>(cell_bits, static_cast<bits>(image)));
  if (detail::is_nan(held)) {  // of any sign: the order of integers may have overwritten it, or kept it
    if constexpr (nan_wins) {
      using upper = stl::conditional_t<is_maximum<Op>, integer, bits>;
      detail::integer_atomic<maximum>(reinterpret_cast<upper*>(address), static_cast<upper>(winning_nan));
    } else {
      detail::update_by_swaps(address, x, Op{});
    }
  }
  return held;
}

#endif

/// Op is normalized: this library's operator if the caller's is an alias of one.
template <class Op, class T>
TESSERA_FN T atomic_update(T* address, T x, Op const& op) {
#if TESSERA_ARCH
  if constexpr (has_integer_atomic<Op, T>) {
    return detail::integer_atomic<Op>(address, x);
  } else if constexpr (has_float_atomic<Op, T>) {
    return atomicAdd(address, x);
  } else if constexpr (has_ordered_atomic<Op, T>) {
    return detail::ordered_atomic<Op>(address, x);
  } else {
    return detail::update_by_swaps(address, x, op);
  }
#else
  return detail::update_by_swaps(address, x, op);
#endif
}

template <class T>
TESSERA_FN constexpr void require_atomic_type() {
  static_assert(is_exchangeable_v<T> && is_atomic_size<T>,
                "An atomic update takes a trivially copyable value of 2, 4 or 8 bytes: update the members of a larger "
                "struct one by one, or reduce them first.");
  static_assert(alignof(T) >= sizeof(T),
                "An atomic update takes a type aligned to its size: write struct alignas(8) for one of 8 bytes.");
}

template <class Op, class T>
TESSERA_FN constexpr void require_atomic() {
  require_atomic_type<T>();
  static_assert(stl::is_invocable_v<Op const&, T const&, T const&>,
                "op(a, b) must take two values of the cell's type, and op be callable while const.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
