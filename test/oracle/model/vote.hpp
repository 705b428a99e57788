// Votes, and calls in which one lane acts for all.
#pragma once

#include "tile.hpp"

namespace oracle::model {

/// A set of lanes of a tile of N: whether lane r is in it, for r from 0 to N − 1.
using lane_set = list<char>;

inline lane_set votes_of(unsigned n, list<char> const& pred, how const& who) {
  lane_set set(n);
  for (std::size_t r = 0; r < pred.size(); ++r) set[r] = who.in[r] && pred[r];
  return set;
}

/// vote.hpp: the participants whose pred is true.
inline lanes<lane_set> ballot(unsigned n, list<char> const& pred, how const& who) {
  return placed<lane_set>(pred.size(), votes_of(n, pred, who), who);
}

/// vote.hpp: the number of participants whose pred is true.
inline lanes<unsigned> count_if(unsigned, list<char> const& pred, how const& who) {
  unsigned count = 0;
  for (std::size_t r = 0; r < pred.size(); ++r)
    if (who.in[r] && pred[r]) ++count;
  return placed<unsigned>(pred.size(), count, who);
}

/// vote.hpp: whether pred is true in any participant; false if no lane participates.
inline lanes<bool> any_of(unsigned, list<char> const& pred, how const& who) {
  bool any = false;
  for (std::size_t r = 0; r < pred.size(); ++r)
    if (who.in[r] && pred[r]) any = true;
  return placed<bool>(pred.size(), any, who);
}

/// vote.hpp: whether pred is true in every participant; true if no lane participates.
inline lanes<bool> all_of(unsigned, list<char> const& pred, how const& who) {
  bool all = true;
  for (std::size_t r = 0; r < pred.size(); ++r)
    if (who.in[r] && !pred[r]) all = false;
  return placed<bool>(pred.size(), all, who);
}

/// vote.hpp: whether pred is true in no participant; true if no lane participates.
inline lanes<bool> none_of(unsigned, list<char> const& pred, how const& who) {
  bool none = true;
  for (std::size_t r = 0; r < pred.size(); ++r)
    if (who.in[r] && pred[r]) none = false;
  return placed<bool>(pred.size(), none, who);
}

/// vote.hpp: true in the first participant, and false in all other lanes.
inline lanes<bool> elect(unsigned, how const& who) {
  lanes<bool> out(who.in.size(), false);
  for (std::size_t r = 0; r < who.in.size(); ++r) {
    if (!who.in[r]) continue;
    out[r] = true;
    break;
  }
  return out;
}

/// vote.hpp: the result of f() in rank 0. of_lane[r] is the result that f() would have in lane r.
template <class R>
lanes<R> invoke_one(unsigned, list<R> const& of_lane, how const& who) {
  R const result = of_lane[0];
  return placed<R>(of_lane.size(), result, who);
}

}  // namespace oracle::model
