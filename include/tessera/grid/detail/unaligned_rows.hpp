// Rows of an array's elements as the lanes of a warp load and store them: some neighboring elements each, by 16 bytes, wherever the
// array begins. A row of fewer bytes than 16 is loaded at once where it is aligned, else element by element.
//
//   a row          lane 0   lane 1   lane 2   …       of 32 lanes
//   elements       0 1 2 3  4 5 6 7  8 9 10 11        first, first + 1, …
//
// A row may reach beyond the array on either side. There it has copies of the array's first or last element, and isn't stored.
// Nothing outside the array is read or written.
#pragma once

#include <tessera/detail/load_store.hpp>
#include <tessera/items.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How many neighboring elements a lane has of a row: as few as fill whole vectors of 16 bytes, or one if those would be
/// more than 64 bytes.
template <class T>
TESSERA_FN constexpr unsigned elements_of_row() {
  unsigned count = 1;
  while (count * sizeof(T) % 16 != 0) count *= 2;
  return count * sizeof(T) <= 64 ? count : 1;
}

/// The index of the array's element that stands for element i.
TESSERA_FN std::int64_t nearest_index(std::int64_t i, std::int64_t n) {
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/// Whether a row of several elements is as long as an integer: one load, if it is aligned so.
template <class T, unsigned K>
inline constexpr bool is_narrow_row = K > 1 &&
                                      (sizeof(T) * K == 2 || sizeof(T) * K == 4 || sizeof(T) * K == 8);
template <unsigned K, class T>
TESSERA_FN items<T, K> load_narrow_row(T const* from) {
  using unit = tessera::detail::unit_of<static_cast<unsigned>(sizeof(T) * K)>;
  unit row;
#if TESSERA_ARCH
  row = *reinterpret_cast<unit const*>(from);
#else
  tessera::detail::copy_bytes(&row, from, sizeof(unit));
#endif
  tessera::detail::words<items<T, K>> w{};
  tessera::detail::copy_bytes(w.word, &row, sizeof(unit));
  return tessera::detail::from_words<items<T, K>>(w);
}

/// A lane's elements first … first + K − 1 of n > 0.
template <unsigned K, class T>
TESSERA_FN items<T, K> load_row(T const* in, std::int64_t n, std::int64_t first) {
  using wide = tessera::detail::wide_row<T, K>;
  if constexpr (wide::exists) {
    unsigned const distance = wide::distance(in + first);
    if (first >= 0 && first + K <= n && distance == 0) return wide::load_aligned(in + first);
    auto const before = static_cast<std::int64_t>((distance + sizeof(T) - 1) / sizeof(T));
    if (distance != 0 && first >= before && first + K + wide::behind(distance) <= n)
      return wide::load_shifted(in + first, distance);
  }
  if constexpr (is_narrow_row<T, K>) {
    bool const is_aligned = reinterpret_cast<stl::uintptr_t>(in + first) % sizeof(items<T, K>) == 0;
    if (first >= 0 && first + K <= n && is_aligned) return detail::load_narrow_row<K>(in + first);
  }
  auto out = tessera::detail::from_words<items<T, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    T const x = in[detail::nearest_index(first + i, n)];
    tessera::detail::assign(out[i], x);
  }
  return out;
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

}  // namespace grid::detail
TESSERA_NAMESPACE_END
