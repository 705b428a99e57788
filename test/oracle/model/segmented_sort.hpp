// Sorts of segments.
#pragma once

#include "segmented.hpp"
#include "sort.hpp"

namespace oracle::model {

/// segmented_sort.hpp: of the first n lanes, those of each segment have its values in order, equal ones in the order of
/// their lanes; the other lanes keep theirs.
template <class X, class Before>
lanes<X> segmented_sort(list<X> const& x, list<char> const& heads, Before const& before, long long n) {
  lanes<X> out;
  for (segment const s : segments_of(heads)) {
    list<X> const own = part_of(x, s.first, s.end);
    for (std::size_t i : order_of(own, before, n - static_cast<long long>(s.first))) out.push_back(own[i]);
  }
  return out;
}

}  // namespace oracle::model
