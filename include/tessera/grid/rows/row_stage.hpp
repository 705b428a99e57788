// Neighboring elements that a warp moves by vectors of 16 bytes through shared memory, wherever they begin. Its lanes
// take theirs from there, and put results there.
//
//   global memory   . . . 0   1 2 3 4   5 6 7 8   …     every vector that has one of the elements
//   stage           . . . 0   1 2 3 4   5 6 7 8   …     at the same distance from a multiple of 16 bytes
//   lane                  0 1 2 3   4 5 6 7   8 …       lane 0's, lane 1's, …
//
// Vectors of lanes 8 apart are in the same banks, so that each begins with another word of its vector.
#pragma once

#include <tessera/grid/parts/shared_copies.hpp>
#include <tessera/tile/load_store.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A warp's shared memory for `Bytes` bytes. Lanes may read up to 64 bytes beyond either end; what is there isn't used.
template <unsigned Bytes>
struct row_stage {
  static constexpr unsigned margin = 64;
  alignas(16) unsigned char memory[margin + Bytes + 16 + margin];

  TESSERA_FN unsigned char* at(int byte) { return memory + (static_cast<int>(margin) + byte); }
};

/// The distance of an address from the multiple of 16 bytes before it.
TESSERA_FN unsigned distance_of_vector(void const* at) {
  return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) % 16);
}

/// Elements in global memory, and a lane's place among the vectors that hold them.
template <class T>
class staged_range {
  using unit = tessera::detail::unit_of<alignof(T)>;
  using byte_t = stl::conditional_t<stl::is_const_v<T>, unsigned char const, unsigned char>;

 public:
  /// `count` elements from `first` on.
  TESSERA_FN staged_range(unsigned lane, T* first, int count)
      : lane_(lane),
        distance_(detail::distance_of_vector(first)),
        end_(distance_ + static_cast<unsigned>(count) * static_cast<unsigned>(sizeof(T))),
        begin_(reinterpret_cast<byte_t*>(first) - distance_) {}

  /// Begins to copy the elements to a stage. Their neighbors from `least` to before `end` may be read, and aren't used.
  template <unsigned Bytes>
  TESSERA_FN void load(row_stage<Bytes>& stage, T* least, T* end) const {
    unsigned const whole = end_ / 16 * 16, from = begin_ >= reinterpret_cast<byte_t*>(least) ? 0 : 16,
                   to = begin_ + whole + 16 <= reinterpret_cast<byte_t*>(end) ? end_ : whole;
    for_vectors<Bytes>(from, to,
                       [&](unsigned byte) { detail::begin_copy(stage.at(static_cast<int>(byte)), begin_ + byte); });
    for_ends(from > 0, to == whole, [&](unsigned byte) {
      unit x;
      detail::load_unit(x, begin_ + byte);
      tessera::detail::store_unit(stage.at(static_cast<int>(byte)), x);
    });
  }
  /// Stores the elements from a stage, where the first is at its distance.
  template <unsigned Bytes>
  TESSERA_FN void store(row_stage<Bytes>& stage) const {
    for_vectors<Bytes>((distance_ + 15) / 16 * 16, end_ / 16 * 16, [&](unsigned byte) {
      tessera::detail::store_sixteen_bytes(begin_ + byte,
                                           tessera::detail::load_sixteen_bytes(stage.at(static_cast<int>(byte))));
    });
    for_ends(distance_ > 0, true, [&](unsigned byte) {
      unit x;
      detail::load_unit(x, stage.at(static_cast<int>(byte)));
      tessera::detail::store_unit(begin_ + byte, x);
    });
  }

 private:
  /// f(byte) for the lane's vectors from `from` to before `to`.
  template <unsigned Bytes, class F>
  TESSERA_FN void for_vectors(unsigned from, unsigned to, F const& f) const {
    TESSERA_UNROLL
    for (unsigned r = 0; r < (Bytes / 16 + 1 + 31) / 32; ++r) {
      unsigned const byte = 16 * (32 * r + lane_);
      if (byte >= from && byte < to) f(byte);
    }
  }
  /// f(byte) for each unit of the first and of the last vector, if the elements fill only a part of it: lanes 0 … 15
  /// have the first one's units, the others the last one's.
  template <class F>
  TESSERA_FN void for_ends(bool first, bool last, F const& f) const {
    unsigned const whole = end_ / 16 * 16, of_vector = lane_ % 16 * static_cast<unsigned>(sizeof(unit)),
                   byte = (lane_ < 16 ? 0 : whole) + of_vector;
    bool const parted = lane_ < 16 ? first || (last && whole == 0) : last && whole > 0;
    if (parted && of_vector < 16 && byte >= distance_ && byte < end_) f(byte);
  }

  unsigned lane_, distance_, end_;
  byte_t* begin_;
};

/// A lane's neighboring elements in a stage, at any multiple of their alignment. Turned: those of other lanes follow on
/// them, so that lanes 8 apart have theirs in the same banks; then each begins with another word.
template <class T, unsigned Width, bool Turned>
class staged_items {
  static constexpr unsigned count = sizeof(T) * Width / 4;
  using words = tessera::detail::words<items<T, Width>>;
  using unit = tessera::detail::unit_of<alignof(T)>;
  static_assert(count % 4 == 0, "Whole vectors");

 public:
  TESSERA_FN static words take(unsigned lane, unsigned char const* at) {
    words taken;
    if constexpr (alignof(T) >= 4) {
      unsigned const turn = Turned ? lane / 8 % 4 : 0;
      TESSERA_UNROLL
      for (unsigned v = 0; v < count; v += 4) {
        stl::uint32_t word[4];
        TESSERA_UNROLL
        for (unsigned i = 0; i < 4; ++i) detail::load_unit(word[i], at + 4 * v + (i + turn) % 4 * 4);
        turned(word, 4 - turn, taken.word + v);
      }
    } else {
      unsigned const distance = static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(at) % 4);
      stl::uint32_t word[count + 1];
      TESSERA_UNROLL
      for (unsigned i = 0; i < count + 1; ++i) detail::load_unit(word[i], at - distance + 4 * i);
      TESSERA_UNROLL
      for (unsigned i = 0; i < count; ++i)
        taken.word[i] = tessera::detail::shift_right(word[i], word[i + 1], 8 * distance);
    }
    return taken;
  }
  /// Puts all elements.
  TESSERA_FN static void put(unsigned lane, unsigned char* at, words const& x) {
    if constexpr (Turned && alignof(T) >= 4) {
      unsigned const turn = lane / 8 % 4;
      TESSERA_UNROLL
      for (unsigned v = 0; v < count; v += 4) {
        stl::uint32_t word[4];
        turned(x.word + v, turn, word);
        TESSERA_UNROLL
        for (unsigned i = 0; i < 4; ++i) tessera::detail::store_unit(at + 4 * v + (i + turn) % 4 * 4, word[i]);
      }
    } else {
      put_some(at, x, 0, static_cast<int>(Width));
    }
  }
  /// Puts elements least … end − 1.
  TESSERA_FN static void put_some(unsigned char* at, words const& x, int least, int end) {
    constexpr unsigned of_element = sizeof(T) / sizeof(unit);
    unit stored[Width * of_element];
    tessera::detail::copy_bytes(stored, x.word, sizeof(stored));
    TESSERA_UNROLL
    for (unsigned i = 0; i < Width; ++i) {
      if (static_cast<int>(i) < least || static_cast<int>(i) >= end) continue;
      TESSERA_UNROLL
      for (unsigned u = 0; u < of_element; ++u)
        tessera::detail::store_unit(at + i * sizeof(T) + u * sizeof(unit), stored[i * of_element + u]);
    }
  }

 private:
  /// to[i] = from[(i + turn) % 4]
  TESSERA_FN static void turned(stl::uint32_t const* from, unsigned turn, stl::uint32_t* to) {
    if constexpr (!Turned) {
      tessera::detail::copy_bytes(to, from, 16);
      return;
    }
    bool const by_one = (turn & 1) != 0, by_two = (turn & 2) != 0;
    stl::uint32_t half[4];
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4; ++i) half[i] = by_two ? from[(i + 2) % 4] : from[i];
    TESSERA_UNROLL
    for (unsigned i = 0; i < 4; ++i) to[i] = by_one ? half[(i + 1) % 4] : half[i];
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
