// A row of a matrix as one tile holds it: vectors of 16 bytes, some in the registers of each lane.
//
//   every 16 bytes |         |         |         |         |
//   a row            . a b c   d e f g   h i j k   l . . .       4 bytes an element; `shift` is 1 here
//   vector             0         1         2         3
//   lane               0         1         0         1           a tile of 2: lane r holds vectors r, r + 2, …
//
// Vectors stand at multiples of 16 bytes, so that a load or store is one instruction whatever the row's address and
// length. One that a row fills only in part is loaded and stored element by element. Nothing outside a row is read or
// written.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/detail/number.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/items.hpp>
#include <tessera/tile.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// Elements of a vector: those of 16 bytes, or one where they have no place in 16 bytes that their address tells.
template <class T>
inline constexpr unsigned row_vector_length = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T)
                                                  ? static_cast<unsigned>(16 / sizeof(T))
                                                  : 1u;
template <class T>
using row_vector = items<T, row_vector_length<T>>;
template <class T>
inline constexpr bool has_wide_vectors = row_vector_length<T> * sizeof(T) == 16;

using tessera::detail::wanted;

/// What an element is computed in: float for the 16-bit floats.
template <class T>
using arithmetic_t = stl::conditional_t<tessera::detail::is_half<T>, float, T>;

/// A vector's elements as they are in memory.
template <class T>
using packed = tessera::detail::words<row_vector<T>>;
/// And as what they are computed in.
template <class T>
using numbers_t = items<arithmetic_t<T>, row_vector_length<T>>;

template <wanted For = wanted::as_usual, class T>
TESSERA_FN packed<T> load_packed(T const* from) {
  packed<T> out;
  if constexpr (!has_wide_vectors<T>) {
    T const element = *from;
    out = tessera::detail::to_words(row_vector<T>{{element}});
  } else {
    auto const loaded = tessera::detail::load_sixteen_bytes<For>(from);
    tessera::detail::copy_bytes(out.word, loaded.word, 16);
  }
  return out;
}
template <class T>
TESSERA_FN void store_packed(T* to, packed<T> const& x) {
  if constexpr (!has_wide_vectors<T>) {
    *to = tessera::detail::from_words<row_vector<T>>(x)[0];
  } else if constexpr (TESSERA_ARCH != 0) {
    tessera::detail::sixteen_bytes stored;
    tessera::detail::copy_bytes(stored.word, x.word, 16);
    *reinterpret_cast<tessera::detail::sixteen_bytes*>(to) = stored;
  } else {
    tessera::detail::copy_bytes(to, x.word, 16);
  }
}

/// Two floats rounded to 16 bits each, to nearest, ties to even: the first in the lower half.
template <class T>
TESSERA_FN std::uint32_t rounded_pair(float low, float high) {
  std::uint32_t both = 0;
#if TESSERA_ARCH >= 800
  if constexpr (stl::is_same_v<T, __half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  }
#else
  T const pair[2] = {tessera::detail::convert<T>(low), tessera::detail::convert<T>(high)};
  tessera::detail::copy_bytes(&both, pair, 4);
#endif
  return both;
}

/// A vector of numbers in its elements' type.
template <class T>
TESSERA_FN packed<T> pack(numbers_t<T> const& x) {
  if constexpr (tessera::detail::is_half<T>) {
    packed<T> out;
    TESSERA_UNROLL
    for (unsigned w = 0; w < 4; ++w) out.word[w] = detail::rounded_pair<T>(x[2 * w], x[2 * w + 1]);
    return out;
  } else {
    return tessera::detail::to_words(x);
  }
}
template <class T>
TESSERA_FN numbers_t<T> unpack(packed<T> const& x) {
  if constexpr (stl::is_same_v<T, __nv_bfloat16>) {  // the upper half of a float
    numbers_t<T> out{};
    TESSERA_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      out[2 * w] = tessera::detail::from_bits<float>(x.word[w] << 16);
      out[2 * w + 1] = tessera::detail::from_bits<float>(x.word[w] & 0xffff0000u);
    }
    return out;
  } else if constexpr (tessera::detail::is_half<T>) {
    auto const elements = tessera::detail::from_words<row_vector<T>>(x);
    numbers_t<T> out{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < row_vector_length<T>; ++j) out[j] = tessera::detail::convert<float>(elements[j]);
    return out;
  } else {
    return tessera::detail::from_words<row_vector<T>>(x);
  }
}

/// How far a pointer is from the multiple of 16 bytes before it, in elements; 0 where vectors are of one.
template <class T>
TESSERA_FN int shift_of(T const* p) {
  if constexpr (row_vector_length<T> == 1) return 0;
  return static_cast<int>(reinterpret_cast<stl::uintptr_t>(p) % 16 / sizeof(T));
}

/// How many vectors a row of so many elements has a part in.
template <class T>
TESSERA_FN int vector_count(T const* row, int columns) {
  constexpr int E = row_vector_length<T>;
  return (detail::shift_of(row) + columns + E - 1) / E;
}

/// Elements i … i + E − 1 of a row, which are at `from`, a multiple of 16 bytes; zeros where i is below 0 or not
/// below `limit`.
template <class T>
TESSERA_FN packed<T> load_part(T const* from, int i, int limit) {
  constexpr int E = row_vector_length<T>;
  if (i >= 0 && i + E <= limit) return detail::load_packed(from);
  packed<T> out{};
  if constexpr (E > 1) {
    TESSERA_UNROLL
    for (int j = 0; j < E; ++j) {
      if (i + j >= 0 && i + j < limit) {
        T const element = from[j];
        tessera::detail::copy_bytes(reinterpret_cast<unsigned char*>(out.word) + j * sizeof(T), &element,
                                    sizeof(T));
      }
    }
  }
  return out;
}
/// Stores those that are in the row; by 16 bytes where all are and `to` is a multiple of them.
template <class T>
TESSERA_FN void store_part(T* to, int i, int columns, packed<T> const& x) {
  constexpr int E = row_vector_length<T>;
  if (i >= 0 && i + E <= columns && detail::shift_of(to) == 0) return detail::store_packed(to, x);
  auto const elements = tessera::detail::from_words<row_vector<T>>(x);
  TESSERA_UNROLL
  for (int j = 0; j < E; ++j) {
    if (i + j >= 0 && i + j < columns) to[j] = elements[j];
  }
}

/// The W lanes that share a row: a tile within the block, or the block itself.
template <unsigned W, class Block>
TESSERA_FN auto row_tile(Block const& block) {
  if constexpr (W > 32) {
    return tessera::this_block_tile<W>(block);
  } else {
    return tessera::tiled_partition<W>(block);
  }
}

/// The share of one lane of W: V vectors of a row.
///
/// Whole   rows start at multiples of 16 bytes and end there, so that no element is looked at by itself.
template <class T, bool Whole, unsigned W, unsigned V>
struct row_lane {
  static constexpr unsigned E = row_vector_length<T>;
  static constexpr unsigned vectors = V;
  static constexpr bool whole = Whole;
  using number = arithmetic_t<T>;

  packed<T> data[V];
  int begin;  // the index in the row of the first element of vector 0
  int limit;  // elements of the row that count

  TESSERA_FN int index(unsigned v) const { return begin + static_cast<int>(v * W * E); }

  /// Sends all loads off. `from` is the tile's first vector, of those of the row.
  template <wanted For = wanted::as_usual>
  TESSERA_FN void load(T const* row, unsigned rank, int from, int limit_) {
    limit = limit_;
    begin = (from + static_cast<int>(rank)) * static_cast<int>(E);
    if constexpr (!Whole) begin -= detail::shift_of(row);
    T const* const first = row + begin;
    TESSERA_UNROLL
    for (unsigned v = 0; v < V; ++v) {
      if constexpr (Whole) {
        if (may_count(v)) data[v] = detail::load_packed<For>(first + v * W * E);
      } else {
        if (may_count(v)) data[v] = detail::load_part(first + v * W * E, index(v), limit);
      }
    }
  }

  /// Calls f(v, numbers) of each vector that has an element that counts; those that don't are `padding`.
  template <class F>
  TESSERA_FN void each(number neutral, F f) const {
    TESSERA_UNROLL
    for (unsigned v = 0; v < V; ++v) {
      if (may_count(v)) f(v, numbers(v, neutral));
    }
  }
  TESSERA_FN numbers_t<T> numbers(unsigned v, [[maybe_unused]] number neutral) const {
    auto x = detail::unpack<T>(data[v]);
    if constexpr (!Whole) {
      if (!all_count(v)) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < E; ++j) x[j] = counts(v, j) ? x[j] : neutral;
      }
    }
    return x;
  }
  /// x becomes f(x), for each element that counts.
  template <class F>
  TESSERA_FN void replace(F f) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < V; ++v) {
      if (!may_count(v)) continue;
      auto x = detail::unpack<T>(data[v]);
      TESSERA_UNROLL
      for (unsigned j = 0; j < E; ++j) x[j] = f(x[j]);
      data[v] = detail::pack<T>(x);
    }
  }
  /// The first that counts of a lane that has some: it is in vector 0.
  TESSERA_FN number first_number() const {
    auto const x = detail::unpack<T>(data[0]);
    number first = x[0];
    if constexpr (!Whole) {
      TESSERA_UNROLL
      for (unsigned j = 1; j < E; ++j) first = begin + static_cast<int>(j) <= 0 ? x[j] : first;
    }
    return first;
  }
  TESSERA_FN bool may_count(unsigned v) const { return index(v) < limit; }
  TESSERA_FN bool all_count(unsigned v) const {
    return Whole || (index(v) >= 0 && index(v) + static_cast<int>(E) <= limit);
  }
  /// Whether element j of vector v counts.
  TESSERA_FN bool counts(unsigned v, unsigned j) const {
    int const i = index(v) + static_cast<int>(j);
    return i >= 0 && i < limit;
  }
  /// How many of this lane's elements count.
  TESSERA_FN int own_count() const {
    int n = 0;
    TESSERA_UNROLL
    for (unsigned v = 0; v < V; ++v) {
      int const i = index(v), first = i < 0 ? 0 : i;
      int const end = i + static_cast<int>(E) < limit ? i + static_cast<int>(E) : limit;
      n += end > first ? end - first : 0;
    }
    return n;
  }
  /// Stores vector v to a row of `columns` elements.
  TESSERA_FN void store(T* row, unsigned v, int columns, numbers_t<T> const& x) const {
    T* const to = row + begin + v * W * E;
    if constexpr (Whole) {
      if (index(v) < columns) detail::store_packed(to, detail::pack<T>(x));
    } else {
      if (index(v) < columns) detail::store_part(to, index(v), columns, detail::pack<T>(x));
    }
  }
};

}  // namespace tessera::grid::detail
