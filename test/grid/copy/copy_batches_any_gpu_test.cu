// copy_batches on the GPU: many buffers and few, short and long ones, at all alignments (copy_batches.cuh).
#include <tessera/grid/copy_batches.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridCopyBatchesAny = WithWorkspace;

/// Buffers of T of drawn sizes up to `most`, one after the other with a few elements between, so that all alignments occur.
template <class T, class Size>
void check_copies(grid::workspace& memory, std::size_t count, std::uint64_t most, std::uint64_t giant = 0) {
  SCOPED_TRACE(testing::Message() << count << " buffers of up to " << most << ", " << sizeof(T) << " bytes");
  random_engine random(count + most);
  std::vector<Size> sizes;
  std::vector<std::size_t> from, to;
  std::size_t end = 3, to_end = 5;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const drawn = i == count / 2 && giant > 0 ? giant : random() % 9 == 0 ? 0 : random() % (most + 1);
    sizes.push_back(static_cast<Size>(drawn));
    from.push_back(end += random() % 17);
    to.push_back(to_end += random() % 17);
    end += drawn;
    to_end += drawn;
  }
  if (!is_worth(static_cast<std::int64_t>(end))) return;
  std::vector<T> x(end + 3), expected(to_end + 7);
  for (T& value : x) {
    auto w = static_cast<std::uint32_t>(random());
    std::memcpy(&value, &w, sizeof(T) < 4 ? sizeof(T) : 4);
  }
  std::memset(expected.data(), 0xcd, expected.size() * sizeof(T));
  gpu_array<T> const in(x), out(expected.size());
  std::vector<T const*> sources;
  std::vector<T*> destinations;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(expected.data() + to[i], x.data() + from[i], static_cast<std::size_t>(sizes[i]) * sizeof(T));
    sources.push_back(in.data() + from[i]);
    destinations.push_back(out.data() + to[i]);
  }
  gpu_array<T const*> const all_sources(sources);
  gpu_array<T*> const all_destinations(destinations);
  gpu_array<Size> const all_sizes(sizes);
  auto const n = static_cast<std::int64_t>(count);
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(cudaMemset(out.data(), 0xcd, expected.size() * sizeof(T)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    grid::execution const on = turn == 1 ? nullptr : grid::execution(memory);
    ASSERT_EQ(grid::copy_batches(all_sources.data(), all_destinations.data(), all_sizes.data(), n, on), cudaSuccess);
    auto const got = out.to_host();
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)), 0) << "turn " << turn;
  }
}

TEST_F(GridCopyBatchesAny, AllSizes) {
  for (std::size_t count : {1u, 31u, 33u, 1000u, 100000u})
    for (std::uint64_t most : {1u, 15u, 64u, 700u, 5000u, 40000u, 3000000u}) {
      if (count * most > 100000000) continue;
      check_copies<unsigned char, std::uint32_t>(memory, count, most);
      if (count * most < 20000000) check_copies<float, std::int64_t>(memory, count, most);
    }
}
TEST_F(GridCopyBatchesAny, OneGiantAmongMany) {
  check_copies<unsigned char, std::int64_t>(memory, 300000, 64, 50000001);
  check_copies<char, int>(memory, 2, 64, 50000001);
}
TEST_F(GridCopyBatchesAny, ManyLongOnes) {
  check_copies<unsigned char, int>(memory, 6000, 40000);
}

/// Row i of a matrix, or what becomes of it.
struct row_of {
  int* first;
  int columns;
  TESSERA_FN int* operator()(std::int64_t i) const { return first + i * columns; }
};
struct one_length {
  int length;
  TESSERA_FN int operator()(std::int64_t) const { return length; }
};
/// A part of each row of a matrix, by iterators that compute pointers and sizes.
TEST_F(GridCopyBatchesAny, ByIterators) {
  constexpr int rows = 500;
  for (int columns : {1, 7, 64, 3000}) {
    std::vector<int> x(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919);
    int const taken = columns / 2 + 1;
    gpu_array<int> const in(x), out(std::vector<int>(static_cast<std::size_t>(rows * taken), -1));
    ASSERT_EQ(grid::copy_batches(computed<row_of>{{in.data(), columns}}, computed<row_of>{{out.data(), taken}},
                                 computed<one_length>{{taken}}, rows, memory),
              cudaSuccess);
    auto const got = out.to_host();
    // The first 123 alone, as the device says.
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{123});
    gpu_array<int> const some(std::vector<int>(got.size(), -1));
    ASSERT_EQ(grid::copy_batches(computed<row_of>{{in.data(), columns}}, computed<row_of>{{some.data(), taken}},
                                 computed<one_length>{{taken}}, grid::count_on_device(number.data(), rows), memory),
              cudaSuccess);
    auto first = got;
    std::fill(first.begin() + 123 * taken, first.end(), -1);
    EXPECT_EQ(some.to_host(), first) << columns;
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < taken; ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(row * taken + i)], x[static_cast<std::size_t>(row * columns + i)])
            << row << ", " << i << " of " << columns;
    }
  }
}

TEST_F(GridCopyBatchesAny, ArgumentsAndNothingToDo) {
  void const* const* const no_sources = nullptr;
  void* const* const no_destinations = nullptr;
  int const* const no_sizes = nullptr;
  EXPECT_EQ(grid::copy_batches(no_sources, no_destinations, no_sizes, 0), cudaSuccess);
  EXPECT_EQ(grid::copy_batches(no_sources, no_destinations, no_sizes, 3), cudaErrorInvalidValue);
  gpu_array<void*> const pointers(std::vector<void*>(8, nullptr));
  gpu_array<int> const zeros(std::vector<int>(8, 0));
  auto* const from = const_cast<void const* const*>(pointers.data());
  EXPECT_EQ(grid::copy_batches(from, pointers.data(), zeros.data(), -1), cudaErrorInvalidValue);
  EXPECT_EQ(grid::copy_batches(from, pointers.data(), zeros.data(), std::int64_t{1} << 32), cudaErrorInvalidValue);
  EXPECT_EQ(grid::copy_batches(from, pointers.data(), zeros.data(), 8, memory), cudaSuccess) << "null, of size 0";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
