// A row of top_k_rows: what takes part of it, how its elements are compared, and where its results go.
//
//   columns          0 1 2 3 4 5 6 7 8 9       begin 2, length 6
//   takes part           x x x x x x           element i of the row is column 2 + i
//   an entry         rank key ‖ place          the key of an element (parts/top_k_entry.hpp), and its number i, or the
//                                              number counted from the other end if ties go to the higher column
//
// No two entries of a row are equal, and their order is that of the results. Elements are read again when they are
// stored: so all of their bits are kept.
#pragma once

#include <tessera/grid/parts/top_k_entry.hpp>
#include <tessera/grid/parts/vectors.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Which of the first k elements are stored: all of them; the last one; or that in the middle of the row, whatever k.
enum class top_k_part { all, last, median };

/// The arguments of the kernels. Elements are bits of numbers of one size, of any type and in either order. With other
/// Keys they are those of any elements, in an order of the caller's own: see compared_rows.hpp.
template <class Bits, class Keys = rank_keys_of_bits<Bits>>
struct top_k_rows_task {
  using keys = Keys;
  using key = typename keys::key;

  Bits const* in;
  std::int64_t in_stride, row_count;
  int column_count, k;
  top_k_part part;
  int results;        // those of a row that are stored
  Bits* values;       // or null
  void* indices;      // or null
  bool wide_indices;  // of 64 bits, else 32
  std::int64_t value_stride, index_stride;
  std::int32_t const *k_of_row, *begins, *lengths;  // of each row, or null
  typename keys::order order;
  std::uint32_t mirrored;  // the place of element i is i ^ mirrored
  unsigned place_bits;     // no place has more
  Bits missing;            // the value of a result that doesn't exist, if keys have a last number
};

template <class Bits>
struct top_k_row {
  Bits const* first;
  std::int64_t number;  // of the row
  int begin, length;    // the elements that take part
  int k;                // the first elements that are selected
  int from;             // the number of those that aren't stored
};

/// x, but at least 0 and at most `most`.
TESSERA_FN int within(int x, int most) {
  return x < 0 ? 0 : x < most ? x : most;
}

struct column_range {
  int begin, length;
};
/// The columns of row `number` that take part, by the `begins` and `lengths` of any task.
template <class Task>
TESSERA_FN column_range columns_of_row(Task const& task, std::int64_t number) {
  int const begin = task.begins ? detail::within(task.begins[number], task.column_count) : 0;
  int const rest = task.column_count - begin;
  int const length = task.lengths ? detail::within(task.lengths[number], rest) : rest;
  return {begin, length};
}

/// Row `number`: one of no elements if there is no such row.
template <class Bits, class Keys>
TESSERA_FN top_k_row<Bits> top_k_row_of(top_k_rows_task<Bits, Keys> const& task, std::int64_t number) {
  if (number >= task.row_count) return {task.in, number, 0, 0, 0, 0};
  bool const is_whole = !task.k_of_row && !task.begins && !task.lengths && task.part == top_k_part::all;
  if (is_whole) {
    int const length = task.column_count;
    return {task.in + number * task.in_stride, number, 0, length, task.k < length ? task.k : length, 0};
  }
  auto const [begin, length] = detail::columns_of_row(task, number);
  Bits const* const first = task.in + number * task.in_stride + begin;
  int const given = task.k_of_row ? detail::within(task.k_of_row[number], task.k) : task.k;
  if (task.part == top_k_part::all) return {first, number, begin, length, given < length ? given : length, 0};
  int const wanted = task.part == top_k_part::median ? (length + 1) / 2 : given;
  if (wanted == 0 || wanted > length) return {first, number, begin, length, 0, 0};
  return {first, number, begin, length, wanted, wanted - 1};
}

/// Stores the i-th of the first elements, if it is to be stored.
template <class Bits, class Keys>
TESSERA_FN void store_element(top_k_rows_task<Bits, Keys> const& task, top_k_row<Bits> const& row, int i, int element) {
  if (i < row.from) return;
  if (task.values) task.values[row.number * task.value_stride + i - row.from] = row.first[element];
  if (!task.indices) return;
  std::int64_t const at = row.number * task.index_stride + i - row.from;
  int const column = row.begin + element;
  if (task.wide_indices) {
    static_cast<std::int64_t*>(task.indices)[at] = column;
  } else {
    static_cast<std::int32_t*>(task.indices)[at] = column;
  }
}
/// As above: element `place ^ mirrored` of the row.
template <class Bits, class Keys>
TESSERA_FN void store_top_k(top_k_rows_task<Bits, Keys> const& task, top_k_row<Bits> const& row, int i,
                            std::uint32_t place) {
  detail::store_element(task, row, i, static_cast<int>(place ^ task.mirrored));
}
/// Stores the results that a row doesn't have. `lane` is one of so many.
template <class Bits, class Keys>
TESSERA_FN void store_no_top_k(top_k_rows_task<Bits, Keys> const& task, top_k_row<Bits> const& row, unsigned lane,
                               unsigned lanes) {
  if (row.number >= task.row_count) return;
  for (int i = row.k - row.from + static_cast<int>(lane); i < task.results; i += static_cast<int>(lanes)) {
    if constexpr (Keys::has_last_number) {
      if (task.values) task.values[row.number * task.value_stride + i] = task.missing;
    }
    if (!task.indices) continue;
    std::int64_t const at = row.number * task.index_stride + i;
    if (task.wide_indices) {
      static_cast<std::int64_t*>(task.indices)[at] = -1;
    } else {
      static_cast<std::int32_t*>(task.indices)[at] = -1;
    }
  }
}

/// The entries of a row, and the form in which they are sorted: the integer that one is, if it is one.
template <class Bits>
struct top_k_row_entry {
  using keys = rank_keys_of_bits<Bits>;
  static constexpr bool is_word = sizeof(typename keys::key) == 4;
  using type = stl::conditional_t<is_word, packed_entry<keys>, indexed_key_entry<keys>>;
  using stored = stl::conditional_t<is_word, std::uint64_t, type>;

  TESSERA_FN static type of(top_k_rows_task<Bits> const& task, Bits x, int element) {
    return type::of(keys::of(x, task.order), static_cast<std::uint32_t>(element) ^ task.mirrored);
  }
  TESSERA_FN static stored to_stored(type const& e) {
    if constexpr (is_word) {
      return e.word;
    } else {
      return e;
    }
  }
  TESSERA_FN static type from_stored(stored const& e) {
    if constexpr (is_word) {
      return {e};
    } else {
      return e;
    }
  }
};

/// True if a row has an element of this number, which may be negative.
template <class Bits>
TESSERA_FN bool has_element(top_k_row<Bits> const& row, int element) {
  return static_cast<unsigned>(element) < static_cast<unsigned>(row.length);
}

/// Loads the vectors that a lane has of a row: vector v holds elements first + v · apart … A vector's elements outside
/// the row are 0.
template <unsigned Vectors, class Bits>
TESSERA_FN void load_top_k_vectors(top_k_row<Bits> const& row, int first, int apart, packed<Bits> (&to)[Vectors]) {
  TESSERA_UNROLL
  for (unsigned v = 0; v < Vectors; ++v) {
    int const i = first + static_cast<int>(v) * apart;
    to[v] = {};
    if (i < row.length) to[v] = detail::load_part(row.first + i, i, row.length);
  }
}

/// Loads such vectors, and calls make(i, bits) for each of their items, then make_missing(i) for those that aren't
/// elements of the row. Lanes that share a row take the same way: by vectors that all exist, that exist or don't, or
/// that the row's ends may cut.
///
/// first  the lane's number times the vector's length, less shift_of(row.first), or a multiple of `apart` more
/// apart  the number of lanes times the vector's length, a power of two
template <unsigned Vectors, class Bits, class Make, class MakeMissing>
TESSERA_FN void visit_lane_items(top_k_row<Bits> const& row, int first, int apart, Make const& make,
                                 MakeMissing const& make_missing) {
  constexpr unsigned width = row_vector_length<Bits>;
  int const shift = detail::shift_of(row.first), of_lanes = ((first + shift) & -apart) - shift;  // of the first lane
  bool const is_full = of_lanes >= 0 && of_lanes + static_cast<int>(Vectors) * apart <= row.length;
  bool const is_cut = shift != 0 || row.length % static_cast<int>(width) != 0;
  auto const index = [&](unsigned v) { return first + static_cast<int>(v) * apart; };
  packed<Bits> loaded[Vectors];
  if (is_full) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) loaded[v] = detail::load_packed(row.first + index(v));
  } else if (!is_cut) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      loaded[v] = {};
      if (index(v) < row.length) loaded[v] = detail::load_packed(row.first + index(v));
    }
  } else {
    detail::load_top_k_vectors(row, first, apart, loaded);
  }
  TESSERA_UNROLL
  for (unsigned i = 0; i < Vectors * width; ++i)
    make(i, detail::from_words<row_vector<Bits>>(loaded[i / width])[i % width]);
  if (is_full) return;
  if (!is_cut) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Vectors * width; ++i)
      if (index(i / width) >= row.length) make_missing(i);
    return;
  }
  TESSERA_UNROLL
  for (unsigned i = 0; i < Vectors * width; ++i)
    if (!detail::has_element(row, index(i / width) + static_cast<int>(i % width))) make_missing(i);
}

/// Calls use(bits, element) for the elements of a row that thread `thread` of so many has. Some vectors are loaded at
/// once.
template <unsigned Vectors, class Bits, class Use>
TESSERA_FN void visit_top_k_row(top_k_row<Bits> const& row, unsigned thread, unsigned threads, Use const& use) {
  constexpr int width = row_vector_length<Bits>;
  int const apart = static_cast<int>(threads) * width, shift = detail::shift_of(row.first);
  TESSERA_LOOP
  for (int from = static_cast<int>(thread) * width - shift; from < row.length;
       from += static_cast<int>(Vectors) * apart) {
    packed<Bits> loaded[Vectors];
    detail::load_top_k_vectors(row, from, apart, loaded);
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) {
      auto const x = detail::from_words<row_vector<Bits>>(loaded[v]);
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) {
        int const element = from + static_cast<int>(v) * apart + j;
        if (detail::has_element(row, element)) use(x[static_cast<unsigned>(j)], element);
      }
    }
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
