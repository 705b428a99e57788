// inclusive_scan and exclusive_scan.
#pragma once

#include "reduce.hpp"

namespace oracle::model {

/// A lane's result of a scan with `with_total`.
template <class X, class R>
struct scanned {
  lanes<X> value;
  lanes<R> total;
};

/// A scan of one value per lane. A result without any participant has no value yet.
template <class R>
struct scan_of_lanes {
  list<maybe<R>> with_own;     // the inclusive results
  list<maybe<R>> without_own;  // the inclusive results of the predecessors
  maybe<R> total;
};

/// All lanes of a warp, combined by the steps of the scan in its last lane. If all 32 lanes exist, this has
/// the bits of `reduce`.
template <class R>
maybe<R> total_of_warp(list<maybe<R>> const& x, bool suffix, algebra<R> const& op) {
  if (x.empty()) return combine_tree<R>(x, op);
  list<maybe<R>> const steps = scan_in_steps<R>(x, suffix, op);
  return suffix ? steps.front() : steps.back();
}

/// The scan of up to 32 lanes, in steps.
template <class R>
list<maybe<R>> scan_of_warp(list<maybe<R>> const& x, bool suffix, algebra<R> const& op) {
  list<maybe<R>> out = scan_in_steps<R>(x, suffix, op);
  if (!out.empty()) out[suffix ? 0 : out.size() - 1] = total_of_warp<R>(x, suffix, op);
  return out;
}

/// The scan of more than 32 lanes: the warp's own lanes up to this one, and before them the blocks of 1, 2,
/// 4, … warps that lie before the warp, aligned to their size, each as `reduce` combines it. Warps that don't
/// exist are left out of a block. From 256 lanes on the blocks are combined with each other first, except
/// in a warp's last lane.
template <class R>
list<maybe<R>> scan_of_warps(unsigned n, list<maybe<R>> const& x, bool suffix, algebra<R> const& op) {
  bool const blocks_first = n >= 256;
  std::size_t const warps = n / 32;
  list<maybe<R>> totals(warps), out;
  for (std::size_t w = 0; 32 * w < x.size(); ++w)
    totals[w] = total_of_warp<R>(part_of(x, 32 * w, 32 * w + 32), suffix, op);
  for (std::size_t w = 0; 32 * w < x.size(); ++w) {
    auto const behind_blocks = [&](maybe<R> value) {
      for (std::size_t size = 1; size < warps; size *= 2) {
        std::size_t const pair = w / (2 * size) * (2 * size);  // the block's first warp, and its neighbor's
        bool const in_second = w >= pair + size;
        if (in_second == suffix) continue;
        std::size_t const first = suffix ? pair + size : pair;
        maybe<R> const block = combine_tree<R>(part_of(totals, first, first + size), op);
        value = suffix ? join<R>(value, block, op) : join<R>(block, value, op);
      }
      return value;
    };
    list<maybe<R>> const own = scan_in_steps<R>(part_of(x, 32 * w, 32 * w + 32), suffix, op);
    std::size_t const last = suffix ? 0 : own.size() - 1;
    for (std::size_t l = 0; l < own.size(); ++l) {
      if (blocks_first && l != last) {
        maybe<R> const before = behind_blocks({});
        out.push_back(suffix ? join<R>(own[l], before, op) : join<R>(before, own[l], op));
      } else {
        out.push_back(behind_blocks(own[l]));
      }
    }
  }
  return out;
}

/// The last lane has the bits of `reduce` if all lanes of its warp exist.
template <class R>
scan_of_lanes<R> scan_values(unsigned n, list<maybe<R>> const& x, algebra<R> const& op, how const& who) {
  scan_of_lanes<R> out;
  if (n <= 32)
    out.with_own = scan_of_warp<R>(x, who.suffix, op);
  else
    out.with_own = scan_of_warps<R>(n, x, who.suffix, op);
  if (!x.empty()) out.total = out.with_own[who.suffix ? 0 : x.size() - 1];
  out.without_own.resize(x.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (!who.suffix && r > 0) out.without_own[r] = out.with_own[r - 1];
    if (who.suffix && r + 1 < x.size()) out.without_own[r] = out.with_own[r + 1];
  }
  return out;
}

/// A lane's result: the initial value op the scan's result, or the identity if there is neither.
template <class R>
maybe<R> with_start(maybe<R> const& start, maybe<R> const& x, bool suffix, algebra<R> const& op) {
  maybe<R> const out = suffix ? join<R>(x, start, op) : join<R>(start, x, op);
  return out ? out : op.identity;
}

/// The type of a scan's results for lanes of X: R for one value per lane, or items of R for items.
template <class X, class R>
struct scanned_type {
  using type = R;
};
template <class T, unsigned K, class R>
struct scanned_type<tessera::items<T, K>, R> {
  using type = tessera::items<R, K>;
};
template <class X, class R>
using scanned_t = typename scanned_type<X, R>::type;

/// The scan of one value per lane.
template <class R, class X>
scanned<R, R> scan(unsigned n, list<X> const& x, algebra<R> const& op, maybe<R> const& start, bool inclusive,
                   how const& who) {
  scan_of_lanes<R> const all = scan_values<R>(n, participants<R>(x, op, who), op, who);
  scanned<R, R> out;
  out.total.assign(x.size(), all.total ? all.total : op.identity);
  for (std::size_t r = 0; r < x.size(); ++r)
    out.value.push_back(with_start<R>(start, inclusive ? all.with_own[r] : all.without_own[r], who.suffix, op));
  return out;
}

/// The scan of items. Each lane combines its items from left to right (for a suffix, from right to left), and
/// then the lanes are scanned. An item's result is (the previous lanes) op (the lane's own items up to this
/// one). The result of a lane's last item is that of the lanes' scan.
template <class R, class T, unsigned K>
scanned<tessera::items<R, K>, R> scan(unsigned n, list<tessera::items<T, K>> const& x, algebra<R> const& op,
                                      maybe<R> const& start, bool inclusive, how const& who) {
  bool const suffix = who.suffix;
  auto const add = [&](maybe<R> const& before, maybe<R> const& own) {
    return suffix ? join<R>(own, before, op) : join<R>(before, own, op);
  };
  list<list<maybe<R>>> own(x.size());  // the scan of each lane's items, in the direction of the scan
  list<maybe<R>> totals(x.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (unsigned i = 0; i < K; ++i) {
      if (who.in[r]) totals[r] = add(totals[r], static_cast<R>(x[r][suffix ? K - 1 - i : i]));
      own[r].push_back(totals[r]);
    }
  }
  scan_of_lanes<R> const all = scan_values<R>(n, totals, op, who);

  scanned<tessera::items<R, K>, R> out;
  out.total.assign(x.size(), all.total ? all.total : op.identity);
  for (std::size_t r = 0; r < x.size(); ++r) {
    maybe<R> const before = add(start, all.without_own[r]);
    tessera::items<R, K> values{};
    for (unsigned i = 0; i < K; ++i) {
      maybe<R> value;
      if (!inclusive)
        value = i == 0 ? before : add(before, own[r][i - 1]);
      else if (i + 1 < K)
        value = add(before, own[r][i]);
      else
        value = add(start, all.with_own[r]);
      if (!value) value = op.identity;
      if (value) values[suffix ? K - 1 - i : i] = *value;
    }
    out.value.push_back(values);
  }
  return out;
}

/// scan.hpp: for each lane, the participants up to it, combined in rank order; the identity if there are
/// none. The total is the last lane's result. Bits: promised, in the order of scan_values; unspecified for
/// a suffix scan of items, and for items with an initial value.
template <class X, class R>
scanned<scanned_t<X, R>, R> inclusive_scan(unsigned n, list<X> const& x, algebra<R> const& op, how const& who) {
  return scan<R>(n, x, op, std::nullopt, true, who);
}

/// scan.hpp: the same with an initial value: init op x0 op … op the lane's own.
template <class X, class R>
scanned<scanned_t<X, R>, R> inclusive_scan(unsigned n, list<X> const& x, algebra<R> const& op, R const& init,
                                           how const& who) {
  return scan<R>(n, x, op, maybe<R>(init), true, who);
}

/// scan.hpp: the same without the lane's own value; rank 0 (with `suffix`, the last) gets the identity.
template <class X, class R>
scanned<scanned_t<X, R>, R> exclusive_scan(unsigned n, list<X> const& x, algebra<R> const& op, how const& who) {
  return scan<R>(n, x, op, std::nullopt, false, who);
}

/// scan.hpp: the same with an initial value: init op x0 op x1 …; with `suffix`, … op x(N−1) op init. The
/// total doesn't include init.
template <class X, class R>
scanned<scanned_t<X, R>, R> exclusive_scan(unsigned n, list<X> const& x, algebra<R> const& op, R const& init,
                                           how const& who) {
  return scan<R>(n, x, op, maybe<R>(init), false, who);
}

}  // namespace oracle::model
