// Sorts of arrays whose parts are on several GPUs, or with several ranks on one, beside those of the whole array.
#include <tessera/grid/sharded_sort.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "gpu_ranks.hpp"
#include "gpu_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

template <class T, class Before>
void check_sort(std::vector<T> const& x, Before const& before) {
  auto const total = static_cast<std::int64_t>(x.size());
  device_array<T> const whole(x), sorted(x.size());
  check(grid::sort(whole.data(), total, sorted.data(), before));
  auto const expected = sorted.to_host();
  with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, T const* in, cudaStream_t on) {
    device_array<T> const out(static_cast<std::size_t>(part.count));
    gpu_ranks::meet();
    EXPECT_EQ(grid::sort(ranks, in, part, out.data(), before, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    auto const got = out.to_host();
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + static_cast<std::ptrdiff_t>(part.begin),
                           [](T const& a, T const& b) { return same_bits(a, b); }))
        << total << " over " << ranks.count();
    EXPECT_TRUE(out.guards_intact());
  });
}

/// Long enough for several tiles of each step.
TEST(ShardedSort, SortsLongArrays) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({(std::int64_t{1} << 24) + 4321}))
    check_sort(drawn<std::uint64_t>(total, 38), tessera::less{});
}

TEST(ShardedSort, Sorts) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    check_sort(drawn<float>(total, 8), tessera::less{});
    std::vector<double> ties(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (double& value : ties) value = static_cast<double>(random() % 3);
    check_sort(ties, tessera::greater{});
    check_sort(drawn<std::uint32_t>(total, 9), tessera::greater{});
  }
}

struct tagged {
  std::int32_t place;
  unsigned char more[5];
};

/// Keys and values are those of a sort of the whole array, in place, too.
template <class Value, class Key, class Before>
void check_sort_by_key(std::vector<Key> const& x, Before const& before) {
  auto const total = static_cast<std::int64_t>(x.size());
  std::vector<Value> all(x.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if constexpr (std::is_same_v<Value, tagged>) {
      all[i].place = static_cast<std::int32_t>(i);
    } else {
      all[i] = static_cast<Value>(i);
    }
  }
  device_array<Key> const keys(x), sorted(x.size());
  device_array<Value> const values(all), moved(x.size());
  check(grid::sort_by_key(keys.data(), values.data(), total, sorted.data(), moved.data(), before));
  auto const expected = sorted.to_host();
  auto const expected_values = moved.to_host();
  with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, Key const* in, cudaStream_t on) {
    auto const begin = static_cast<std::ptrdiff_t>(part.begin), count = static_cast<std::ptrdiff_t>(part.count);
    device_array<Key> const out(static_cast<std::size_t>(count));
    device_array<Value> const with(std::vector<Value>(all.begin() + begin, all.begin() + begin + count));
    gpu_ranks::meet();
    EXPECT_EQ(grid::sort_by_key(ranks, in, with.data(), part, out.data(), with.data(), before, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    auto const got = out.to_host();
    auto const got_values = with.to_host();
    auto const are_same = [](auto const& a, auto const& b) { return same_bits(a, b); };
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + begin, are_same)) << total;
    EXPECT_TRUE(std::equal(got_values.begin(), got_values.end(), expected_values.begin() + begin,
                           [](Value const& a, Value const& b) { return std::memcmp(&a, &b, 4) == 0; }))
        << total << " over " << ranks.count();
    EXPECT_TRUE(out.guards_intact() && with.guards_intact());
  });
}

TEST(ShardedSort, ValuesFollowTheirKeys) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    check_sort_by_key<std::int32_t>(drawn<float>(total, 18), tessera::less{});
    std::vector<std::uint64_t> ties(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (std::uint64_t& value : ties) value = random() % 3;
    check_sort_by_key<tagged>(ties, tessera::greater{});
  }
}

TEST(ShardedSort, InvalidArguments) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(1, [&](grid::communicator& ranks, cudaStream_t on) {
    device_array<int> const in(10), out(10), values(10);
    gpu_ranks::meet();
    grid::shard const part{0, 10, 10};
    EXPECT_EQ(grid::sort(ranks, in.data(), part, in.data() + 3, tessera::less{}, on), cudaErrorInvalidValue);
    EXPECT_EQ(grid::sort_by_key(ranks, in.data(), values.data(), part, out.data(), out.data(), tessera::less{}, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::sort_by_key(ranks, in.data(), static_cast<int*>(nullptr), part, out.data(), values.data(),
                                tessera::less{}, on),
              cudaErrorInvalidValue);
  });
}

}  // namespace
