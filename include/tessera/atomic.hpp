// Atomic updates of memory by any operator: of one lane, and of a tile with one atomic for all its lanes.
//
//   cell ← cell op x        atomic_update(address, x, op): any lane; atomic_min, atomic_max
//   cell ← x                atomic_exchange(address, x): any lane, and any trivially copyable type
//   cell ← desired          atomic_compare_exchange(address, expected, desired): where the cell holds `expected`
//   cell ← cell op x0 … xN  atomic_reduce(tile, address, x, op): the tile reduces, rank 0 updates
//
// Floats by `minimum` and `maximum` go through one integer atomic: the bits of floats of one sign are ordered like integers,
// upwards where the sign is plus and downwards where it is minus. −0 < +0 and the operator's rule for NaN hold, whatever NaN
// the cell held before.
//
// Sources: PTX ISA, `atom` and `red`; IEEE 754-2019, 5.10 (total order).
#pragma once

#include <tessera/detail/bits.hpp>
#include <tessera/reduce.hpp>

namespace tessera {

namespace detail {

/// The unsigned integer as wide as T, of those that compare-and-swap takes.
template <class T>
using bits_of = stl::conditional_t<sizeof(T) == 8, unsigned long long,
                                   stl::conditional_t<sizeof(T) == 4, unsigned, unsigned short>>;

template <class T>
inline constexpr bool is_atomic_size = sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;

/// Puts `desired` into the cell where it holds `expected`; what it held before.
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
  return from_bits<T>(held);
#else
  return from_bits<T>(compiler::atomic_load(reinterpret_cast<bits_of<T> const*>(address)));
#endif
}

/// By compare-and-swap: right for every operator.
template <class T, class Op>
TESSERA_FN T update_by_swaps(T* address, T x, Op const& op) {
  using bits = bits_of<T>;
  bits held = from_bits<bits>(detail::atomic_load(address));
  for (;;) {
    bits const expected = held;
    T const updated = static_cast<T>(op(from_bits<T>(expected), x));
    held = detail::compare_and_swap(reinterpret_cast<bits*>(address), expected, from_bits<bits>(updated));
    if (held == expected) return from_bits<T>(held);
  }
}

/// What the second one is: an exchange as an update.
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
    return from_bits<T>(atomicExch(reinterpret_cast<bits*>(address), from_bits<bits>(x)));
  }
#else
  return detail::update_by_swaps(address, x, take_second{});
#endif
}

#if TESSERA_CUDA

/// Integers that the GPU's atomics take, by size and sign.
template <class T>
using atomic_integer =
    stl::conditional_t<sizeof(T) == 8,
                       stl::conditional_t<is_signed_integer<T>, long long, unsigned long long>,
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

/// Minimum or maximum of floats by one integer atomic: signed for x of sign plus, unsigned and turned round for minus. A NaN
/// that wins is stored with the sign that no number beats.
template <class Op, class T>
TESSERA_FN T ordered_atomic(T* address, T x) {
  using bits = bits_of<T>;
  using integer = stl::make_signed_t<bits>;
  constexpr bool nan_wins = stl::is_same_v<Op, minimum> || stl::is_same_v<Op, maximum>;
  constexpr integer winning_nan = is_maximum<Op> ? highest<integer>() : integer{-1};

  if constexpr (!nan_wins) {
    if (is_nan(x)) return detail::atomic_load(address);
  }
  integer const image = is_nan(x) ? winning_nan : from_bits<integer>(x);
  integer* const cell = reinterpret_cast<integer*>(address);
  bits* const cell_bits = reinterpret_cast<bits*>(address);
  using opposite = stl::conditional_t<is_maximum<Op>, minimum, maximum>;
  T const held = image >= 0 ? from_bits<T>(integer_atomic<Op>(cell, image))
                            : from_bits<T>(integer_atomic<opposite>(cell_bits, static_cast<bits>(image)));
  if (is_nan(held)) {  // of any sign: the order of integers may have overwritten it, or kept it
    if constexpr (nan_wins) {
      using upper = stl::conditional_t<is_maximum<Op>, integer, bits>;
      integer_atomic<maximum>(reinterpret_cast<upper*>(address), static_cast<upper>(winning_nan));
    } else {
      detail::update_by_swaps(address, x, Op{});
    }
  }
  return held;
}

#endif

/// Op is one of ours where the caller's means one: see `canonical`.
template <class Op, class T>
TESSERA_FN T atomic_update(T* address, T x, Op const& op) {
#if TESSERA_ARCH
  if constexpr (has_integer_atomic<Op, T>) {
    return integer_atomic<Op>(address, x);
  } else if constexpr (has_float_atomic<Op, T>) {
    return atomicAdd(address, x);
  } else if constexpr (has_ordered_atomic<Op, T>) {
    return ordered_atomic<Op>(address, x);
  } else {
    return detail::update_by_swaps(address, x, op);
  }
#else
  return detail::update_by_swaps(address, x, op);
#endif
}

template <class T>
TESSERA_FN constexpr void require_atomic_type() {
  static_assert(
      is_exchangeable_v<T> && is_atomic_size<T>,
      "An atomic update takes a trivially copyable value of 2, 4 or 8 bytes: update the members of a larger "
      "struct one by one, or reduce them first.");
  static_assert(
      alignof(T) >= sizeof(T),
      "An atomic update takes a type aligned to its size: write struct alignas(8) for one of 8 bytes.");
}

template <class Op, class T>
TESSERA_FN constexpr void require_atomic() {
  require_atomic_type<T>();
  static_assert(stl::is_invocable_v<Op const&, T const&, T const&>,
                "op(a, b) must take two values of the cell's type, and op be callable while const.");
}

}  // namespace detail

/// The cell becomes `cell op x`, in one step as seen by every other atomic. Returns what it held before.
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          a value of 2, 4 or 8 bytes.  Op: any operator; for other threads' updates to come out the same in any order
///            it commutes.
/// NaN        as `op` has it: `maximum` and `minimum` keep a NaN (of any sign), `maximum_number` and `minimum_number` keep
///            numbers; −0 < +0.
/// Cost       one atomic instruction for integers of 4 and 8 bytes with plus, minimum, maximum or a bitwise operator, for
///            sums of float and double, and for minima and maxima of float and double (two where the cell held a NaN);
///            else a loop of compare-and-swap.
template <class T, class Op = plus>
TESSERA_FN T atomic_update(T* address, detail::same_t<T> x, Op op = {}) {
  detail::require_atomic<detail::normalized_t<Op, T>, T>();
  return detail::atomic_update(address, x, detail::normalize<T>(op));
}

/// The cell becomes the lesser of itself and x, as `minimum` has it. Returns what it held before. As atomic_update.
template <class T>
TESSERA_FN T atomic_min(T* address, detail::same_t<T> x) {
  return atomic_update(address, x, minimum{});
}

/// The cell becomes the greater of itself and x, as `maximum` has it. Returns what it held before. As atomic_update.
template <class T>
TESSERA_FN T atomic_max(T* address, detail::same_t<T> x) {
  return atomic_update(address, x, maximum{});
}

/// The cell becomes x, in one step as seen by every other atomic. Returns what it held before.
///
///   int const next = tessera::atomic_exchange(&head, node);
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          any trivially copyable type of 2, 4 or 8 bytes that is aligned to its size and has a default constructor: float,
///            struct alignas(8).
/// Cost       one atomic instruction; of 2 bytes, a loop of compare-and-swap.
template <class T>
TESSERA_FN T atomic_exchange(T* address, detail::same_t<T> x) {
  detail::require_atomic_type<T>();
  return detail::exchange(address, x);
}

/// The cell becomes `desired` where it holds `expected`, in one step as seen by every other atomic. Returns what it held
/// before, as atomicCAS does: it became `desired` where that has the bits of `expected`.
///
///   bool const mine = tessera::atomic_compare_exchange(&slot, empty, key) == empty;
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          as of atomic_exchange.
/// Equal      are the same bits: a NaN is equal to itself, −0 and +0 differ, and bytes between a struct's members count.
/// Cost       one atomic instruction. It doesn't fail where the cell holds `expected`.
template <class T>
TESSERA_FN T atomic_compare_exchange(T* address, detail::same_t<T> expected, detail::same_t<T> desired) {
  using bits = detail::bits_of<T>;
  detail::require_atomic_type<T>();
  return detail::from_bits<T>(detail::compare_and_swap(
      reinterpret_cast<bits*>(address), detail::from_bits<bits>(expected), detail::from_bits<bits>(desired)));
}

/// The cell becomes `cell op (x0 op x1 op …)`: the tile's lanes combined in rank order, then one atomic by rank 0.
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one address, uniform over the tile.
/// Policies   convergence, participants (nothing happens where nobody takes part), method: as for `reduce`.
/// Cost       one `reduce` to the leader and one atomic update. No barrier: who reads the cell must wait as for any atomic.
template <class Tile, class T, class Op = plus, class Policy = policy<>>
TESSERA_FN void atomic_reduce(Tile const& tile, T* address, detail::same_t<T> x, Op op = {},
                              Policy policy = {}, call_site site = call_site::here()) {
  using combine_t = detail::normalized_t<Op, T>;
  detail::require_atomic<combine_t, T>();
  detail::require_operator<Tile, combine_t, T, Policy>();
  combine_t const combine = detail::normalize<T>(op);
  auto const cell = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(address));
  detail::collective<detail::collectives::atomic_reduce, T, combine_t>(
      tile, policy, site, cell, [&](detail::group_of<Tile, Policy> group) {
        bool nobody = false;
        if constexpr (!detail::everyone_participates<Policy>)
          nobody = detail::nobody_participates(group, policy);
        T const combined = detail::reduce_participants(group, x, combine, policy | to_leader);
        if (group.rank() == 0 && !nobody) detail::atomic_update(address, combined, combine);
        group.reconverge();
      });
}

}  // namespace tessera
