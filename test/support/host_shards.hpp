// Arrays over ranks that are threads of the CPU (host_ranks.hpp), cut in several ways.
#pragma once

#include <tessera/grid/shard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host_ranks.hpp"
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

/// Calls f(rank, shard) for some numbers of ranks and some cuts of `total` elements.
template <class F>
void for_all_cuts(std::int64_t total, F const& f) {
  for (int ranks : {1, 2, 3, 4, 8}) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      for (bool pushes : {false, true}) {
        host_ranks all(ranks, pushes);
        all.run([&](host_ranks::rank const& rank) { f(rank, test::cut_of(total, rank.index(), ranks, kind)); });
      }
    }
  }
}

/// Elements of an array: of a few kinds, with many ties, or of more than 9 with NaNs and both zeros.
template <class T>
std::vector<T> drawn_elements(std::int64_t total, unsigned kinds) {
  std::vector<T> x(static_cast<std::size_t>(total));
  random_engine random(static_cast<std::uint64_t>(total) * 7 + kinds);
  for (T& value : x) value = kinds > 9 ? sample_special<T>(random) : static_cast<T>(random() % kinds);
  return x;
}

}  // namespace test
