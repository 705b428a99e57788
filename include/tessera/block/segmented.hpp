// Scans within segments in a group of several warps: segments that cross a warp's edge are carried on by one value a
// warp.
#pragma once

#include <tessera/block/scan.hpp>
#include <tessera/warp/segmented.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The value of a warp's segment that continues in the next warp, and how many warps back the segment begins.
template <class T>
struct spanning_segment {
  T value;
  unsigned reach;
};

/// Each warp scans its own lanes. Then the values of the segments that cross warps' edges are scanned in the same way,
/// one a warp, and a warp's first segment is combined with its value from the warps before.
template <bool Suffix, class Backend, class T, class Op>
TESSERA_FN T inclusive_scan_within(multi_warp_group<Backend> group, T x, Op const& op, unsigned reach) {
  using Group = multi_warp_group<Backend>;
  constexpr unsigned warps = Group::warps;
  unsigned const warp = group.warp(), lane = group.lane();
  unsigned const predecessor = Suffix ? 31 - lane : lane;  // lanes of this warp
  bool const last = predecessor == 31;
  bool const enters = reach > predecessor;  // the segment begins in another warp
  x = detail::inclusive_scan_within<Suffix>(group.in_warp(), x, op, enters ? predecessor : reach);
  auto const mine =
      group.all_gather(spanning_segment<T>{x, enters ? (reach - predecessor + 31) / 32 : 0}, last, warp,
                       [&](slots_of<Group, spanning_segment<T>> storage) { return storage.read(lane % warps); });
  auto const part = group.template part<warps>();
  T const scanned = detail::inclusive_scan_within<Suffix>(part, mine.value, op, mine.reach);
  unsigned const wanted = last ? warp : Suffix ? warp + 1 : warp + warps - 1;
  T const came = part.shuffle(scanned, wanted % warps);
  if (last) {
    x = came;
  } else if (enters) {
    x = detail::canonicalize_nan<Op>(detail::join<Suffix>(came, x, op));
  }
  return x;
}

/// All lanes of a warp whose segment ends in another warp belong to one segment. So each warp passes on one value, that
/// of the segment at its edge.
template <bool Last, class Backend, class T>
TESSERA_FN T from_end_of_segment(multi_warp_group<Backend> group, T const& x, segment of) {
  using Group = multi_warp_group<Backend>;
  unsigned const source = Last ? of.last : of.first;
  auto const in_warp = group.in_warp();
  unsigned const at_edge = in_warp.shuffle(source, Last ? 0 : 31);
  T const in_own_warp = in_warp.shuffle(x, source % 32);
  bool const elsewhere = source / 32 != group.warp();
  return group.all_gather(x, group.rank() == at_edge, group.warp(), [&](slots_of<Group, T> storage) {
    return elsewhere ? storage.read(source / 32) : in_own_warp;
  });
}

}  // namespace detail
TESSERA_NAMESPACE_END
