// What launchers return, and what they leave as CUDA's last error: with a CUDA whose calls fail as they are told.
//
// Each call of each launcher fails once, which no GPU does, and none is needed (fake_cuda.hpp). The test status_per_thread is of this
// file, too: there nullptr is each thread's own stream.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <tessera/device.hpp>
#include <tessera/grid.hpp>
#include <tessera/grid/parts/workspace_memory.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "fake_cuda.hpp"

namespace {

namespace grid = tessera::grid;

struct launcher {
  char const* name;
  std::function<cudaError_t(grid::execution)> run;
  bool runs_cub = false;
};

constexpr std::int64_t long_array = 1 << 26;

template <class T>
grid::matrix<T> rows_of(std::int64_t rows, std::int64_t columns, std::uintptr_t at) {
  return {somewhere<T>(at), rows, columns};
}

/// Each launcher in each way that it has: one block, many, few and long rows, clusters, two reads.
launcher const launchers[] = {
    {"reduce, one block",
     [](grid::execution on) {
       return grid::reduce(somewhere<float>(1), 100, somewhere<float>(2), tessera::plus{}, on);
     }},
    {"reduce",
     [](grid::execution on) {
       return grid::reduce(somewhere<float>(1), 1 << 24, somewhere<float>(2), tessera::maximum{}, on);
     }},
    {"argmax by a record",
     [](grid::execution on) {
       return grid::argmax(somewhere<float>(1), 1 << 24, somewhere<tessera::indexed<float, std::int64_t>>(2), on);
     }},
    {"argmax by a record, into two places",
     [](grid::execution on) {
       return grid::argmax(somewhere<float>(1), 1 << 24, somewhere<float>(2), somewhere<std::int64_t>(3), on);
     }},
    {"argmin of doubles",
     [](grid::execution on) {
       return grid::argmin(somewhere<double>(1), 1 << 20, somewhere<tessera::indexed<double, std::int64_t>>(2), on);
     }},
    {"moments",
     [](grid::execution on) {
       return grid::moments(somewhere<float>(1), 1 << 20, somewhere<tessera::moments<double>>(2), on);
     }},
    {"reduce_rows, short ones",
     [](grid::execution on) {
       return grid::reduce_rows(rows_of<float>(1000, 64, 1), somewhere<float>(2), tessera::plus{}, on);
     }},
    {"reduce_rows, few and long ones",
     [](grid::execution on) {
       return grid::reduce_rows(rows_of<float>(3, 1 << 20, 1), somewhere<float>(2), tessera::plus{}, on);
     }},
    {"moments_rows",
     [](grid::execution on) {
       return grid::moments_rows(rows_of<float>(3, 1 << 20, 1), somewhere<tessera::moments<float>>(2), on);
     }},
    {"softmax_rows, short ones",
     [](grid::execution on) {
       return grid::softmax_rows(rows_of<float>(1000, 64, 1), rows_of<float>(1000, 64, 2), nullptr, on);
     }},
    {"softmax_rows, clusters",
     [](grid::execution on) {
       return grid::softmax_rows(rows_of<float>(1000, 1 << 16, 1), rows_of<float>(1000, 1 << 16, 2), nullptr, on);
     }},
    {"log_softmax_rows, two reads",
     [](grid::execution on) {
       return grid::log_softmax_rows(rows_of<float>(3, 1 << 20, 1), rows_of<float>(3, 1 << 20, 2), nullptr, on);
     }},
    {"softmax128",
     [](grid::execution on) {
       return grid::softmax128(somewhere<__nv_bfloat16>(2), somewhere<__nv_bfloat16>(1), 1000, on);
     }},
    {"layer_norm_rows, two reads",
     [](grid::execution on) {
       return grid::layer_norm_rows(rows_of<float>(3, 1 << 20, 1), rows_of<float>(3, 1 << 20, 2), nullptr, nullptr,
                                    1e-5, on);
     }},
    {"rms_norm_rows, short ones",
     [](grid::execution on) {
       return grid::rms_norm_rows(rows_of<float>(100, 100, 1), rows_of<float>(100, 100, 2), nullptr, nullptr, 1e-5, on);
     }},
    {"reduce_segments",
     [](grid::execution on) {
       return grid::reduce_segments(somewhere<float>(1), somewhere<int>(2), 1000, somewhere<float>(3), tessera::plus{},
                                    on);
     }},
    {"inclusive_scan, one block",
     [](grid::execution on) {
       return grid::inclusive_scan(somewhere<float>(1), 100, somewhere<float>(2), tessera::plus{}, on);
     }},
    {"exclusive_scan",
     [](grid::execution on) {
       return grid::exclusive_scan(somewhere<int>(1), 1 << 20, somewhere<int>(2), tessera::plus{}, 3, on);
     }},
    {"select, one block",
     [](grid::execution on) {
       return grid::select(somewhere<float>(1), somewhere<bool>(2), 100, somewhere<float>(3),
                           somewhere<std::int64_t>(4), on);
     }},
    {"select",
     [](grid::execution on) {
       return grid::select(somewhere<float>(1), somewhere<int>(2), 1 << 20, somewhere<float>(1),
                           somewhere<std::int64_t>(4), on);
     }},
    {"partition, which counts first",
     [](grid::execution on) {
       return grid::partition(somewhere<double>(1), somewhere<char>(2), 1 << 20, somewhere<double>(3),
                              somewhere<std::int64_t>(4), on);
     }},
    {"partition_copy",
     [](grid::execution on) {
       return grid::partition_copy(somewhere<float>(1), somewhere<char>(2), 1 << 20, somewhere<float>(3),
                                   somewhere<float>(5), somewhere<std::int64_t>(4), on);
     }},
    {"unique",
     [](grid::execution on) {
       return grid::unique(somewhere<float>(1), 1 << 20, somewhere<float>(2), somewhere<std::int64_t>(3),
                           tessera::equal_to{}, on);
     }},
    {"unique_by_key",
     [](grid::execution on) {
       return grid::unique_by_key(somewhere<int>(1), somewhere<float>(2), 1 << 20, somewhere<int>(3),
                                  somewhere<float>(4), somewhere<std::int64_t>(5), tessera::equal_to{}, on);
     }},
    {"run_length_encode",
     [](grid::execution on) {
       return grid::run_length_encode(somewhere<int>(1), 1 << 20, somewhere<int>(2), somewhere<int>(3),
                                      somewhere<std::int64_t>(4), tessera::equal_to{}, on);
     }},
    {"reduce_by_key",
     [](grid::execution on) {
       return grid::reduce_by_key(somewhere<int>(1), somewhere<float>(2), 1 << 20, somewhere<int>(3),
                                  somewhere<float>(4), somewhere<std::int64_t>(5), tessera::plus{}, tessera::equal_to{},
                                  on);
     }},
    {"inclusive_scan_by_key",
     [](grid::execution on) {
       return grid::inclusive_scan_by_key(somewhere<int>(1), somewhere<float>(2), 1 << 20, somewhere<float>(3),
                                          tessera::plus{}, on);
     }},
    {"exclusive_scan_segments",
     [](grid::execution on) {
       return grid::exclusive_scan_segments(somewhere<int>(1), 1 << 20, somewhere<int>(2), 1000, somewhere<int>(3),
                                            tessera::plus{}, 3, on);
     }},
    {"lower_bound",
     [](grid::execution on) {
       return grid::lower_bound(somewhere<float>(1), 1 << 20, somewhere<float>(2), 1000, somewhere<int>(3),
                                tessera::less{}, on);
     }},
    {"merge",
     [](grid::execution on) {
       return grid::merge(somewhere<float>(1), 1000, somewhere<float>(2), 1 << 10, somewhere<float>(3), tessera::less{},
                          on);
     }},
    {"adjacent_difference",
     [](grid::execution on) {
       return grid::adjacent_difference(somewhere<int>(1), 1 << 20, somewhere<int>(2), tessera::minus{}, on);
     }},
    {"sort, one block",
     [](grid::execution on) { return grid::sort(somewhere<float>(1), 1000, somewhere<float>(2), tessera::less{}, on); },
     true},
    {"sort",
     [](grid::execution on) {
       return grid::sort(somewhere<float>(1), 1 << 20, somewhere<float>(2), tessera::less{}, on);
     },
     true},
    {"sort in place",
     [](grid::execution on) {
       return grid::sort(somewhere<double>(1), 1000, somewhere<double>(1), tessera::greater{}, on);
     },
     true},
    {"sort_by_key of 16-bit keys",
     [](grid::execution on) {
       return grid::sort_by_key(somewhere<__half>(1), somewhere<float>(2), 1 << 20, somewhere<__half>(3),
                                somewhere<float>(4), tessera::less{}, on);
     },
     true},
    {"argsort",
     [](grid::execution on) {
       return grid::argsort(somewhere<float>(1), 1 << 20, somewhere<int>(2), tessera::less{}, on);
     },
     true},
    {"sort_segments",
     [](grid::execution on) {
       return grid::sort_segments(somewhere<float>(1), 1 << 20, somewhere<int>(2), 1000, somewhere<float>(3),
                                  tessera::less{}, on);
     }},
    {"sort_segments_by_key, short ones",
     [](grid::execution on) {
       return grid::sort_segments_by_key(somewhere<float>(1), somewhere<int>(2), 1000, somewhere<int>(3), 10,
                                         somewhere<float>(4), somewhere<int>(5), tessera::less{}, on);
     }},
    {"histogram",
     [](grid::execution on) {
       return grid::histogram(somewhere<float>(1), 1 << 20, somewhere<std::uint64_t>(2), 256, 0.0f, 1.0f, nullptr, on);
     }},
    {"histogram between edges",
     [](grid::execution on) {
       return grid::histogram(somewhere<float>(1), 1 << 20, somewhere<std::uint64_t>(2), 256, somewhere<float>(3),
                              grid::last_bin::closed, on);
     }},
    {"top_k, one block",
     [](grid::execution on) {
       return grid::top_k(somewhere<float>(1), 100, 10, somewhere<float>(2), somewhere<std::int64_t>(3),
                          tessera::greater{}, on);
     }},
    {"top_k",
     [](grid::execution on) {
       return grid::top_k(somewhere<int>(1), 1 << 22, 100, somewhere<int>(2), somewhere<std::int64_t>(3),
                          tessera::less{}, on);
     }},
    {"top_k that sorts",
     [](grid::execution on) {
       return grid::top_k(somewhere<double>(1), 1 << 16, 20000, somewhere<double>(2), somewhere<std::int64_t>(3),
                          tessera::greater{}, on);
     },
     true},
    {"top_k that sorts a part",
     [](grid::execution on) {
       return grid::top_k(somewhere<float>(1), 1 << 22, 20000, somewhere<float>(2), somewhere<std::int64_t>(3),
                          tessera::greater{}, on);
     },
     true},
    {"nth_element",
     [](grid::execution on) {
       return grid::nth_element(somewhere<__half>(1), 1 << 20, 1 << 19, somewhere<__half>(2),
                                somewhere<std::int64_t>(3), tessera::less{}, on);
     }},
    {"quantiles",
     [](grid::execution on) {
       double const q[] = {0.25, 0.75};
       return grid::quantiles(somewhere<float>(1), 1 << 20, q, 2, somewhere<float>(2), grid::quantile_method::lower,
                              on);
     }},
    {"quantiles between elements",
     [](grid::execution on) {
       double const q[] = {0.25, 1};
       return grid::quantiles(somewhere<__half>(1), 1 << 20, q, 2, somewhere<__half>(2), grid::quantile_method::linear,
                              on);
     }},
    {"histogram in slices",
     [](grid::execution on) {
       return grid::histogram(somewhere<int>(1), 1 << 20, somewhere<std::uint64_t>(2), 65536, 0, 1 << 20, nullptr, on);
     }},
};

constexpr cudaError_t of_the_caller = cudaErrorInvalidPitchValue;

/// Only calls that run CUB's kernels return it, and they launch nothing then.
TEST(GridStatus, AnEarlierErrorStays) {
  for (auto const& [name, run, runs_cub] : launchers) {
    for (bool const with_memory : {false, true}) {
      grid::workspace memory;
      fake = {};
      fake.last = of_the_caller;
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(run(with_memory ? grid::execution(memory) : nullptr), runs_cub ? of_the_caller : cudaSuccess) << name;
        EXPECT_EQ(fake.last, of_the_caller) << name;
      }
      EXPECT_TRUE(runs_cub ? fake.launches == 0 : fake.launches >= 2) << name;
      EXPECT_EQ(memory.release(), cudaSuccess);
      EXPECT_EQ(fake.last, of_the_caller) << name;
      EXPECT_EQ(fake.allocations, 0) << name;
    }
  }
}

TEST(GridStatus, AWorkspaceThatHasServedACallServesItAgain) {
  for (auto const& [name, run, runs_cub] : launchers) {
    grid::workspace memory;
    fake = {};
    EXPECT_EQ(run(memory), cudaSuccess) << name;
    fake.allocated = 0;
    EXPECT_EQ(run(memory), cudaSuccess) << name;
    EXPECT_EQ(fake.allocated, 0) << name;
  }
}

TEST(GridStatus, AFailureIsReturnedAndNotLeftBehind) {
  for (auto const& [name, run, runs_cub] : launchers) {
    fake = {};
    (void)run(nullptr);  // CUB asks about the device once
    for (bool const with_memory : {false, true}) {
      for (cudaError_t const before : {cudaSuccess, of_the_caller}) {
        for (int failing = 1;; ++failing) {
          cudaError_t status = cudaSuccess;
          fake = {};
          fake.last = before;
          fake.failing = failing;
          {
            grid::workspace memory;
            status = run(with_memory ? grid::execution(memory) : nullptr);
          }
          if (fake.failed.empty()) break;
          EXPECT_EQ(fake.last, cudaSuccess) << name << ": " << fake.failed << " fails";
          bool const named_by_cub = fake.failed == "cudaGetDevice" && status == cudaErrorInvalidDevice;
          // What a workspace asks before it frees its memory.
          bool const in_the_end = fake.failed == "cudaGetDevice" && fake.after_failure == "cudaFreeAsync";
          EXPECT_EQ(named_by_cub ? fake.failure : status,
                    may_fail(fake.failed) || in_the_end ? cudaSuccess : fake.failure)
              << name << ": " << fake.failed << " fails";
          EXPECT_EQ(fake.allocations, 0) << name << ": " << fake.failed << " fails";
        }
        EXPECT_EQ(fake.last, before) << name;
      }
    }
  }
}

TEST(GridStatus, BadArgumentsLeaveTheLastErrorAlone) {
  fake = {};
  fake.last = of_the_caller;
  float* const x = somewhere<float>(1);
  EXPECT_EQ(grid::reduce(x, -1, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix<float>{x, 3, 4, 3}, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(rows_of<float>(3, 4, 1), grid::matrix<float>{x + 1, 3, 4}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::histogram(x, 10, somewhere<std::uint64_t>(2), 0, 0.0f, 1.0f), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_segments(x, somewhere<int>(2), -1, somewhere<float>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::inclusive_scan(x, 10, x + 1), cudaErrorInvalidValue);
  auto* const count = somewhere<std::int64_t>(4);
  EXPECT_EQ(grid::select(x, somewhere<bool>(2), 10, x + 1, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition(x, somewhere<bool>(2), 10, x, count), cudaErrorInvalidValue);
  auto* const parts = somewhere<float>(3);
  EXPECT_EQ(grid::partition(x, reinterpret_cast<bool*>(parts) + 39, 10, parts, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition(x, reinterpret_cast<bool*>(parts) - 9, 10, parts, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::unique(x, -1, x, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::run_length_encode(x, 10, x, somewhere<int>(3), count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_by_key(somewhere<int>(2), x, 10, somewhere<int>(3), x, count), cudaErrorInvalidValue);
  EXPECT_EQ(grid::inclusive_scan_by_key(somewhere<int>(2), x, 10, x + 1), cudaErrorInvalidValue);
  // The count in an output.
  float* const y = somewhere<float>(5);
  auto* const within = reinterpret_cast<std::int64_t*>(y);
  EXPECT_EQ(grid::select(x, somewhere<bool>(2), 10, y, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::select(x, somewhere<bool>(2), 10, y + 1, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition(x, somewhere<bool>(2), 10, y, within + 3), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition_copy(x, somewhere<bool>(2), 10, y, somewhere<float>(6), within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition_copy(x, somewhere<bool>(2), 10, somewhere<float>(6), y, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::unique(x, 10, y, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::unique_by_key(x, somewhere<int>(2), 10, y, somewhere<int>(6), within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::unique_by_key(somewhere<int>(2), x, 10, somewhere<int>(6), y, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::run_length_encode(x, 10, y, somewhere<int>(6), within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::run_length_encode(x, 10, somewhere<float>(6), reinterpret_cast<int*>(y), within),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_by_key(somewhere<int>(2), x, 10, reinterpret_cast<int*>(y), somewhere<float>(6), within),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_by_key(somewhere<int>(2), x, 10, somewhere<int>(6), y, within), cudaErrorInvalidValue);
  EXPECT_EQ(grid::inclusive_scan_segments(x, 10, somewhere<int>(2), -1, x), cudaErrorInvalidValue);
  EXPECT_EQ(grid::upper_bound(x, 10, x, -1, somewhere<int>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::merge(x, 10, x, 10, x + 5), cudaErrorInvalidValue);
  EXPECT_EQ(grid::adjacent_difference(x, 10, x), cudaErrorInvalidValue);
  EXPECT_EQ(grid::adjacent_difference(x, -1, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort(x, -1, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argsort(x, 10, reinterpret_cast<int*>(x)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(x, 10, somewhere<int>(2), -1, somewhere<float>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::top_k(x, 10, 11, somewhere<float>(2), somewhere<std::int64_t>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::nth_element(x, 10, 10, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(fake.last, of_the_caller);
  EXPECT_EQ(fake.calls, 0);
}

/// The rule for null pointers: one may be null where the call reads and writes nothing through it.
TEST(GridStatus, WhereNothingIsReadPointersMayBeNull) {
  fake = {};
  float* const none = nullptr;
  int* const no_numbers = nullptr;
  std::int64_t* const no_indices = nullptr;
  double* const no_q = nullptr;
  EXPECT_EQ(grid::lower_bound(none, 10, none, 0, no_numbers), cudaSuccess);
  EXPECT_EQ(grid::upper_bound(none, 10, none, 0, no_indices), cudaSuccess);
  EXPECT_EQ(grid::top_k(none, 10, 0, none, no_indices), cudaSuccess);
  EXPECT_EQ(grid::quantiles(none, 10, no_q, 0, none), cudaSuccess);
  EXPECT_EQ(grid::sort_segments(none, 10, no_numbers, 0, none), cudaSuccess);
  EXPECT_EQ(grid::inclusive_scan_segments(none, 10, no_numbers, 0, none), cudaSuccess);
  EXPECT_EQ(grid::reduce_segments(none, no_numbers, 0, none), cudaSuccess);
  EXPECT_EQ(grid::inclusive_scan(none, 0, none), cudaSuccess);
  EXPECT_EQ(grid::sort(none, 0, none), cudaSuccess);
  EXPECT_EQ(grid::merge(none, 0, none, 0, none), cudaSuccess);
  EXPECT_EQ(grid::lower_bound(none, 10, somewhere<float>(1), 1, somewhere<int>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::top_k(none, 10, 1, somewhere<float>(1), no_indices), cudaErrorInvalidValue);
  EXPECT_EQ(grid::top_k(somewhere<float>(1), 10, 1, none, no_indices), cudaErrorInvalidValue) << "no output";
  EXPECT_EQ(grid::lower_bound(none, -1, none, 0, no_numbers), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(none, 10, no_numbers, 1, none), cudaErrorInvalidValue);
}

TEST(GridStatus, IndicesFitTheIntegersTheyAreStoredInto) {
  fake = {};
  auto const find = [](std::int64_t n, auto* out) {
    return grid::lower_bound(somewhere<float>(1), n, somewhere<float>(3), 10, out);
  };
  auto const order = [](std::int64_t n, auto* out) { return grid::argsort(somewhere<float>(1), n, out); };
  auto* const ints = somewhere<std::int32_t>(4);
  auto* const words = somewhere<std::uint32_t>(4);
  constexpr std::int64_t half = std::int64_t{1} << 31;
  EXPECT_EQ(find(half - 1, ints), cudaSuccess);
  EXPECT_EQ(find(half, ints), cudaErrorInvalidValue);
  EXPECT_EQ(find(half, words), cudaSuccess);
  EXPECT_EQ(find(2 * half - 1, words), cudaSuccess);
  EXPECT_EQ(find(2 * half, words), cudaErrorInvalidValue);
  EXPECT_EQ(find(2 * half, somewhere<std::int64_t>(4)), cudaSuccess);
  EXPECT_EQ(order(half + 1, ints), cudaErrorInvalidValue);
  EXPECT_EQ(order(2 * half + 1, words), cudaErrorInvalidValue);
}

/// A block counts no more than 32 bits hold.
TEST(GridStatus, TopKOfMoreThanItsBlocksCount) {
  fake = {};
  auto const select = [](std::int64_t n) {
    return grid::top_k(somewhere<float>(1), n, 10, somewhere<float>(9), somewhere<std::int64_t>(10));
  };
  fake.multiprocessors = 8;
  EXPECT_EQ(select(std::int64_t{8} << 31), cudaSuccess);
  EXPECT_EQ(select(std::int64_t{8} << 33), cudaErrorInvalidValue);
}

/// Launchers that choose between large and small tiles, of arrays that large ones are for.
launcher const tile_launchers[] = {
    {"inclusive_scan",
     [](grid::execution on) {
       return grid::inclusive_scan(somewhere<float>(1), long_array, somewhere<float>(2), tessera::plus{}, on);
     }},
    {"exclusive_scan, suffix",
     [](grid::execution on) {
       return grid::exclusive_scan(somewhere<double>(1), long_array, somewhere<double>(2), tessera::plus{}, 0.0, {true},
                                   on);
     }},
    {"select",
     [](grid::execution on) {
       return grid::select(somewhere<float>(1), somewhere<int>(2), long_array, somewhere<float>(3),
                           somewhere<std::int64_t>(4), on);
     }},
    {"partition",
     [](grid::execution on) {
       return grid::partition(somewhere<double>(1), somewhere<char>(2), long_array, somewhere<double>(3),
                              somewhere<std::int64_t>(4), on);
     }},
    {"unique",
     [](grid::execution on) {
       return grid::unique(somewhere<std::int64_t>(1), long_array, somewhere<std::int64_t>(2),
                           somewhere<std::int64_t>(3), tessera::equal_to{}, on);
     }},
    {"unique_by_key",
     [](grid::execution on) {
       return grid::unique_by_key(somewhere<int>(1), somewhere<double>(2), long_array, somewhere<int>(3),
                                  somewhere<double>(4), somewhere<std::int64_t>(5), tessera::equal_to{}, on);
     }},
    {"run_length_encode",
     [](grid::execution on) {
       return grid::run_length_encode(somewhere<std::int64_t>(1), long_array, somewhere<std::int64_t>(2),
                                      somewhere<int>(3), somewhere<std::int64_t>(4), tessera::equal_to{}, on);
     }},
    {"reduce_by_key",
     [](grid::execution on) {
       return grid::reduce_by_key(somewhere<std::int64_t>(1), somewhere<double>(2), long_array,
                                  somewhere<std::int64_t>(3), somewhere<double>(4), somewhere<std::int64_t>(5),
                                  tessera::plus{}, tessera::equal_to{}, on);
     }},
    {"inclusive_scan_by_key",
     [](grid::execution on) {
       return grid::inclusive_scan_by_key(somewhere<int>(1), somewhere<float>(2), long_array, somewhere<float>(3),
                                          tessera::plus{}, on);
     }},
    {"exclusive_scan_segments",
     [](grid::execution on) {
       return grid::exclusive_scan_segments(somewhere<double>(1), long_array, somewhere<int>(2), 1000,
                                            somewhere<double>(3), tessera::plus{}, 3, on);
     }},
    {"unique_by_key of nothing",
     [](grid::execution on) {
       return grid::unique_by_key(somewhere<int>(1), somewhere<float>(2), 0, somewhere<int>(3), somewhere<float>(4),
                                  somewhere<std::int64_t>(5), tessera::equal_to{}, on);
     }},
};

/// Devices with the shared memory of sm_86, 89 and 120, of sm_80 and 87, and of sm_90 and 100. Tests are compiled for none before sm_80;
/// small_gpus_status_test.cu has those.
TEST(GridStatus, EveryDeviceHasRoom) {
  for (int const kibibytes : {99, 163, 227}) {
    auto const expect_launched = [&](launcher const& call) {
      grid::workspace memory;
      fake = {};
      fake.shared_bytes = kibibytes * 1024;
      EXPECT_EQ(call.run(memory), cudaSuccess) << call.name << ", " << kibibytes << " KiB";
      EXPECT_GE(fake.launches, 1) << call.name << ", " << kibibytes << " KiB";
    };
    for (auto const& call : launchers) expect_launched(call);
    for (auto const& call : tile_launchers) expect_launched(call);
  }
}

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
cudaStream_t const default_stream = cudaStreamPerThread;
#else
cudaStream_t const default_stream = nullptr;
#endif

/// This file is compiled for both default streams, and the library for the legacy one.
TEST(GridStreams, NullIsTheDefaultStreamOfTheFileThatCalls) {
  auto const expect_stream = [&](launcher const& call) {
    for (bool const with_memory : {false, true}) {
      fake = {};
      {
        grid::workspace memory;
        EXPECT_EQ(call.run(with_memory ? grid::execution(memory) : nullptr), cudaSuccess) << call.name;
      }
      EXPECT_EQ(fake.streams, std::set<cudaStream_t>{default_stream}) << call.name;
    }
  };
  for (auto const& call : launchers) expect_stream(call);
  for (auto const& call : tile_launchers) expect_stream(call);
}

/// Where a kernel leaves counters to the next one, and that isn't launched, the call clears them.
TEST(GridStatus, AFailedCallLeavesItsWorkspaceClean) {
  auto const sort = [](grid::execution on) {
    return grid::sort_segments(somewhere<float>(1), 1 << 20, somewhere<int>(2), 1000, somewhere<float>(3),
                               tessera::less{}, on);
  };
  grid::workspace memory;
  fake = {};
  ASSERT_EQ(sort(memory), cudaSuccess);
  int failures = 0;
  for (int failing = 1;; ++failing) {
    auto const devices = fake.devices;
    fake = {};
    fake.devices = devices;
    fake.leaves_counters = true;
    fake.failing = failing;
    *grid::detail::workspace_memory::counters(memory) = 0;
    cudaError_t const status = sort(memory);
    if (fake.failed.empty()) break;
    if (status != cudaSuccess) {
      ++failures;
      EXPECT_EQ(*grid::detail::workspace_memory::counters(memory), 0u)
          << fake.failed << " fails after " << fake.launches << " launches";
    }
  }
  EXPECT_GE(failures, 3);
  EXPECT_EQ(memory.release(), cudaSuccess);
}

TEST(GridStatus, FindDevice) {
  fake = {};
  fake.last = of_the_caller;
  EXPECT_TRUE(tessera::find_device().usable);
  EXPECT_EQ(fake.last, of_the_caller);
  int const calls = fake.calls;
  for (int failing = 1; failing <= calls; ++failing) {
    fake = {};
    fake.last = of_the_caller;
    fake.failing = failing;
    EXPECT_EQ(tessera::find_device().usable, failing == calls) << "the last call sets the device back";
    EXPECT_EQ(fake.last, cudaSuccess) << fake.failed << " fails";
  }
}

}  // namespace
