// The elements of rows that come first, and labels that are grouped.
#include <tessera/grid/group_by_label.cuh>
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

/// Some labels have no bin. Groups are padded or aren't. All labels are grouped, or as many as the device knows.
template <class Label, class Index>
void group_by_label_of(call& c) {
  index const bins = c.what.is("spread", "one")    ? 1
                     : c.what.is("spread", "many") ? 600
                                                   : 1 + c.drawn(74, 40),
              pad_to = c.drawn(75, 2) == 0 ? 1 : 1 + c.drawn(76, 30);
  std::vector<Label> labels;
  for (index i = 0; i < c.n; ++i) labels.push_back(static_cast<Label>(c.drawn(10'000 + static_cast<u64>(i), bins + 2)));
  std::vector<std::vector<index>> groups(static_cast<std::size_t>(bins));
  bool const is_counted = c.what.is("extra", "counted");
  index const number = is_counted ? c.drawn(77, c.n + 5) : c.n, now = std::min(number, c.n);
  for (index i = 0; i < now; ++i) {
    auto const label = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
    if (label < groups.size()) groups[label].push_back(i);
  }
  std::vector<Index> starts, counts, order, places = poisoned<Index>(c.n), all;
  std::fill(places.begin(), places.begin() + now, Index(-1));
  for (auto const& group : groups) {
    starts.push_back(static_cast<Index>(all.size()));
    counts.push_back(static_cast<Index>(group.size()));
    for (index const i : group) {
      places[static_cast<std::size_t>(i)] = static_cast<Index>(all.size());
      all.push_back(static_cast<Index>(i));
    }
    while (all.size() % static_cast<std::size_t>(pad_to) != 0) all.push_back(static_cast<Index>(now));
  }
  starts.push_back(static_cast<Index>(all.size()));
  order = poisoned<Index>(grid::grouped_size(c.n, bins, pad_to));
  auto const initial = order;
  std::copy(all.begin(), all.end(), order.begin());
  auto const in = c.in(labels);
  auto const offsets_out = c.out(starts), counts_out = c.out(counts), inverse = c.out(places);
  auto const order_out = c.over(initial, order);
  auto const on_device = c.in(std::vector<std::int64_t>{number});
  c.launch = [=, n = c.n](grid::execution on) {
    grid::group_options<Index> options;
    options.pad_to = pad_to;
    options.counts = counts_out();
    options.inverse = inverse();
    auto const group = [&](auto length) {
      return grid::group_by_label(in(), length, static_cast<int>(bins), offsets_out(), order_out(), options, on);
    };
    return is_counted ? group(grid::count_on_device(on_device(), n)) : group(n);
  };
}
void group_by_label(call& c) {
  with_type(c, types<std::int32_t, std::uint64_t>{}, [&](auto t) {
    if (c.what.is("index", "wide")) return group_by_label_of<decltype(t), std::int64_t>(c);
    group_by_label_of<decltype(t), std::int32_t>(c);
  });
}

registered<false> const done{
    {"top_k_rows", top_k_rows}, {"kth_value_rows", kth_value_rows}, {"group_by_label", group_by_label}};

}  // namespace
}  // namespace oracle::arrays
