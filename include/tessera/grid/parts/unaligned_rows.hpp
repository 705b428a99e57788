// Loads and stores rows of an array by the lanes of a warp: each lane has some neighboring elements, and moves them by
// 16 bytes at a time, wherever the array begins. A row of fewer than 16 bytes takes one load where it is aligned, and
// two where it isn't. At the array's ends rows are loaded element by element.
//
//   a row          lane 0   lane 1   lane 2   …       of 32 lanes
//   elements       0 1 2 3  4 5 6 7  8 9 10 11        first, first + 1, …
//
// A row may reach beyond the array on either side. There it has copies of the array's first or last element, and
// isn't stored. Nothing outside the array is read or written.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::reads_elements;
using tessera::detail::value_of;

/// The number of neighboring elements that a lane has of a row: as few as fill whole vectors of 16 bytes, or one if
/// those would be more than 64 bytes.
template <class T>
TESSERA_FN constexpr unsigned elements_of_row() {
  unsigned count = 1;
  while (count * sizeof(T) % 16 != 0) count *= 2;
  return count * sizeof(T) <= 64 ? count : 1;
}

/// The longest of several types, whose arrays have the same number of elements in a row.
template <class T, class... More>
struct longest_type {
  using type = T;
};
template <class T, class U, class... More>
struct longest_type<T, U, More...> : longest_type<stl::conditional_t<(sizeof(U) > sizeof(T)), U, T>, More...> {};

/// The index of the array's element that stands for element i.
TESSERA_FN std::int64_t nearest_index(std::int64_t i, std::int64_t n) {
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/// True if a row of several elements is as long as an integer of 2, 4 or 8 bytes. If it is aligned, one load suffices.
template <class T, unsigned K>
inline constexpr bool is_narrow_row = K > 1 && (sizeof(T) * K == 2 || sizeof(T) * K == 4 || sizeof(T) * K == 8);
template <unsigned K, class T>
TESSERA_FN items<T, K> load_narrow_row(T const* from) {
  using unit = tessera::detail::unit_of<static_cast<unsigned>(sizeof(T) * K)>;
  unit row;
#if TESSERA_ARCH
  row = *reinterpret_cast<unit const*>(from);
#else
  tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(row), from, sizeof(unit));
#endif
  tessera::detail::words<items<T, K>> w{};
  tessera::detail::copy_bytes(w.word, TESSERA_ADDRESS_OF(row), sizeof(unit));
  return tessera::detail::from_words<items<T, K>>(w);
}

/// A narrow row at any multiple of T's alignment: from the two integers that hold it.
template <unsigned K, class T>
class shifted_narrow_row {
  using unit = tessera::detail::unit_of<static_cast<unsigned>(sizeof(T) * K)>;
  using word = stl::conditional_t<(sizeof(unit) > 4), std::uint64_t, std::uint32_t>;

 public:
  /// True if the array has both integers of the row.
  TESSERA_FN static bool is_within(T const* array, std::int64_t n, std::int64_t first) {
    auto const before = static_cast<std::int64_t>(distance(array + first) / sizeof(T));
    return first >= before && first + K + (before == 0 ? 0 : K - before) <= n;
  }
  TESSERA_FN static items<T, K> load(T const* from) {
    unsigned const bytes = distance(from);
    auto const* const at = from - bytes / sizeof(T);
    word const low = unit_at(at), high = bytes == 0 ? word{0} : unit_at(at + K);
    auto const row = static_cast<unit>(low >> (8 * bytes) | (high << 1) << (8 * sizeof(unit) - 1 - 8 * bytes));
    tessera::detail::words<items<T, K>> w{};
    tessera::detail::copy_bytes(w.word, TESSERA_ADDRESS_OF(row), sizeof(unit));
    return tessera::detail::from_words<items<T, K>>(w);
  }

 private:
  TESSERA_FN static unsigned distance(T const* at) {
    return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) % sizeof(unit));
  }
  TESSERA_FN static word unit_at(T const* at) {
    unit x;
    auto const row = detail::load_narrow_row<K>(at);
    tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(x), TESSERA_ADDRESS_OF(row), sizeof(unit));
    return x;
  }
};

/// True if all of a lane's rows are within the array, at multiples of 16 bytes. The first of its rows begins at element
/// `first`, and the last one at `last`.
template <unsigned K, class T>
TESSERA_FN bool are_whole_rows(T const* array, std::int64_t n, std::int64_t first, std::int64_t last) {
  return first >= 0 && last >= 0 && first + K <= n && last + K <= n &&
         tessera::detail::wide_row<T, K>::distance(array + first) == 0;
}

/// True if rows are loaded by vectors of 16 bytes or by integers.
template <class T, unsigned K>
inline constexpr bool has_integer_loads = tessera::detail::wide_row<T, K>::exists || is_narrow_row<T, K>;

/// Loads a lane's elements first … first + K − 1, if the array has all vectors or integers that hold them.
template <unsigned K, class T>
TESSERA_FN bool load_by_integers(T const* in, std::int64_t n, std::int64_t first,
                                 tessera::detail::words<items<T, K>>& to) {
  if constexpr (tessera::detail::wide_row<T, K>::exists) {
    using wide = tessera::detail::wide_row<T, K>;
    unsigned const distance = wide::distance(in + first);
    auto const before = static_cast<std::int64_t>((distance + sizeof(T) - 1) / sizeof(T));
    if (first < before || first + K + (distance == 0 ? 0 : wide::elements_after(distance)) > n) return false;
    if (distance == 0) {
      to = tessera::detail::to_words(wide::load_aligned(in + first));
    } else {
      to = tessera::detail::to_words(wide::load_shifted(in + first, distance));
    }
    return true;
  } else {
    if (!shifted_narrow_row<K, T>::is_within(in, n, first)) return false;
    to = tessera::detail::to_words(shifted_narrow_row<K, T>::load(in + first));
    return true;
  }
}

/// Loads a row element by element, at any multiple of T's alignment. n > 0.
template <unsigned K, class In>
TESSERA_FN items<value_of<In>, K> load_elements(In const& in, std::int64_t n, std::int64_t first) {
  using T = value_of<In>;
  // The bounds of the array, counted from the row's first element: an int is enough for them.
  int const least = first < 0 ? static_cast<int>(-first) : 0;
  int const greatest = first + K <= n ? static_cast<int>(K) - 1 : static_cast<int>(n - 1 - first);
  auto out = tessera::detail::from_words<items<T, K>>({});
  TESSERA_UNROLL
  for (int i = 0; i < static_cast<int>(K); ++i) {
    int const nearest = i < least ? least : i < greatest ? i : greatest;
    T const x = tessera::detail::read_element(in, first + nearest);
    tessera::detail::assign(out[static_cast<unsigned>(i)], x);
  }
  return out;
}

/// Loads a row by an iterator. A row within the array is loaded without a check for each element.
template <unsigned K, class In>
TESSERA_FN items<value_of<In>, K> load_computed(In const& in, std::int64_t n, std::int64_t first) {
  using T = value_of<In>;
  if (first < 0 || first + K > n) return detail::load_elements<K>(in, n, first);
  auto out = tessera::detail::from_words<items<T, K>>({});
  auto const from = tessera::detail::advanced(in, first);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    T const x = tessera::detail::read_element(from, i);
    tessera::detail::assign(out[i], x);
  }
  return out;
}

/// A lane's elements first … first + K − 1 of n > 0.
template <unsigned K, class T>
TESSERA_FN items<T, K> load_row(T const* in, std::int64_t n, std::int64_t first) {
  if constexpr (has_integer_loads<T, K>) {
    tessera::detail::words<items<T, K>> row;
    if (detail::load_by_integers<K>(in, n, first, row)) return tessera::detail::from_words<items<T, K>>(row);
  }
  return detail::load_elements<K>(in, n, first);
}

/// Stores a lane's elements first … first + K − 1.
template <class T, unsigned K>
TESSERA_FN void store_row(T* out, std::int64_t n, std::int64_t first, items<T, K> const& x) {
  using wide = tessera::detail::wide_row<T, K>;
  if constexpr (wide::exists) {
    if (first >= 0 && first + K <= n && wide::distance(out + first) == 0) {
      wide::store_aligned(out + first, x);
      return;
    }
  }
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    if (first + i >= 0 && first + i < n) tessera::detail::store_element(out + first + i, x[i]);
  }
}

template <class Out, class T, unsigned K, stl::enable_if_t<!stl::is_pointer_v<Out>, bool> = true>
TESSERA_FN void store_row(Out const& out, std::int64_t n, std::int64_t first, items<T, K> const& x) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    if (first + i >= 0 && first + i < n) tessera::detail::write_element(out, first + i, x[i]);
  }
}

/// Stores a lane's rows, row(0) …, whose first elements are `stride` elements apart. Streaming stores of whole rows
/// leave the cache to what is loaded: a scan of 2^28 floats takes 540 µs with them, 581 without (H200).
template <bool Streaming, unsigned K, unsigned Rows, class Out, class Row,
          stl::enable_if_t<!stl::is_pointer_v<Out>, bool> = true>
TESSERA_FN void store_rows(Out const& out, std::int64_t n, std::int64_t first, std::int64_t stride, Row const& row) {
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) detail::store_row(out, n, first + r * stride, row(r));
}
template <bool Streaming, unsigned K, unsigned Rows, class T, class Row>
TESSERA_FN void store_rows(T* out, std::int64_t n, std::int64_t first, std::int64_t stride, Row const& row) {
  using wide = tessera::detail::wide_row<T, K>;
  using store_modifier = tessera::detail::store_modifier;
  constexpr store_modifier modifier = Streaming ? store_modifier::streaming : store_modifier::standard;
  if constexpr (wide::exists) {
    if (detail::are_whole_rows<K>(out, n, first, first + (Rows - 1) * stride)) {
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) wide::template store_aligned<modifier>(out + first + r * stride, row(r));
      return;
    }
  }
  TESSERA_LOOP  // one copy of the code, since few rows are stored in this way
      for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const at = first + r * stride;
    if (at < n && at + K > 0) detail::store_row(out, n, at, row(r));
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
