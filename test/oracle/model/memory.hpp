// What tiles do to memory: compaction, counters, atomics. And the histogram in registers.
#pragma once

#include "reduce.hpp"

namespace oracle::model {

/// compact.hpp: the x of each participant with keep, in rank order; their number is what every lane gets.
template <class X>
std::vector<X> compact(unsigned, std::vector<X> const& x, std::vector<char> const& keep, how const& who) {
  std::vector<X> out;
  for (std::size_t r = 0; r < x.size(); ++r)
    if (who.in[r] && keep[r]) out.push_back(x[r]);
  return out;
}

/// histogram.hpp: how many participants have each of the keys 0 … bins − 1; other keys aren't counted. To all: `bins` slots a
/// lane. Scattered: bin s · N + i in slot s of lane i, of ⌈bins/N⌉ slots; 0 where there is no such bin.
template <class Key>
slots<unsigned> histogram(unsigned n, unsigned bins, std::vector<Key> const& keys, how const& who) {
  std::vector<unsigned> counts(bins);
  for (std::size_t r = 0; r < keys.size(); ++r)
    if (who.in[r] && keys[r] >= 0 && static_cast<unsigned long long>(keys[r]) < bins) ++counts[keys[r]];
  slots<unsigned> out(keys.size());
  for (std::size_t r = 0; r < keys.size(); ++r) {
    if (who.to == placement::scattered) {
      for (std::size_t bin = r; bin < (bins + n - 1) / n * n; bin += n)
        out[r].push_back(bin < bins ? counts[bin] : 0u);
    } else {
      for (unsigned bin = 0; bin < bins; ++bin) out[r].push_back(counts[bin]);
    }
  }
  return out;
}

/// histogram.hpp: the counters after each participant's x was added to counters[key]. Bits: open, of floats.
template <class T, class Key>
std::vector<T> aggregated_add(unsigned, std::vector<T> counters, std::vector<Key> const& keys,
                              std::vector<T> const& x, how const& who) {
  for (std::size_t r = 0; r < keys.size(); ++r)
    if (who.in[r]) counters[keys[r]] = sum<T>(counters[keys[r]], x[r]);
  return counters;
}
/// The same that counts: adds one.
template <class T, class Key>
std::vector<T> aggregated_add(unsigned n, std::vector<T> const& counters, std::vector<Key> const& keys,
                              how const& who) {
  return aggregated_add<T, Key>(n, counters, keys, std::vector<T>(keys.size(), T(1)), who);
}

/// atomic.hpp: the cell after one lane's update, cell op x. The call returns what it held before.
template <class T>
T atomic_update(T const& cell, T const& x, algebra<T> const& op) {
  return op.combine(cell, x);
}

/// atomic.hpp: the cell after cell op (x0 op x1 op …), as `reduce` combines them; as it was where nobody takes part.
template <class T>
T atomic_reduce(unsigned, T const& cell, std::vector<T> const& x, algebra<T> const& op, how const& who) {
  maybe<T> const all = combine_tree<T>(participants<T>(x, op, who), op);
  return all ? op.combine(cell, *all) : cell;
}

}  // namespace oracle::model
