// Calls whose tiles need most shared memory, compiled for sm_75 besides, and a CUDA that has no more of it than that has (fake_cuda.hpp).
// In code for later architectures alone, tiles are larger: see tile_tuning.hpp.
#include <gtest/gtest.h>

#include <tessera/grid/histogram.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <functional>
#include <future>
#include <thread>

#include "fake_cuda.hpp"

namespace {

namespace grid = tessera::grid;

struct long_element {
  unsigned number;
  unsigned char rest[1020];
};
struct itself {
  __device__ int operator()(short x) const { return x; }
};
struct is_odd {
  TESSERA_FN bool operator()(long_element const& x) const { return x.number % 2 != 0; }
};
/// So that these kernels aren't the static library's.
struct same {
  TESSERA_FN bool operator()(int a, int b) const { return a == b; }
};
struct sum {
  TESSERA_FN float operator()(float a, float b) const { return a + b; }
};

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};

struct call {
  char const* name;
  std::function<cudaError_t(std::int64_t)> run;
};
call const calls[] = {
    {"select",
     [](std::int64_t n) {
       return grid::select(somewhere<long_element>(1), n, somewhere<long_element>(2), somewhere<std::int64_t>(3),
                           is_odd{});
     }},
    {"unique_by_key",
     [](std::int64_t n) {
       return grid::unique_by_key(somewhere<int>(1), somewhere<float>(2), n, somewhere<int>(3), somewhere<float>(4),
                                  somewhere<std::int64_t>(5), same{});
     }},
    {"run_length_encode",
     [](std::int64_t n) {
       return grid::run_length_encode(somewhere<int>(1), n, somewhere<int>(2), somewhere<int>(3),
                                      somewhere<std::int64_t>(4), same{});
     }},
    {"reduce_by_key",
     [](std::int64_t n) {
       return grid::reduce_by_key(somewhere<int>(1), somewhere<float>(2), n, somewhere<int>(3), somewhere<float>(4),
                                  somewhere<std::int64_t>(5), sum{}, same{});
     }},
    {"reduce from a start",
     [](std::int64_t n) { return grid::reduce(somewhere<int>(1), n, somewhere<double>(2), tessera::plus{}, 0.5); }},
    {"inclusive_scan from a start on the device",
     [](std::int64_t n) {
       return grid::inclusive_scan(somewhere<float>(1), n, somewhere<float>(2), sum{},
                                   grid::start_on_device<float>(somewhere<float>(3)), {false, somewhere<float>(3)});
     }},
    {"inclusive_scan from a start, of as many elements as the device knows",
     [](std::int64_t n) {
       return grid::inclusive_scan(somewhere<float>(1), grid::count_on_device(somewhere<std::int64_t>(4), n),
                                   somewhere<float>(2), sum{}, grid::start_on_device<float>(somewhere<float>(3)),
                                   {false, somewhere<float>(3)});
     }},
    {"histogram between edges",
     [](std::int64_t n) {
       return grid::histogram(somewhere<int>(1), n, somewhere<std::uint64_t>(2), 65536, somewhere<double>(3));
     }},
    {"histogram_channels",
     [](std::int64_t n) {
       return grid::histogram_channels<2>(
           somewhere<int>(1), n,
           {{somewhere<std::uint64_t>(2), 65536, 0, 100000}, {somewhere<std::uint64_t>(3), 256, 0, 256}});
     }},
    {"histogram_weighted",
     [](std::int64_t n) {
       return grid::histogram_weighted(somewhere<int>(1), somewhere<short>(2), n, somewhere<std::int64_t>(3), 65536, 0,
                                       100000);
     }},
    {"histogram_weighted between edges",
     [](std::int64_t n) {
       return grid::histogram_weighted(somewhere<int>(1), somewhere<short>(2), n, somewhere<std::int64_t>(3), 65536,
                                       somewhere<double>(4));
     }},
};

/// KiB of sm_75; 70 and 72; 86, 89 and 120; 80 and 87; 90 and 100.
TEST(GridStatusOfSmallGpus, EveryDeviceHasRoom) {
  for (int const kibibytes : {64, 96, 99, 163, 227})
    for (auto const& [name, run] : calls)
      for (std::int64_t const n : {0, 1, 1 << 20, 1 << 26}) {
        fake = {};
        fake.shared_bytes = kibibytes * 1024;
        EXPECT_EQ(run(n), cudaSuccess) << name << " of " << n << ", " << kibibytes << " KiB";
        EXPECT_EQ(fake.launches, 1) << name;
      }
}

/// Sums in the order of any device, of as many elements as the device knows, are divided for an H200.
TEST(GridStatusOfSmallGpus, CountedSumsOfAnyDevice) {
  auto const some = grid::count_on_device(somewhere<std::int64_t>(3), std::int64_t{1} << 26);
  auto const* const in = somewhere<float>(1);
  using run = std::function<cudaError_t(grid::order)>;
  run const sums[] = {
      [&](grid::order how) { return grid::reduce(in, some, somewhere<float>(2), tessera::plus{}, how); },
      [&](grid::order how) {
        return grid::transform_reduce(in, some, somewhere<float>(2), tessera::plus{}, square{}, how);
      },
      [&](grid::order how) { return grid::moments(in, some, somewhere<tessera::moments<double>>(2), how); }};
  for (run const& sum : sums) {
    auto const blocks = [&](int multiprocessors, grid::order how) {
      fake = {};
      fake.multiprocessors = multiprocessors;
      EXPECT_EQ(sum(how), cudaSuccess);
      return fake.blocks;
    };
    EXPECT_EQ(blocks(8, grid::order::any_device), blocks(132, grid::order::any_device));
    EXPECT_EQ(blocks(132, grid::order::this_device), blocks(132, grid::order::any_device));
    EXPECT_LT(blocks(8, grid::order::this_device), blocks(132, grid::order::this_device));
  }
}

/// Two threads count in one kernel, by more and by less shared memory: the second raises the limit, and would launch, before the
/// first sets its own.
TEST(GridStatusOfThreads, NoneLowersAnothersLimit) {
  fake = {};
  auto const count = [](std::int64_t bins) {
    return grid::histogram_by(somewhere<short>(1), 1 << 10, somewhere<std::uint64_t>(2), bins, itself{});
  };
  std::promise<void> other_launches, this_has_set;
  std::thread other;
  cudaError_t status_of_other = cudaErrorUnknown;
  limits.before_set = [&] {
    if (other.joinable() || std::this_thread::get_id() != of_the_test) return;
    other = std::thread([&] { status_of_other = count(50000); });
    other_launches.get_future().wait();
  };
  limits.before_launch = [&] {
    if (std::this_thread::get_id() == of_the_test) return;
    limits.before_launch = nullptr;
    other_launches.set_value();
    this_has_set.get_future().wait();
  };
  EXPECT_EQ(count(20000), cudaSuccess);
  this_has_set.set_value();
  ASSERT_TRUE(other.joinable());
  other.join();
  limits.before_set = nullptr;
  EXPECT_EQ(status_of_other, cudaSuccess);
  EXPECT_EQ(limits.lowered, 0);
  EXPECT_EQ(count(50000), cudaSuccess);
}

}  // namespace
