// Tiles, participants, and the lanes' results.
//
// A tile is a list<X>: element r is the value of lane r. Its size is the number of lanes that exist.
// The tile's nominal size N is passed before it: a padded tile of 256 in a block of 34 threads has N = 256
// and 34 elements.
#pragma once

#include <cstddef>

#include "list.hpp"

namespace oracle::model {

enum class placement { to_all, to_leader, scattered };

/// The policies that change a call's results.
struct how {
  list<char> in;                     // whether lane r participates
  bool suffix = false;               // a scan combines the lanes after a lane
  placement to = placement::to_all;  // the lanes that get the result
};

inline how everyone(std::size_t lanes) {
  return {list<char>(lanes, 1)};
}
/// The policy `first(n)`: lanes 0 … n − 1, or none if n ≤ 0.
inline how first(std::size_t lanes, long long n) {
  how who = everyone(lanes);
  for (std::size_t r = 0; r < lanes; ++r) who.in[r] = static_cast<long long>(r) < n;
  return who;
}
/// The policy `where(pred)`.
inline how where(list<char> const& pred) {
  return {pred};
}

/// One result for each lane that exists. It has no value if the contract leaves it unspecified.
template <class R>
using lanes = list<maybe<R>>;

/// Several results for each lane, [lane][slot], each of which may be unspecified.
template <class R>
using slots = list<list<maybe<R>>>;

/// The same result in all lanes, or with `to_leader` in rank 0 only.
template <class R>
lanes<R> placed(std::size_t count, maybe<R> const& result, how const& who) {
  lanes<R> out(count, result);
  if (who.to == placement::to_leader)
    for (std::size_t r = 1; r < count; ++r) out[r].reset();
  return out;
}

}  // namespace oracle::model
