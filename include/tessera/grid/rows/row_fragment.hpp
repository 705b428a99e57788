// A row fragment: the vectors of a row of a matrix that one lane of a tile holds in registers.
//
//   a row            a b c d   e f g h   i j k l   m . . .       4 bytes an element
//   vector             0         1         2         3
//   lane               0         1         0         1           2 threads per row: lane r holds vectors r, r + 2, …
//
// Vectors are counted from the row's first element, so that a lane holds the same columns wherever the row begins. If
// that isn't a multiple of 16 bytes, elements of 4 bytes are loaded one by one, and other vectors are joined from the
// two that hold them in memory:
//
//   every 16 bytes |         |         |         |
//   memory           . a b c   d e f g   h i j k   l m . .       shift_of(row) is 1
//   lane 1                       e f g     h                     joined_vectors(d e f g, h i j k)
//
// The row's first and last vectors are then loaded element by element. An element is valid if it is in the row and
// below `limit`, the number of the row's elements to take.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/rows/row_element.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The threads that share a row: a tile within the block, or the block itself.
template <unsigned ThreadsPerRow, class Block>
TESSERA_FN auto row_tile(Block const& block) {
  if constexpr (ThreadsPerRow > 32) {
    return tessera::this_block_tile<ThreadsPerRow>(block);
  } else {
    return tessera::tiled_partition<ThreadsPerRow>(block);
  }
}

/// One lane's part of a row: `Vectors` of the row's vectors, ThreadsPerRow vectors apart; if that is 0, `threads`.
///
/// Aligned    Rows start and end at multiples of 16 bytes, so that every vector is loaded and stored at once.
/// ByAddress  Vectors stand at multiples of 16 bytes instead, and the first one may begin before the row. A lane's
///            columns then depend on the row's address, but it loads and stores by itself.
/// Whole      All vectors of all lanes are among the row's first whole_vectors: none is compared with the limit.
template <class T, bool Aligned, unsigned ThreadsPerRow, unsigned Vectors, bool ByAddress = false, bool Whole = false>
struct row_fragment {
  static_assert(!ByAddress || (!Aligned && !Whole));
  static constexpr unsigned width = row_vector_length<T>;
  static constexpr unsigned vectors = Vectors;
  static constexpr bool aligned = Aligned;
  static constexpr bool by_address = ByAddress;
  static constexpr bool whole = Whole;
  static constexpr bool joins_vectors = sizeof(T) != 4;  // else registers spill
  using number = arithmetic_t<T>;

  packed<T> data[Vectors];
  int begin;  // the index in the row of the first element of vector 0; negative if that lies before the row
  int limit;  // how many elements of the row are valid
  element_format<T> format;
  unsigned threads = ThreadsPerRow;

  /// The number of threads that share the row.
  TESSERA_FN unsigned thread_count() const { return ThreadsPerRow > 0 ? ThreadsPerRow : threads; }
  /// The distance of two vectors of a lane, in elements.
  TESSERA_FN int apart() const { return static_cast<int>(thread_count() * width); }
  /// The index in the row of the first element of vector v.
  TESSERA_FN int index(unsigned v) const { return begin + static_cast<int>(v) * apart(); }

  /// Issues all loads. `from` is the number in the row of the tile's first vector.
  template <load_modifier Modifier = load_default>
  TESSERA_FN void load(T const* row, unsigned rank, int from, int limit_, element_format<T> format_) {
    limit = limit_;
    format = format_;
    begin = (from + static_cast<int>(rank)) * static_cast<int>(width);
    if constexpr (ByAddress) begin -= detail::shift_of(row);
    if constexpr (!Aligned && !ByAddress && has_wide_vectors<T> && width > 1) {
      int const shift = detail::shift_of(row);
      if (shift != 0) return joins_vectors ? load_shifted(row, shift) : load_elements(row);
    }
    T const* const first = row + begin;
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if constexpr (Aligned || Whole) {
        if (has_valid(v)) data[v] = detail::load_packed<Modifier>(first + static_cast<int>(v) * apart());
      } else {
        if (has_valid(v)) data[v] = detail::load_part(first + static_cast<int>(v) * apart(), index(v), limit);
      }
    }
  }

  /// How many of the first vectors of a row with `limit` valid elements are full. If vectors are joined, one less of an
  /// unaligned row, since the next one is loaded with each.
  TESSERA_FN static int whole_vectors(T const* row, int limit) {
    return limit / static_cast<int>(width) - (!Aligned && joins_vectors && detail::shift_of(row) != 0 ? 1 : 0);
  }

  /// Calls f(v, numbers) for each vector that may hold a valid element. Elements that aren't valid are `neutral`.
  template <class F>
  TESSERA_FN void for_each_vector(number neutral, F f) const {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if (has_valid(v)) f(v, numbers(v, neutral));
    }
  }
  /// The elements of vector v. Those that aren't valid are `neutral`.
  TESSERA_FN numbers_t<T> numbers(unsigned v, [[maybe_unused]] number neutral) const {
    auto x = detail::unpack<T>(data[v], format);
    if constexpr (!Aligned) {
      if (!all_valid(v)) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < width; ++j) x[j] = is_valid(v, j) ? x[j] : neutral;
      }
    }
    return x;
  }
  /// Replaces each valid element x by f(x).
  template <class F>
  TESSERA_FN void transform(F f) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if (!has_valid(v)) continue;
      auto x = detail::unpack<T>(data[v], format);
      TESSERA_UNROLL
      for (unsigned j = 0; j < width; ++j) x[j] = f(x[j]);
      data[v] = detail::pack<T>(x, format);
    }
  }
  /// The first valid element of a lane that holds one. It is in vector 0.
  TESSERA_FN number first_valid() const {
    auto const x = detail::unpack<T>(data[0], format);
    number first = x[0];
    if constexpr (ByAddress) {
      TESSERA_UNROLL
      for (unsigned j = 1; j < width; ++j) first = begin + static_cast<int>(j) <= 0 ? x[j] : first;
    }
    return first;
  }
  /// True if vector v may hold a valid element: none of the vectors from the limit on does.
  TESSERA_FN bool has_valid(unsigned v) const { return Whole || index(v) < limit; }
  TESSERA_FN bool all_valid(unsigned v) const {
    return Aligned || Whole || ((!ByAddress || index(v) >= 0) && index(v) + static_cast<int>(width) <= limit);
  }
  /// True if element j of vector v is valid.
  TESSERA_FN bool is_valid(unsigned v, unsigned j) const {
    int const i = index(v) + static_cast<int>(j);
    return Whole || ((!ByAddress || i >= 0) && i < limit);
  }
  /// The number of valid elements that this lane holds.
  TESSERA_FN int valid_count() const {
    int n = 0;
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      int const i = index(v), first = i < 0 ? 0 : i;
      int const end = i + static_cast<int>(width) < limit ? i + static_cast<int>(width) : limit;
      n += end > first ? end - first : 0;
    }
    return n;
  }
  /// Stores vector v to a row of `column_count` elements.
  TESSERA_FN void store(T* row, unsigned v, int column_count, numbers_t<T> const& x) const {
    T* const to = row + begin + static_cast<int>(v) * apart();
    if constexpr (Aligned) {
      if (index(v) < column_count) detail::store_packed(to, detail::pack<T>(x, format));
    } else {
      if (index(v) < column_count) detail::store_part(to, index(v), column_count, detail::pack<T>(x, format));
    }
  }

 private:
  /// Loads from a row that begins `shift` elements after a multiple of 16 bytes. The second loads find what lanes
  /// beside this one have loaded in the cache, and need no registers of their own for long.
  TESSERA_FN void load_shifted(T const* row, int shift) {
    constexpr int length = static_cast<int>(width);
    auto const is_inside = [&](unsigned v) {
      if constexpr (Whole) return v > 0 || index(v) > 0;
      return index(v) > 0 && index(v) - shift + 2 * length <= limit;
    };
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if (!has_valid(v)) continue;
      T const* const at = row + index(v);
      data[v] = is_inside(v) ? detail::load_packed(at - shift) : detail::load_single(at, index(v), limit);
    }
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if (is_inside(v))
        data[v] = detail::joined_vectors<T>(data[v], detail::load_packed(row + index(v) - shift + length), shift);
    }
  }
  /// Loads from a row that begins anywhere. Lanes find what others have loaded in the cache.
  TESSERA_FN void load_elements(T const* row) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      int const i = index(v);
      if (has_valid(v)) data[v] = detail::load_single(row + i, i, Whole ? i + static_cast<int>(width) : limit);
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
