// Sorts of as many elements as the device knows, and by iterators; and a selection, a sort, a scan and a reduction in a graph.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/reduce.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/transform.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "sorted_types.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSortInput = WithWorkspace;

std::int64_t const sizes[] = {1, 1000, 4097, 600011};

template <class T>
T drawn_key(random_engine& random, int i) {
  if constexpr (std::is_same_v<T, city> || sizeof(T) < 4) {
    return drawn_one<T>(random, i);
  } else {
    return i % 5 == 0 ? std::numeric_limits<T>::max() : sample_special<T>(random);
  }
}

/// The keys, and the places of the first n in order.
template <class T>
struct keyed_array {
  std::vector<T> x;

  explicit keyed_array(std::int64_t n) {
    random_engine random(static_cast<std::uint64_t>(n));
    for (int i = 0; i < n; ++i) x.push_back(drawn_key<T>(random, i));
  }
  template <class Before>
  std::vector<std::int64_t> places(std::int64_t n, Before before) const {
    std::vector<std::int64_t> at(static_cast<std::size_t>(n));
    std::iota(at.begin(), at.end(), std::int64_t{0});
    std::stable_sort(at.begin(), at.end(), [&](std::int64_t i, std::int64_t j) {
      return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
    });
    return at;
  }
  std::vector<unsigned char> at(std::vector<std::int64_t> const& places) const {
    std::vector<T> y;
    for (auto place : places) y.push_back(x[static_cast<std::size_t>(place)]);
    return bytes_of(y.data(), y.size());
  }
};

/// True if an array on the GPU begins with these bytes.
template <class Array>
bool begins_with(Array const& array, std::vector<unsigned char> const& bytes) {
  auto const all = array.to_host();
  return std::equal(bytes.begin(), bytes.end(), bytes_of(all.data(), all.size()).begin());
}

template <class T, class Before>
void check_counted(grid::workspace& memory, Before before) {
  for (std::int64_t at_most : sizes) {
    if (!is_worth(at_most)) continue;
    keyed_array<T> const a(at_most);
    std::vector<std::int64_t> numbers(a.x.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most - 1, at_most, at_most + 5}) {
      auto const places = a.places(std::min(count, at_most), before);
      auto const sorted = a.at(places), sorted_numbers = bytes_of(places.data(), places.size());
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count}), values(numbers), values_out(numbers);
      auto const some = grid::count_on_device(number.data(), at_most);
      array_of<T> const in(a.x), out(a.x), own(a.x);
      ASSERT_EQ(grid::sort(in.data(), some, out.data(), before, memory), cudaSuccess);
      EXPECT_TRUE(begins_with(out, sorted)) << count << ", at most " << at_most;
      if constexpr (std::is_arithmetic_v<T> && sizeof(T) > 1) {  // and the rest stays
        auto whole = bytes_of(a.x.data(), a.x.size());
        std::copy(sorted.begin(), sorted.end(), whole.begin());
        EXPECT_EQ(out.to_host(), whole) << count << ", at most " << at_most;
      }
      ASSERT_EQ(grid::sort(own.data(), some, own.data(), before), cudaSuccess);
      EXPECT_TRUE(begins_with(own, sorted)) << count << ", at most " << at_most << ", in place";
      ASSERT_EQ(grid::stable_sort_by_key(in.data(), values.data(), some, out.data(), values_out.data(), before, memory),
                cudaSuccess);
      EXPECT_TRUE(begins_with(out, sorted)) << count << ", at most " << at_most << ", keys";
      EXPECT_TRUE(begins_with(values_out, sorted_numbers)) << count << ", at most " << at_most << ", values";
      ASSERT_EQ(grid::argsort(in.data(), some, values_out.data(), before, memory), cudaSuccess);
      EXPECT_TRUE(begins_with(values_out, sorted_numbers)) << count << ", at most " << at_most << ", indices";
      EXPECT_EQ(in.to_host(), bytes_of(a.x.data(), a.x.size()));
    }
  }
}

TEST_F(GridSortInput, Floats) {
  check_counted<float>(memory, tessera::less{});
  check_counted<float>(memory, tessera::greater{});
}
TEST_F(GridSortInput, Integers) {
  check_counted<std::int64_t>(memory, tessera::greater{});
}
TEST_F(GridSortInput, Shorts) {
  check_counted<std::int16_t>(memory, tessera::less{});
}
/// By the sort of at_most elements.
TEST_F(GridSortInput, Bytes) {
  check_counted<std::uint8_t>(memory, tessera::less{});
}
TEST_F(GridSortInput, Structs) {
  check_counted<city>(memory, larger_city{});
}

struct mixed {
  TESSERA_FN float operator()(int i) const { return static_cast<float>(i * 7919 % 1009); }
};
TEST_F(GridSortInput, Iterators) {
  auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), mixed{});
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    keyed_array<float> a(0);
    for (int i = 0; i < n; ++i) a.x.push_back(mixed{}(i));
    auto const places = a.places(n, tessera::greater{});
    gpu_array<float> const out(a.x.size());
    gpu_array<std::int64_t> const values_out(a.x.size());
    ASSERT_EQ(grid::sort(keys, n, out.data(), tessera::greater{}, memory), cudaSuccess);
    EXPECT_TRUE(begins_with(out, a.at(places))) << n;
    ASSERT_EQ(grid::stable_sort_by_key(keys, thrust::counting_iterator<std::int64_t>(0), n, out.data(),
                                       values_out.data(), tessera::greater{}, memory),
              cudaSuccess);
    EXPECT_TRUE(begins_with(out, a.at(places))) << n;
    EXPECT_EQ(values_out.to_host(), places) << n;
    ASSERT_EQ(grid::argsort(keys, n, values_out.data(), tessera::greater{}, memory), cudaSuccess);
    EXPECT_EQ(values_out.to_host(), places) << n;
  }
}

struct hash {
  TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(i) * 2654435761u ^ 0x5bd1e995u; }
};
struct falls_before {
  unsigned const* x;
  TESSERA_FN bool operator()(unsigned y, std::int64_t i) const { return i > 0 && y < x[i - 1]; }
};
/// More elements than one look-back has places for.
TEST_F(GridSortInput, Portions) {
  constexpr std::int64_t at_most = (std::int64_t{1} << 28) + 1000000;
  std::size_t free = 0, total = 0;
  if (!is_worth(at_most) || cudaMemGetInfo(&free, &total) != cudaSuccess || free < at_most * std::size_t{16})
    GTEST_SKIP() << "needs 4 GiB";
  gpu_array<unsigned> const x(std::size_t{at_most}), sums(std::size_t{2});
  gpu_array<std::int64_t> const falls(std::size_t{1});
  for (std::int64_t count : {std::int64_t{100000}, at_most - 500000}) {
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
    auto const some = grid::count_on_device(number.data(), at_most);
    ASSERT_EQ(grid::tabulate(x.data(), at_most, hash{}), cudaSuccess);
    ASSERT_EQ(grid::reduce(x.data(), some, sums.data(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::sort(x.data(), some, x.data(), tessera::less{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(x.data(), some, sums.data() + 1, tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::count_if(x.data(), some, falls_before{x.data()}, falls.data(), memory), cudaSuccess);
    EXPECT_EQ(falls.to_host()[0], 0) << count;
    EXPECT_EQ(sums.to_host()[0], sums.to_host()[1]) << count;
  }
}

/// Into the memory of a device_vector, with n on the host and on the device.
TEST_F(GridSortInput, ContiguousOutputs) {
  keyed_array<float> const a(4097);
  std::int64_t const n = 4097;
  gpu_array<std::int64_t> const number(std::vector<std::int64_t>{n});
  gpu_array<float> const in(a.x);
  auto const some = grid::count_on_device(number.data(), n);
  auto const places = a.places(n, tessera::less{});
  auto const sorted = a.at(places);
  thrust::device_vector<float> out(a.x.size()), keys(a.x.size());
  thrust::device_vector<std::int64_t> indices(a.x.size()), values(a.x.size());
  auto const expect = [](auto const& got, std::vector<unsigned char> const& want, char const* what) {
    std::vector<typename std::decay_t<decltype(got)>::value_type> host(got.size());
    thrust::copy(got.begin(), got.end(), host.begin());
    EXPECT_EQ(bytes_of(host.data(), host.size()), want) << what;
  };
  thrust::counting_iterator<std::int64_t> const counted(0);
  auto const at = bytes_of(places.data(), places.size());
  ASSERT_EQ(grid::sort(in.data(), n, out.begin(), tessera::less{}, memory), cudaSuccess);
  expect(out, sorted, "sort");
  ASSERT_EQ(grid::stable_sort(in.data(), some, keys.begin(), tessera::less{}, memory), cudaSuccess);
  expect(keys, sorted, "stable_sort");
  ASSERT_EQ(grid::argsort(in.data(), n, indices.begin(), tessera::less{}, memory), cudaSuccess);
  expect(indices, at, "argsort");
  ASSERT_EQ(grid::sort_by_key(in.data(), counted, n, out.begin(), values.begin(), tessera::less{}, memory),
            cudaSuccess);
  expect(out, sorted, "keys");
  expect(values, at, "values");
  ASSERT_EQ(grid::stable_sort_by_key(in.data(), counted, some, out.begin(), thrust::raw_pointer_cast(values.data())),
            cudaSuccess);
  expect(values, at, "values of as many as the device knows");
}

TEST_F(GridSortInput, Refusals) {
  gpu_array<float> const x(std::size_t{10}), out(std::size_t{10});
  gpu_array<std::int64_t> const count(std::vector<std::int64_t>{3}), values(std::size_t{10});
  auto const some = grid::count_on_device(count.data(), 10);
  EXPECT_EQ(grid::sort(x.data(), grid::count_on_device(nullptr, 10), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort(x.data(), grid::count_on_device(count.data(), -1), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort(x.data(), some, x.data() + 1), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_by_key(x.data(), values.data(), some, out.data(), count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argsort(x.data(), grid::count_on_device(count.data(), 1), count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort(x.data(), grid::count_on_device(count.data(), 0), out.data()), cudaSuccess);
}

}  // namespace
