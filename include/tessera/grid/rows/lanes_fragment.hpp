// A row fragment (row_fragment.hpp) of a short segment: the elements that one of the lanes that share it holds.
//
//   a segment        a b c d e f g h i j . .      2 lanes
//   lane 0           a c e g i                    neighboring lanes read neighboring elements
//   lane 1           b d f h j
//
// Only loads and stores test whether an element exists: in place of others the fragment has a neutral one.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/row_element.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>
#include <tessera/grid/segments/segment_lanes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An iterator, from which elements are a few instructions away if it is a pointer.
template <class It>
TESSERA_FN It opaque_place(It const& it) {
  if constexpr (stl::is_pointer_v<It>) {
    return detail::opaque_pointer(it);
  } else {
    return it;
  }
}

template <class T>
struct lanes_fragment {
  static constexpr unsigned width = row_vector_length<T>, vectors = each_segment_tuning::most_of_lane / width;
  static constexpr bool whole = false, aligned = true;  // no element is left out
  using number = arithmetic_t<T>;

  packed<T> data[vectors];
  unsigned rank, apart, length;
  element_format<T> format;

  /// The index in the segment of element j of vector v.
  TESSERA_FN unsigned index(unsigned v, unsigned j) const { return rank + (v * width + j) * apart; }
  TESSERA_FN bool is_valid(unsigned v, unsigned j) const { return index(v, j) < length; }
  TESSERA_FN static bool has_valid(unsigned) { return true; }

  /// Loads the elements of one of `lanes` from the segment at in[begin].
  template <class In, class Lanes>
  TESSERA_FN lanes_fragment(In const& in, std::int64_t begin, unsigned of_segment, Lanes const& lanes, number neutral)
      : rank(lanes.rank), apart(lanes.count), length(of_segment), format{} {
    auto const own = detail::opaque_place(tessera::detail::advanced(in, begin + rank));
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      auto x = tessera::detail::from_words<row_vector<T>>({});
      TESSERA_UNROLL
      for (unsigned j = 0; j < width; ++j) {
        tessera::detail::assign(x[j], detail::from_number<T>(neutral, format));
        if (is_valid(v, j))
          tessera::detail::assign(x[j], static_cast<T>(tessera::detail::read_element(own, (v * width + j) * apart)));
      }
      data[v] = tessera::detail::to_words(x);
    }
  }
  /// Stores vector v to the segment at out[begin].
  template <class Out>
  TESSERA_FN void store(Out const& out, std::int64_t begin, unsigned v, numbers_t<T> const& x) const {
    auto const own = detail::opaque_place(tessera::detail::advanced(out, begin + rank));
    TESSERA_UNROLL
    for (unsigned j = 0; j < width; ++j) {
      if (is_valid(v, j))
        tessera::detail::write_element(own, (v * width + j) * apart, detail::from_number<T>(x[j], format));
    }
  }

  /// Calls f(v, numbers) for each vector. `neutral` is the one that it was loaded with.
  template <class F>
  TESSERA_FN void for_each_vector(number neutral, F f) const {
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) f(v, numbers(v, neutral));
  }
  TESSERA_FN numbers_t<T> numbers(unsigned v, number) const { return detail::unpack<T>(data[v], format); }
  /// Replaces each element x by f(x).
  template <class F>
  TESSERA_FN void transform(F f) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      auto x = detail::unpack<T>(data[v], format);
      TESSERA_UNROLL
      for (unsigned j = 0; j < width; ++j) x[j] = f(x[j]);
      data[v] = detail::pack<T>(x, format);
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
