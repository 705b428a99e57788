// The elements of rows that come first.
#include <tessera/grid/top_k_rows.cuh>

#include "arrays.hpp"
#include "chosen.hpp"

namespace oracle::arrays {
namespace {

template <class T, class Index>
void top_k_rows_of(call& c) {
  matrix_of const m(c);
  index const k = results_of(c);
  bool const falling = c.what.is("extra", "greater"), some = c.drawn(73, 2) == 1;
  auto const x = elements<T>(c, m.elements());
  std::vector<std::int32_t> begins, counts;
  bool const by_column = in_any_order(c) && m.columns > 4096 &&
                         (sizeof(T) == 8 ? k > 1024 || m.columns < 65536 : k > 2048 || 16 * k > m.columns);
  chosen<T, Index> want;
  for (index r = 0; r < m.rows; ++r) {
    auto const which = static_cast<u64>(r);
    index const begin = some ? c.drawn(2000 + which, m.columns + 1) : 0,
                count = some ? c.drawn(900'000 + which, m.columns + 3) : m.columns,
                length = std::min(count, m.columns - begin);
    begins.push_back(static_cast<std::int32_t>(begin));
    counts.push_back(static_cast<std::int32_t>(count));
    auto const whole = m.row(x, r);
    auto places = first_places(c, model::slice(whole, begin, begin + length), k, falling);
    for (index& i : places) i += i < 0 ? 0 : begin;
    if (by_column) std::sort(places.begin(), std::find(places.begin(), places.end(), -1));
    want.add(whole, places, falling);
  }
  auto const in = c.in(x);
  auto const values = c.out(want.values);
  auto const indices = c.out(want.indices);
  auto const first = some ? c.in(begins) : array<std::int32_t const>();
  auto const lengths_in = some ? c.in(counts) : array<std::int32_t const>();
  c.launch = [=, options = options_of(c), any = in_any_order(c)](grid::execution on) mutable {
    if (any) options.order = grid::top_k_order::any;
    options.begins = first();
    options.lengths = lengths_in();
    return falling ? grid::top_k_rows(m.view(in()), k, values(), indices(), tessera::greater{}, options, on)
                   : grid::top_k_rows(m.view(in()), k, values(), indices(), tessera::less{}, options, on);
  };
}
void top_k_rows(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    if (c.what.is("index", "wide")) return top_k_rows_of<decltype(t), std::int64_t>(c);
    top_k_rows_of<decltype(t), std::int32_t>(c);
  });
}

void kth_value_rows(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    index const rank = results_of(c) - 1;
    bool const falling = c.what.is("extra", "greater");
    auto const x = elements<T>(c, m.elements());
    chosen<T, std::int32_t> want;
    for (index r = 0; r < m.rows; ++r) {
      auto const row = m.row(x, r);
      want.add(row, {first_places(c, row, rank + 1, falling).back()}, falling);
    }
    auto const in = c.in(x);
    auto const values = c.out(want.values);
    auto const indices = c.out(want.indices);
    c.launch = [=, options = options_of(c)](grid::execution on) {
      return falling ? grid::kth_value_rows(m.view(in()), rank, values(), indices(), tessera::greater{}, options, on)
                     : grid::kth_value_rows(m.view(in()), rank, values(), indices(), tessera::less{}, options, on);
    };
  });
}

registered<false> const of_chosen_rows{{"top_k_rows", top_k_rows}, {"kth_value_rows", kth_value_rows}};

}  // namespace
}  // namespace oracle::arrays
