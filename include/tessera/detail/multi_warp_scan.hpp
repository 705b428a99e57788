// The scan of a group of several warps: each warp scans its lanes, the warps' totals are scanned, and each lane takes in what
// the warps before its own come to. With a scratch that has a slot for each lane, the first warp scans all lanes.
#pragma once

#include <tessera/detail/multi_warp_reduce.hpp>
#include <tessera/detail/warp_scan.hpp>
#include <tessera/tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The prefix before this warp, the prefix through it, and the tile's total.
template <class T>
struct warps_scan {
  T before;   // of the warps before this one; unspecified in the first
  T through;  // in a lane that is `closing`: of those and this one
  T total;
};

/// Combines totals `first` … `last − 1` of K by the tree of `reduce`, leaving out the others. Unspecified if there are none.
template <class T, unsigned K, class Op>
TESSERA_FN T combine_range(items<T, K> x, unsigned first, unsigned last, Op const& op) {
  TESSERA_UNROLL
  for (unsigned width = 1; width < K; width *= 2) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; i += 2 * width) {
      if (i + width <= first) {
        x[i] = x[i + width];
      } else if (i + width < last) {
        x[i] = static_cast<T>(op(x[i], x[i + width]));
      }
    }
  }
  return x[0];
}

/// Scans by aligned blocks of lanes that double in size, as the tree of `reduce` does. Invariant: before the step with `delta`, a
/// lane holds the combination of its block of `delta` lanes up to itself (with `Suffix`, from itself on). Lanes after `end` are
/// left out.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T scan_groups(Group group, T x, unsigned end, Op const& op) {
  unsigned const rank = group.rank();
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    unsigned const base = rank & ~(2 * delta - 1);
    unsigned const source = Suffix ? base + delta : base + delta - 1;
    T const other = group.shuffle(x, source);
    if (((rank & delta) == 0) == Suffix && source <= end) x = detail::join<Suffix>(other, x, op);
  }
  return x;
}

/// Scans the totals of the first `count` warps. `own` is this warp's total, in the lane that is `last` in the direction of the
/// scan. Every warp combines what it needs if there are few warps, else the first warp does so for all.
///
/// A lane that ends its warp (`ends_warp`) needs the prefix through its own warp, the others the prefix before it. With `OneLane` a
/// warp may have a single lane, which needs both.
template <bool Suffix, bool WantsTotal, bool OneLane, class Group, class T, class Op>
TESSERA_FN warps_scan<T> scan_totals(Group group, T const& own, bool last, bool ends_warp,
                                     [[maybe_unused]] bool is_only_lane, unsigned count, Op const& op) {
  constexpr unsigned warps = Group::warps;
  unsigned const warp = group.warp();
  using slots_t = slots_of<Group, T>;
  if constexpr (scans_in_every_warp(warps, word_count<T>)) {
    if (!group.is_partial()) {
      auto const all =
          group.all_gather(own, last, warp, [&](slots_t slots) { return slots.template read_row<warps>(0); });
      unsigned const from = Suffix ? (ends_warp ? warp : warp + 1) : 0;
      unsigned const to = Suffix || warp >= count ? count : (ends_warp ? warp + 1 : warp);
      T const through = detail::combine_range(all, from, to, op);
      T before = through;
      if constexpr (OneLane) {
        if (is_only_lane)
          before = detail::combine_range(all, Suffix ? warp + 1 : 0, Suffix ? count : warp, op);
      }
      if constexpr (WantsTotal) return {before, through, detail::combine_range(all, 0, count, op)};
      return {before, through, through};
    }
  }
  // The index that is read after the barriers is computed before them.
  unsigned const previous = Suffix ? warp + 1 : warp - 1;
  unsigned const needed = ends_warp ? warp : previous;
  unsigned const from = detail::opaque(needed < count ? needed : 0);
  auto const scanned = group.combine_in_first_warps(own, last, warp, [&](slots_t slots, slots_t out) {
    unsigned const of = group.lane() % warps, end = count - 1;
    T total = slots.read(of < end ? of : end);
    if (count > 1) total = detail::scan_groups<Suffix>(group.template part<warps>(), total, end, op);
    if (group.lane() < count) out.write(of, total);
  });
  T const through = scanned.read(from);
  T before = through;
  if constexpr (OneLane) {
    if (is_only_lane && previous < count) before = scanned.read(previous);
  }
  if constexpr (WantsTotal) return {before, through, scanned.read(Suffix ? 0 : count - 1)};
  return {before, through, through};
}

/// Each warp scans its lanes and combines them with the prefix before it.
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_warps(Group group, T const& x, Op const& op) {
  auto const in_warp = group.in_warp();
  bool const last = group.lane() == (Suffix ? 0 : group.last_lane());
  bool const first_warp = group.warp() == (Suffix ? group.valid_warps() - 1 : 0);
  // The last lane of a warp gets the warps through its own combined by the tree of `reduce`. Of two warps it has that anyway.
  bool const ends_warp = last && Group::warps > 2;
  T const local = detail::inclusive_scan_lanes<Suffix>(in_warp, x, op);
  bool const is_only_lane = ends_warp && group.lane() == (Suffix ? group.last_lane() : 0);
  auto const warps = detail::scan_totals<Suffix, WantsTotal, Group::may_be_partial>(
      group, local, last, ends_warp, is_only_lane, group.valid_warps(), op);
  T value = warps.through;
  if (!ends_warp) {
    value = local;
    if (!first_warp) value = detail::join<Suffix>(warps.before, local, op);
  }
  value = detail::canonicalize_nan<Op>(value);
  lane_scan<T> out{value, value, true, warps.total};
  if constexpr (WantsPredecessor) {
    out.predecessor = detail::exclusive_of<Suffix>(in_warp, value, x, op, out.has_predecessor);
    if (!out.has_predecessor) {  // the first lane of the warp in the direction of the scan
      out.predecessor = warps.before;
      out.has_predecessor = !first_warp;
    }
  }
  return out;
}

/// The scan where each lane has a slot: the first warp scans. Each of its lanes combines as many neighbors as there are warps, the
/// warp scans these totals, and each lane goes over its neighbors again to store their results. It holds four at a time.
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_by_one_warp(Group group, T const& x, Op const& op) {
  constexpr unsigned warps = Group::warps, near = warps < 4 ? warps : 4, rows = warps / near;
  auto const position = [](unsigned i, unsigned of) { return Suffix ? of - 1 - i : i; };
  unsigned const rank = group.rank(), own = raking_slot(rank);
  using slots_t = slots_of<Group, T>;
  auto const scanned =
      group.template combine_in_first_warps<32, 32>(x, true, own, [&](slots_t slots, slots_t out) {
        unsigned const first = raking_slot(group.lane() * warps);
        auto row = slots.template read_row<near>(first ^ near * position(0, rows));
        T total = row[position(0, near)];
        TESSERA_UNROLL
        for (unsigned i = 1; i < warps; ++i) {
          if (i % near == 0) row = slots.template read_row<near>(first ^ near * position(i / near, rows));
          total = detail::join<Suffix>(total, row[position(i % near, near)], op);
        }
        total = detail::inclusive_scan_lanes<Suffix>(group.in_warp(), total, op);
        bool has_predecessor = false;
        T before = detail::from_predecessor<Suffix>(group.in_warp(), total, 1, has_predecessor);
        TESSERA_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          unsigned const at = first ^ near * position(r, rows);
          if (rows > 1) row = slots.template read_row<near>(at);
          TESSERA_UNROLL
          for (unsigned i = 0; i < near; ++i) {
            T& item = row[position(i, near)];
            if (has_predecessor || r + i > 0) item = detail::join<Suffix>(before, item, op);
            before = item;
            item = detail::canonicalize_nan<Op>(item);
          }
          out.write_row(at, row);
        }
      });
  T const value = scanned.read(own);
  lane_scan<T> out{value, value, rank != (Suffix ? Group::size - 1 : 0), value};
  if constexpr (WantsPredecessor)
    out.predecessor = scanned.read(raking_slot(out.has_predecessor ? (Suffix ? rank + 1 : rank - 1) : rank));
  if constexpr (WantsTotal) out.total = scanned.read(raking_slot(Suffix ? 0 : Group::size - 1));
  return out;
}

/// Scans one value a lane, of several warps: the first warp does where a scratch has a slot for each lane, else each warp.
template <class Policy, bool WantsPredecessor, class Backend, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(multi_warp_group<Backend> group, T const& x, Op const& op) {
  using Group = multi_warp_group<Backend>;
  constexpr bool Suffix = is_suffix<Policy>, WantsTotal = gives_total<Policy>;
  constexpr bool by_shuffles = stl::is_same_v<typename Policy::method, choice::shuffles>;
  if constexpr (Group::template has_result_a_lane<T> && !by_shuffles &&
                scans_by_one_warp(Group::warps, word_count<T>)) {
    if (!group.is_partial())
      return detail::scan_by_one_warp<Suffix, WantsPredecessor, WantsTotal>(group, x, op);
  }
  return detail::scan_warps<Suffix, WantsPredecessor, WantsTotal>(group, x, op);
}

}  // namespace detail
TESSERA_NAMESPACE_END
