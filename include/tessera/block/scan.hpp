// The scan of several warps: each warp scans its lanes and stores its total, and each lane combines its result with the
// exclusive prefix of its warp.
//
// Up to four warps: every lane combines the totals of the warps before its own, as aligned blocks of warps that double
// in size.
//
//   warp 3 of 4, binary 11:    t0 t1 | t2 | x     x: the inclusive scan within the lane's own warp
//   its result                 (t0 t1) (t2 x)
//
// More warps: a lane of the first warp does so for each warp, and every lane combines one value, its warp's prefix.
// Either way a warp's last lane has the bits of the tree of `reduce`, and a lane's result doesn't depend on the number
// of warps after it.
#pragma once

#include <tessera/block/reduce.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/warp/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The totals that blocks of up to Width warps consist of. The smallest blocks' are loaded first, since they are needed
/// first.
template <class T, unsigned Width>
struct loaded_totals {
  loaded_totals<T, Width / 2> of_less;
  items<T, Width> block;
};
template <class T>
struct loaded_totals<T, 2> {
  items<T, 4> four;  // the warp's own and its neighbors'
};

/// The blocks of warps before one warp in the direction of a scan: one aligned block of 2^b warps for each bit b that
/// is set (with `Suffix`, clear) in the warp's number.
template <bool Suffix, class Group, class T, class Op>
struct blocks_before {
  static constexpr unsigned warps = Group::warps;

  slots_of<Group, T> storage;  // a warp's total each
  unsigned number;             // the warp's
  Op const& op;

  TESSERA_FN bool has(unsigned width) const { return ((number & width) == 0) == Suffix; }
  /// The block's first warp; if `has(width)` is false, the first of another block of a whole tile.
  TESSERA_FN unsigned first(unsigned width) const {
    return (number & (warps - 1) & ~(2 * width - 1)) + (Suffix ? width : 0);
  }

  /// Loads the totals of small values in a whole tile.
  template <unsigned Width = warps / 2>
  TESSERA_FN loaded_totals<T, Width> load() const {
    if constexpr (Width == 2) {
      return {storage.template read_row<4>(number & (warps - 1) & ~3u)};
    } else {
      return {load<Width / 2>(), storage.template read_row<Width>(first(Width))};
    }
  }
  /// Calls take(exists, aggregate) for each block, the smallest first. If the block doesn't exist, the value is another
  /// of the tile's.
  template <unsigned Width, class Take>
  TESSERA_FN void each(loaded_totals<T, Width> const& loaded, Take take) const {
    if constexpr (Width == 2) {
      auto const& four = loaded.four;
      unsigned const pair = Suffix ? 2 : 0, adjacent = Suffix ? 1 : 0;
      take(has(1), detail::select(has(2) != Suffix, four[2 + adjacent], four[adjacent]));
      take(has(2), static_cast<T>(op(four[pair], four[pair + 1])));
    } else {
      each(loaded.of_less, take);
      take(has(Width), detail::combine_tree(loaded.block, op));
    }
  }
  /// As above, for up to four warps, whose totals the lane itself loads.
  template <class Take>
  TESSERA_FN void each(Take take) const {
    static_assert(warps <= 4);
    if constexpr (warps == 2) {
      bool const takes = word_count<T> <= 2 ? has(1) : Group::of_warp(has(1));
      if (takes) take(true, storage.read(first(1)));
    } else if constexpr (word_count<T> <= 2) {
      each(load(), take);
    } else {
      T const neighbor = storage.read(first(1));
      auto const pair = storage.template read_row<2>(first(2));
      take(has(1), neighbor);
      take(has(2), detail::combine_tree(pair, op));
    }
  }
  /// As above, if only the first `count` warps of a tile have a total.
  template <class Take>
  TESSERA_FN void each_of_partial(unsigned count, Take take) const {
    TESSERA_LOOP
    for (unsigned width = 1; width < warps; width *= 2) {
      unsigned const from = first(width);
      if (has(width) && from < count) {
        unsigned const there = count - from < width ? count - from : width;
        take(true, detail::combine_slots<warps / 2, T>(storage, from, 1, there, op));
      }
    }
  }
};

/// op(before, x) if `takes`, else x; with `Suffix` op(x, before). Both are values of the tile either way. For small
/// ones the compiler then calls the operator under a predicate instead of branching around copies.
template <bool Suffix, class T, class Op>
TESSERA_FN T join_if(bool takes, T const& before, T const& x, Op const& op) {
  if constexpr (word_count<T> <= 2) {
    return detail::select(takes, detail::join<Suffix>(before, x, op), x);
  } else {
    T out = x;
    if (takes) out = detail::join<Suffix>(before, x, op);
    return out;
  }
}

/// Scans by aligned blocks of lanes that double in size, as the tree of `reduce` does. Invariant: before the step with
/// `delta`, a lane holds the combination of its block of `delta` lanes up to itself (with `Suffix`, from itself on).
/// Lanes after `end` are left out.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T scan_blocks(Group group, T x, unsigned end, Op const& op) {
  unsigned const rank = group.rank();
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    unsigned const base = rank & ~(2 * delta - 1);
    unsigned const source = Suffix ? base + delta : base + delta - 1;
    T const other = group.shuffle(x, source);
    x = detail::join_if<Suffix>(((rank & delta) == 0) == Suffix && source <= end, other, x, op);
  }
  return x;
}

/// A lane's scan of its own warp, to be combined with the prefix of the warps before it.
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
struct across_warps {
  Group group;
  bool last;       // the lane whose scan is its warp's total
  bool has_value;  // false if the lane's scan, and so its result, is unspecified
  unsigned count;  // of the warps that have a total, from the first on
  Op const& op;

  TESSERA_FN lane_scan<T> operator()(T const& local) const {
    lane_scan<T> out{local, local, false, local};
    if constexpr (WantsPredecessor)
      out.predecessor = detail::from_predecessor<Suffix>(group.in_warp(), local, 1, out.has_predecessor);
    if constexpr (detail::scans_totals_in_first_warp(Group::warps)) {
      by_first_warp(out);
    } else {
      by_every_warp(out);
    }
    return out;
  }

 private:
  static constexpr unsigned warps = Group::warps;

  /// Combines `before` into the result, if `takes`.
  TESSERA_FN void take(lane_scan<T>& out, bool takes, T const& before) const {
    if (!has_value) return;
    out.inclusive = detail::join_if<Suffix>(takes, before, out.inclusive, op);
    if constexpr (WantsPredecessor) {
      bool const is_new = takes && !out.has_predecessor;
      T const joined = detail::join_if<Suffix>(takes && out.has_predecessor, before, out.predecessor, op);
      out.predecessor = detail::select(is_new, before, joined);
      out.has_predecessor = out.has_predecessor || takes;
    }
  }
  using blocks = blocks_before<Suffix, Group, T, Op>;

  /// True if all warps have a total.
  TESSERA_FN bool all_have_totals() const { return count == warps && !group.is_partial(); }

  TESSERA_FN void by_every_warp(lane_scan<T>& out) const {
    constexpr bool each_reads_all = detail::reads_all_totals(warps, word_count<T>);
    auto const totals = group.template combine_in_first_warps<1, warps>(
        out.inclusive, last, group.warp(), [&](slots_of<Group, T> storage, slots_of<Group, T> results) {
          blocks const all{storage, group.warp(), op};
          auto const take_each = [&](bool takes, T const& block) { take(out, takes, block); };
          if (all_have_totals()) {
            all.each(take_each);
          } else {
            all.each_of_partial(count, take_each);
          }
          if constexpr (WantsTotal && each_reads_all) {
            out.total = detail::combine_slots<warps, T>(storage, 0, 1, count, op);
          } else if constexpr (WantsTotal) {
            if (last && group.warp() == (Suffix ? 0 : count - 1)) results.write(0, out.inclusive);
          }
        });
    if constexpr (WantsTotal && !each_reads_all) out.total = totals.read(0);
  }
  /// The inclusive prefix of warp `of`, in the lane of the first warp that has the same number.
  TESSERA_FN T total_up_to(slots_of<Group, T> storage, unsigned of) const {
    if constexpr (detail::scans_totals_by_loads(warps, word_count<T>)) {
      if (all_have_totals()) {
        blocks const all{storage, of, op};
        auto const loaded = all.load();
        T total = storage.read(of);
        all.each(loaded, [&](bool takes, T const& block) { total = detail::join_if<Suffix>(takes, block, total, op); });
        return total;
      }
    }
    unsigned const end = count - 1;
    T const total = storage.read(of < end ? of : end);
    return count > 1 ? detail::scan_blocks<Suffix>(group.template part<warps>(), total, end, op) : total;
  }
  /// Scans the totals in the first warp.
  TESSERA_FN void by_first_warp(lane_scan<T>& out) const {
    unsigned const warp = group.warp(), previous = Suffix ? warp + 1 : warp - 1, end = count - 1;
    unsigned const needed = last && !WantsPredecessor ? warp : previous;
    unsigned const from = needed <= end ? needed : 0;
    auto const scanned = group.template combine_in_first_warps<1, 1, true>(
        out.inclusive, last, warp, [&](slots_of<Group, T> storage, slots_of<Group, T> results) {
          unsigned const of = group.lane() % warps;
          T const total = total_up_to(storage, of);
          if (group.lane() < count) results.write(of, total);
        });
    bool const takes = previous <= end;
    if constexpr (WantsPredecessor) {
      take(out, takes, scanned.read(from));
      if (last && has_value) out.inclusive = scanned.read(warp);
    } else if constexpr (word_count<T> <= 2) {  // a predicated load and call, without selections
      T const local = out.inclusive;
      bool const reads = takes && has_value;
      out.inclusive = scanned.read_or(local, reads, from);
      if (reads && !last) {
        out.inclusive = detail::join<Suffix>(out.inclusive, local, op);
        if constexpr (is_integer<T> && sizeof(T) == 4)  // else `if` becomes a selection of 0 after the load
          out.inclusive = static_cast<T>(detail::opaque(static_cast<stl::uint32_t>(out.inclusive)));
      }
    } else {
      T const value = scanned.read(from);
      take(out, takes, value);
      out.inclusive = detail::select(last, value, out.inclusive);
    }
    if constexpr (WantsTotal) out.total = scanned.read(Suffix ? 0 : end);
  }
};

/// Scans one value a lane, of several warps.
template <class Policy, bool WantsPredecessor, class Backend, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(multi_warp_group<Backend> group, T const& x, Op const& op) {
  constexpr bool Suffix = is_suffix<Policy>;
  T const local = detail::inclusive_scan_lanes<Suffix>(group.in_warp(), x, op);
  bool const last = group.lane() == (Suffix ? 0 : group.last_lane());
  constexpr bool subtracts = subtracts_own<T, Op>;
  using across =
      across_warps<Suffix, WantsPredecessor && !subtracts, gives_total<Policy>, multi_warp_group<Backend>, T, Op>;
  auto out = across{group, last, true, group.valid_warps(), op}(local);
  if constexpr (WantsPredecessor && subtracts)
    out.predecessor = detail::exclusive_of<Suffix>(group.in_warp(), out.inclusive, x, op, out.has_predecessor);
  return out;
}

}  // namespace detail
TESSERA_NAMESPACE_END
