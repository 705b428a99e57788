// Atomic updates of memory by any operator: of one lane, and of a tile with one atomic for all its lanes.
//
//   cell ← cell op x        atomic_update(address, x, op): any lane; atomic_min, atomic_max
//   cell ← x                atomic_exchange(address, x): any lane, and any trivially copyable type
//   cell ← desired          atomic_compare_exchange(address, expected, desired): where the cell holds `expected`
//   cell ← cell op x0 op …  atomic_reduce(tile, address, x, op): the tile reduces, rank 0 updates
//
// Floats by `minimum` and `maximum` go through one integer atomic: the bits of floats of one sign are ordered like
// integers, upwards where the sign is plus and downwards where it is minus. −0 < +0 and the operator's rule for NaN
// hold, whatever NaN the cell held before.
//
// Sources: PTX ISA, `atom` and `red`; IEEE 754-2019, 5.10 (total order).
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/atomic.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/reduce.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The cell becomes `cell op x`, in one step as seen by every other atomic. Returns the previous value.
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          a value of 2, 4 or 8 bytes.
/// Op         any operator. If it commutes, the final value doesn't depend on the order of other threads' updates.
/// NaN        the operator's rule: `maximum` and `minimum` keep a NaN (of any sign), `maximum_number` and
///            `minimum_number` keep numbers; −0 < +0.
/// Cost       one atomic instruction for integers of 4 and 8 bytes with plus, minimum, maximum or a bitwise operator,
///            for sums of float and double, and for minima and maxima of float and double (two where the cell held a
///            NaN); else a loop of compare-and-swap.
template <class T, class Op = plus>
TESSERA_FN T atomic_update(T* address, detail::same_t<T> x, Op op = {}) {
  detail::require_atomic<detail::normalized_t<Op, T>, T>();
  return detail::atomic_update(address, x, detail::normalize<T>(op));
}

/// The cell becomes the lesser of itself and x, by the rule of `minimum`. Returns the previous value. See
/// atomic_update.
template <class T>
TESSERA_FN T atomic_min(T* address, detail::same_t<T> x) {
  return tessera::atomic_update(address, x, minimum{});
}

/// The cell becomes the greater of itself and x, by the rule of `maximum`. Returns the previous value. See
/// atomic_update.
template <class T>
TESSERA_FN T atomic_max(T* address, detail::same_t<T> x) {
  return tessera::atomic_update(address, x, maximum{});
}

/// The cell becomes x, in one step as seen by every other atomic. Returns the previous value.
///
///   int const next = tessera::atomic_exchange(&head, node);
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          any trivially copyable type of 2, 4 or 8 bytes that is aligned to its size and has a default constructor,
///            such as float or a struct alignas(8).
/// Cost       one atomic instruction; for 2 bytes a loop of compare-and-swap.
template <class T>
TESSERA_FN T atomic_exchange(T* address, detail::same_t<T> x) {
  detail::require_atomic_type<T>();
  return detail::exchange(address, x);
}

/// The cell becomes `desired` if it holds `expected`, in one step as seen by every other atomic. Returns the previous
/// value, as atomicCAS does: the exchange took place if that has the bits of `expected`.
///
///   bool const mine = tessera::atomic_compare_exchange(&slot, empty, key) == empty;
///
/// Called by  any lane, by itself. Global or shared memory. Relaxed: orders no other memory.
/// T          as for atomic_exchange.
/// Equal      are the same bits: a NaN is equal to itself, −0 and +0 differ, and bytes between a struct's members
///            count.
/// Cost       one atomic instruction. It never fails spuriously.
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
/// Cost       one `reduce` to the leader and one atomic update; with `where(pred)` also a vote. N > 32: the barriers
///            and the memory of these (scratch.hpp). Not a barrier: a reader of the cell must wait as for any atomic.
template <class Tile, class T, class Op = plus, class Policy = policy<>>
TESSERA_FN void atomic_reduce(Tile const& tile, T* address, detail::same_t<T> x, Op op = {}, Policy policy = {},
                              call_site site = call_site::here()) {
  using combine_t = detail::operator_for<Op, T>;
  detail::require_atomic<combine_t, T>();
  detail::require_operator<Tile, combine_t, T, Policy>();
  combine_t const combine = detail::to_operator<T>(op);
  auto const cell = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(address));
  detail::collective<detail::collectives::atomic_reduce, T, combine_t>(
      tile, policy, site, cell, [&](detail::group_of<Tile, Policy> group) {
        bool nobody = false;
        if constexpr (!detail::everyone_participates<Policy>) nobody = detail::nobody_participates(group, policy);
        T const combined = detail::reduce_participants(group, x, combine, policy | to_leader);
        if (group.rank() == 0 && !nobody) detail::atomic_update(address, combined, combine);
        group.reconverge();
      });
}

TESSERA_NAMESPACE_END
