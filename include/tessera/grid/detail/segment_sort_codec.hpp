// What blocks sort in place of elements: entries, which are small and of which no two are equal unless nobody can tell them apart.
//
//   direct_keys     the ordered key of a number, from which it is made again          numbers alone
//   packed_keys     the key that equal numbers share, and the position                numbers with values, stable
//   compared_keys   the position; the elements themselves are compared                any type, any order, stable
//
// A position is an element's place among those that the block sorts. Numbers of one size have one codec: what they are, and the
// order, is data of a key_coding. So one kernel serves float, std::int32_t and std::uint32_t, by less and by greater.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/grid/detail/opaque_bytes.hpp>
#include <tessera/grid/detail/radix_key.hpp>
#include <tessera/grid/detail/segment_sort_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where sorted elements come from: positions from `split` on are those of a second run.
struct entry_source {
  std::int64_t first;
  unsigned split;
  std::int64_t second;

  TESSERA_FN std::int64_t at(unsigned position) const {
    return position < split ? first + position : second + (position - split);
  }
};
/// All positions in one run.
TESSERA_FN entry_source one_source(std::int64_t first) {
  return {first, UINT32_MAX, 0};
}

/// radix_order (radix_key.hpp) with what T and the order are as data.
template <class Bits>
struct key_coding {
  bool is_float;
  Bits flipped, begin, first_nan;

  template <class T, bool Falling>
  static constexpr key_coding of() {
    constexpr Bits zero_key = radix_order<T, Falling>::key_of(0);
    if constexpr (tessera::detail::is_any_float<T>) {
      using image = tessera::detail::float_image<T>;
      return {true, Falling ? image::sign : Bits{0}, image::begin, image::first_nan};
    } else {
      return {false, zero_key, 0, 0};
    }
  }

  TESSERA_FN Bits encode(Bits raw) const {
    Bits const b = static_cast<Bits>(raw ^ flipped);
    if (!is_float) return b;
    return static_cast<Bits>(((b & sign) != 0 ? static_cast<Bits>(~b) : static_cast<Bits>(b | sign)) - begin);
  }
  TESSERA_FN Bits decode(Bits key) const {
    if (!is_float) return static_cast<Bits>(key ^ flipped);
    Bits const rotated = static_cast<Bits>(key + begin);
    Bits const b = (rotated & sign) != 0 ? static_cast<Bits>(rotated ^ sign) : static_cast<Bits>(~rotated);
    return static_cast<Bits>(b ^ flipped);
  }
  /// The key that equal numbers share.
  TESSERA_FN Bits encode_equal(Bits raw) const {
    Bits const key = encode(raw);
    if (!is_float) return key;
    Bits const lower_zero = static_cast<Bits>(sign - 1 - begin);
    Bits const number = key == lower_zero ? static_cast<Bits>(lower_zero + 1) : key;
    return number < first_nan ? number : first_nan;
  }

 private:
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
};

template <class Entry>
inline constexpr unsigned entry_capacity = segment_sort_tuning::entry_bytes / sizeof(Entry);

/// Numbers of these bits, alone.
template <class Bits>
struct direct_keys {
  using entry = stl::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned capacity = entry_capacity<entry>;
  static constexpr bool gathers = false;
  struct arrays {
    Bits* keys;
  };
  using order = less;

  key_coding<Bits> coding;

  TESSERA_FN static entry last() { return static_cast<entry>(~entry{0}); }
  TESSERA_FN order order_of(arrays const&, entry_source const&) const { return {}; }
  TESSERA_FN entry load(arrays const& from, std::int64_t i, unsigned) const {
    return coding.encode(from.keys[i]);
  }
  TESSERA_FN void store(arrays const& to, std::int64_t i, entry x) const {
    to.keys[i] = coding.decode(static_cast<Bits>(x));
  }
  /// Whether element i comes before element j.
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    return load(from, i, 0) < load(from, j, 0);
  }
};

/// A key of 64 bits and a position.
struct wide_entry {
  std::uint64_t key;
  std::uint32_t position;
};
struct wide_before {
  TESSERA_FN bool operator()(wide_entry const& a, wide_entry const& b) const {
    return a.key < b.key || (a.key == b.key && a.position < b.position);
  }
};

/// Values of 4 or 8 bytes, or none, moved beside keys.
struct moved_values {
  void* data;
  unsigned bytes;

  TESSERA_FN std::uint64_t load(std::int64_t i) const {
    return bytes == 4   ? static_cast<std::uint32_t const*>(data)[i]
           : bytes == 8 ? static_cast<std::uint64_t const*>(data)[i]
                        : 0;
  }
  TESSERA_FN void store(std::int64_t i, std::uint64_t x) const {
    if (bytes == 4) static_cast<std::uint32_t*>(data)[i] = static_cast<std::uint32_t>(x);
    if (bytes == 8) static_cast<std::uint64_t*>(data)[i] = x;
  }
};

/// Numbers of these bits, and their values.
template <class Bits>
struct packed_keys {
  using entry = stl::conditional_t<sizeof(Bits) == 8, wide_entry,
                                   stl::conditional_t<sizeof(Bits) == 4, std::uint64_t, std::uint32_t>>;
  static constexpr unsigned capacity = entry_capacity<entry>;
  static constexpr bool gathers = true;
  struct arrays {
    Bits* keys;
    moved_values values;
  };
  struct element {
    Bits key;
    std::uint64_t value;
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
  TESSERA_FN entry load(arrays const& from, std::int64_t i, unsigned position) const {
    Bits const key = coding.encode_equal(from.keys[i]);
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
  TESSERA_FN element gather(arrays const& from, std::int64_t i) const {
    return {from.keys[i], from.values.load(i)};
  }
  TESSERA_FN void store(arrays const& to, std::int64_t i, element const& x) const {
    to.keys[i] = x.key;
    to.values.store(i, x.value);
  }
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    return coding.encode_equal(from.keys[i]) < coding.encode_equal(from.keys[j]);
  }

 private:
  static constexpr unsigned position_bits = sizeof(Bits) == 4 ? 32 : 16;
};

/// No values.
struct no_values {};

/// Keys of any type by a comparator, with values of any type or no_values.
template <class T, class Value, class Before>
struct compared_keys {
  static constexpr bool has_values = !stl::is_same_v<Value, no_values>;
  using key = opaque_t<T>;
  using value = stl::conditional_t<has_values, opaque_t<Value>, no_values>;
  using entry = std::uint32_t;
  static constexpr unsigned capacity = sizeof(T) + sizeof(Value) <= 16 ? 2048 : 1024;
  static constexpr bool gathers = true;
  struct arrays {
    key* keys;
    value* values;
  };
  struct element {
    key x;
    value y;
  };
  struct order {
    T const* keys;
    entry_source source;
    Before before;

    /// Equal elements are in the order of their positions. Behind all of them is what isn't there.
    TESSERA_FN bool operator()(entry a, entry b) const {
      if (a == last() || b == last()) return a < b;
      T const &x = keys[source.at(a)], &y = keys[source.at(b)];
      if (before(x, y)) return true;
      return a < b && !before(y, x);
    }
  };

  Before before;

  TESSERA_FN static entry last() { return UINT32_MAX; }
  TESSERA_FN order order_of(arrays const& from, entry_source const& source) const {
    return {reinterpret_cast<T const*>(from.keys), source, before};
  }
  TESSERA_FN entry load(arrays const&, std::int64_t, unsigned position) const { return position; }
  TESSERA_FN static unsigned position(entry x) { return x; }
  TESSERA_FN element gather(arrays const& from, std::int64_t i) const {
    if constexpr (has_values) {
      return {from.keys[i], from.values[i]};
    } else {
      return {from.keys[i], {}};
    }
  }
  TESSERA_FN void store(arrays const& to, std::int64_t i, element const& x) const {
    to.keys[i] = x.x;
    if constexpr (has_values) to.values[i] = x.y;
  }
  TESSERA_FN bool comes_before(arrays const& from, std::int64_t i, std::int64_t j) const {
    auto const* const keys = reinterpret_cast<T const*>(from.keys);
    return static_cast<bool>(before(keys[i], keys[j]));
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
