// Runs of any keys and values, by any relation and operator (runs.cuh); and CUB beside them.
#include <cub/device/device_reduce.cuh>

#include <tessera/grid/runs.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridRunsAny = WithWorkspace;

/// Keys by a relation of one's own, and values by an operator that doesn't commute.
struct same_tens {
  TESSERA_FN bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

template <class V, class Op>
void check_reduce_by_key(grid::workspace& memory, std::int64_t n, unsigned most, Op op) {
  SCOPED_TRACE(testing::Message() << n << " values of " << sizeof(V) << " bytes, runs up to " << most);
  random_engine random(static_cast<std::uint64_t>(n));
  auto const values = drawn<V>(n);
  std::vector<int> keys, heads;
  std::vector<V> expected;
  int key = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (random() % most == 0) key = static_cast<int>(random() % 1000);
    keys.push_back(key);
    if (i > 0 && same_tens{}(keys[i - 1], key)) {
      expected.back() = op(expected.back(), values[i]);
    } else {
      heads.push_back(key);
      expected.push_back(values[i]);
    }
  }
  gpu_array<int> const in(keys), out(keys.size());
  gpu_array<V> const given(values), got(keys.size());
  gpu_array<std::int64_t> const count(1);
  ASSERT_EQ(
      grid::reduce_by_key(in.data(), given.data(), n, out.data(), got.data(), count.data(), op, same_tens{}, memory),
      cudaSuccess);
  EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(heads.size()));
  EXPECT_TRUE(same_arrays(out.to_host(), heads) && same_arrays(got.to_host(), expected));
}

template <class Offset, class Length>
void check_repeats(grid::workspace& memory, std::int64_t n, unsigned most) {
  SCOPED_TRACE(testing::Message() << n << " keys, runs up to " << most);
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<int> keys;
  std::vector<Offset> offsets;
  std::vector<Length> lengths;
  int key = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (random() % most == 0) key = static_cast<int>(random() % 1000);
    bool const continues = i > 0 && same_tens{}(keys.back(), key);
    bool const begins = continues && (i == 1 || !same_tens{}(keys[keys.size() - 2], keys.back()));
    if (begins) offsets.push_back(static_cast<Offset>(i - 1));
    if (begins) lengths.push_back(1);
    if (continues) ++lengths.back();
    keys.push_back(key);
  }
  std::size_t const room = keys.size() / 2 + 1;
  gpu_array<int> const in(keys);
  gpu_array<Offset> const begins(room);
  gpu_array<Length> const sizes(room);
  gpu_array<std::int64_t> const count(1);
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_EQ(grid::non_trivial_runs(in.data(), n, begins.data(), sizes.data(), count.data(), same_tens{}, memory),
              cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(offsets.size()));
    EXPECT_TRUE(same_arrays(begins.to_host(), offsets) && same_arrays(sizes.to_host(), lengths));
  }
}
TEST_F(GridRunsAny, RunsOfMoreThanOne) {
  for (std::int64_t n : worthwhile({0, 1, 2, 511, 4096, 100003, 3000003}))
    for (unsigned most : {1u, 2u, 8u, 1000u, 1u << 30}) {
      check_repeats<int, int>(memory, n, most);
      check_repeats<std::int64_t, unsigned>(memory, n, most);
    }
  gpu_array<int> const x(10), y(10);
  gpu_array<std::int64_t> const count(1);
  EXPECT_EQ(grid::non_trivial_runs(x.data(), 10, x.data(), y.data(), count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::non_trivial_runs(x.data(), 5, y.data(), y.data(), count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::non_trivial_runs(x.data(), -1, y.data(), y.data() + 5, count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::non_trivial_runs(x.data(), std::int64_t{1} << 33, y.data(), y.data() + 5, count.data()),
            cudaErrorInvalidValue)
      << "offsets of 32 bits";
}

TEST_F(GridRunsAny, ReduceByKey) {
  for (std::int64_t n : worthwhile({1, 511, 4096, 100003, 1000003}))
    for (unsigned most : {1u, 8u, 1000u, 1u << 30}) {
      check_reduce_by_key<matrix>(memory, n, most, matrix_product{});
      check_reduce_by_key<digits>(memory, n, most, digit_concatenation{});
      check_reduce_by_key<row<64>>(memory, n, most, compose_rows<64>{});
    }
}

/// The same as CUB's.
TEST_F(GridRunsAny, AsCub) {
  for (std::int64_t n : worthwhile({1, 5000, 1000003})) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned> keys(static_cast<std::size_t>(n)), values;
    for (auto& key : keys) {
      key = static_cast<unsigned>(random() % 3);
      values.push_back(static_cast<unsigned>(random()));
    }
    gpu_array<unsigned> const in(keys), given(values), ours(keys.size()), cubs(keys.size()), our_sums(keys.size()),
        cub_sums(keys.size());
    gpu_array<std::int64_t> const counts(2);
    std::size_t bytes = std::size_t{32} << 20;
    gpu_array<char> const scratch(bytes);
    ASSERT_EQ(cub::DeviceReduce::ReduceByKey(scratch.data(), bytes, in.data(), cubs.data(), given.data(),
                                             cub_sums.data(), counts.data(), cuda::std::plus<>{}, n),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_by_key(in.data(), given.data(), n, ours.data(), our_sums.data(), counts.data() + 1,
                                  tessera::plus{}, tessera::equal_to{}, memory),
              cudaSuccess);
    auto const both = counts.to_host();
    ASSERT_EQ(both[0], both[1]);
    auto const size = static_cast<std::size_t>(both[0]);
    auto a = our_sums.to_host(), b = cub_sums.to_host();
    a.resize(size);
    b.resize(size);
    EXPECT_EQ(a, b);
  }
}

}  // namespace
