// Elements of a range in memory as a group's items, and back. A lane's row of items in blocked order is loaded by 16 bytes
// wherever the range begins:
//
//   every 16 bytes  |         |         |         |
//   elements              0 1 2 3 4 5 6 7 8 9 10         of 4 bytes; 4 a lane
//   lane 0                a b c d                        element by element: its first vector begins before the range
//   lane 1                        e f g h                of [2 3 4 5] and [6 7 8 9], shifted by their distance from the row
//   lane 2                                i j k          element by element: there is no fourth
//
// Nothing outside the range is read.
#pragma once

#include <tessera/detail/adjacent.hpp>
#include <tessera/detail/collective.hpp>
#include <tessera/detail/joint_reduce.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/detail/sort_entry.hpp>
#include <tessera/items.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lower word of both, shifted to the right by so many bits, fewer than 32.
TESSERA_FN stl::uint32_t shift_right(stl::uint32_t low, stl::uint32_t high, unsigned bits) {
  return static_cast<stl::uint32_t>((stl::uint64_t{high} << 32 | low) >> bits);
}

TESSERA_FN void store_sixteen_bytes(void* to, sixteen_bytes const& x) {
#if TESSERA_ARCH
  *static_cast<sixteen_bytes*>(to) = x;
#else
  detail::copy_bytes(to, &x, 16);
#endif
}

/// A row of items that vectors of 16 bytes make up.
template <class T, unsigned K>
class wide_row {
  static constexpr unsigned bytes = sizeof(T) * K, vectors = bytes / 16;

 public:
  static constexpr bool exists = bytes % 16 == 0;

  /// How many bytes after a multiple of 16 an address is.
  TESSERA_FN static unsigned distance(void const* at) {
    return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) % 16);
  }

  /// The row at a multiple of 16 bytes.
  TESSERA_FN static items<T, K> load_aligned(T const* from) {
    words<items<T, K>> w;
    auto const* const at = reinterpret_cast<unsigned char const*>(from);
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) load_vector(w.word + 4 * v, at + 16 * v);
    return detail::from_words<items<T, K>>(w);
  }

  /// How many elements there must be behind the row, so that its last vector is within the range.
  TESSERA_FN static unsigned behind(unsigned distance) {
    return (16 - distance + static_cast<unsigned>(sizeof(T)) - 1) / static_cast<unsigned>(sizeof(T));
  }
  /// The row that begins at this distance, 1 … 15, from the multiple of 16 bytes before it.
  TESSERA_FN static items<T, K> load_shifted(T const* from, unsigned distance) {
    stl::uint32_t word[4 * vectors + 4];
    auto const* const at = reinterpret_cast<unsigned char const*>(from) - distance;
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors + 1; ++v) load_vector(word + 4 * v, at + 16 * v);
    bool const by_two = (distance & 8) != 0, by_one = (distance & 4) != 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors + 2; ++i) word[i] = by_two ? word[i + 2] : word[i];
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors + 1; ++i) word[i] = by_one ? word[i + 1] : word[i];
    words<items<T, K>> w;
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors; ++i)
      w.word[i] = alignof(T) % 4 == 0 ? word[i] : shift_right(word[i], word[i + 1], 8 * (distance % 4));
    return detail::from_words<items<T, K>>(w);
  }

  /// To a multiple of 16 bytes.
  TESSERA_FN static void store_aligned(T* to, items<T, K> const& x) {
    words<items<T, K>> const w = detail::to_words(x);
    auto* const at = reinterpret_cast<unsigned char*>(to);
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      sixteen_bytes stored;
      detail::copy_bytes(stored.word, w.word + 4 * v, 16);
      store_sixteen_bytes(at + 16 * v, stored);
    }
  }

 private:
  TESSERA_FN static void load_vector(stl::uint32_t* to, void const* from) {
    sixteen_bytes const loaded = load_sixteen_bytes(from);
    detail::copy_bytes(to, loaded.word, 16);
  }
};

/// Which element is item i of a lane.
template <class Policy, unsigned N, unsigned K>
TESSERA_FN unsigned element_of(unsigned rank, unsigned i) {
  return is_striped<Policy> ? i * N + rank : rank * K + i;
}

/// The type whose stores a T's alignment allows.
template <unsigned Alignment>
using unit_of = stl::conditional_t<
    Alignment == 1, stl::uint8_t,
    stl::conditional_t<Alignment == 2, stl::uint16_t,
                       stl::conditional_t<Alignment == 4, stl::uint32_t,
                                          stl::conditional_t<Alignment == 8, stl::uint64_t, sixteen_bytes>>>>;

/// Stores one element of a type that need not have an assignment.
template <class T>
TESSERA_FN void store_element(T* to, T const& x) {
#if TESSERA_ARCH
  using unit = unit_of<alignof(T)>;
  struct units {
    unit of[sizeof(T) / sizeof(unit)];
  };
  units const stored = detail::from_bits<units>(x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < sizeof(T) / sizeof(unit); ++i) reinterpret_cast<unit*>(to)[i] = stored.of[i];
#else
  detail::assign(*to, x);
#endif
}

/// A lane's items of the first n elements; `fill` where there is none.
template <class Policy, unsigned K, unsigned N, class T, class Count>
TESSERA_FN items<T, K> load_items(unsigned rank, T const* first, Count n, T const& fill) {
  if constexpr (!is_striped<Policy> && wide_row<T, K>::exists) {
    using wide = wide_row<T, K>;
    Count const begin = rank * K, left = n > begin ? n - begin : 0;
    unsigned const distance = wide::distance(first);
    if (distance == 0 && left >= K) return wide::load_aligned(first + begin);
    if (distance != 0 && rank > 0 && left >= K + wide::behind(distance))
      return wide::load_shifted(first + begin, distance);
  }
  auto out = detail::from_words<items<T, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const element = element_of<Policy, N, K>(rank, i);
    detail::assign(out[i], fill);
    if (element < n) {
      T const x = first[element];
      detail::assign(out[i], x);
    }
  }
  return out;
}

/// Stores a lane's items as the first n elements.
template <class Policy, unsigned N, class T, unsigned K, class Count>
TESSERA_FN void store_some(unsigned rank, items<T, K> const& x, T* first, Count n) {
  if constexpr (!is_striped<Policy> && wide_row<T, K>::exists) {
    using wide = wide_row<T, K>;
    if (wide::distance(first) == 0 && rank * K + K <= n) {
      wide::store_aligned(first + rank * K, x);
      return;
    }
  }
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const element = element_of<Policy, N, K>(rank, i);
    if (element < n) detail::store_element(first + element, x[i]);
  }
}

template <unsigned K, class Tile, class T, class Integer, class Policy>
TESSERA_FN items<T, K> load_range(Tile const& tile, T const* first, Integer n, T const& fill,
                                  Policy const& policy, call_site site) {
  require_range<Tile, T, Integer>();
  auto const count = count_of(n);
  return detail::collective<collectives::load, T>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        auto const out = detail::load_items<Policy, K, tile_size_v<Tile>>(group.rank(), first, count, fill);
        group.reconverge();  // lanes at the range's ends take another way
        return out;
      });
}

template <class Tile, class X, class T, class Integer, class Policy>
TESSERA_FN void store_range(Tile const& tile, X const& x, T* first, Integer n, Policy const& policy,
                            call_site site) {
  require_range<Tile, T, Integer>();
  static_assert(stl::is_same_v<item_t<X>, T>,
                "store(tile, x, first, n): first points to values of x's type, or of its items' type.");
  auto const count = count_of(n);
  detail::collective<collectives::store, X>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is written
        detail::store_some<Policy, tile_size_v<Tile>>(group.rank(), detail::as_row(x), first, count);
        group.reconverge();  // not all lanes store
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
