// Blocks sort entries in place of elements. Entries are small, and no two are equal unless nobody can tell them apart.
//
//   direct_keys     the ordered key of a number, from which it is made again          numbers alone
//   packed_keys     the key that equal numbers share, and the position                numbers with values, stable
//   compared_keys   the position; the elements themselves are compared                any type, any order, stable
//
// A position is an element's place among those that the block sorts. Numbers of one size have one codec: what they
// are, and the order, is data of a key_coding. So one kernel serves float, std::int32_t and std::uint32_t, by less
// and by greater.
//
// load() gives what is needed of an element in global memory, from which entry_of() makes its entry once it is there.
//
// A codec's `capacity` is how many entries a block sorts at a time, and `blocks_per_multiprocessor` leaves each
// thread the registers that its network takes.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/grid/sort/segment_sort_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where sorted elements come from: positions below `split` count from element `first` on, the others, of a second
/// run, from `second` on.
struct entry_source {
  std::int64_t first;
  unsigned split;
  std::int64_t second;

  TESSERA_FN std::int64_t at(unsigned position) const { return (position < split ? first : second) + position; }
};
/// All positions in one run.
TESSERA_FN entry_source one_source(std::int64_t first) {
  return {first, UINT32_MAX, 0};
}

/// Numbers of these bits, alone.
template <class Bits>
struct direct_keys {
  using entry = stl::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned capacity = sizeof(Bits) == 8 ? 2048 : 4096;
  static constexpr bool gathers = false, has_few_networks = false, has_block_network = sizeof(Bits) == 4;
  static constexpr unsigned blocks_per_multiprocessor = sizeof(Bits) == 8 ? 2 : 4;
  struct arrays {
    Bits* keys;
  };
  using order = less;

  key_coding<Bits> coding;

  TESSERA_FN static entry last() { return static_cast<entry>(~entry{0}); }
  TESSERA_FN order order_of(arrays const&, entry_source const&) const { return {}; }
  TESSERA_FN Bits load(arrays const& from, std::int64_t i) const { return from.keys[i]; }
  TESSERA_FN entry entry_of(Bits loaded, unsigned) const { return coding.encode(loaded); }
  TESSERA_FN Bits element_of(entry x) const { return coding.decode(static_cast<Bits>(x)); }
  TESSERA_FN void store(arrays const& to, std::int64_t i, Bits x) const { to.keys[i] = x; }
  /// True if element i comes before element j.
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    return coding.encode(from.keys[i]) < coding.encode(from.keys[j]);
  }
};

/// A key of 64 bits and a position.
struct wide_entry {
  std::uint64_t key;
  std::uint32_t position;
};
struct wide_before {
  TESSERA_FN bool operator()(wide_entry const& a, wide_entry const& b) const {
    return (a.key < b.key) |
           ((a.key == b.key) & (a.position < b.position));  // without branches, which take long to compile
  }
};

/// Values of 4 or 8 bytes, or none, moved beside keys.
struct moved_values {
  void* data;
  unsigned bytes;
};

/// Numbers of these bits, and their values.
template <class Bits>
struct packed_keys {
  using entry = stl::conditional_t<sizeof(Bits) == 8, wide_entry,
                                   stl::conditional_t<sizeof(Bits) == 4, std::uint64_t, std::uint32_t>>;
  static constexpr unsigned capacity = sizeof(Bits) == 8 ? 1024 : 2048;
  static constexpr bool gathers = true, has_few_networks = false, has_block_network = false;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  struct arrays {
    Bits* keys;
    moved_values values;
  };
  using order = stl::conditional_t<sizeof(Bits) == 8, wide_before, less>;

  key_coding<Bits> coding;

  TESSERA_FN static entry last() {
    if constexpr (sizeof(Bits) == 8) {
      return {UINT64_MAX, UINT32_MAX};
    } else {
      return static_cast<entry>(~entry{0});
    }
  }
  TESSERA_FN order order_of(arrays const&, entry_source const&) const { return {}; }
  TESSERA_FN Bits load(arrays const& from, std::int64_t i) const { return from.keys[i]; }
  TESSERA_FN entry entry_of(Bits loaded, unsigned position) const {
    Bits const key = coding.encode_equal(loaded);
    if constexpr (sizeof(Bits) == 8) {
      return {key, position};
    } else {
      return static_cast<entry>(static_cast<entry>(key) << position_bits | position);
    }
  }
  TESSERA_FN static unsigned position(entry const& x) {
    if constexpr (sizeof(Bits) == 8) {
      return x.position;
    } else {
      return static_cast<unsigned>(x & ((entry{1} << position_bits) - 1));
    }
  }
  TESSERA_FN Bits key(arrays const& from, std::int64_t i) const { return from.keys[i]; }
  TESSERA_FN void store_key(arrays const& to, std::int64_t i, Bits x) const { to.keys[i] = x; }
  /// Calls move(load, store), if there are values: load(i) gives a value, store(i, x) stores one.
  template <class Move>
  TESSERA_FN void move_values(arrays const& from, arrays const& to, Move const& move) const {
    if (to.values.bytes == 4) move_words<std::uint32_t>(from, to, move);
    if (to.values.bytes == 8) move_words<std::uint64_t>(from, to, move);
  }
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    return coding.encode_equal(from.keys[i]) < coding.encode_equal(from.keys[j]);
  }

 private:
  static constexpr unsigned position_bits = sizeof(Bits) == 4 ? 32 : 16;

  template <class Word, class Move>
  TESSERA_FN static void move_words(arrays const& from, arrays const& to, Move const& move) {
    auto const* const in = static_cast<Word const*>(from.values.data);
    auto* const out = static_cast<Word*>(to.values.data);
    move([=](std::int64_t i) { return in[i]; }, [=](std::int64_t i, Word x) { out[i] = x; });
  }
};

/// No values, or nothing of a key.
struct no_values {};

/// The order of positions by their elements. Source: at(position) is the index of its element.
template <class T, class Source, class Before>
struct positions_by {
  T const* elements;
  Source source;
  Before before;

  /// In place of a missing element, which comes after all others.
  TESSERA_FN static std::uint32_t last() { return UINT32_MAX; }
  /// Equal elements are in the order of their positions, so that one call tells: the later one comes first or not.
  TESSERA_FN bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (a == last() || b == last()) return a < b;
    bool const is_earlier = a < b;
    bool const later_first =
        static_cast<bool>(before(elements[source.at(is_earlier ? b : a)], elements[source.at(is_earlier ? a : b)]));
    return later_first != is_earlier;
  }
};

/// Keys of any type by a comparator, with values of any type or no_values.
template <class T, class Value, class Before>
struct compared_keys {
  static constexpr bool has_values = !stl::is_same_v<Value, no_values>;
  using key_bytes = opaque_t<T>;
  using value_bytes = opaque_t<Value>;
  using entry = std::uint32_t;
  static constexpr unsigned capacity = sizeof(T) + sizeof(Value) <= 16 ? 2048 : 1024;
  static constexpr bool gathers = true, has_few_networks = true, has_block_network = false;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  struct arrays {
    key_bytes* keys;
    value_bytes* values;
  };
  using order = positions_by<T, entry_source, Before>;

  Before before;

  TESSERA_FN static entry last() { return order::last(); }
  TESSERA_FN order order_of(arrays const& from, entry_source const& source) const {
    return {reinterpret_cast<T const*>(from.keys), source, before};
  }
  TESSERA_FN no_values load(arrays const&, std::int64_t) const { return {}; }
  TESSERA_FN entry entry_of(no_values, unsigned position) const { return position; }
  TESSERA_FN static unsigned position(entry x) { return x; }
  TESSERA_FN key_bytes key(arrays const& from, std::int64_t i) const { return from.keys[i]; }
  TESSERA_FN void store_key(arrays const& to, std::int64_t i, key_bytes const& x) const { to.keys[i] = x; }
  template <class Move>
  TESSERA_FN void move_values([[maybe_unused]] arrays const& from, [[maybe_unused]] arrays const& to,
                              [[maybe_unused]] Move const& move) const {
    if constexpr (has_values)
      move([&](std::int64_t i) { return from.values[i]; },
           [&](std::int64_t i, value_bytes const& x) { to.values[i] = x; });
  }
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    auto const* const keys = reinterpret_cast<T const*>(from.keys);
    return static_cast<bool>(before(keys[i], keys[j]));
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
