// Philox 4x32-10: random bits that are a function of a counter and a key, the same on every machine.
//
//   counter   4 words: what is drawn, such as a step's number
//   key       2 words: a seed
//   result    4 words of random bits; other counters and keys give independent ones
//
// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/items.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

using philox_counter = items<stl::uint32_t, 4>;
using philox_key = items<stl::uint32_t, 2>;

TESSERA_FN philox_counter philox_round(philox_counter const& c, philox_key const& key) {
  stl::uint64_t const first = stl::uint64_t{0xD2511F53u} * c[0], second = stl::uint64_t{0xCD9E8D57u} * c[2];
  return {static_cast<stl::uint32_t>(second >> 32) ^ c[1] ^ key[0], static_cast<stl::uint32_t>(second),
          static_cast<stl::uint32_t>(first >> 32) ^ c[3] ^ key[1], static_cast<stl::uint32_t>(first)};
}

TESSERA_FN philox_counter philox(philox_counter counter, philox_key key) {
  constexpr unsigned rounds = 10;
  TESSERA_UNROLL
  for (unsigned i = 0; i < rounds; ++i) {
    counter = detail::philox_round(counter, key);
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

/// 64 random bits for a seed's draw of this number.
TESSERA_FN stl::uint64_t random_bits(stl::uint64_t seed, stl::uint64_t number) {
  auto const word = [](stl::uint64_t x, unsigned which) { return static_cast<stl::uint32_t>(x >> (32 * which)); };
  auto const drawn = detail::philox({word(number, 0), word(number, 1), 0, 0}, {word(seed, 0), word(seed, 1)});
  return drawn[0] | stl::uint64_t{drawn[1]} << 32;
}

}  // namespace detail
TESSERA_NAMESPACE_END
