// Selections from rows by a comparator on host tiles: the kernel for short rows, and what is done before and after the
// sort of longer ones; against std::stable_sort.
#include <gtest/gtest.h>

#include <tessera/grid/rows/compared_rows.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "own_orders.hpp"
#include "top_k_rows_reference.hpp"
#include "top_k_rows_task.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

/// Runs run(task) for a case, and compares.
template <class T, class Before, class Run>
void expect_first(top_k_rows_case const& c, Before const& before, unsigned seed, Run run) {
  using bits = detail::opaque_t<T>;
  auto const x = drawn_elements<T>(c.rows * c.stride() + 1, seed);
  auto const k_of_row = drawn_for_rows(c.rows, c.k, seed + 1), begins = drawn_for_rows(c.rows, c.columns, seed + 2),
             lengths = drawn_for_rows(c.rows, c.columns, seed + 3);
  auto const if_per_row = [&](auto const& array) { return c.per_row ? array.data() : nullptr; };
  T const nothing = made(static_cast<T*>(nullptr), 7, -1);
  auto const expected = first_of_rows(x.data(), c, if_per_row(k_of_row), if_per_row(begins), if_per_row(lengths),
                                      nothing, nothing, before);
  std::vector<T> values(expected.values.size(), nothing);
  std::vector<std::int64_t> indices(expected.indices.size(), -7);
  run(task_of_case<detail::compared_rows_task<T, Before>>(c, x.data(), values, indices, if_per_row(k_of_row),
                                                          if_per_row(begins), if_per_row(lengths), before, bits{}));
  EXPECT_TRUE(indices == expected.indices) << c.text();
  EXPECT_TRUE(values == expected.values) << c.text();
}

template <unsigned Lanes, unsigned Items>
struct by_tiles {
  unsigned seed;

  template <class T, class Before>
  void operator()(detail::compared_rows_task<T, Before> const& task) const {
    using shape = detail::compared_tile_shape<Lanes, Items, 64>;
    host::options how;
    how.seed = seed;
    auto const blocks = static_cast<unsigned>((task.row_count + shape::rows_per_block - 1) / shape::rows_per_block);
    host::launch_grid(blocks, shape::threads, how,
                      [&](host::block block) { detail::select_from_compared_rows<shape, T, Before>(block, task); });
  }
};

/// As the launcher does it, with a stable sort of each range in place of sort_segments_by_key.
struct by_a_sort {
  template <class T, class Before>
  void operator()(detail::compared_rows_task<T, Before> const& task) const {
    using task_t = detail::compared_rows_task<T, Before>;
    detail::columns_to_sort const unsorted{task.column_count, 0, task.mirrored != 0};
    detail::elements_to_sort<T> const keys{reinterpret_cast<T const*>(task.in), task.in_stride, unsorted};
    auto const begins = detail::ends_to_sort::of(task, false, 0), ends = detail::ends_to_sort::of(task, true, 0);
    std::vector<std::int32_t> sorted(static_cast<std::size_t>(task.row_count * task.column_count), -9);
    for (std::int64_t r = 0; r < task.row_count; ++r) {
      std::vector<std::int64_t> places;
      for (std::int64_t i = *(begins + r); i < *(ends + r); ++i) places.push_back(i);
      std::stable_sort(places.begin(), places.end(),
                       [&](std::int64_t a, std::int64_t b) { return task.order(*(keys + a), *(keys + b)); });
      for (std::size_t i = 0; i < places.size(); ++i)
        sorted[static_cast<std::size_t>(*(begins + r)) + i] = *(unsorted + places[i]);
    }
    detail::store_sorted_rows<task_t> const store{task, sorted.data()};
    for (std::int64_t i = 0; i < task.row_count * task.results; ++i) store(i);
  }
};

/// All ways to choose, from rows of some columns.
template <class T, class Before, class Run>
void expect_all(std::int64_t columns, Before const& before, unsigned seed, Run run) {
  for (bool higher : {false, true}) {
    for (bool per_row : {false, true}) {
      top_k_rows_case c{11, columns, 1, 3, 0, true, higher, 0, per_row, 1, 2};
      for (std::int64_t k : {std::int64_t{1}, columns / 2 + 1, columns, columns + 5}) {
        c.k = k;
        if (k > 0) expect_first<T>(c, before, ++seed, run);
      }
      c.k = columns / 2 + 1;
      c.only_last = true;
      expect_first<T>(c, before, ++seed, run);
      c.only_last = false;
      c.median = true;
      c.k = columns < 1 ? 1 : (columns + 1) / 2;
      expect_first<T>(c, before, ++seed, run);
    }
  }
}
template <class T, class Before>
void expect_all_sizes(Before const& before) {
  unsigned seed = 1;
  for (std::int64_t columns : {0, 1, 2, 7, 31, 32}) {
    ++seed;
    expect_all<T>(columns, before, seed, by_tiles<8, 4>{seed});
    expect_all<T>(columns, before, ++seed, by_a_sort{});
  }
  for (std::int64_t columns : {33, 100, 255, 256}) {
    ++seed;
    expect_all<T>(columns, before, seed, by_tiles<32, 8>{seed});
  }
  for (std::int64_t columns : {257, 700}) expect_all<T>(columns, before, ++seed, by_a_sort{});
}

TEST(GridComparedRowsOnHost, Structs) {
  expect_all_sizes<item>(heavier{});
}
TEST(GridComparedRowsOnHost, NumbersInAnOrderOfYourOwn) {
  expect_all_sizes<std::int32_t>(by_last_digit{});
}
TEST(GridComparedRowsOnHost, AnOrderWithState) {
  expect_all_sizes<parcel>(heavy_enough{30});
}

}  // namespace
