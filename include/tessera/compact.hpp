// Compaction: the kept values of a tile's lanes side by side in memory, in the order of the lanes.
//
//   rank   0 1 2 3 4 5 6 7
//   x      a b c d e f g h
//   keep   . x . . x x . x
//   out    b e f h           compact returns 4
//
// Only the places: exclusive_scan(tile, keep, plus{}, with_total) gives each kept value's, and how many there are.
//
// Source: M. Billeter, O. Olsson and U. Assarsson, "Efficient stream compaction on wide SIMD many-core architectures", 2009: one
// ballot, and a population count of the lanes before.
#pragma once

#include <tessera/detail/collective.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/lane_mask.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera {

/// Writes the x of each participating lane with `keep` to out[0], out[1], …, in rank order. Returns how many, in every lane.
///
///   end += tessera::compact(tile, x, x > limit, out + end);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `out`. Not a barrier: a lane sees what others
///            have written after tile.sync().
/// out        a pointer to global or shared memory, for as many T as are kept.
/// Policies   convergence, participants.
/// Cost       one vote, and one store in each kept lane.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN unsigned compact(Tile const& tile, T x, bool keep, T* out, Policy policy = {},
                            call_site site = call_site::here()) {
  detail::require_tile<Tile>();
  detail::require_exchangeable<T>();
  detail::require_policy<Policy, policy_kind::convergence, policy_kind::participants>();
  auto const place = static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(out));
  return detail::collective<detail::padded_tiles | detail::fresh_memory>(
      tile, policy, detail::collective_name<T>{"compact", site}, place ^ detail::uniform_of(policy),
      [&](auto lanes) {
        bool const kept = keep && detail::participates(policy, lanes.rank());
        auto const all = lanes.ballot(kept);
        if (kept) out[all.rank_of(lanes.rank())] = x;
        lanes.reconverge();
        return all.count();
      });
}

}  // namespace tessera
