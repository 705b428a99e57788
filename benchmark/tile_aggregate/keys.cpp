#include "keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>

namespace bench {

namespace {

/// For each key, the sum of the probabilities of the keys up to it, except for a constant factor.
std::array<double, key_count> sums_of(key_law law) {
  std::array<double, key_count> sums;
  double sum = 0;
  for (unsigned key = 0; key < key_count; ++key) {
    if (law == key_law::equal) sum = 1;  // key 0
    if (law == key_law::zipf) sum += std::pow(key + 1.0, -1.2);
    if (law == key_law::uniform) sum += 1;
    sums[key] = sum;
  }
  return sums;
}

std::vector<unsigned> make_words(key_law law) {
  std::array<double, key_count> const sums = sums_of(law);
  std::mt19937 random(20261121);
  std::vector<unsigned> words(key_words);
  for (unsigned& word : words) {
    for (unsigned i = 0; i < keys_per_word; ++i) {
      double const at = (static_cast<double>(random()) + 0.5) / 4294967296.0 * sums.back();
      auto const key = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
      word |= static_cast<unsigned>(key) << 8 * i;
    }
  }
  return words;
}

}  // namespace

std::vector<unsigned> const& words_of_keys(key_law law) {
  static std::array const tables{make_words(key_law::equal), make_words(key_law::zipf), make_words(key_law::uniform)};
  return tables[static_cast<std::size_t>(law)];
}

}  // namespace bench
