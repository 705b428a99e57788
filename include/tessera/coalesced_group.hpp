// Coalesced groups: any lanes of a warp, from 1 to 32, which exchange by themselves.
//
//   lane                     0 1 2 3 4 5 6 7
//   x                        5 3 8 2 9 1 1 7
//   odd                      x x . x x x x x      binary_partition(tile, odd): two groups
//   rank in its group        0 1 0 2 3 4 5 6
//   inclusive_scan(group, x) 5 8 8 10 19 20 21 28
//
// The collectives take such a group as they take a tile; docs/reference/policies.md lists those that do. It is a
// cooperative_groups::coalesced_group, on host tiles a host::coalesced_group. cooperative_groups::coalesced_threads(),
// too, returns one: the lanes that happen to be here. Host tiles have no counterpart of that call, since it asks where
// the other lanes are: write binary_partition with the branch's condition.
//
// To a collective, the group is a tile of 32 lanes, numbered by their ranks in the group, of which those from size() on
// don't exist. Its results are those of the first size() lanes of a tile of 32 with the same values, whatever lanes the
// group has: combination is in the order of ranks, and a float sum has the same bits. first(n) means ranks, and a
// lane_mask<32> has ranks.
//
// Cost, of a group of n lanes: all lanes of a warp take the way of a tile of 32 lanes. Else reductions by `redux.sync`,
// and votes that are counted, take one instruction, as for tiles; ballot one `redux.sync` more. Other reductions and
// scans take ⌈log2(n)⌉ shuffles of each word, and ⌈log2(n)⌉ − 1 of the number of the source lane; a reduction to all
// lanes takes one more of each word. shuffle and shifts by more than one lane look for the source's lane in some 30
// instructions.
// The groups of one warp run one after another.
#pragma once

#include <tessera/core/tile.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Tile>
TESSERA_FN constexpr void require_partition() {
  static_assert(is_tile_v<Tile>,
                "A partition's first argument is a tile of up to 32 lanes, or a coalesced group: write auto tile = "
                "tessera::tiled_partition<32>(block).");
  static_assert(tile_size_v<Tile> <= 32,
                "A coalesced group has lanes of one warp: write auto tile = tessera::tiled_partition<32>(block), and "
                "partition this.");
}

}  // namespace detail

/// The group of the lanes that have the same `pred` as the calling lane.
///
///   auto const side = tessera::binary_partition(tile, x > 4);
///   if (x > 4) most = tessera::reduce(side, x);
///
/// Called by  all lanes of the parent together, a tile of up to 32 lanes or a coalesced group.
/// Cost       one vote.
TESSERA_ONE_SIDED
template <class Parent>
TESSERA_FN auto binary_partition(Parent const& parent, bool pred, [[maybe_unused]] call_site site = call_site::here()) {
  detail::require_partition<Parent>();
  if constexpr (detail::on_host<Parent>) {
    return host::detail::partition(parent, "binary_partition", pred, site);
  } else {
#if TESSERA_CUDA
    return cooperative_groups::binary_partition(parent, pred);
#endif
  }
}

/// The group of the lanes that have the same label as the calling lane.
///
///   auto const row = tessera::labeled_partition(tile, key);
///   int const place = tessera::exclusive_scan(row, x);
///
/// Called by  all lanes of the parent together, a tile of up to 32 lanes or a coalesced group.
/// label      an integer.
/// Cost       one match, whose time grows with the number of different labels, and one vote. Where only one reduction
///            of each group is wanted, reduce_by_label(tile, label, x) costs less: it runs all groups at once.
TESSERA_ONE_SIDED
template <class Parent, class Label>
TESSERA_FN auto labeled_partition(Parent const& parent, Label label,
                                  [[maybe_unused]] call_site site = call_site::here()) {
  detail::require_partition<Parent>();
  static_assert(stl::is_integral_v<Label>, "labeled_partition(tile, label): the label is an integer.");
  if constexpr (detail::on_host<Parent>) {
    return host::detail::partition(parent, "labeled_partition", label, site);
  } else {
#if TESSERA_CUDA
    return cooperative_groups::labeled_partition(parent, label);
#endif
  }
}

TESSERA_NAMESPACE_END
