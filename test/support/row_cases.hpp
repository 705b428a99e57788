// What the tests of functions on rows share: matrices with gaps between their rows, and their sizes.
#pragma once

#include <tessera/grid/matrix.hpp>
#include <tessera/grid/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "device_array.hpp"
#include "numbers.hpp"
#include "stream.hpp"

namespace test {

/// A matrix's place in memory: gaps after each row, and how many elements its start is off a multiple of 256 bytes.
struct layout {
  std::int64_t rows, columns, gap = 0, offset = 0;

  std::int64_t stride() const { return columns + gap; }
  std::int64_t extent() const { return rows == 0 ? 0 : (rows - 1) * stride() + columns; }
  std::string text() const {
    return std::to_string(rows) + " × " + std::to_string(columns) + ", stride " + std::to_string(stride()) +
           ", offset " + std::to_string(offset);
  }
};

/// A matrix on the GPU, its gaps filled with something that no result is.
template <class T>
class device_matrix {
 public:
  static T filler() { return rounded<T>(is_any_float<T> ? -77.0 : 77.0); }

  explicit device_matrix(layout where)
      : where_(where),
        data_(std::vector<T>(static_cast<std::size_t>(where.extent()), filler()),
              static_cast<std::size_t>(where.offset)) {}
  /// Of rows that follow each other.
  device_matrix(layout where, std::vector<T> const& dense) : where_(where), data_(spread(where, dense), where.offset) {}

  tessera::grid::matrix<T> view() const { return {data_.data(), where_.rows, where_.columns, where_.stride()}; }
  /// The rows without the gaps; that those are as they were.
  std::vector<T> to_host() const {
    std::vector<T> const all = data_.to_host();
    std::vector<T> dense(static_cast<std::size_t>(where_.rows * where_.columns));
    for (std::int64_t row = 0; row < where_.rows; ++row)
      std::copy_n(all.begin() + row * where_.stride(), where_.columns, dense.begin() + row * where_.columns);
    bool const intact = data_.guards_intact() && (where_.gap == 0 || all_same_bits(all, spread(where_, dense)));
    EXPECT_TRUE(intact) << "something was written beside the rows, " << where_.text();
    return dense;
  }

 private:
  static std::vector<T> spread(layout where, std::vector<T> const& dense) {
    std::vector<T> all(static_cast<std::size_t>(where.extent()), filler());
    for (std::int64_t row = 0; row < where.rows; ++row)
      std::copy_n(dense.begin() + row * where.columns, where.columns, all.begin() + row * where.stride());
    return all;
  }

  layout where_;
  device_array<T> data_;
};

/// call(in, out, execution) on two streams at once, with a workspace and without, gives each what its matrix gives
/// alone; a graph of it gives the same.
template <class T, class Call>
void check_streams_and_graph(layout from, layout to, Call call) {
  auto const count = from.rows * from.columns;
  device_matrix<T> const in(from, random_numbers<T>(count, -9, 9, 10)),
      other(from, random_numbers<T>(count, -9, 9, 11)), first(to), second(to), alone(to), replayed(to);
  stream const streams[2];
  tessera::grid::workspace memory[2];
  ASSERT_EQ(call(other.view(), alone.view(), nullptr), cudaSuccess);
  check(cudaDeviceSynchronize());
  for (int i = 0; i < 50; ++i) {
    auto const on = [&](int s) { return i % 3 == 1 ? streams[s] : tessera::grid::execution(streams[s], memory[s]); };
    ASSERT_EQ(call(in.view(), first.view(), on(0)), cudaSuccess);
    ASSERT_EQ(call(other.view(), second.view(), on(1)), cudaSuccess);
  }
  check(cudaDeviceSynchronize());
  graph const captured(streams[0], [&] {
    ASSERT_EQ(call(in.view(), replayed.view(), {streams[0], memory[0]}), cudaSuccess);
  });
  for (int i = 0; i < 3; ++i) captured.replay();
  check(cudaStreamSynchronize(streams[0]));
  EXPECT_TRUE(all_same_bits(second.to_host(), alone.to_host())) << from.text();
  EXPECT_TRUE(all_same_bits(first.to_host(), replayed.to_host())) << from.text();
}

/// Lengths of rows around what the tables of shapes know, and around it.
inline std::vector<std::int64_t> const& some_columns() {
  static std::vector<std::int64_t> const columns =
      worthwhile({1,   2,    3,    4,    5,    7,    8,    9,    13,   16,   17,   24,   31,  32,
                  33,  61,   64,   65,   100,  127,  128,  129,  255,  256,  257,  500,  512, 513,
                  997, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4099, 8192, 8193});
  return columns;
}
inline std::vector<std::int64_t> const& many_columns() {
  static std::vector<std::int64_t> const columns =
      worthwhile({16384, 16385, 32768, 32771, 40000, 65536, 65544, 100003, 131072, 262144, 1048576});
  return columns;
}

using row_types = testing::Types<float, double, __half, __nv_bfloat16>;

}  // namespace test
