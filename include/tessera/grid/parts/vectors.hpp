// Loads and stores of 16 bytes, as all kernels of grid/ make them.
//
//   every 16 bytes |         |         |         |         |
//   elements         . a b c   d e f g   h i j k   l . . .       of 4 bytes; shift_of(&a) is 1
//   vector             0         1         2         3
//
// A vector stands at a multiple of 16 bytes, so that a load or store of it is one instruction. A vector that an array
// fills only in part is loaded and stored element by element. Nothing outside the array is read or written.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/words.hpp>
#include <tessera/tile/load_store.hpp>
#include <tessera/tile/ranges.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::copy_bytes;
using tessera::detail::from_words;
using tessera::detail::line_bytes;
using tessera::detail::range;
using tessera::detail::range_of;
using tessera::detail::read_length;
using tessera::detail::read_vector;
using tessera::detail::reads_elements;
using tessera::detail::select;
using tessera::detail::to_words;
using tessera::detail::value_of;
using tessera::detail::vector;
using tessera::detail::vector_length;
using tessera::detail::word_count;
using tessera::detail::words;

/// A load's advice to the caches about its data. `load_streaming`: the lines are evicted first, so that what is
/// stored, or was in the cache before, stays. It suits whole lines that no other load reads in part.
using load_modifier = tessera::detail::load_modifier;
inline constexpr load_modifier load_default = load_modifier::standard;
inline constexpr load_modifier load_streaming = load_modifier::streaming;

// ---- Vectors of a range (tile/ranges.hpp): elements of any size and alignment.

/// The number of vectors of T that fit in `bytes`, and at least one.
template <class T>
TESSERA_FN constexpr unsigned vectors_of(unsigned bytes) {
  return sizeof(vector<T>) < bytes ? bytes / static_cast<unsigned>(sizeof(vector<T>)) : 1;
}

/// Loads Count vectors of a range: the first is at `from`, each next one Stride elements further. All loads are issued
/// before the first is waited for.
template <unsigned Stride, load_modifier Modifier, unsigned Count, class T, class Index, class In, class From,
          class Vector>
TESSERA_FN void load_vectors(range<T, Index, In> const& r, From const& from, words<Vector> (&to)[Count]) {
  TESSERA_UNROLL
  for (unsigned u = 0; u < Count; ++u)
    to[u] = r.template load_vector<Modifier>(tessera::detail::advanced(from, u * Stride));
}

/// Loads only those vectors u for which exists(u) is true; the others stay as they are.
template <unsigned Stride, unsigned Count, class T, class Index, class In, class From, class Exists, class Vector>
TESSERA_FN void load_existing_vectors(range<T, Index, In> const& r, From const& from, Exists exists,
                                      words<Vector> (&to)[Count]) {
  TESSERA_UNROLL
  for (unsigned u = 0; u < Count; ++u) {
    if (exists(u)) to[u] = r.load_vector(tessera::detail::advanced(from, u * Stride));
  }
}

/// The elements of some vectors, one vector after the other.
template <class T, unsigned Length, unsigned Count>
TESSERA_FN auto elements_of(words<items<T, Length>> const (&vectors)[Count]) {
  using elements = tessera::items<T, Count * Length>;
  using vector_t = items<T, Length>;
  words<elements> all;
  if constexpr (sizeof(vector_t) % 4 == 0) {
    detail::copy_bytes(all.word, vectors, sizeof(all));
  } else {  // A vector doesn't fill its words.
    auto* const bytes = reinterpret_cast<unsigned char*>(all.word);
    TESSERA_UNROLL
    for (unsigned u = 0; u < Count; ++u)
      detail::copy_bytes(bytes + u * sizeof(vector_t), vectors[u].word, sizeof(vector_t));
  }
  return detail::from_words<elements>(all);
}

// ---- Vectors at multiples of 16 bytes: rows of matrices, tiles of segments.

/// The elements of a vector: as many as fill 16 bytes, or one if the address of an element can't tell where 16 bytes
/// begin.
template <class T>
inline constexpr unsigned row_vector_length = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T)
                                                  ? static_cast<unsigned>(16 / sizeof(T))
                                                  : 1u;
template <class T>
using row_vector = items<T, row_vector_length<T>>;
template <class T>
inline constexpr bool has_wide_vectors = row_vector_length<T> * sizeof(T) == 16;

/// A vector's elements as they are in memory.
template <class T>
using packed = words<row_vector<T>>;

template <load_modifier Modifier = load_default, class T>
TESSERA_FN packed<T> load_packed(T const* from) {
  packed<T> out;
  if constexpr (!has_wide_vectors<T>) {
    T const element = *from;
    out = detail::to_words(row_vector<T>{{element}});
  } else {
    auto const loaded = tessera::detail::load_sixteen_bytes<Modifier>(from);
    detail::copy_bytes(out.word, loaded.word, 16);
  }
  return out;
}
template <class T>
TESSERA_FN void store_packed(T* to, packed<T> const& x) {
  if constexpr (!has_wide_vectors<T>) {
    *to = detail::from_words<row_vector<T>>(x)[0];
  } else if constexpr (TESSERA_ARCH != 0) {
    tessera::detail::sixteen_bytes stored;
    detail::copy_bytes(stored.word, x.word, 16);
    *reinterpret_cast<tessera::detail::sixteen_bytes*>(to) = stored;
  } else {
    detail::copy_bytes(to, x.word, 16);
  }
}

/// The distance of a pointer from the multiple of 16 bytes before it, in elements; 0 if a vector is one element.
template <class T>
TESSERA_FN int shift_of(T const* p) {
  if constexpr (row_vector_length<T> == 1) return 0;
  return static_cast<int>(reinterpret_cast<stl::uintptr_t>(p) % 16 / sizeof(T));
}

/// The vector that begins at element `shift` of the first of two neighboring vectors, and ends in the second.
/// 0 < shift < row_vector_length<T>.
template <class T>
TESSERA_FN packed<T> joined_vectors(packed<T> const& first, packed<T> const& second, int shift) {
  static_assert(has_wide_vectors<T>);
  std::uint32_t word[8];
  detail::copy_bytes(word, first.word, 16);
  detail::copy_bytes(word + 4, second.word, 16);
  unsigned const bytes = static_cast<unsigned>(shift) * static_cast<unsigned>(sizeof(T));
  TESSERA_UNROLL
  for (unsigned i = 0; i < 6; ++i) word[i] = (bytes & 8) != 0 ? word[i + 2] : word[i];
  if constexpr (sizeof(T) < 8) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < 5; ++i) word[i] = (bytes & 4) != 0 ? word[i + 1] : word[i];
  }
  packed<T> out;
  TESSERA_UNROLL
  for (unsigned i = 0; i < 4; ++i)
    out.word[i] = sizeof(T) >= 4 ? word[i] : tessera::detail::shift_right(word[i], word[i + 1], 8 * (bytes % 4));
  return out;
}

/// The number of vectors that hold a part of a row of so many elements.
template <class T>
TESSERA_FN int vector_count(T const* row, int column_count) {
  constexpr int width = row_vector_length<T>;
  return (detail::shift_of(row) + column_count + width - 1) / width;
}

/// The number of vectors of a row of so many elements, counted from its first element.
template <class T>
TESSERA_FN constexpr int vectors_of_columns(int column_count) {
  constexpr int width = row_vector_length<T>;
  return (column_count + width - 1) / width;
}

/// Elements i … i + width − 1 of a row, which are at `from`, one by one. An element whose number is below 0 or not
/// below `limit` is 0 and isn't read.
template <class T>
TESSERA_FN packed<T> load_single(T const* from, int i, int limit) {
  constexpr int width = row_vector_length<T>;
  packed<T> out{};
  if constexpr (width > 1) {
    TESSERA_UNROLL
    for (int j = 0; j < width; ++j) {
      if (i + j >= 0 && i + j < limit) {
        T const element = from[j];
        detail::copy_bytes(reinterpret_cast<unsigned char*>(out.word) + j * sizeof(T), TESSERA_ADDRESS_OF(element),
                           sizeof(T));
      }
    }
  }
  return out;
}
/// As above, where `from` is a multiple of 16 bytes: by one load if the row has all elements.
template <class T>
TESSERA_FN packed<T> load_part(T const* from, int i, int limit) {
  constexpr int width = row_vector_length<T>;
  if (i >= 0 && i + width <= limit) return detail::load_packed(from);
  return detail::load_single(from, i, limit);
}
/// Stores the elements that are in the row: by one store of 16 bytes if all are and `to` is a multiple of 16 bytes.
template <class T>
TESSERA_FN void store_part(T* to, int i, int column_count, packed<T> const& x) {
  constexpr int width = row_vector_length<T>;
  if (i >= 0 && i + width <= column_count && detail::shift_of(to) == 0) return detail::store_packed(to, x);
  auto const elements = detail::from_words<row_vector<T>>(x);
  TESSERA_UNROLL
  for (int j = 0; j < width; ++j) {
    if (i + j >= 0 && i + j < column_count) to[j] = elements[j];
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
