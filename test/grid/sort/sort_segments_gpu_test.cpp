// sort_segments through the library's plain C++ interface, against std::stable_sort.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/sort_segments.hpp>

#include <cstdint>
#include <deque>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "segment_lengths.hpp"
#include "sorted_reference.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// Those of reduce_segments, and lengths around the boundaries of sorts.
std::vector<segment_lengths> lengths_to_sort() {
  auto all = all_segment_lengths();
  std::vector<std::int64_t> around;
  for (std::int64_t size : {2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})
    for (std::int64_t more : {-1, 0, 1}) around.push_back(size + more);
  all.push_back({"around", around});
  for (std::int64_t size : {31, 33, 64, 129, 300, 1024, 4096, 5000})
    all.push_back({"all of " + std::to_string(size), std::vector<std::int64_t>(200, size)});
  return all;
}

template <class T>
struct GridSortSegmentsOf : WithWorkspace {
  template <bool Falling, class Value, class Offset>
  void check_one(segment_lengths const& what, std::int64_t start, std::size_t offset) {
    using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
    auto const offsets = what.offsets<Offset>(start);
    auto const n = static_cast<std::int64_t>(offsets.back()) + 3,
               segments = static_cast<std::int64_t>(what.lengths.size());
    auto const x = keys_to_sort<T>(n, 5);
    auto const places = sorted_places(x, offsets, tile_order<Falling>{});
    std::vector<Value> numbers(x.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Value>(i);
    device_array<T> const in(x, offset), out(x), own(x, offset), stable(x), keys_out(x);
    device_array<Value> const values(numbers), values_out(numbers), own_values(numbers);
    device_array<Offset> const begins(offsets);
    ASSERT_EQ(grid::sort_segments(in.data(), n, begins.data(), segments, out.data(), order{}, memory), cudaSuccess);
    ASSERT_EQ(grid::stable_sort_segments(in.data(), n, begins.data(), segments, stable.data(), order{}), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(in.data(), values.data(), n, begins.data(), segments, keys_out.data(),
                                         values_out.data(), order{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(own.data(), own_values.data(), n, begins.data(), segments, own.data(),
                                         own_values.data(), order{}, memory),
              cudaSuccess);
    auto const expected = taken(x, places);
    auto const expected_values = taken(numbers, places);
    auto const got = out.to_host(), got_stable = stable.to_host(), got_keys = keys_out.to_host(),
               got_own = own.to_host();
    auto const got_values = values_out.to_host(), got_own_values = own_values.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool const in_order = !tile_order<Falling>{}(got[i], expected[i]) && !tile_order<Falling>{}(expected[i], got[i]);
      if (!in_order) FAIL() << what.name << ", element " << i;
    }
    ASSERT_EQ(first_difference(got_stable, expected), -1) << what.name;
    ASSERT_EQ(first_difference(got_keys, expected), -1) << what.name << ", keys";
    ASSERT_EQ(first_difference(got_own, expected), -1) << what.name << ", keys in place";
    ASSERT_EQ(first_difference(got_values, expected_values), -1) << what.name << ", values";
    ASSERT_EQ(first_difference(got_own_values, expected_values), -1) << what.name << ", values in place";
    device_array<T> const again(x);
    ASSERT_EQ(grid::sort_segments(again.data(), n, begins.data(), segments, again.data(), order{}), cudaSuccess);
    ASSERT_EQ(first_difference(again.to_host(), got), -1) << what.name;
    ASSERT_TRUE(out.guards_intact() && keys_out.guards_intact() && values_out.guards_intact()) << what.name;
  }
  template <bool Falling>
  void check() {
    for (auto const& what : lengths_to_sort()) {
      if (!is_worth(what.size())) continue;
      bool const takes_long = what.items() > 300000;  // on the host
      if (takes_long && !has_long_arrays<T>) continue;
      if (!takes_long) check_one<Falling, std::uint32_t, std::int32_t>(what, 0, 0);
      if (HasFatalFailure()) return;
      check_one<Falling, std::uint64_t, std::int64_t>(what, 5, 1);
      if (HasFatalFailure()) return;
    }
  }
};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridSortSegmentsOf, all_types);

TYPED_TEST(GridSortSegmentsOf, Less) {
  this->template check<false>();
}
TYPED_TEST(GridSortSegmentsOf, Greater) {
  this->template check<true>();
}

using GridSortSegments = WithWorkspace;

TEST_F(GridSortSegments, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(200);
  device_array<int> const offsets(std::vector<int>{0, 50, 100});
  auto const fails = [&](float const* from, std::int64_t n, int const* begins, std::int64_t count, float* to) {
    return grid::sort_segments(from, n, begins, count, to, tessera::less{}, memory) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(fails(in.data(), -1, offsets.data(), 2, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, nullptr, 2, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, offsets.data(), -1, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, offsets.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(fails(nullptr, 100, offsets.data(), 2, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, offsets.data(), 2, nullptr));
  EXPECT_TRUE(fails(out.data(), 100, offsets.data(), 2, out.data() + 1));
  EXPECT_TRUE(fails(in.data(), 1, offsets.data(), 2, reinterpret_cast<float*>(offsets.data())));
  EXPECT_FALSE(fails(nullptr, 0, nullptr, 0, nullptr));
  EXPECT_EQ(grid::sort_segments_by_key(in.data(), in.data(), 100, offsets.data(), 2, out.data(), out.data() + 50),
            cudaErrorInvalidValue);
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridSortSegments, InAGraphAndTwoStreams) {
  std::vector<std::int64_t> lengths(2000, 9);
  lengths[70] = is_worth(1 << 20) ? 200000 : 9000;
  lengths[1900] = 5000;
  segment_lengths const what{"some long ones", lengths};
  auto const offsets = what.offsets<int>(0);
  std::int64_t const n = what.items(), segments = static_cast<std::int64_t>(lengths.size());
  std::vector<float> const x[] = {keys_to_sort<float>(n, 1), keys_to_sort<float>(n, 2)};
  device_array<float> const in[] = {device_array<float>(x[0]), device_array<float>(x[1])};
  device_array<float> const out[] = {device_array<float>(x[0].size()), device_array<float>(x[0].size())};
  device_array<int> const begins(offsets);
  stream const streams[2];
  grid::workspace memories[2];
  auto const sort_once = [&](int i) {
    EXPECT_EQ(grid::stable_sort_segments(in[i].data(), n, begins.data(), segments, out[i].data(), tessera::less{},
                                         {streams[i], memories[i]}),
              cudaSuccess);
  };
  for (int i = 0; i < 2; ++i) sort_once(i);
  graph const graphs[] = {{streams[0], [&] { sort_once(0); }}, {streams[1], [&] { sort_once(1); }}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(graphs[i].nodes(), 2u);
    check(cudaMemsetAsync(out[i].data(), 0, x[i].size() * sizeof(float), streams[i]));
  }
  for (int turn = 0; turn < (is_worth(n) ? 50 : 3); ++turn)
    for (graph const& captured : graphs) captured.replay();
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamSynchronize(streams[i]));
    auto const expected = taken(x[i], sorted_places(x[i], offsets, tile_order<false>{}));
    auto const got = out[i].to_host();
    ASSERT_EQ(first_difference(got, expected), -1);
    EXPECT_EQ(memories[i].release(), cudaSuccess);
  }
}

/// Eight calls share the GPU, so that few blocks of each run at once.
TEST_F(GridSortSegments, ManyTimesAtOnce) {
  std::int64_t const n = is_worth(1 << 22) ? 3000000 : 30000;
  auto const x = keys_to_sort<float>(n, 3);
  std::vector<std::int64_t> const offsets{0, n / 3, n};
  auto const expected = taken(x, sorted_places(x, offsets, tile_order<false>{}));
  device_array<float> const in(x);
  device_array<std::int64_t> const begins(offsets);
  stream const streams[8];
  grid::workspace memories[8];
  std::deque<device_array<float>> out;
  for (int i = 0; i < 8; ++i) out.emplace_back(x.size());
  for (int turn = 0; turn < 5; ++turn) {
    for (std::size_t i = 0; i < 8; ++i)
      ASSERT_EQ(grid::stable_sort_segments(in.data(), n, begins.data(), 2, out[i].data(), tessera::less{},
                                           {streams[i], memories[i]}),
                cudaSuccess);
  }
  check(cudaDeviceSynchronize());
  for (std::size_t i = 0; i < 8; ++i) {
    auto const got = out[i].to_host();
    ASSERT_EQ(first_difference(got, expected), -1);
    EXPECT_EQ(memories[i].release(), cudaSuccess);
  }
}

TEST_F(GridSortSegments, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(keys_to_sort<float>(20000, 3)), out(20000);
  device_array<int> const begins(std::vector<int>{0, 7, 20000});
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::sort_segments(in.data(), 20000, begins.data(), 2, out.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
