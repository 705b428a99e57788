// Compaction: the kept values of a tile's lanes side by side in memory, in the order of the lanes.
//
//   rank   0 1 2 3 4 5 6 7
//   x      a b c d e f g h
//   keep   . x . . x x . x
//   out    b e f h           compact returns 4
//
// Many tiles can append to one array: each tile reserves its range by one atomic on a counter.
//
//   counter   20 → 24
//   out       … b e f h …    at 20 … 23; compact returns {20, 4}
//
// For the positions alone: exclusive_scan(tile, keep, plus{}, with_total) gives each kept value's position and their
// number.
//
// Source: M. Billeter, O. Olsson and U. Assarsson, "Efficient stream compaction on wide SIMD many-core architectures",
// 2009: one ballot, and a population count of the lanes before.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/compact.hpp>
#include <tessera/tile/counters.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The range that an appending `compact` reserved for the tile: where it begins, and how many values it holds. `begin`
/// is 0 if there are none.
template <class Counter>
struct appended {
  Counter begin;
  unsigned count;
};

/// Writes the x of each participating lane with `keep` to out[0], out[1], …, in rank order. Returns their number in
/// every lane.
///
///   end += tessera::compact(tile, x, x > limit, out + end);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `out`. Not a barrier: a lane sees what
///            others have written after tile.sync().
/// out        a pointer to global or shared memory, for as many T as are kept.
/// Policies   convergence, participants.
/// Cost       one vote, and one store in each kept lane. N > 32: two barriers, with fresh(scratch) one, and a slot of a
///            word a warp (scratch.hpp).
template <class Tile, class T, class... Choices>
TESSERA_FN unsigned compact(Tile const& tile, T x, bool keep, T* out, policy<Choices...> policy = {},
                            call_site site = call_site::here()) {
  detail::require_exchangeable<T>();
  detail::require_assignable<T>();
  auto const place = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(out));
  return detail::collective<detail::collectives::compact, T>(
      tile, policy, site, place, [&](detail::group_of<Tile, tessera::policy<Choices...>> group) {
        bool const kept = keep && detail::participates(policy, group.rank());
        auto const lanes = detail::by_lanes(group);
        auto const all = lanes.ballot(kept);
        if (kept) out[all.rank_of(lanes.rank())] = x;
        group.reconverge();
        return all.count();
      });
}

/// Appends: reserves room in `out` for the values that the tile keeps, by adding their number to the counter, and
/// writes the x of each participating lane with `keep` there, in rank order.
///
///   auto const [begin, count] = tessera::compact(tile, x, x > limit, out, &counter);   // written from out[begin] on
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `out` and one counter; any number of
///            tiles and blocks at a time. The tiles' ranges follow each other in the order of their atomics. Not a
///            barrier: a reader of `out` or the counter must wait as for any atomic, a lane of this tile for
///            tile.sync().
/// out        a pointer to global or shared memory with room for all values that the tiles keep.
/// counter    a pointer to an integer of 4 or 8 bytes in global or shared memory; on host tiles also a host::shared<T>,
///            whose first element it is.
/// Returns    appended{begin, count} in every lane; a lane's own value is at begin + ballot(tile, keep).rank_of(rank).
/// Policies   convergence, participants.
/// Cost       one vote, one atomic a tile (none if nothing is kept), one shuffle of each word of the counter, and one
///            store in each kept lane. N > 32: four barriers, and a slot a warp of a word and of the counter's type
///            (scratch.hpp).
template <class Tile, class T, class Counter, class Policy = policy<>>
TESSERA_FN auto compact(Tile const& tile, T x, bool keep, T* out, Counter counter, Policy policy = {},
                        call_site site = call_site::here()) -> appended<detail::counter_t<Counter>> {
  using number = detail::counter_t<Counter>;
  detail::require_exchangeable<T>();
  detail::require_assignable<T>();
  static_assert(stl::is_integral_v<number> && (sizeof(number) == 4 || sizeof(number) == 8),
                "compact(tile, x, keep, out, &counter, policy): the counter is an unsigned or another integer of 4 "
                "or 8 bytes.");
  auto const cell = detail::cell_of(counter, 0u);
  auto const places =
      static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(out)) ^ 3 * detail::uniform_of_cell(counter);
  return detail::collective<detail::collectives::compact_append, T, number>(
      tile, policy, site, places, [&](detail::group_of<Tile, Policy> group) {
        bool const kept = keep && detail::participates(policy, group.rank());
        auto const lanes = detail::by_lanes(group);
        auto const all = lanes.ballot(kept);
        unsigned const count = all.count();
        number begin = 0;
        if (group.rank() == 0 && count > 0) begin = detail::add_to(cell, static_cast<number>(count));
        begin = group.broadcast(begin, 0);
        if (kept) out[begin + static_cast<number>(all.rank_of(lanes.rank()))] = x;
        group.reconverge();
        return appended<number>{begin, count};
      });
}

TESSERA_NAMESPACE_END
