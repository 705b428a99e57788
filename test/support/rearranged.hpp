// What rearrangements do with a tile's values, in a plain loop, and random values for them.
#pragma once

#include <tessera/core/items.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace test {

/// Random items of `lanes` lanes, which are below `limit`.
template <unsigned K>
std::vector<tessera::items<unsigned, K>> random_items(unsigned lanes, unsigned seed, unsigned limit) {
  std::mt19937 random(seed);
  std::vector<tessera::items<unsigned, K>> x(lanes);
  for (auto& lane : x)
    for (unsigned& item : lane) item = static_cast<unsigned>(random() % limit);
  return x;
}

/// The values of lanes `base` … base + N − 1 in blocked order.
template <unsigned N, unsigned K>
std::vector<unsigned> values_of_tile(std::vector<tessera::items<unsigned, K>> const& x, unsigned base) {
  std::vector<unsigned> all;
  for (unsigned r = 0; r < N; ++r)
    for (unsigned i = 0; i < K; ++i) all.push_back(x[base + r][i]);
  return all;
}

/// Where the first n values go, ordered by a key and stable; the others stay.
template <class Key>
std::vector<unsigned> stable_positions(std::vector<unsigned> const& x, unsigned n, Key key) {
  std::vector<unsigned> order(x.size()), position(x.size());
  for (unsigned i = 0; i < x.size(); ++i) order[i] = i;
  auto const end = order.begin() + std::min<std::ptrdiff_t>(n, static_cast<std::ptrdiff_t>(x.size()));
  std::stable_sort(order.begin(), end, [&](unsigned a, unsigned b) { return key(x[a]) < key(x[b]); });
  for (unsigned i = 0; i < x.size(); ++i) position[order[i]] = i;
  return position;
}

}  // namespace test
