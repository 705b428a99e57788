// Calls that write to memory: compaction, counters and atomics. And the histogram in registers.
#pragma once

#include "reduce.hpp"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace oracle::model {

/// compact.hpp: the x of each participant with keep, in rank order. Every lane gets their number.
template <class X>
list<X> compact(unsigned, list<X> const& x, list<char> const& keep, how const& who) {
  list<X> out;
  for (std::size_t r = 0; r < x.size(); ++r)
    if (who.in[r] && keep[r]) out.push_back(x[r]);
  return out;
}

/// histogram.hpp: the number of participants with each of the keys 0 … bins − 1; other keys aren't counted.
/// To all: each lane gets `bins` results. Scattered: result s of lane i, of ⌈bins/N⌉ results, is that of
/// bin s · N + i, or 0 if there is no such bin.
template <class Key>
slots<unsigned> histogram(unsigned n, unsigned bins, list<Key> const& keys, how const& who) {
  list<unsigned> counts(bins);
  for (std::size_t r = 0; r < keys.size(); ++r)
    if (who.in[r] && keys[r] >= 0 && static_cast<unsigned long long>(keys[r]) < bins) ++counts[keys[r]];
  slots<unsigned> out(keys.size());
  for (std::size_t r = 0; r < keys.size(); ++r) {
    if (who.to == placement::scattered) {
      for (std::size_t bin = r; bin < (bins + n - 1) / n * n; bin += n) out[r].push_back(bin < bins ? counts[bin] : 0u);
    } else {
      for (unsigned bin = 0; bin < bins; ++bin) out[r].push_back(counts[bin]);
    }
  }
  return out;
}

/// histogram.hpp: the counters after each participant has added x to counters[key]. Bits: unspecified for
/// floats.
template <class T, class Key>
list<T> aggregated_add(unsigned, list<T> counters, list<Key> const& keys, list<T> const& x, how const& who) {
  for (std::size_t r = 0; r < keys.size(); ++r)
    if (who.in[r]) counters[keys[r]] = sum<T>(counters[keys[r]], x[r]);
  return counters;
}
/// histogram.hpp: the same, where each participant adds one.
template <class T, class Key>
list<T> aggregated_add(unsigned n, list<T> const& counters, list<Key> const& keys, how const& who) {
  return aggregated_add<T, Key>(n, counters, keys, list<T>(keys.size(), T(1)), who);
}

/// atomic.hpp: the cell after one lane's update, cell op x. The call returns the previous value.
template <class T>
T atomic_update(T const& cell, T const& x, algebra<T> const& op) {
  return op.combine(cell, x);
}

/// atomic.hpp: whether the lanes' updates of one cell are possible in some order. Each update found the
/// value `held`, which it returned, and stored `left`. So an update is a step from one value to another,
/// and the question is whether there is a trail from `start` to `end` that uses each step once. By Euler's
/// theorem there is one if as many steps leave each value as reach it, except for the two ends, and all
/// steps are connected with the start. Bytes are compared.
inline bool is_a_trail(std::string const& start, std::vector<std::string> const& held,
                       std::vector<std::string> const& left, std::string const& end) {
  std::map<std::string, unsigned> numbers;
  auto const number = [&](std::string const& value) {
    return numbers.emplace(value, static_cast<unsigned>(numbers.size())).first->second;
  };
  std::vector<int> more_left(2 * held.size() + 2);
  std::vector<std::vector<unsigned>> beside(2 * held.size() + 2);
  unsigned const first = number(start), last = number(end);
  for (std::size_t r = 0; r < held.size(); ++r) {
    unsigned const from = number(held[r]), to = number(left[r]);
    ++more_left[from], --more_left[to];
    beside[from].push_back(to), beside[to].push_back(from);
  }
  --more_left[first], ++more_left[last];
  std::vector<char> reached(numbers.size());
  std::vector<unsigned> next{first};
  while (!next.empty()) {
    unsigned const at = next.back();
    next.pop_back();
    if (reached[at]) continue;
    reached[at] = 1;
    next.insert(next.end(), beside[at].begin(), beside[at].end());
  }
  for (unsigned i = 0; i < numbers.size(); ++i)
    if (more_left[i] != 0 || !reached[i]) return false;
  return true;
}
template <class T>
std::string bytes_of(T const& x) {
  return std::string(reinterpret_cast<char const*>(&x), sizeof(T));
}
template <class T>
bool follow_each_other(T const& start, list<T> const& held, list<T> const& left, T const& end) {
  std::vector<std::string> from, to;
  for (T const& x : held) from.push_back(bytes_of(x));
  for (T const& x : left) to.push_back(bytes_of(x));
  return is_a_trail(bytes_of(start), from, to, bytes_of(end));
}
/// The value that each lane's atomic_compare_exchange left in the cell: `desired` if the cell held the bits
/// of `expected`.
template <class T>
list<T> swapped(list<T> held, list<T> const& expected, list<T> const& desired) {
  for (std::size_t r = 0; r < held.size(); ++r)
    if (std::memcmp(&held[r], &expected[r], sizeof(T)) == 0) held[r] = desired[r];
  return held;
}

/// atomic.hpp: the cell after cell op (x0 op x1 op …), as `reduce` combines them; unchanged if no lane
/// participates.
template <class T>
T atomic_reduce(unsigned, T const& cell, list<T> const& x, algebra<T> const& op, how const& who) {
  maybe<T> const all = combine_tree<T>(participants<T>(x, op, who), op);
  return all ? op.combine(cell, *all) : cell;
}

}  // namespace oracle::model
