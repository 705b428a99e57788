// Segments of an array that aren't given by offsets: where each begins and ends, or how long it is.
//
//   in                              a b c d e f g h i
//   segments_between(begins, ends)  begins 5 0 3, ends 9 3 5      f g h i | a b c | d e      gaps, overlaps, any order
//   segments_of_length(3)                                         a b c | d e f | g h i
//   segments_of_lengths(lengths)    lengths 4 0 2                 a b c d | | e f            g h i are in none
//
//   auto const windows = tessera::grid::segments_between(begins, ends);
//   error = tessera::grid::reduce_segments(in, windows, count, sums, tessera::plus{}, {stream, memory});
//
// Calls of <tessera/grid/*.cuh> take these lists instead of offsets: reduce_segments, argmin_segments, argmax_segments,
// softmax_segments, log_softmax_segments, log_sum_exp_segments, sort_segments, stable_sort_segments,
// sort_segments_by_key, top_k_segments, inclusive_scan_segments and exclusive_scan_segments. Their number of segments
// may be a count_on_device.
//
// begins, ends  the index of each segment's first element, and the index after its last: pointers to integers of 32 or
//               64 bits on the GPU, or random-access iterators over such integers (core/iterators.hpp). A segment that
//               doesn't end after its begin is empty. All others must be within the array, which isn't verified.
// length        the length of every segment, at least 0: segment s begins at s · length.
// lengths       the length of each segment, at least 0: a pointer or an iterator, as `begins`. Segment 0 begins at
//               element 0, and each next one where the previous one ends. The call first scans the lengths into
//               offsets: one more launch, and 8 bytes of workspace for each segment.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/number.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// The elements begin … begin + length − 1, which are a segment.
struct segment_range {
  std::int64_t begin, length;
};

/// The segment with these bounds. It is empty if it doesn't end after its begin.
TESSERA_FN segment_range range_between(std::int64_t begin, std::int64_t end) {
  return {begin, end > begin ? end - begin : 0};
}

}  // namespace detail

/// Segments given by begins and ends. Made by segments_between.
template <class Begins, class Ends>
struct separate_segments {
  Begins begins;
  Ends ends;

  TESSERA_FN detail::segment_range operator[](std::int64_t s) const {
    return detail::range_between(tessera::detail::read_element(begins, s), tessera::detail::read_element(ends, s));
  }
};

/// Segments of one length. Made by segments_of_length.
struct equal_segments {
  std::int64_t length;

  TESSERA_FN detail::segment_range operator[](std::int64_t s) const { return {s * length, length}; }
};

/// Segments without gaps, given by their lengths. Made by segments_of_lengths.
template <class Lengths>
struct adjoining_segments {
  Lengths lengths;
};

namespace detail {

template <class It>
inline constexpr bool reads_places = tessera::detail::is_integer<tessera::detail::value_of<It>> &&
                                     (sizeof(tessera::detail::value_of<It>) == 4 ||
                                      sizeof(tessera::detail::value_of<It>) == 8);

/// True for the three types above, which calls take instead of offsets.
template <class Segments>
inline constexpr bool is_segment_list = false;
template <class Begins, class Ends>
inline constexpr bool is_segment_list<separate_segments<Begins, Ends>> = true;
template <>
inline constexpr bool is_segment_list<equal_segments> = true;
template <class Lengths>
inline constexpr bool is_segment_list<adjoining_segments<Lengths>> = true;

}  // namespace detail

/// Segment s has the elements begins[s] … ends[s] − 1. In calls that only read elements, segments may overlap.
template <class Begins, class Ends>
auto segments_between(Begins begins, Ends ends) noexcept {
  static_assert(detail::reads_places<Begins> && detail::reads_places<Ends>,
                "grid::segments_between: begins and ends are integers of 32 or 64 bits.");
  using list = separate_segments<tessera::detail::reader_t<Begins>, tessera::detail::reader_t<Ends>>;
  return list{tessera::detail::reader_of(begins), tessera::detail::reader_of(ends)};
}

/// Segment s has the elements s · length … (s + 1) · length − 1.
inline equal_segments segments_of_length(std::int64_t length) noexcept {
  return {length};
}

/// Segment s has lengths[s] elements, and begins where segment s − 1 ends.
template <class Lengths>
auto segments_of_lengths(Lengths lengths) noexcept {
  static_assert(detail::reads_places<Lengths>, "grid::segments_of_lengths: lengths are integers of 32 or 64 bits.");
  return adjoining_segments<tessera::detail::reader_t<Lengths>>{tessera::detail::reader_of(lengths)};
}

}  // namespace grid
TESSERA_NAMESPACE_END
