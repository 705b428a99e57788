// Loads and stores of a range's elements as a group's items. A lane's row of items in blocked order is loaded by
// vectors of 16 bytes wherever the range begins:
//
//   every 16 bytes  |         |         |         |
//   elements              0 1 2 3 4 5 6 7 8 9 10         of 4 bytes; 4 a lane
//   lane 0                a b c d                        element by element: its first vector begins before the range
//   lane 1                        e f g h                from [2 3 4 5] and [6 7 8 9], shifted by their offset
//   lane 2                                i j k          element by element: there is no fourth
//
// It is stored by 16 bytes, too. A vector may begin with the end of the row before, which the lane needs to know. Lanes
// of one warp pass it on:
//
//   lane 0                a b                            one by one, and the end of the warp's last row
//   lane 1                    c d e f                    its predecessor's c d, and its own e f
//   lane 2                            g h i j
//   the last row's end                        k l        lane 0 receives it from the last lane; stored one by one
//
// Nothing outside the range is read or written.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/iterators.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/tile/ranges.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lower word of both, shifted to the right by fewer than 32 bits.
TESSERA_FN stl::uint32_t shift_right(stl::uint32_t low, stl::uint32_t high, unsigned bits) {
  return static_cast<stl::uint32_t>((stl::uint64_t{high} << 32 | low) >> bits);
}

template <store_modifier Modifier = store_modifier::standard>
TESSERA_FN void store_sixteen_bytes(void* to, sixteen_bytes const& x) {
#if TESSERA_ARCH
  if constexpr (Modifier == store_modifier::streaming) {
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"  // __stcs, which clang lacks
                 :
                 : "l"(to), "r"(x.word[0]), "r"(x.word[1]), "r"(x.word[2]), "r"(x.word[3])
                 : "memory");
  } else {
    *static_cast<sixteen_bytes*>(to) = x;
  }
#else
  detail::copy_bytes(to, TESSERA_ADDRESS_OF(x), 16);
#endif
}

/// The type of the stores that T's alignment allows.
template <unsigned Alignment>
using unit_of = stl::conditional_t<
    Alignment == 1, stl::uint8_t,
    stl::conditional_t<Alignment == 2, stl::uint16_t,
                       stl::conditional_t<Alignment == 4, stl::uint32_t,
                                          stl::conditional_t<Alignment == 8, stl::uint64_t, sixteen_bytes>>>>;

template <store_modifier Modifier = store_modifier::standard, class Unit>
TESSERA_FN void store_unit(void* to, Unit const& x) {
#if TESSERA_ARCH
  if constexpr (sizeof(Unit) == 16) {
    detail::store_sixteen_bytes<Modifier>(to, x);
  } else if constexpr (Modifier == store_modifier::streaming && sizeof(Unit) == 8) {
    asm volatile("st.global.cs.u64 [%0], %1;" : : "l"(to), "l"(x) : "memory");
  } else if constexpr (Modifier == store_modifier::streaming && sizeof(Unit) == 4) {
    asm volatile("st.global.cs.u32 [%0], %1;" : : "l"(to), "r"(x) : "memory");
  } else {
    *static_cast<Unit*>(to) = x;
  }
#else
  detail::copy_bytes(to, TESSERA_ADDRESS_OF(x), sizeof(x));
#endif
}

/// A row of items that consists of vectors of 16 bytes.
template <class T, unsigned K>
class wide_row {
  static constexpr unsigned bytes = sizeof(T) * K, vectors = bytes / 16;

 public:
  static constexpr bool exists = bytes % 16 == 0;

  /// The distance of an address from the multiple of 16 bytes before it.
  TESSERA_FN static unsigned distance(void const* at) {
    return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) % 16);
  }

  /// Loads the row from a multiple of 16 bytes.
  TESSERA_FN static items<T, K> load_aligned(T const* from) {
    words<items<T, K>> w;
    auto const* const at = reinterpret_cast<unsigned char const*>(from);
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) load_vector(w.word + 4 * v, at + 16 * v);
    return detail::from_words<items<T, K>>(w);
  }

  /// The number of elements that the range must have after the row, so that the row's last vector is within the range.
  TESSERA_FN static unsigned elements_after(unsigned distance) {
    return (16 - distance + static_cast<unsigned>(sizeof(T)) - 1) / static_cast<unsigned>(sizeof(T));
  }
  /// Loads a row that begins at this distance, 1 … 15, from the multiple of 16 bytes before it.
  TESSERA_FN static items<T, K> load_shifted(T const* from, unsigned distance) {
    stl::uint32_t word[4 * vectors + 4];
    auto const* const at = reinterpret_cast<unsigned char const*>(from) - distance;
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors + 1; ++v) load_vector(word + 4 * v, at + 16 * v);
    return detail::from_words<items<T, K>>(from_byte(word, distance));
  }

  /// Stores the row at a multiple of 16 bytes.
  template <store_modifier Modifier = store_modifier::standard>
  TESSERA_FN static void store_aligned(T* to, items<T, K> const& x) {
    words<items<T, K>> const w = detail::to_words(x);
    auto* const at = reinterpret_cast<unsigned char*>(to);
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) store_vector<Modifier>(at + 16 * v, w.word + 4 * v);
  }

  /// The last words of a row, which belong to the first vector of the next row.
  struct row_end {
    stl::uint32_t word[alignof(T) < 4 ? 4 : alignof(T) < 8 ? 3 : 2];
  };
  TESSERA_FN static row_end end_of(items<T, K> const& x) {
    row_end end;
    words<items<T, K>> const w = detail::to_words(x);
    detail::copy_bytes(TESSERA_ADDRESS_OF(end), w.word + 4 * vectors - sizeof(end) / 4, sizeof(end));
    return end;
  }
  /// Stores the row at this distance, 1 … 15, from a multiple of 16 bytes. The vectors from that multiple on begin with
  /// the end of the row before. The `first` of the rows that are stored together stores its first vector's elements one
  /// by one, those of the row before at that row's own end.
  TESSERA_FN static void store_shifted(T* to, unsigned distance, items<T, K> const& x, row_end const& before,
                                       bool first, T* end_of_row_before) {
    stl::uint32_t word[4 * vectors + 4] = {};
    detail::copy_bytes(word + 4 - sizeof(before) / 4, TESSERA_ADDRESS_OF(before), sizeof(before));
    detail::copy_bytes(word + 4, TESSERA_ADDRESS_OF(x), bytes);
    words<items<T, K>> const w = from_byte(word, 16 - distance);
    auto* const at = reinterpret_cast<unsigned char*>(to) - distance;
    if (first) {
      store_parted(reinterpret_cast<unsigned char*>(end_of_row_before) - distance, at, w.word, distance);
    } else {
      store_vector(at, w.word);
    }
    TESSERA_UNROLL
    for (unsigned v = 1; v < vectors; ++v) store_vector(at + 16 * v, w.word + 4 * v);
  }

 private:
  /// The words of the row that begins at byte `begin`, 1 … 15, of `word`.
  TESSERA_FN static words<items<T, K>> from_byte(stl::uint32_t (&word)[4 * vectors + 4], unsigned begin) {
    bool const by_two = (begin & 8) != 0, by_one = alignof(T) % 8 != 0 && (begin & 4) != 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors + 2; ++i) word[i] = by_two ? word[i + 2] : word[i];
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors + 1; ++i) word[i] = by_one ? word[i + 1] : word[i];
    words<items<T, K>> w;
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4 * vectors; ++i)
      w.word[i] = alignof(T) % 4 == 0 ? word[i] : detail::shift_right(word[i], word[i + 1], 8 * (begin % 4));
    return w;
  }
  template <store_modifier Modifier = store_modifier::standard>
  TESSERA_FN static void store_vector(void* to, stl::uint32_t const* from) {
    sixteen_bytes stored;
    detail::copy_bytes(stored.word, from, 16);
    detail::store_sixteen_bytes<Modifier>(to, stored);
  }
  /// Stores a vector's first `parted` bytes from `front` on, and the others at their place after `back`.
  TESSERA_FN static void store_parted(unsigned char* front, unsigned char* back, stl::uint32_t const* from,
                                      unsigned parted) {
    using unit = unit_of<alignof(T)>;
    struct units {
      unit of[16 / sizeof(unit)];
    } stored;
    detail::copy_bytes(TESSERA_ADDRESS_OF(stored), from, 16);
    TESSERA_UNROLL
    for (unsigned i = 0; i < 16 / sizeof(unit); ++i) {
      unsigned const byte = i * static_cast<unsigned>(sizeof(unit));
      detail::store_unit((byte < parted ? front : back) + byte, stored.of[i]);
    }
  }
  TESSERA_FN static void load_vector(stl::uint32_t* to, void const* from) {
    sixteen_bytes const loaded = detail::load_sixteen_bytes(from);
    detail::copy_bytes(to, loaded.word, 16);
  }
};

/// The number of the element that is item i of a lane.
template <class Policy, unsigned N, unsigned K>
TESSERA_FN unsigned element_of(unsigned rank, unsigned i) {
  return is_striped<Policy> ? i * N + rank : rank * K + i;
}

/// Stores one element, whose type may lack assignment.
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
/// Element i of a writer becomes x.
template <class Out, class Index, class T>
TESSERA_FN void store_at(Out const& out, Index i, T const& x) {
  if constexpr (stl::is_pointer_v<Out>) {
    detail::store_element(out + i, x);
  } else {
    detail::write_element(out, i, x);
  }
}

/// A lane's items of the first n elements, and `fill` beyond them.
template <class Policy, unsigned K, unsigned N, class T, class Count>
TESSERA_FN items<T, K> load_items(unsigned rank, T const* first, Count n, T const& fill) {
  if constexpr (!is_striped<Policy> && wide_row<T, K>::exists) {
    using wide = wide_row<T, K>;
    Count const begin = rank * K, left = n > begin ? n - begin : 0;
    unsigned const distance = wide::distance(first);
    if (distance == 0 && left >= K) return wide::load_aligned(first + begin);
    if (distance != 0 && rank > 0 && left >= K + wide::elements_after(distance))
      return wide::load_shifted(first + begin, distance);
  }
  auto out = detail::from_words<items<T, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const element = detail::element_of<Policy, N, K>(rank, i);
    detail::assign(out[i], fill);
    if (element < n) {
      T const x = first[element];
      detail::assign(out[i], x);
    }
  }
  return out;
}

/// Stores a lane's items as elements of the first n, one by one.
template <class Policy, unsigned N, class T, unsigned K, class Count>
TESSERA_FN void store_single(unsigned rank, items<T, K> const& x, T* first, Count n) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const element = detail::element_of<Policy, N, K>(rank, i);
    if (element < n) detail::store_element(first + element, x[i]);
  }
}

/// Stores a lane's items as elements of the first n.
template <class Policy, unsigned N, class T, unsigned K, class Count>
TESSERA_FN void store_some(unsigned rank, items<T, K> const& x, T* first, Count n) {
  if constexpr (!is_striped<Policy> && wide_row<T, K>::exists) {
    using wide = wide_row<T, K>;
    if (wide::distance(first) == 0 && rank * K + K <= n) {
      wide::store_aligned(first + rank * K, x);
      return;
    }
  }
  detail::store_single<Policy, N>(rank, x, first, n);
}

/// True if rows of K items are stored by vectors wherever they begin. A single lane doesn't save stores for a row of 16
/// bytes.
template <class Policy, class T, unsigned K, unsigned N>
inline constexpr bool stores_shifted =
    !is_striped<Policy> && wide_row<T, K>::exists && alignof(T) < 16 && (N >= 32 || K * sizeof(T) > 16);

/// The lanes of the group's warp.
template <class Group>
TESSERA_FN auto warp_of(Group group) {
  if constexpr (is_multi_warp<Group>) {
    return group.in_warp();
  } else {
    return group;
  }
}

/// Stores a lane's items, in blocked order, as elements of a range that doesn't begin at a multiple of 16 bytes. The
/// rows of a full warp are stored together. In a smaller tile each is stored by itself, since the warp's other tiles
/// may have other offsets.
template <class Group, class T, unsigned K, class Count>
TESSERA_FN void store_unaligned(Group group, items<T, K> const& x, T* first, Count n) {
  using wide = wide_row<T, K>;
  unsigned const rank = group.rank();
  T* const row = first + rank * K;
  bool const is_whole = rank * K + K <= n;
  auto before = wide::end_of(x);
  bool is_first = true;
  T* end_before = row + K;
  if constexpr (Group::size >= 32) {
    auto const warp = detail::warp_of(group);
    unsigned const lane = warp.rank(), row_count = warp.ballot(is_whole).count();
    is_first = lane == 0;
    end_before = row + row_count * K;
    before = warp.shuffle(before, !is_first ? lane - 1 : row_count == 0 ? 0 : row_count - 1);
  }
  if (is_whole) {
    wide::store_shifted(row, wide::distance(first), x, before, is_first, end_before);
  } else {
    detail::store_single<policy<>, Group::size>(rank, x, first, n);
  }
}

/// Stores the items of all lanes.
template <class Policy, class Group, class T, unsigned K, class Count>
TESSERA_FN void store_items(Group group, items<T, K> const& x, T* first, Count n) {
  if constexpr (stores_shifted<Policy, T, K, Group::size>) {
    if (wide_row<T, K>::distance(first) != 0) return detail::store_unaligned(group, x, first, n);
  }
  detail::store_some<Policy, Group::size>(group.rank(), x, first, n);
}

template <unsigned K, class Tile, class T, class Integer, class Policy>
TESSERA_FN auto load_range(Tile const& tile, T const* first, Integer n, T const& fill, Policy const& policy,
                           call_site site) {
  require_range<Tile, T, Integer>();
  auto const count = detail::count_of(n);
  return detail::collective<collectives::load, T>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        detail::require_elements(group, first, count);
        auto const out = detail::load_items<Policy, K, tile_size_v<Tile>>(group.rank(), first, count, fill);
        group.reconverge();  // lanes at the range's ends branch differently
        return out;
      });
}

template <class Tile, class X, class T, class Integer, class Policy>
TESSERA_FN auto store_range(Tile const& tile, X const& x, T* first, Integer n, Policy const& policy, call_site site) {
  require_range<Tile, T, Integer>();
  static_assert(stl::is_same_v<item_t<X>, T>,
                "store(tile, x, first, n): first points to values of x's type, or of its items' type.");
  auto const count = detail::count_of(n);
  detail::collective<collectives::store, X>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is written
        detail::require_elements(group, first, count);
        detail::store_items<Policy>(group, detail::as_row(x), first, count);
        group.reconverge();  // not all lanes store
      });
}

}  // namespace detail

// A first argument that isn't a pointer gets a message.
template <unsigned K, class Tile, class Integer, class... Rest>
TESSERA_FN detail::anything load(Tile const&, detail::no_pointer, Integer, Rest const&...) {
  detail::require_pointer<Tile>();
  return {};
}

// The call without the number of items.
template <class Tile, class First, class Integer, class... Rest>
TESSERA_FN detail::anything load(Tile const&, First const&, Integer, Rest const&...) {
  static_assert(detail::never<Tile>,
                "load<K>(tile, first, n): K, the items of a lane, is a constant: write tessera::load<4>(tile, first, "
                "n).");
  return {};
}
TESSERA_NAMESPACE_END
