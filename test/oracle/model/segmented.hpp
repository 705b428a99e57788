// Segmented scans and reductions.
#pragma once

#include "scan.hpp"

#include <cstring>

namespace oracle::model {

/// by_head: whether each lane is the first of a segment. Lanes before the first head form a segment.
inline list<char> by_head(list<char> heads) {
  if (!heads.empty()) heads[0] = 1;
  return heads;
}
/// by_tail: a segment ends at each lane with a tail.
inline list<char> by_tail(list<char> const& tails) {
  list<char> heads(tails.size());
  for (std::size_t r = 0; r < tails.size(); ++r) heads[r] = r == 0 || tails[r - 1];
  return heads;
}
/// by_key: runs of neighbors whose keys have the same bits.
template <class Key>
list<char> by_key(list<Key> const& keys) {
  list<char> heads(keys.size());
  for (std::size_t r = 0; r < keys.size(); ++r) {
    heads[r] = 1;
    if (r == 0) continue;
    Key const before = keys[r - 1], own = keys[r];
    heads[r] = std::memcmp(&before, &own, sizeof(Key)) != 0;
  }
  return heads;
}

/// Lanes first … end − 1.
struct segment {
  std::size_t first, end;
};
inline list<segment> segments_of(list<char> const& heads) {
  list<segment> all;
  for (std::size_t r = 0; r < heads.size(); ++r) {
    if (r == 0 || heads[r]) all.push_back({r, r});
    ++all.back().end;
  }
  return all;
}

template <class X, class R>
scanned<R, R> segmented_scan(list<X> const& x, list<char> const& heads, algebra<R> const& op, bool inclusive,
                             how const& who) {
  list<maybe<R>> const values = participants<R>(x, op, who);
  scanned<R, R> out;
  for (segment const s : segments_of(heads)) {
    list<maybe<R>> const own = part_of(values, s.first, s.end);
    list<maybe<R>> const up_to = scan_in_steps<R>(own, who.suffix, op);
    maybe<R> const total = combine_tree<R>(own, op);
    for (std::size_t at = 0; at < own.size(); ++at) {
      maybe<R> value;
      if (inclusive)
        value = up_to[at];
      else if (!who.suffix && at > 0)
        value = up_to[at - 1];
      else if (who.suffix && at + 1 < own.size())
        value = up_to[at + 1];
      out.value.push_back(value ? value : op.identity);
      out.total.push_back(total ? total : op.identity);
    }
  }
  return out;
}

/// segmented.hpp: for each lane, its segment's participants up to the lane, combined in rank order; the
/// identity if there are none. The total is that of the segment. Bits: unspecified.
template <class X, class R>
scanned<R, R> segmented_inclusive_scan(unsigned, list<X> const& x, list<char> const& heads, algebra<R> const& op,
                                       how const& who) {
  return segmented_scan<X, R>(x, heads, op, true, who);
}

/// segmented.hpp: the same without the lane's own value.
template <class X, class R>
scanned<R, R> segmented_exclusive_scan(unsigned, list<X> const& x, list<char> const& heads, algebra<R> const& op,
                                       how const& who) {
  return segmented_scan<X, R>(x, heads, op, false, who);
}

/// segmented.hpp: each segment's values, combined in rank order. Every lane of the segment gets the result;
/// with `to_leader`, only the first one does. Bits: promised up to 32 lanes, those of CUB's
/// HeadSegmentedReduce, which is a balanced tree over neighbors from the segment's first lane on;
/// unspecified above.
template <class X, class R>
lanes<R> segmented_reduce(unsigned, list<X> const& x, list<char> const& heads, algebra<R> const& op, how const& who) {
  list<maybe<R>> const values = participants<R>(x, op, who);
  lanes<R> out(x.size());
  for (segment const s : segments_of(heads)) {
    maybe<R> const total = combine_tree<R>(part_of(values, s.first, s.end), op);
    for (std::size_t r = s.first; r < s.end; ++r)
      if (who.to != placement::to_leader || r == s.first) out[r] = total ? total : op.identity;
  }
  return out;
}

}  // namespace oracle::model
