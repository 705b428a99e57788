// How arrays are cut into shards, evenly and otherwise; arrays that are drawn with a cut, and sequences of calls.
#pragma once

#include <tessera/grid/shard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "random_cases.hpp"
#include "samples.hpp"

namespace test {

/// Cuts of an array: even, at random places, and with all elements in one rank.
inline tessera::grid::shard cut_of(std::int64_t total, int rank, int ranks, unsigned kind) {
  if (kind == 0) return tessera::grid::shard_of(total, rank, ranks);
  auto const place = [&](int r) -> std::int64_t {
    if (r == 0) return 0;
    if (r == ranks) return total;
    if (kind == 1) return r <= ranks / 2 ? 0 : total;
    std::vector<std::int64_t> places;
    random_engine random(static_cast<std::uint64_t>(total) * 31 + kind);
    for (int i = 1; i < ranks; ++i)
      places.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total + 1)));
    std::sort(places.begin(), places.end());
    return places[static_cast<std::size_t>(r - 1)];
  };
  return {place(rank), place(rank + 1) - place(rank), total};
}

/// A drawn array, and how it is cut.
template <class T>
struct drawn_array {
  std::vector<T> x;
  unsigned cut;

  drawn_array(case_draw& from, std::int64_t least, std::int64_t most, bool is_special)
      : x(static_cast<std::size_t>(std::max(least, from.size(most)))), cut(static_cast<unsigned>(from.number(0, 3))) {
    random_engine random(from.bits());
    std::int64_t const kinds = from.one_of({1, 3, 100});
    for (T& value : x) {
      if constexpr (std::is_floating_point_v<T>) {
        value = is_special ? sample_special<T>(random) : static_cast<T>(random() % static_cast<std::uint64_t>(kinds));
      } else {
        value = sample<T>(random);
        if constexpr (std::is_arithmetic_v<T>)
          if (kinds < 100) value = static_cast<T>(value % static_cast<T>(kinds));
      }
    }
  }
  /// Other elements, of which few are equal: which is the first in some order may then be on any rank.
  void draw_again(case_draw& from) {
    random_engine random(from.bits());
    for (T& value : x) value = static_cast<T>(random() >> 44);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
  /// Of a rank, which has an index and the number of all ranks.
  template <class Rank>
  tessera::grid::shard part_of(Rank const& of) const {
    return test::cut_of(size(), of.index(), of.count(), cut);
  }
  std::vector<T> own(tessera::grid::shard const& part) const {
    return std::vector<T>(x.begin() + part.begin, x.begin() + part.begin + part.count);
  }
  std::string text() const { return std::to_string(size()) + " elements, cut " + std::to_string(cut); }
};

/// Calls that all of some ranks make on one communicator, one after the other. Each has a text, as the sequence has,
/// which begins with the seed.
template <class Call>
struct drawn_sequence {
  int ranks;
  bool pushes;
  std::vector<Call> calls;
  std::string text;

  template <class DrawCall>
  drawn_sequence(std::uint64_t seed, int most_ranks, DrawCall const& draw_call) {
    case_draw from(seed);
    ranks = static_cast<int>(from.number(1, most_ranks));
    pushes = from.chance(50);
    text = "TESSERA_TEST_SEED=" + std::to_string(seed) + ": " + std::to_string(ranks) + " ranks" +
           (pushes ? ", pushes" : "");
    for (auto left = from.number(1, 8); left > 0; --left) {
      calls.push_back(draw_call(from));
      text += "; " + calls.back().text;
    }
  }
};

}  // namespace test
