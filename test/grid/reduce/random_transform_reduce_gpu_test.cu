// Random arrays and matrices of structs through transform_reduce, by operators that commute and that don't.
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/segments.cuh>

#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomTransform = GridRandom;

/// x -> scale · x + offset, modulo 2^32: maps that are applied one after the other don't commute.
struct affine_map {
  std::uint32_t scale, offset;
};
struct then {
  TESSERA_FN affine_map operator()(affine_map a, affine_map b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset};
  }
};
struct map_of {
  TESSERA_FN affine_map operator()(std::uint32_t x, std::int64_t index) const {
    return {2 * x + 1, x ^ static_cast<std::uint32_t>(index)};
  }
};
struct map_of_column {
  TESSERA_FN affine_map operator()(std::uint32_t x, int column) const { return map_of{}(x, column); }
};
struct is_above {
  float threshold;
  TESSERA_FN int operator()(float x) const { return x > threshold ? 1 : 0; }
};

template <class F>
affine_map in_order(std::uint32_t const* x, std::int64_t n, F f) {
  affine_map all{1, 0};
  for (std::int64_t i = 0; i < n; ++i) all = then{}(all, f(x[i], i));
  return all;
}

TEST_F(GridRandomTransform, ArraysInOrder) {
  each_random_case(0.04, [&](std::uint64_t seed) {
    case_draw from(seed);
    std::int64_t const n = from.size(most_elements(1 << 20)), offset = from.number(0, 20);
    std::string text = std::to_string(n) + " elements, offset " + std::to_string(offset);
    auto const x = drawn<std::uint32_t>(from, n, text);
    SCOPED_TRACE(text);
    device_array<std::uint32_t> const in(x, static_cast<std::size_t>(offset));
    auto const op = tessera::make_operator(then{}, affine_map{1, 0});
    auto const got = results<affine_map>(1, [&](affine_map* out, grid::execution on) {
      return grid::transform_reduce(in.data(), n, out, op, map_of{}, on);
    })[0];
    affine_map const expected = in_order(x.data(), n, map_of{});
    EXPECT_TRUE(got.scale == expected.scale && got.offset == expected.offset);
  });
}

TEST_F(GridRandomTransform, RowsInOrder) {
  each_random_case(0.04, [&](std::uint64_t seed) {
    case_draw from(seed);
    layout const where = drawn_layout(from, most_elements(1 << 18));
    std::string text = where.text();
    auto const x = drawn<std::uint32_t>(from, where.rows * where.columns, text);
    SCOPED_TRACE(text);
    device_matrix<std::uint32_t> const in(where, x);
    auto const op = tessera::make_operator(then{}, affine_map{1, 0});
    auto const got = results<affine_map>(where.rows, [&](affine_map* out, grid::execution on) {
      return grid::transform_reduce_rows(in.view(), out, op, map_of_column{}, on);
    });
    for (std::int64_t r = 0; r < where.rows; ++r) {
      affine_map const expected = in_order(x.data() + r * where.columns, where.columns, map_of{});
      auto const& row = got[static_cast<std::size_t>(r)];
      ASSERT_TRUE(row.scale == expected.scale && row.offset == expected.offset) << "row " << r;
    }
  });
}

TEST_F(GridRandomTransform, Counts) {
  each_random_case(0.02, [&](std::uint64_t seed) {
    case_draw from(seed);
    std::int64_t const n = from.size(most_elements(1 << 22)), offset = from.number(0, 20);
    std::string text = std::to_string(n) + " elements, offset " + std::to_string(offset);
    auto const x = drawn<float>(from, n, text);
    SCOPED_TRACE(text);
    device_array<float> const in(x, static_cast<std::size_t>(offset));
    is_above const f{static_cast<float>(from.real(-4, 4))};
    int expected = 0;
    for (float value : x) expected += f(value);
    auto const got = results<int>(1, [&](int* out, grid::execution on) {
      return grid::transform_reduce(in.data(), n, out, tessera::plus{}, f, on);
    })[0];
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
