// grid::select, partition and partition_copy by flags, as plain C++ calls them: against loops, of all sizes and alignments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "same_arrays.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// An array and flags, about `rate` percent of which are set, and what they select.
template <class T, class Flag>
struct drawn_case {
  std::vector<T> x, kept, others;
  std::vector<Flag> flags;

  drawn_case(std::int64_t n, int rate, std::uint64_t seed) {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(n));
    x.reserve(static_cast<std::size_t>(n));
    flags.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint64_t const bits = random();
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
      bool const is_set = static_cast<int>(random() % 100) < rate;
      x.push_back(value);
      flags.push_back(is_set ? static_cast<Flag>(random() % 100 + 1) : Flag(0));
      (is_set ? kept : others).push_back(value);
    }
  }
  std::vector<T> both() const {
    std::vector<T> all = kept;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
};

template <class T, class Flag>
void check_flags(std::int64_t n, int rate, std::size_t offset, grid::execution on) {
  drawn_case<T, Flag> const drawn(n, rate, offset);
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, flags of " << sizeof(Flag) << ", " << rate
                                  << " %, offset " << offset);
  auto const size = static_cast<std::size_t>(n);
  device_array<T> const in(drawn.x, offset), out(size, offset % 5), both(size, offset % 3), first(size),
      second(size, offset % 7);
  device_array<Flag> const flags(drawn.flags, offset % 6);
  device_array<std::int64_t> const counts(4);
  std::int64_t* const count = counts.data();
  ASSERT_EQ(grid::select(in.data(), flags.data(), n, out.data(), count, on), cudaSuccess);
  ASSERT_EQ(grid::partition(in.data(), flags.data(), n, both.data(), count + 1, on), cudaSuccess);
  ASSERT_EQ(grid::partition_copy(in.data(), flags.data(), n, first.data(), second.data(), count + 2, on), cudaSuccess);
  EXPECT_EQ(std::memcmp(in.to_host().data(), drawn.x.data(), size * sizeof(T)), 0);
  ASSERT_EQ(grid::select(in.data(), flags.data(), n, in.data(), count + 3, on), cudaSuccess);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(4, static_cast<std::int64_t>(drawn.kept.size())));
  EXPECT_TRUE(same_arrays(out.to_host(), drawn.kept) && same_arrays(both.to_host(), drawn.both()));
  EXPECT_TRUE(same_arrays(first.to_host(), drawn.kept) && same_arrays(second.to_host(), drawn.others));
  EXPECT_TRUE(same_arrays(in.to_host(), drawn.kept)) << "in place";
  EXPECT_TRUE(in.guards_intact() && out.guards_intact() && both.guards_intact() && first.guards_intact() &&
              second.guards_intact() && counts.guards_intact());
}

struct GridSelect : WithWorkspace {
  template <class T, class Flag>
  void check_sizes() {
    std::size_t offset = 0;
    for (std::int64_t n : sizes_of<T>(worthwhile(
             {0, 1, 31, 1000, 6143, 6144, 6145, 8191, 8192, 8193, 7935, 7936, 7937, 16385, 100003, 1000001, 5000011})))
      for (int rate : {0, 10, 50, 90, 100}) check_flags<T, Flag>(n, rate, offset++ % 20, memory);
    check_flags<T, Flag>(70001, 50, 3, nullptr);
  }
};

TEST_F(GridSelect, Floats) {
  check_sizes<float, char>();
  check_sizes<double, signed char>();
}
TEST_F(GridSelect, Halves) {
  check_sizes<__half, char>();
  check_sizes<__nv_bfloat16, int>();
}
TEST_F(GridSelect, Integers) {
  check_sizes<std::int32_t, std::int32_t>();
  check_sizes<std::uint64_t, unsigned>();
  check_sizes<std::int64_t, unsigned char>();
}

/// Each call, without any other argument than the arrays: all combinations that are allowed and aren't.
TEST_F(GridSelect, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(100), others(100);
  device_array<char> const flags(std::vector<char>(100, 1));
  device_array<std::int64_t> const counts(1);
  std::int64_t* const count = counts.data();
  float* const x = in.data();
  float* const none = nullptr;
  auto* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 1);
  auto const select_fails = [&](float const* from, char const* by, std::int64_t n, float* to, std::int64_t* number) {
    return grid::select(from, by, n, to, number, memory) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(select_fails(none, flags.data(), 100, out.data(), count));
  EXPECT_TRUE(select_fails(x, nullptr, 100, out.data(), count));
  EXPECT_TRUE(select_fails(x, flags.data(), -1, out.data(), count));
  EXPECT_TRUE(select_fails(x, flags.data(), INT64_MAX, out.data(), count));
  EXPECT_TRUE(select_fails(x, flags.data(), 100, none, count));
  EXPECT_TRUE(select_fails(x, flags.data(), 100, odd, count));
  EXPECT_TRUE(select_fails(x, flags.data(), 100, x + 1, count));
  EXPECT_TRUE(select_fails(x, flags.data(), 100, out.data(), nullptr));
  EXPECT_TRUE(select_fails(x, flags.data(), 100, out.data(), reinterpret_cast<std::int64_t*>(x + 10)));
  EXPECT_TRUE(select_fails(x, reinterpret_cast<char*>(out.data()), 100, out.data(), count));
  EXPECT_EQ(grid::partition(x, flags.data(), 100, x, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition(x, flags.data(), 50, x + 49, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition_copy(x, flags.data(), 100, out.data(), out.data(), count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition_copy(x, flags.data(), 100, x, out.data(), count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition_copy(x, flags.data(), 100, out.data(), none, count), cudaErrorInvalidValue);
  EXPECT_TRUE(out.untouched() && others.untouched() && counts.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridSelect, Bools) {
  device_array<int> const in(std::vector<int>{1, 2, 3, 4, 5}), out(5);
  device_array<unsigned char> const flags(std::vector<unsigned char>{0, 1, 0, 1, 1});
  device_array<std::int64_t> const count(1);
  ASSERT_EQ(grid::select(in.data(), reinterpret_cast<bool const*>(flags.data()), 5, out.data(), count.data()),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 3);
  EXPECT_TRUE(same_arrays(out.to_host(), std::vector<int>{2, 4, 5}));
}

/// An empty array has a count, too.
TEST_F(GridSelect, OfNone) {
  device_array<std::int64_t> const counts(std::vector<std::int64_t>(3, 7));
  float* const none = nullptr;
  bool const* const no_flags = nullptr;
  std::int64_t* const count = counts.data();
  ASSERT_EQ(grid::select(none, no_flags, 0, none, count), cudaSuccess);
  ASSERT_EQ(grid::partition(none, no_flags, 0, none, count + 1), cudaSuccess);
  ASSERT_EQ(grid::partition_copy(none, no_flags, 0, none, none, count + 2), cudaSuccess);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(3, 0));
}

TEST_F(GridSelect, InAGraphAndTwoStreams) {
  std::int64_t const n = 300007;
  drawn_case<float, char> const drawn[] = {{n, 30, 1}, {n, 70, 2}};
  device_array<float> const in[] = {device_array<float>(drawn[0].x), device_array<float>(drawn[1].x)};
  device_array<char> const flags[] = {device_array<char>(drawn[0].flags), device_array<char>(drawn[1].flags)};
  device_array<float> const out[] = {device_array<float>(static_cast<std::size_t>(n)),
                                     device_array<float>(static_cast<std::size_t>(n))};
  device_array<std::int64_t> const counts(2);
  stream const streams[2];
  grid::workspace memories[2];
  auto const partition_once = [&](int i) {
    EXPECT_EQ(
        grid::partition(in[i].data(), flags[i].data(), n, out[i].data(), counts.data() + i, {streams[i], memories[i]}),
        cudaSuccess);
  };
  for (int i = 0; i < 2; ++i) partition_once(i);
  graph const graphs[] = {{streams[0], [&] { partition_once(0); }}, {streams[1], [&] { partition_once(1); }}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(graphs[i].nodes(), 2u) << "counts, and partitions";
    check(cudaMemsetAsync(out[i].data(), 0, static_cast<std::size_t>(n) * sizeof(float), streams[i]));
  }
  for (int turn = 0; turn < (is_worth(100 * n) ? 50 : 3); ++turn)
    for (graph const& captured : graphs) captured.replay();
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamSynchronize(streams[i]));
    EXPECT_TRUE(same_arrays(out[i].to_host(), drawn[i].both()));
    EXPECT_EQ(memories[i].release(), cudaSuccess);
  }
}

TEST_F(GridSelect, CallsWithoutAWorkspaceLeaveNothing) {
  std::int64_t const n = 20000;
  drawn_case<float, char> const drawn(n, 50, 1);
  device_array<float> const in(drawn.x), out(static_cast<std::size_t>(n));
  device_array<char> const flags(drawn.flags);
  device_array<std::int64_t> const count(1);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::partition(in.data(), flags.data(), n, out.data(), count.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
