// The kernel of sort_rows_by_key on host tiles, and what moves the values of longer rows.
#include <gtest/gtest.h>

#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/rows/sort_short_pairs.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <vector>

#include "sort_rows_reference.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

template <unsigned Lanes, unsigned Items, bool Falling, class Key, class Value>
void expect_sorted(std::int64_t rows, std::int64_t columns, bool in_place, int kind, unsigned seed) {
  using bits = typename tessera::detail::unsigned_of<sizeof(Key)>::type;
  using value = detail::opaque_t<Value>;
  using shape = detail::row_sort_shape<Lanes, Items, 64>;
  sort_pairs_case<Key, Value> const c{rows,    columns, 1,   kind % 3, in_place ? 1 : 2, in_place ? kind % 3 : 0,
                                      Falling, kind,    seed};
  auto const x = c.keys();
  auto const v = c.values();
  auto keys = c.with_gaps(x, c.key_gap, c.no_key());
  auto values = c.with_gaps(v, c.value_gap, c.no_value());
  std::vector<Key> other_keys(static_cast<std::size_t>(rows * (columns + c.key_out_gap)), c.no_key());
  std::vector<Value> other_values(static_cast<std::size_t>(rows * (columns + c.value_out_gap)), c.no_value());
  auto& keys_out = in_place ? keys : other_keys;
  auto& values_out = in_place ? values : other_values;
  detail::sort_pairs_task<bits, value> const task{
      {reinterpret_cast<bits const*>(keys.data()), columns + c.key_gap},
      {reinterpret_cast<value const*>(values.data()), columns + c.value_gap},
      {reinterpret_cast<bits*>(keys_out.data()), columns + c.key_out_gap},
      {reinterpret_cast<value*>(values_out.data()), columns + c.value_out_gap},
      rows,
      static_cast<int>(columns),
      detail::key_coding<bits>::template of<Key, Falling>()};
  host::options how;
  how.seed = seed;
  auto const blocks = static_cast<unsigned>((rows + shape::rows_per_block - 1) / shape::rows_per_block);
  detail::row_sort_storage<shape> storage;  // blocks take turns
  host::launch_grid(blocks, shape::threads, how,
                    [&](host::block block) { detail::sort_short_pairs<shape>(block, task, storage); });
  c.expect(x, v, keys_out, columns + c.key_out_gap, values_out, columns + c.value_out_gap);
}

template <unsigned Lanes, unsigned Items, class Key, class Value>
void expect_all(std::int64_t rows) {
  constexpr std::int64_t most = Lanes * Items;
  unsigned seed = 1;
  for (int kind : {0, 1, 2, 4, 5}) {
    for (bool in_place : {false, true}) {
      for (std::int64_t columns : {most, most - 1, most / 2 + 1, std::int64_t{1}}) {
        expect_sorted<Lanes, Items, false, Key, Value>(rows, columns, in_place, kind, ++seed);
        expect_sorted<Lanes, Items, true, Key, Value>(rows, columns, in_place, kind, ++seed);
      }
    }
  }
}

template <class Key, class Value>
void expect_all_shapes() {
  expect_all<1, 8, Key, Value>(70);
  expect_all<4, 8, Key, Value>(17);
  expect_all<16, 16, Key, Value>(5);
  expect_all<32, 32, Key, Value>(3);
  expect_all<64, 8, Key, Value>(3);
}

TEST(GridSortRowsByKeyOnHost, Floats) {
  expect_all_shapes<float, std::int32_t>();
}
TEST(GridSortRowsByKeyOnHost, Halves) {
  expect_all_shapes<__half, double>();
}
TEST(GridSortRowsByKeyOnHost, Integers) {
  expect_all_shapes<std::uint32_t, three_bytes>();
  expect_all_shapes<std::int8_t, std::int16_t>();
}

TEST(GridSortRowsByKeyOnHost, ColumnsOfLongRows) {
  constexpr std::int64_t rows = 3, columns = 5, stride = 7;
  std::vector<std::int32_t> const x = [] {
    std::vector<std::int32_t> out;
    for (int i = 0; i < rows * stride; ++i) out.push_back(i);
    return out;
  }();
  std::vector<std::int32_t> reversed, y(rows * columns, -1);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    EXPECT_EQ(*(detail::columns_in_rows<std::int32_t>{columns, 0} + i), i % columns);
    EXPECT_EQ(*(detail::columns_in_rows<std::int64_t>{columns, 1} + i), (i + 1) % columns);
    reversed.push_back(static_cast<std::int32_t>(columns - 1 - i % columns));
  }
  detail::gather_rows<std::int32_t> const move{reversed.data(), columns, {x.data(), stride}, {y.data(), columns}};
  for (std::int64_t i = 0; i < rows * columns; ++i) move(i);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    EXPECT_EQ(y[static_cast<std::size_t>(i)], i / columns * stride + columns - 1 - i % columns);
}

}  // namespace
