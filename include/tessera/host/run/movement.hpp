// The work of a rendezvous after all lanes have arrived: it copies values from the lanes' `in` to the lanes' `out`.
#pragma once

#include <cstdint>
#include <cstring>
#include <tessera/host/run/request.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

inline void copy_value(void* to, const void* from, unsigned bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

/// The lane that `rank` reads, in a tile of `size` lanes: its own if the source lies outside of the tile.
inline unsigned source_of(primitive kind, unsigned rank, unsigned argument, unsigned size) {
  switch (kind) {
    case primitive::shuffle:
      return argument < size ? argument : rank;  // the source may not exist in a padded tile
    case primitive::shuffle_xor:
      return (rank ^ argument) < size ? rank ^ argument : rank;
    case primitive::shuffle_up:
      return argument <= rank ? rank - argument : rank;
    case primitive::shuffle_down:
      return argument < size - rank ? rank + argument : rank;
    default:
      return rank;
  }
}

/// Performs a shuffle of one tile. `at(rank)` is the request of the tile's lane `rank`.
template <class At>
void move_shuffle(unsigned size, At at) {
  for (unsigned rank = 0; rank < size; ++rank) {
    const request& to = at(rank);
    unsigned const source = detail::source_of(to.kind, rank, to.argument, size);
    detail::copy_value(to.out, at(source).in, to.bytes);
  }
}

/// Performs a ballot of one tile. Every lane gets ceil(size / 32) words.
template <class At>
void move_ballot(unsigned size, At at) {
  std::uint32_t words[32] = {};
  for (unsigned rank = 0; rank < size; ++rank) words[rank / 32] |= at(rank).argument << (rank % 32);
  std::size_t const bytes = 4 * ((size + 31) / 32);
  for (unsigned rank = 0; rank < size; ++rank) std::memcpy(at(rank).out, words, bytes);
}

/// Performs a match of one tile. Every lane gets the set of lanes with the same bytes, in ceil(size / 32)
/// words.
template <class At>
void move_match(unsigned size, At at) {
  for (unsigned rank = 0; rank < size; ++rank) {
    const request& me = at(rank);
    std::uint32_t words[32] = {};
    for (unsigned other = 0; other < size; ++other) {
      bool const same = std::memcmp(me.in, at(other).in, me.bytes) == 0;
      words[other / 32] |= static_cast<std::uint32_t>(same) << (other % 32);
    }
    std::memcpy(me.out, words, std::size_t{4} * ((size + 31) / 32));
  }
}

/// Tells every lane whether any lane votes true.
template <class At>
void move_any(unsigned size, At at) {
  bool any = false;
  for (unsigned rank = 0; rank < size; ++rank) any = any || at(rank).argument != 0;
  for (unsigned rank = 0; rank < size; ++rank) std::memcpy(at(rank).out, &any, sizeof(any));
}

template <class At>
void move(primitive kind, unsigned size, At at) {
  switch (kind) {
    case primitive::sync:
      break;
    case primitive::ballot:
      return detail::move_ballot(size, at);
    case primitive::match:
      return detail::move_match(size, at);
    case primitive::any:
      return detail::move_any(size, at);
    default:
      return detail::move_shuffle(size, at);
  }
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
