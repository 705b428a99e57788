// sort, sort_by_key and argsort through the library's plain C++ interface, against std::stable_sort.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "sorted_reference.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// One block's, more, and from where on CUB takes other ways.
std::int64_t const sizes[] = {0, 1, 2, 3, 31, 33, 1000, 4095, 4097, 8192, 65537, 1100003};

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& expected, char const* what, std::int64_t n) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same_bits(got[i], expected[i])) << what << ", element " << i << " of " << n;
}

template <class T>
struct GridSortOf : WithWorkspace {
  template <bool Falling>
  void check_one(std::int64_t n, std::size_t offset) {
    using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
    auto const size = static_cast<std::size_t>(n);
    auto const x = keys_to_sort<T>(n, static_cast<std::uint64_t>(n) + 1);
    auto const places = sorted_places(x, tile_order<Falling>{});
    auto const expected = taken(x, places);
    device_array<T> const in(x, offset), out(size, offset + 1), own(x, offset), keys_out(size);
    ASSERT_EQ(grid::stable_sort(in.data(), n, out.data(), order{}, memory), cudaSuccess);
    ASSERT_EQ(grid::sort(own.data(), n, own.data(), order{}), cudaSuccess);
    expect_same(out.to_host(), expected, "sort", n);
    expect_same(own.to_host(), expected, "in place", n);
    expect_same(in.to_host(), x, "what is sorted", n);

    std::vector<std::uint32_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    std::vector<double> reals(numbers.begin(), numbers.end());
    device_array<std::uint32_t> const values(numbers), values_out(size);
    device_array<double> const wide(reals), wide_out(size), own_wide(reals);
    device_array<T> const own_keys(x);
    ASSERT_EQ(grid::sort_by_key(in.data(), values.data(), n, keys_out.data(), values_out.data(), order{}, memory),
              cudaSuccess);
    expect_same(keys_out.to_host(), expected, "keys", n);
    expect_same(values_out.to_host(), taken(numbers, places), "values", n);
    ASSERT_EQ(grid::stable_sort_by_key(own_keys.data(), own_wide.data(), n, own_keys.data(), own_wide.data(), order{},
                                       memory),
              cudaSuccess);
    expect_same(own_keys.to_host(), expected, "keys in place", n);
    expect_same(own_wide.to_host(), taken(reals, places), "values in place", n);
    ASSERT_EQ(grid::sort_by_key(own.data(), wide.data(), n, own.data(), wide_out.data(), order{}), cudaSuccess);
    expect_same(own.to_host(), expected, "sorted keys in place", n);

    device_array<std::int32_t> const places32(size);
    device_array<std::int64_t> const places64(size);
    ASSERT_EQ(grid::argsort(in.data(), n, places32.data(), order{}, memory), cudaSuccess);
    ASSERT_EQ(grid::argsort(in.data(), n, places64.data(), order{}), cudaSuccess);
    expect_same(places32.to_host(), std::vector<std::int32_t>(places.begin(), places.end()), "indices", n);
    expect_same(places64.to_host(), places, "wide indices", n);
    ASSERT_TRUE(out.guards_intact() && keys_out.guards_intact() && values_out.guards_intact() &&
                places32.guards_intact());
  }
};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridSortOf, all_types);

TYPED_TEST(GridSortOf, Less) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    this->template check_one<false>(n, static_cast<std::size_t>(n % 3));
    if (this->HasFatalFailure()) return;
  }
}
TYPED_TEST(GridSortOf, Greater) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    this->template check_one<true>(n, 0);
    if (this->HasFatalFailure()) return;
  }
}

using GridSort = WithWorkspace;

/// The numbers of keys from where on other kernels of CUB's sort them.
template <bool Falling>
void check_keys_at(std::int64_t most, grid::execution on) {
  using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
  for (std::int64_t n : {most - 1, most, most + 1}) {
    auto const x = keys_to_sort<float>(n, static_cast<std::uint64_t>(n));
    auto expected = x;
    std::stable_sort(expected.begin(), expected.end(), tile_order<Falling>{});
    device_array<float> const in(x, 1), own(x), out(x.size());
    ASSERT_EQ(grid::stable_sort(in.data(), n, out.data(), order{}, on), cudaSuccess);
    expect_same(out.to_host(), expected, "stable_sort", n);
    expect_same(in.to_host(), x, "what is sorted", n);
    ASSERT_EQ(grid::stable_sort(own.data(), n, own.data(), order{}, on), cudaSuccess);
    expect_same(own.to_host(), expected, "stable_sort in place", n);
    ASSERT_TRUE(out.guards_intact() && own.guards_intact());
  }
}
TEST_F(GridSort, WhereKernelsOfKeysChange) {
  for (std::int64_t most : {std::int64_t{1} << 20, std::int64_t{1} << 23}) {
    if (!is_worth(most)) GTEST_SKIP() << "too many for a sanitizer";
    check_keys_at<false>(most, memory);
    check_keys_at<true>(most, memory);
  }
}

/// Values are the indices of their keys.
template <class T, bool Falling>
void check_values_at(std::int64_t most, grid::execution on) {
  using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
  for (std::int64_t n : {most - 1, most, most + 1}) {
    auto const x = keys_to_sort<T>(n, static_cast<std::uint64_t>(n));
    auto const places = sorted_places(x, tile_order<Falling>{});
    auto const expected = taken(x, places);
    std::vector<std::int64_t> numbers(x.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    std::vector<std::int32_t> const places32(places.begin(), places.end());
    device_array<T> const keys(x, 1), keys_out(x.size()), own_keys(x);
    device_array<std::int32_t> const values(std::vector<std::int32_t>(numbers.begin(), numbers.end())),
        values_out(x.size()), indices(x.size());
    device_array<std::int64_t> const own_values(numbers);
    ASSERT_EQ(grid::stable_sort_by_key(keys.data(), values.data(), n, keys_out.data(), values_out.data(), order{}, on),
              cudaSuccess);
    expect_same(keys_out.to_host(), expected, "keys", n);
    expect_same(values_out.to_host(), places32, "values", n);
    ASSERT_EQ(grid::stable_sort_by_key(own_keys.data(), own_values.data(), n, own_keys.data(), own_values.data(),
                                       order{}, on),
              cudaSuccess);
    expect_same(own_keys.to_host(), expected, "keys in place", n);
    expect_same(own_values.to_host(), places, "values in place", n);
    ASSERT_EQ(grid::argsort(keys.data(), n, indices.data(), order{}, on), cudaSuccess);
    expect_same(indices.to_host(), places32, "argsort", n);
    ASSERT_TRUE(keys_out.guards_intact() && values_out.guards_intact() && own_keys.guards_intact() &&
                own_values.guards_intact() && indices.guards_intact());
  }
}
TEST_F(GridSort, WhereKernelsOfKeysWithValuesChange) {
  constexpr std::int64_t most = std::int64_t{1} << 19;
  if (!is_worth(most)) GTEST_SKIP() << "too many for a sanitizer";
  check_values_at<float, false>(most, memory);
  check_values_at<float, true>(most, memory);
  check_values_at<std::int32_t, false>(most, memory);
}

TEST_F(GridSort, OrdersByOtherNames) {
  std::vector<int> const x{3, -1, 2};
  device_array<int> const in(x), out(3);
  ASSERT_EQ(grid::sort(in.data(), 3, out.data(), std::greater<>{}), cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 2, -1}));
  ASSERT_EQ(grid::sort(in.data(), 3, out.data(), std::less<int>{}), cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<int>{-1, 2, 3}));
}

TEST_F(GridSort, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(200);
  device_array<std::int32_t> const indices(100);
  float* const to = out.data();
  auto const fails = [&](float const* from, std::int64_t n, float* into) {
    return grid::sort(from, n, into, tessera::less{}, memory) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(fails(in.data(), -1, to));
  EXPECT_TRUE(fails(nullptr, 1, to));
  EXPECT_TRUE(fails(in.data(), 1, nullptr));
  EXPECT_TRUE(fails(in.data(), INT64_MAX, to));
  EXPECT_TRUE(fails(to, 100, to + 1)) << "arrays that overlap";
  EXPECT_TRUE(fails(in.data(), 1, reinterpret_cast<float*>(reinterpret_cast<char*>(to) + 1)));
  EXPECT_FALSE(fails(nullptr, 0, nullptr));
  EXPECT_EQ(grid::sort_by_key(in.data(), to, 100, to + 50, to + 100), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_by_key(in.data(), in.data(), 100, to, to), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argsort(in.data(), -1, indices.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argsort(in.data(), (std::int64_t{1} << 31) + 1, indices.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argsort(to, 100, reinterpret_cast<std::int32_t*>(to)), cudaErrorInvalidValue);
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// It is returned, and pending until it is taken. Nothing is sorted.
TEST_F(GridSort, AnEarlierErrorStays) {
  for (std::int64_t n : {100, 100003}) {
    auto const x = keys_to_sort<float>(n, 7);
    auto const places = sorted_places(x, tile_order<false>{});
    device_array<float> const in(x), out(x.size()), keys_out(x.size());
    device_array<std::int32_t> const values(x.size()), values_out(x.size());
    device_array<std::int64_t> const indices(x.size());
    stream const on;
    cudaError_t const left = leave_earlier_error();
    auto const expect_all = [&](cudaError_t status) {
      EXPECT_EQ(grid::sort(in.data(), n, out.data(), tessera::less{}, {on, memory}), status);
      EXPECT_EQ(grid::sort_by_key(in.data(), values.data(), n, keys_out.data(), values_out.data(), tessera::less{}, on),
                status);
      EXPECT_EQ(grid::argsort(in.data(), n, indices.data(), tessera::less{}, on), status);
    };
    expect_all(left);
    EXPECT_EQ(grid::sort(in.data(), 0, out.data(), tessera::less{}, on), cudaSuccess);
    EXPECT_EQ(grid::sort(in.data(), -1, out.data(), tessera::less{}, on), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), left);
    check(cudaStreamSynchronize(on));
    EXPECT_TRUE(out.untouched() && keys_out.untouched() && values_out.untouched() && indices.untouched());
    expect_all(cudaSuccess);
    check(cudaStreamSynchronize(on));
    expect_same(out.to_host(), taken(x, places), "sort", n);
    expect_same(indices.to_host(), places, "argsort", n);
    EXPECT_EQ(memory.release(), cudaSuccess);
  }
}

/// Captured with a workspace that has served the same calls, and without one.
TEST_F(GridSort, InAGraphAndTwoStreams) {
  std::int64_t const n = is_worth(1 << 20) ? 300007 : 5000;
  auto const size = static_cast<std::size_t>(n);
  stream const streams[2];
  grid::workspace memories[2];
  std::vector<float> x[2] = {keys_to_sort<float>(n, 1), keys_to_sort<float>(n, 2)};
  device_array<float> const in[] = {device_array<float>(x[0]), device_array<float>(x[1])};
  device_array<float> const out[] = {device_array<float>(size), device_array<float>(size)};
  device_array<std::int32_t> const indices[] = {device_array<std::int32_t>(size), device_array<std::int32_t>(size)};
  auto const sort_once = [&](int i) {
    EXPECT_EQ(grid::sort(in[i].data(), n, out[i].data(), tessera::less{}, {streams[i], memories[i]}), cudaSuccess);
    EXPECT_EQ(grid::argsort(in[i].data(), n, indices[i].data(), tessera::less{},
                            i == 0 ? grid::execution(streams[i], memories[i]) : streams[i]),
              cudaSuccess);
  };
  for (int i = 0; i < 2; ++i) sort_once(i);
  graph const graphs[] = {{streams[0], [&] { sort_once(0); }}, {streams[1], [&] { sort_once(1); }}};
  for (int i = 0; i < 2; ++i) check(cudaMemsetAsync(out[i].data(), 0, size * sizeof(float), streams[i]));
  for (int turn = 0; turn < 10; ++turn)
    for (graph const& captured : graphs) captured.replay();
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamSynchronize(streams[i]));
    auto const places = sorted_places(x[i], tile_order<false>{});
    expect_same(out[i].to_host(), taken(x[i], places), "sort", n);
    expect_same(indices[i].to_host(), std::vector<std::int32_t>(places.begin(), places.end()), "argsort", n);
  }
  for (auto& own : memories) EXPECT_EQ(own.release(), cudaSuccess);
}

TEST_F(GridSort, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(keys_to_sort<float>(20000, 3)), out(20000);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls() / 10; ++i) ASSERT_EQ(grid::sort(in.data(), 20000, out.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
