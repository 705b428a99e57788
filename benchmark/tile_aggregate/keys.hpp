// The keys of tile_aggregate: a table of random keys, which all blocks read from the start to the end,
// again and again.
//
//   step            0 1 2 3   4 5 6 7   …      thread t reads the words t, 256 + t, 512 + t, …
//   words of t      3 2 1 0   3 2 1 0          each has four keys, the first in the lowest byte
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

constexpr unsigned key_count = 256;
constexpr unsigned keys_per_word = 4;
constexpr unsigned key_words = 16 * threads_per_block;

enum class key_law { equal, zipf, uniform };

/// By Zipf's law the probability of key k is proportional to 1 / (k + 1)^1.2.
std::vector<unsigned> const& words_of_keys(key_law law);

}  // namespace bench
