// sort_rows_by_key on the GPU: types of keys and values, sizes, strides, in place; bad arguments; graphs.
#include <tessera/grid/sort_rows.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "sort_rows_reference.hpp"
#include "stream.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

template <bool Falling, class Key, class Value>
void expect_sorted(sort_pairs_case<Key, Value> c, bool keys_in_place, bool values_in_place, std::size_t offset) {
  if (!is_worth(c.rows * c.columns)) return;
  using before = std::conditional_t<Falling, tessera::greater, tessera::less>;
  c.falling = Falling;
  if (keys_in_place) c.key_out_gap = c.key_gap;
  if (values_in_place) c.value_out_gap = c.value_gap;
  auto const x = c.keys();
  auto const v = c.values();
  auto const none = [&](std::int64_t gap) { return static_cast<std::size_t>(c.rows * (c.columns + gap)); };
  device_array<Key> const keys(c.with_gaps(x, c.key_gap, c.no_key()), offset),
      other_keys(std::vector<Key>(none(c.key_out_gap), c.no_key()), offset);
  device_array<Value> const values(c.with_gaps(v, c.value_gap, c.no_value()), offset),
      other_values(std::vector<Value>(none(c.value_out_gap), c.no_value()), offset);
  auto const& keys_out = keys_in_place ? keys : other_keys;
  auto const& values_out = values_in_place ? values : other_values;
  auto const at = [&](auto* data, std::int64_t gap) { return matrix(data, c.rows, c.columns, c.columns + gap); };
  ASSERT_EQ(sort_rows_by_key(at(keys.data(), c.key_gap), at(values.data(), c.value_gap),
                             at(keys_out.data(), c.key_out_gap), at(values_out.data(), c.value_out_gap), before{}),
            cudaSuccess)
      << c.text();
  c.expect(x, v, keys_out.to_host(), c.columns + c.key_out_gap, values_out.to_host(), c.columns + c.value_out_gap);
  ASSERT_TRUE(keys.guards_intact() && other_keys.guards_intact() && values.guards_intact() &&
              other_values.guards_intact())
      << c.text();
}

template <class Key, class Value>
void expect_all_sizes() {
  unsigned seed = 0;
  for (std::int64_t columns :
       {0, 1, 3, 8, 9, 32, 64, 100, 128, 129, 256, 257, 300, 512, 513, 1024, 1025, 2048, 2049, 4096, 4097, 5000}) {
    std::int64_t const rows = columns < 300 ? 77 : 5;
    for (bool in_place : {false, true}) {
      ++seed;
      int const kind = static_cast<int>(seed % 6);
      expect_sorted<false>(sort_pairs_case<Key, Value>{rows, columns, 0, 0, 0, 0, false, kind, seed}, in_place,
                           in_place, 0);
      expect_sorted<true>(sort_pairs_case<Key, Value>{rows, columns, 3, 1, 0, 2, true, kind % 2, seed}, in_place,
                          columns % 2 == 0, seed % 8);
      expect_sorted<false>(sort_pairs_case<Key, Value>{rows, columns, 0, 5, 4, 0, false, 1, seed}, false, in_place, 1);
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST(GridSortRowsByKeyAny, Floats) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<float, std::int32_t>();
  expect_sorted<true>(sort_pairs_case<float, std::int32_t>{3, 1 << 20, 0, 0, 1, 0, true, 1, 7}, false, true, 0);
}

TEST(GridSortRowsByKeyAny, BadArguments) {
  SKIP_WITHOUT_GPU();
  constexpr auto bad = cudaErrorInvalidValue;
  device_array<float> const memory(1000);
  device_array<std::int32_t> const others(1000);
  float* const in = memory.data();
  std::int32_t* const at = others.data();
  matrix<float const> const x{in, 10, 20};
  matrix<std::int32_t const> const v{at, 10, 20};
  matrix<float> const x_out{in + 500, 10, 20};
  matrix<std::int32_t> const v_out{at + 500, 10, 20};
  EXPECT_EQ(sort_rows_by_key(x, v, x_out, v_out), cudaSuccess);
  EXPECT_EQ(sort_rows_by_key(x, v, matrix<float>{in, 10, 20}, matrix<std::int32_t>{at, 10, 20}), cudaSuccess);
  // Keys, values and both outputs may be columns of one matrix.
  EXPECT_EQ(sort_rows_by_key(matrix<float>{in, 10, 20, 80}, matrix<float>{in + 20, 10, 20, 80},
                             matrix<float>{in + 40, 10, 20, 80}, matrix<float>{in + 60, 10, 20, 80}),
            cudaSuccess);
  EXPECT_EQ(sort_rows_by_key(matrix<float>{}, matrix<int>{}, matrix<float>{}, matrix<int>{}), cudaSuccess);
  EXPECT_EQ(sort_rows_by_key(x, v, matrix<float>{in + 1, 10, 20}, v_out), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, x_out, matrix<std::int32_t>{at + 1, 10, 20}), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, x_out, matrix<std::int32_t>{reinterpret_cast<std::int32_t*>(in), 10, 20}), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, matrix<float>{reinterpret_cast<float*>(at) + 30, 10, 20}, v_out), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, x_out, matrix<std::int32_t>{reinterpret_cast<std::int32_t*>(in) + 510, 10, 20}),
            bad);
  EXPECT_EQ(sort_rows_by_key(x, matrix<std::int32_t const>{at, 10, 19}, x_out, v_out), bad);
  EXPECT_EQ(sort_rows_by_key(x, matrix<std::int32_t const>{at, 9, 20}, x_out, v_out), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, matrix<float>{in + 500, 10, 20, 19}, v_out), bad);
  EXPECT_EQ(sort_rows_by_key(x, v, x_out, matrix<std::int32_t>{nullptr, 10, 20}), bad);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(GridSortRowsByKeyAny, InAGraph) {
  SKIP_WITHOUT_GPU();
  stream const on;
  for (std::int64_t columns : {50, 3000}) {
    workspace memory;
    sort_pairs_case<float, std::int32_t> const c{9, columns, 0, 0, 1, 2, false, 1, 5};
    auto const x = c.keys();
    auto const v = c.values();
    device_array<float> const keys(x),
        keys_out(std::vector<float>(static_cast<std::size_t>(9 * (columns + 1)), c.no_key()));
    device_array<std::int32_t> const values(v),
        values_out(std::vector<std::int32_t>(static_cast<std::size_t>(9 * (columns + 2)), c.no_value()));
    auto const run = [&] {
      ASSERT_EQ(sort_rows_by_key(matrix(keys.data(), 9, columns), matrix(values.data(), 9, columns),
                                 matrix(keys_out.data(), 9, columns, columns + 1),
                                 matrix(values_out.data(), 9, columns, columns + 2), tessera::less{}, {on, memory}),
                cudaSuccess);
    };
    run();  // which the workspace grows for
    check(cudaStreamSynchronize(on));
    graph const captured(on, run);
    for (int i = 0; i < 2; ++i) {
      check(cudaMemset(keys_out.data(), 0, static_cast<std::size_t>(columns) * sizeof(float)));
      check(cudaMemset(values_out.data(), 0, static_cast<std::size_t>(columns) * sizeof(std::int32_t)));
      check(cudaDeviceSynchronize());
      captured.replay();
      check(cudaStreamSynchronize(on));
      c.expect(x, v, keys_out.to_host(), columns + 1, values_out.to_host(), columns + 2);
    }
  }
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(GridSortRowsByKeyAny, Doubles) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<double, std::int32_t>();
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST(GridSortRowsByKeyAny, Halves) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<__half, double>();
}
#endif
#if TESSERA_TEST_HAS_PART(3)
TEST(GridSortRowsByKeyAny, ValuesOfOtherSizes) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<std::int32_t, twenty_bytes>();
}
#endif
#if TESSERA_TEST_HAS_PART(4)
TEST(GridSortRowsByKeyAny, Bytes) {
  SKIP_WITHOUT_GPU();
  expect_all_sizes<std::int8_t, three_bytes>();
}
#endif

}  // namespace
