// The kernel of sort_rows on host tiles.
#include <gtest/gtest.h>

#include <tessera/grid/rows/sort_short_rows.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "sort_rows_reference.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

template <unsigned Lanes, unsigned Vectors, bool Falling, class T>
void expect_sorted(std::int64_t rows, std::int64_t columns, std::size_t offset, bool in_place, int kind,
                   unsigned seed) {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  using shape = detail::sort_tile_shape<Lanes, Vectors, (Lanes > 64 ? Lanes : 64)>;
  constexpr auto width = static_cast<std::int64_t>(detail::row_vector_length<bits>);
  // Rows from a multiple of 16 bytes on fill all vectors of a tile.
  std::int64_t const in_stride = offset == 0 ? (columns + width - 1) / width * width : columns + kind % 3,
                     out_stride = in_place ? in_stride : columns + kind % 2;
  auto const x = top_k_numbers<T>(rows * in_stride, kind, seed);
  T const nothing = top_k_number<T>(77);
  std::vector<T> memory(x.size() + 300), other(static_cast<std::size_t>(rows * out_stride) + 300, nothing);
  auto const aligned = [&](std::vector<T>& all) {
    T* first = all.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 256 != 0) ++first;
    return first + offset;
  };
  T *const in = aligned(memory), *const out = in_place ? in : aligned(other);
  std::copy(x.begin(), x.end(), in);
  if (in_place) {
    for (std::int64_t r = 0; r < rows; ++r) std::fill(in + r * in_stride + columns, in + (r + 1) * in_stride, nothing);
  }
  detail::sort_rows_task<bits> const task{reinterpret_cast<bits const*>(in),
                                          reinterpret_cast<bits*>(out),
                                          in_stride,
                                          out_stride,
                                          rows,
                                          static_cast<int>(columns),
                                          detail::key_coding<bits>::template of<T, Falling>()};
  host::options how;
  how.seed = seed;
  auto const blocks = static_cast<unsigned>((rows + shape::rows_per_block - 1) / shape::rows_per_block);
  host::launch_grid(blocks, shape::threads, how,
                    [&](host::block block) { detail::sort_short_rows<shape>(block, task); });
  expect_sorted_rows(x.data(), out, rows, columns, in_stride, out_stride, Falling, nothing,
                     std::to_string(columns) + " columns, kind " + std::to_string(kind));
}

template <unsigned Lanes, unsigned Vectors, class T>
void expect_all(std::int64_t rows) {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  constexpr auto width = static_cast<std::int64_t>(detail::row_vector_length<bits>), most = Lanes * Vectors * width;
  unsigned seed = 1;
  for (int kind : {0, 1, 2, 4, 5}) {
    for (bool in_place : {false, true}) {
      for (std::int64_t columns : {most, most - 1, most - width + 1, most / 2 + 1, std::int64_t{1}})
        expect_sorted<Lanes, Vectors, false, T>(rows, columns, 0, in_place, kind % 3 == 0 ? kind : 0, ++seed);
      if (most <= 2 * width) continue;
      for (std::int64_t columns : {most - width, most / 2, std::int64_t{1}})
        expect_sorted<Lanes, Vectors, true, T>(rows, columns, 1, in_place, kind, ++seed);
    }
  }
}

template <class T>
void expect_all_shapes() {
  constexpr unsigned many = detail::sort_rows_tuning::vectors<typename tessera::detail::unsigned_of<sizeof(T)>::type>;
  expect_all<1, many, T>(70);
  expect_all<2, many, T>(35);
  expect_all<4, many, T>(17);
  expect_all<16, many, T>(5);
  expect_all<32, 2 * many, T>(3);
  expect_all<128, many, T>(2);
}

TEST(GridSortRowsOnHost, Floats) {
  expect_all_shapes<float>();
  expect_all_shapes<double>();
}
TEST(GridSortRowsOnHost, Halves) {
  expect_all_shapes<__half>();
}
TEST(GridSortRowsOnHost, Integers) {
  expect_all_shapes<std::int32_t>();
  expect_all_shapes<std::int8_t>();
  expect_all_shapes<std::uint64_t>();
}

}  // namespace
