// The elements of rows that come first in an order of one's own, and the columns of all in it.
#include <tessera/grid/sort_rows.cuh>

#include "arrays.hpp"
#include "chosen.hpp"
#include "functions_of_structs.hpp"

namespace oracle::arrays {
namespace {

using element = upper2;

/// By the first word, or falling.
struct by_first_word {
  bool falling;

  TESSERA_FN bool operator()(element const& a, element const& b) const {
    return falling ? first_word_less{}(b, a) : first_word_less{}(a, b);
  }
};

/// The elements of a matrix, of which a part of each row may take part, and what is stored of them: an element and an
/// index for each result. Where a row has no more, the element isn't written, and the index is −1.
struct compared {
  matrix_of m;
  by_first_word before;
  std::vector<element> x;
  std::vector<std::int32_t> begins, counts;  // of each row, or empty
  std::vector<element> values;
  std::vector<std::int64_t> indices;

  explicit compared(call& c) : m(c), before{c.what.is("extra", "greater")}, x(elements<element>(c, m.elements())) {
    for (index r = 0; r < (c.drawn(73, 2) == 1 ? m.rows : 0); ++r) {
      begins.push_back(static_cast<std::int32_t>(c.drawn(2000 + static_cast<u64>(r), m.columns + 1)));
      counts.push_back(static_cast<std::int32_t>(c.drawn(900'000 + static_cast<u64>(r), m.columns + 3)));
    }
  }
  /// The columns of row r that take part, in order.
  std::vector<index> sorted(index r, bool higher_first) const {
    auto const row = m.row(x, r);
    index const begin = begins.empty() ? 0 : begins[static_cast<std::size_t>(r)],
                end = begins.empty() ? m.columns : begin + counts[static_cast<std::size_t>(r)];
    auto places = ordered_places_by(model::slice(row, begin, std::min(end, m.columns)), before, higher_first);
    for (index& i : places) i += begin;
    return places;
  }
  void add(index r, index place) {
    values.push_back(place < 0 ? poisoned<element>(1)[0] : m.row(x, r)[static_cast<std::size_t>(place)]);
    indices.push_back(place);
  }
  /// The array of each row for the options, or none.
  static array<std::int32_t const> of_rows(call& c, std::vector<std::int32_t> const& each) {
    return each.empty() ? array<std::int32_t const>() : c.in(each);
  }
  /// Has run(matrix, values, indices, options, on) launched.
  template <class Index, class Run>
  void launch_as(call& c, Run run) const {
    auto const in = c.in(x);
    auto const values_out = c.out(values);
    auto const indices_out = c.out(as<Index>(indices));
    auto const begins_in = of_rows(c, begins), counts_in = of_rows(c, counts);
    c.launch = [=, shape = m, options = options_of(c)](grid::execution on) mutable {
      options.begins = begins_in();
      options.lengths = counts_in();
      return run(shape.view(in()), values_out(), indices_out(), options, on);
    };
  }
};

template <class Index>
void top_k_rows_of(call& c) {
  compared want(c);
  index const k = results_of(c);
  for (index r = 0; r < want.m.rows; ++r) {
    auto places = want.sorted(r, takes_higher(c));
    places.resize(static_cast<std::size_t>(k), -1);
    for (index const i : places) want.add(r, i);
  }
  want.launch_as<Index>(c,
                        [k, before = want.before](auto x, auto* values, auto* indices, auto const& options, auto on) {
                          return grid::top_k_rows(x, k, values, indices, before, options, on);
                        });
}
void top_k_rows(call& c) {
  c.what.is("index", "wide") ? top_k_rows_of<std::int64_t>(c) : top_k_rows_of<std::int32_t>(c);
}

/// One element of each row: that of the rank that rank_of(elements of the row) is.
template <class RankOf>
void add_one_of_each(call const& c, compared& want, RankOf const& rank_of) {
  for (index r = 0; r < want.m.rows; ++r) {
    auto const places = want.sorted(r, takes_higher(c));
    index const rank = rank_of(size(places));
    want.add(r, rank < size(places) ? places[static_cast<std::size_t>(rank)] : -1);
  }
}
void kth_value_rows(call& c) {
  compared want(c);
  index const rank = results_of(c) - 1;
  add_one_of_each(c, want, [rank](index) { return rank; });
  want.launch_as<std::int32_t>(
      c, [rank, before = want.before](auto x, auto* values, auto* indices, auto const& options, auto on) {
        return grid::kth_value_rows(x, rank, values, indices, before, options, on);
      });
}
void median_rows(call& c) {
  compared want(c);
  add_one_of_each(c, want, [](index n) { return n == 0 ? 0 : (n - 1) / 2; });
  want.launch_as<std::int32_t>(
      c, [before = want.before](auto x, auto* values, auto* indices, auto const& options, auto on) {
        return grid::median_rows(x, values, indices, before, options, on);
      });
}
template <class Index>
void argsort_rows_of(call& c) {
  compared want(c);
  want.begins.clear();
  std::vector<Index> indices;
  for (index r = 0; r < want.m.rows; ++r)
    for (index const i : want.sorted(r, false)) indices.push_back(static_cast<Index>(i));
  auto const in = c.in(want.x);
  auto const out = c.out(indices);
  c.launch = [=, m = want.m, before = want.before](grid::execution on) {
    return grid::argsort_rows(m.view(in()), out(), before, on);
  };
}
void argsort_rows(call& c) {
  c.what.is("index", "wide") ? argsort_rows_of<std::int64_t>(c) : argsort_rows_of<std::int32_t>(c);
}

registered<true> const of_compared_rows{{"top_k_rows", top_k_rows},
                                        {"kth_value_rows", kth_value_rows},
                                        {"median_rows", median_rows},
                                        {"argsort_rows", argsort_rows}};

}  // namespace
}  // namespace oracle::arrays
