// Reductions of rows beyond what the library holds: any function, type and operator; and against CUB.
#include <tessera/grid/rows.cuh>

#include <gtest/gtest.h>
#include <cub/device/device_segmented_reduce.cuh>

#include "gpu.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

struct above {
  float threshold;
  TESSERA_FN int operator()(float x) const { return x > threshold ? 1 : 0; }
};
/// Where a column's number matters.
struct weighed {
  TESSERA_FN long long operator()(int x, int column) const { return static_cast<long long>(x) * column; }
};

/// x → a · x + b, one after the other: doesn't commute. 12 bytes, of which no vector can be made.
struct step {
  unsigned a, b, uses;
};
struct then {
  TESSERA_FN step operator()(step const& first, step const& second) const {
    return {first.a * second.a, first.b * second.a + second.b, first.uses + second.uses};
  }
};
TESSERA_FN bool operator==(step const& x, step const& y) {
  return x.a == y.a && x.b == y.b && x.uses == y.uses;
}

struct sum_of_uses {
  TESSERA_FN step operator()(step const& x, step const& y) const { return {x.a ^ y.a, x.b + y.b, x.uses + y.uses}; }
};

std::vector<layout> const layouts = {{5, 0},    {37, 3},         {37, 8},     {20, 100},   {9, 1000, 1, 1},
                                     {7, 1024}, {3, 5000, 3, 1}, {2, 100000}, {300, 4100}, {1, 1}};

TEST(GridRowsAny, CountsByAPredicate) {
  SKIP_WITHOUT_GPU();
  for (layout const where : layouts) {
    auto const x = random_numbers<float>(where.rows * where.columns, -1, 1, 1);
    device_matrix<float> const in(where, x);
    device_array<int> const out(static_cast<std::size_t>(where.rows));
    ASSERT_EQ(transform_reduce_rows(in.view(), out.data(), tessera::plus{}, above{0.25f}), cudaSuccess);
    auto const counts = out.to_host();
    for (std::int64_t r = 0; r < where.rows; ++r) {
      int expected = 0;
      for (std::int64_t c = 0; c < where.columns; ++c)
        expected += x[static_cast<std::size_t>(r * where.columns + c)] > 0.25f;
      ASSERT_EQ(counts[static_cast<std::size_t>(r)], expected) << where.text();
    }
  }
}

TEST(GridRowsAny, KnowsTheColumn) {
  SKIP_WITHOUT_GPU();
  for (layout const where : layouts) {
    auto const x = random_numbers<int>(where.rows * where.columns, 0, 0, 2);
    device_matrix<int> const in(where, x);
    device_array<long long> const out(static_cast<std::size_t>(where.rows));
    ASSERT_EQ(transform_reduce_rows(in.view(), out.data(), tessera::plus{}, weighed{}), cudaSuccess);
    auto const sums = out.to_host();
    for (std::int64_t r = 0; r < where.rows; ++r) {
      long long expected = 0;
      for (std::int64_t c = 0; c < where.columns; ++c)
        expected += x[static_cast<std::size_t>(r * where.columns + c)] * static_cast<long long>(c);
      ASSERT_EQ(sums[static_cast<std::size_t>(r)], expected) << where.text();
    }
  }
}

template <class Op>
void expect_steps(Op op) {
  for (layout const where : layouts) {
    auto const numbers = random_numbers<unsigned>(3 * where.rows * where.columns, 0, 0, 3);
    std::vector<step> x(static_cast<std::size_t>(where.rows * where.columns));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = {numbers[3 * i], numbers[3 * i + 1], 1};
    std::vector<step> spread(static_cast<std::size_t>(where.extent()));
    for (std::size_t i = 0; i < x.size(); ++i)
      spread[i / static_cast<std::size_t>(where.columns) * static_cast<std::size_t>(where.stride()) +
             i % static_cast<std::size_t>(where.columns)] = x[i];
    device_array<step> const in(spread), out(static_cast<std::size_t>(where.rows));
    matrix<step> const m{in.data(), where.rows, where.columns, where.stride()};
    ASSERT_EQ(reduce_rows(m, out.data(), op), cudaSuccess);
    auto const all = out.to_host();
    for (std::int64_t r = 0; r < where.rows; ++r) {
      step expected = op.identity;
      for (std::int64_t c = 0; c < where.columns; ++c)
        expected = op(expected, x[static_cast<std::size_t>(r * where.columns + c)]);
      ASSERT_TRUE(all[static_cast<std::size_t>(r)] == expected) << where.text() << ", row " << r;
    }
  }
}

TEST(GridRowsAny, OperatorsThatDoNotCommuteGoInOrder) {
  SKIP_WITHOUT_GPU();
  expect_steps(tessera::make_operator(then{}, step{1, 0, 0}));
}

TEST(GridRowsAny, StructsByAnOperatorThatCommutes) {
  SKIP_WITHOUT_GPU();
  expect_steps(tessera::make_operator(sum_of_uses{}, step{0, 0, 0}, tessera::commutative));
}

TEST(GridRowsAny, AgreesWithCub) {
  SKIP_WITHOUT_GPU();
  for (layout const where :
       {layout{1000, 1}, layout{1000, 7}, layout{500, 64}, layout{100, 1000}, layout{10, 30000}, layout{2, 300001}}) {
    auto const n = static_cast<std::size_t>(where.rows);
    auto const x = random_numbers<int>(where.rows * where.columns, 0, 0, 4);
    device_matrix<int> const in(where, x);
    std::vector<int> offsets(n + 1);
    for (std::size_t r = 0; r <= n; ++r) offsets[r] = static_cast<int>(r * static_cast<std::size_t>(where.columns));
    device_array<int> const bounds(offsets), sums(n), most(n), their_sums(n), their_most(n);
    int const* const from = in.view().data;
    int const* const begin = bounds.data();
    auto const segments = static_cast<int>(n);
    std::size_t bytes = 0, more = 0;
    check(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, from, their_sums.data(), segments, begin, begin + 1));
    check(cub::DeviceSegmentedReduce::Max(nullptr, more, from, their_most.data(), segments, begin, begin + 1));
    device_array<char> const room(std::max(bytes, more));
    check(cub::DeviceSegmentedReduce::Sum(room.data(), bytes, from, their_sums.data(), segments, begin, begin + 1));
    check(cub::DeviceSegmentedReduce::Max(room.data(), more, from, their_most.data(), segments, begin, begin + 1));
    ASSERT_EQ(reduce_rows(in.view(), sums.data()), cudaSuccess);
    ASSERT_EQ(reduce_rows(in.view(), most.data(), tessera::maximum{}), cudaSuccess);
    EXPECT_EQ(sums.to_host(), their_sums.to_host());
    EXPECT_EQ(most.to_host(), their_most.to_host());
  }
}

}  // namespace
