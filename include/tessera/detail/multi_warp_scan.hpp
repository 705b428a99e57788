// The scan of a group of several warps: each warp scans its lanes and stores its total, and each lane takes in the totals of the
// warps before its own, as aligned blocks of warps that double in size.
//
//   warp 6 of 8, binary 110:   t0 t1 t2 t3 | t4 t5 | x     x: what the lane's own warp gives up to the lane
//   its result                 ((t0 t1)(t2 t3)) ((t4 t5) x)
//
// So a warp's last lane has the bits of the tree of `reduce`, and what a lane gets doesn't depend on how many warps follow.
#pragma once

#include <tessera/detail/multi_warp_reduce.hpp>
#include <tessera/detail/warp_scan.hpp>
#include <tessera/tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The blocks of warps before one warp in the direction of a scan: for each bit of its number that is set (with `Suffix`, clear)
/// the aligned block of that many warps.
template <bool Suffix, class Group, class T, class Op>
struct blocks_before {
  static constexpr unsigned warps = Group::warps;
  using slots_t = slots_of<Group, T>;

  slots_t slots;  // a warp's total each
  unsigned warp;
  unsigned count;  // of the warps that have a total, from the first on
  Op const& op;

  TESSERA_FN bool has(unsigned width) const { return ((warp & width) == 0) == Suffix; }
  /// The block's first warp; where `has(width)` is false, of a block that exists in a whole tile.
  TESSERA_FN unsigned first(unsigned width) const { return (warp & ~(2 * width - 1)) + (Suffix ? width : 0); }

  /// Calls take(what a block comes to) for each block, from the smallest on.
  template <class Take>
  TESSERA_FN void each(Take take) const {
    if (count == warps) {
      each_of_all<1>(take, [] {});
    } else {
      TESSERA_LOOP
      for (unsigned width = 1; width < warps; width *= 2) {
        unsigned const from = first(width);
        if (has(width) && from < count) {
          unsigned const there = count - from < width ? count - from : width;
          take(detail::combine_slots<warps / 2, T>(slots, from, 1, there, op));
        }
      }
    }
  }

 private:
  /// Blocks of `Width` warps and more. All totals of small blocks are loaded before the first is needed; `before` takes the
  /// smaller blocks.
  template <unsigned Width, class Take, class Before>
  TESSERA_FN void each_of_all(Take take, Before before) const {
    if constexpr (Width == warps) {
      before();
    } else if constexpr (Width * word_count<T> <= words_loaded_ahead) {
      auto const totals = slots.template read_row<Width>(first(Width));
      each_of_all<2 * Width>(take, [&] {
        before();
        if (has(Width)) take(detail::combine_tree(totals, op));
      });
    } else {
      each_of_all<2 * Width>(take, [&] {
        before();
        if (has(Width)) take(detail::combine_raking<Width, T>(slots, first(Width), 0, op));
      });
    }
  }
};

/// Combines `local`, a lane's inclusive scan of its own warp, with the warps before it. The lane that is `last` has its warp's
/// total; the first `count` warps have one. Where `has_value` is false, `local` is nothing, and so is the result.
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_across_warps(Group group, T const& local, bool last, bool has_value,
                                          unsigned count, Op const& op) {
  constexpr unsigned warps = Group::warps;
  constexpr bool each_reads_all = reads_all_totals(warps, word_count<T>);
  lane_scan<T> out{local, local, false, local};
  if constexpr (WantsPredecessor)
    out.predecessor = detail::from_predecessor<Suffix>(group.in_warp(), local, 1, out.has_predecessor);
  auto const totals =
      group.template combine_in_first_warps<1, warps>(local, last, group.warp(), [&](auto slots, auto results) {
        blocks_before<Suffix, Group, T, Op>{slots, group.warp(), count, op}.each([&](T const& block) {
          if (!has_value) return;
          out.inclusive = detail::join<Suffix>(block, out.inclusive, op);
          if constexpr (WantsPredecessor) {
            out.predecessor = detail::select(out.has_predecessor,
                                             detail::join<Suffix>(block, out.predecessor, op), block);
            out.has_predecessor = true;
          }
        });
        if constexpr (WantsTotal && each_reads_all) {
          out.total = detail::combine_slots<warps, T>(slots, 0, 1, count, op);
        } else if constexpr (WantsTotal) {
          if (last && group.warp() == (Suffix ? 0 : count - 1)) results.write(0, out.inclusive);
        }
      });
  if constexpr (WantsTotal && !each_reads_all) out.total = totals.read(0);
  return out;
}

/// Scans one value a lane, of several warps.
template <class Policy, bool WantsPredecessor, class Backend, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(multi_warp_group<Backend> group, T const& x, Op const& op) {
  constexpr bool Suffix = is_suffix<Policy>;
  T const local = detail::inclusive_scan_lanes<Suffix>(group.in_warp(), x, op);
  bool const last = group.lane() == (Suffix ? 0 : group.last_lane());
  constexpr bool subtracts = subtracts_own<T, Op>;
  auto out = detail::scan_across_warps<Suffix, WantsPredecessor && !subtracts, gives_total<Policy>>(
      group, local, last, true, group.valid_warps(), op);
  if constexpr (WantsPredecessor && subtracts)
    out.predecessor = detail::exclusive_of<Suffix>(group.in_warp(), out.inclusive, x, op, out.has_predecessor);
  return out;
}

}  // namespace detail
TESSERA_NAMESPACE_END
