// The runs that a sort over ranks moves, of keys alone or of keys with values, and how the latter are merged.
//
//   places of run a     2@0 5@1 9@2           A merge moves a key and the place of its value (keyed_place), whatever
//   places of run b     5@3 7@4               the value's type is. What it writes goes to two arrays: the key, and a
//   merged              2@0 5@1 5@3 7@4 9@2   copy of the value at the place.
//   keys, values        2 5 5 7 9, values[0] values[1] values[3] values[4] values[2]
#pragma once

#include <tessera/grid/sharded/exchange_plan.hpp>
#include <tessera/grid/sharded/swapped_piece.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The bytes of n elements of an array in memory that several share.
template <class T>
std::size_t bytes_of_run(std::int64_t n) {
  constexpr std::size_t align = 256;
  return (static_cast<std::size_t>(n) * sizeof(T) + align - 1) / align * align;
}

template <class T>
swapped_piece swapped_piece_of(T* elements, int peer, piece_range const& sent, piece_range const& got) {
  return {peer, elements + sent.begin, static_cast<std::size_t>(sent.count) * sizeof(T), elements + got.begin,
          static_cast<std::size_t>(got.count) * sizeof(T)};
}

/// Keys side by side.
template <class Key>
struct key_run {
  Key* keys;

  /// How many bytes n elements have, and n elements in so many.
  static std::size_t bytes(std::int64_t n) { return detail::bytes_of_run<Key>(n); }
  static key_run in(void* memory, std::int64_t) { return {static_cast<Key*>(memory)}; }
  /// The elements from one on.
  key_run at(std::int64_t i) const { return {keys + i}; }
  /// Adds what is sent to a peer of these elements, and where what it sends is stored.
  void add_pieces(std::vector<swapped_piece>& to, int peer, piece_range const& sent, piece_range const& got) const {
    to.push_back(detail::swapped_piece_of(keys, peer, sent, got));
  }
};

/// Keys side by side, and their values.
template <class Key, class Value>
struct pair_run {
  Key* keys;
  Value* values;

  static std::size_t bytes(std::int64_t n) { return detail::bytes_of_run<Key>(n) + detail::bytes_of_run<Value>(n); }
  static pair_run in(void* memory, std::int64_t n) {
    return {static_cast<Key*>(memory),
            reinterpret_cast<Value*>(static_cast<char*>(memory) + detail::bytes_of_run<Key>(n))};
  }
  pair_run at(std::int64_t i) const { return {keys + i, values + i}; }
  void add_pieces(std::vector<swapped_piece>& to, int peer, piece_range const& sent, piece_range const& got) const {
    to.push_back(detail::swapped_piece_of(keys, peer, sent, got));
    to.push_back(detail::swapped_piece_of(values, peer, sent, got));
  }
};

/// A key, and where its value is.
template <class Key>
struct keyed_place {
  Key key;
  std::int64_t place;
};

/// Keys as an iterator that reads keyed places, of which the first is `place`.
template <class Key>
struct keyed_places {
  using value_type = keyed_place<Key>;

  Key const* keys;
  std::int64_t place;

  TESSERA_FN keyed_places operator+(std::int64_t i) const { return {keys + i, place + i}; }
  TESSERA_FN value_type operator*() const { return {*keys, place}; }
};

/// An iterator that writes keys, and the values of their places.
template <class Key, class Value>
struct values_by_place {
  Value const* values;
  Key* keys_out;
  Value* values_out;

  struct reference {
    values_by_place to;

    TESSERA_FN void operator=(keyed_place<Key> const& x) const {
      *to.keys_out = x.key;
      tessera::detail::store_element(to.values_out, to.values[x.place]);
    }
  };
  TESSERA_FN values_by_place operator+(std::int64_t i) const { return {values, keys_out + i, values_out + i}; }
  TESSERA_FN reference operator*() const { return {*this}; }
};

/// The order of keyed places.
template <class Before>
struct key_before {
  Before before;

  template <class Key>
  TESSERA_FN bool operator()(keyed_place<Key> const& a, keyed_place<Key> const& b) const {
    return before(a.key, b.key);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
