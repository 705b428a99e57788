// Matches of lanes with the same key, and reductions of these groups. Keys are compared bit for bit.
#pragma once

#include "reduce.hpp"
#include "vote.hpp"

#include <cstring>

namespace oracle::model {

/// The participants with the same key as lane r.
template <class Key>
lane_set peers_of(unsigned n, list<Key> const& keys, std::size_t r, how const& who) {
  Key const own = keys[r];
  lane_set set(n);
  for (std::size_t l = 0; l < keys.size(); ++l) {
    Key const key = keys[l];
    set[l] = who.in[l] && std::memcmp(&key, &own, sizeof(Key)) == 0;
  }
  return set;
}

/// match.hpp: the participants with the lane's key. A lane that doesn't participate gets them, too.
template <class Key>
lanes<lane_set> match_any(unsigned n, list<Key> const& keys, how const& who) {
  lanes<lane_set> out;
  for (std::size_t r = 0; r < keys.size(); ++r) out.push_back(peers_of(n, keys, r, who));
  return out;
}

/// match.hpp: the lane's peers, the number of peers before it, and the first of them. All lanes participate.
struct peer_group {
  lane_set mask;
  unsigned rank;
  unsigned leader;
  unsigned count;
};
template <class Key>
lanes<peer_group> peers(unsigned n, list<Key> const& keys) {
  lanes<peer_group> out;
  for (std::size_t r = 0; r < keys.size(); ++r) {
    peer_group group{peers_of(n, keys, r, everyone(keys.size())), 0, n, 0};
    for (unsigned l = 0; l < n; ++l) {
      if (!group.mask[l]) continue;
      if (group.leader == n) group.leader = l;
      if (l < r) ++group.rank;
      ++group.count;
    }
    out.push_back(group);
  }
  return out;
}

/// match.hpp: whether all participants have the same key; true if fewer than two lanes participate.
template <class Key>
lanes<bool> match_all(unsigned, list<Key> const& keys, how const& who) {
  bool same = true;
  maybe<Key> one;
  for (std::size_t r = 0; r < keys.size(); ++r) {
    if (!who.in[r]) continue;
    Key const key = keys[r];
    if (one && std::memcmp(&key, &*one, sizeof(Key)) != 0) same = false;
    one = key;
  }
  return lanes<bool>(keys.size(), same);
}

/// match.hpp: the values of each group's participants, combined in rank order. All of them get the result;
/// with `to_leader`, only the first one does. Lanes that don't participate get the identity. Bits:
/// promised, a balanced tree over the group's members; for N > 32 one such tree in each warp, and then the
/// warps from left to right.
template <class Label, class T, class R>
lanes<R> reduce_by_label(unsigned n, list<Label> const& labels, list<T> const& x, algebra<R> const& op,
                         how const& who) {
  list<maybe<R>> const values = participants<R>(x, op, who);
  lanes<R> out(x.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (!who.in[r]) {
      if (who.to != placement::to_leader) out[r] = op.identity;
      continue;
    }
    lane_set const group = peers_of(n, labels, r, who);
    maybe<R> all;
    bool is_first = true;
    for (std::size_t warp = 0; warp < x.size(); warp += 32) {
      list<maybe<R>> members;
      for (std::size_t l = warp; l < warp + 32 && l < x.size(); ++l) {
        if (!group[l]) continue;
        members.push_back(values[l]);
        if (l < r) is_first = false;
      }
      all = join<R>(all, combine_tree<R>(members, op), op);
    }
    if (who.to != placement::to_leader || is_first) out[r] = all;
  }
  return out;
}

}  // namespace oracle::model
