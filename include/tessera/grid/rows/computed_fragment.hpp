// A row fragment (row_fragment.hpp) of a row that an iterator computes: the elements that one lane of a tile holds in
// registers.
//
//   a row           a b c d e f g h i j k l . . . .      2 lanes, 2 vectors of 4 elements; limit is 12
//   lane 0, vector 0    a c e g       vector 1    i k – –
//   lane 1, vector 0    b d f h       vector 1    j l – –
//
// Neighboring lanes read neighboring elements, and all reads of a full tile are issued before the first result is
// used. Which lane holds an element depends on its column alone.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/rows/row_element.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Which threads map or reduce a row that an iterator computes: a lane alone up to most_by_lane columns, a group of
/// lanes up to most_by_group.
struct computed_rows_tuning {
  static constexpr unsigned threads = each_segment_tuning::threads, group = 8;
  static constexpr std::int64_t most_by_lane = 8, most_by_group = 64;
};

/// One lane's part of a row: `Vectors` vectors of elements that are `Threads` apart.
template <class T, unsigned Threads, unsigned Vectors>
struct computed_fragment {
  static constexpr unsigned width = row_vector_length<T>, vectors = Vectors;
  static constexpr bool whole = false;
  static constexpr bool aligned = false;
  /// The elements that a tile holds.
  static constexpr int held = static_cast<int>(Threads * Vectors * width);
  using number = arithmetic_t<T>;

  packed<T> data[Vectors];
  int begin;  // the column of the lane's first element
  int limit;  // how many elements of the row are valid
  element_format<T> format;

  /// The column of element j of vector v.
  TESSERA_FN int index(unsigned v, unsigned j) const { return begin + static_cast<int>((v * width + j) * Threads); }

  /// Reads the elements from column `from` on. No element from the limit on is read: the last one before it is read
  /// in its place, by lanes that have others in the same vector.
  template <class In>
  TESSERA_FN void load(In const& row, unsigned rank, int from, int limit_) {
    begin = from + static_cast<int>(rank);
    limit = limit_;
    format = {};
    if (from + held <= limit) {
      TESSERA_UNROLL
      for (unsigned v = 0; v < Vectors; ++v) load_vector(row, v, [](int i) { return i; });
    } else {
      TESSERA_UNROLL
      for (unsigned v = 0; v < Vectors; ++v) {
        if (has_valid(v)) load_vector(row, v, [this](int i) { return i < limit ? i : limit - 1; });
      }
    }
  }
  /// Stores vector v to the columns below `end`.
  template <class Out>
  TESSERA_FN void store(Out const& row, unsigned v, int end, numbers_t<T> const& x) const {
    TESSERA_UNROLL
    for (unsigned j = 0; j < width; ++j) {
      if (index(v, j) < end) tessera::detail::write_element(row, index(v, j), detail::from_number<T>(x[j], format));
    }
  }

  /// Calls f(v, numbers) for each vector that has a valid element. Elements that aren't valid are `neutral`.
  template <class F>
  TESSERA_FN void for_each_vector(number neutral, F f) const {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      if (has_valid(v)) f(v, numbers(v, neutral));
    }
  }
  /// The elements of vector v. Those that aren't valid are `neutral`.
  TESSERA_FN numbers_t<T> numbers(unsigned v, number neutral) const {
    auto x = detail::unpack<T>(data[v], format);
    TESSERA_UNROLL
    for (unsigned j = 0; j < width; ++j) x[j] = is_valid(v, j) ? x[j] : neutral;
    return x;
  }
  /// The elements of vector v, which has a valid one, as they were read. In place of those that aren't valid it has the
  /// row's last valid element, whose column is that of column(v, j).
  TESSERA_FN numbers_t<T> loaded(unsigned v) const { return detail::unpack<T>(data[v], format); }
  TESSERA_FN int column(unsigned v, unsigned j) const {
    int const i = index(v, j);
    return i < limit ? i : limit - 1;
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
  /// The first element of a lane that holds a valid one.
  TESSERA_FN number first_valid() const { return detail::unpack<T>(data[0], format)[0]; }
  TESSERA_FN bool has_valid(unsigned v) const { return index(v, 0) < limit; }
  TESSERA_FN bool all_valid(unsigned v) const { return index(v, width - 1) < limit; }
  TESSERA_FN bool is_valid(unsigned v, unsigned j) const { return index(v, j) < limit; }
  /// The number of valid elements that this lane holds.
  TESSERA_FN int valid_count() const {
    int const all = static_cast<int>(Vectors * width), left = limit - begin;
    int const n = left <= 0 ? 0 : (left + static_cast<int>(Threads) - 1) / static_cast<int>(Threads);
    return n < all ? n : all;
  }

 private:
  /// Reads vector v: element j is that of column at(index(v, j)).
  template <class In, class At>
  TESSERA_FN void load_vector(In const& row, unsigned v, At const& at) {
    auto x = tessera::detail::from_words<row_vector<T>>({});
    TESSERA_UNROLL
    for (unsigned j = 0; j < width; ++j) x[j] = static_cast<T>(tessera::detail::read_element(row, at(index(v, j))));
    data[v] = tessera::detail::to_words(x);
  }
};

/// The fragment of a lane of a tile of N lanes by the thresholds of computed_rows_tuning: a lane alone and a group hold
/// all elements of theirs, larger tiles `Vectors` vectors of each lane at a time.
template <class T, unsigned N, unsigned Vectors>
using fragment_of_tile =
    computed_fragment<T, N,
                      (N > computed_rows_tuning::group ? Vectors
                       : N == 1 ? (computed_rows_tuning::most_by_lane + row_vector_length<T> - 1) / row_vector_length<T>
                                : (computed_rows_tuning::most_by_group / N + row_vector_length<T> - 1) /
                                      row_vector_length<T>)>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
