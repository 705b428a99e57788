// Labels that are grouped.
#include <tessera/grid/group_by_label.cuh>

#include "arrays.hpp"

namespace oracle::arrays {
namespace {

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

registered<false> const of_grouped_labels{{"group_by_label", group_by_label}};

}  // namespace
}  // namespace oracle::arrays
