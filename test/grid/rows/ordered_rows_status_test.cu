// Sorts, selections, draws and routes of rows, with a CUDA that launches nothing and fails as it is told
// (status_checks.hpp).
#include <gtest/gtest.h>

#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>

#include <cstdint>
#include <functional>

#include "status_checks.hpp"

namespace {

namespace grid = tessera::grid;
using test::fake_rows;

struct nearer_to_one {
  __host__ __device__ bool operator()(float a, float b) const { return (a - 1) * (a - 1) < (b - 1) * (b - 1); }
};

grid::sample_options by_top_p() {
  grid::sample_options options;
  options.top_p = 0.9f;
  return options;
}

/// Each call in each way that it has: short rows, long ones, and few of the longest, which several blocks take.
test::status_call const calls[] = {
    {"sort_rows, short ones",
     [](grid::execution on) {
       return grid::sort_rows(fake_rows(1000, 32), fake_rows(1000, 32, 2), tessera::less{}, on);
     }},
    {"sort_rows",
     [](grid::execution on) {
       return grid::sort_rows(fake_rows(100, 4096), fake_rows(100, 4096, 2), tessera::less{}, on);
     }},
    {"sort_rows, long ones",
     [](grid::execution on) {
       return grid::sort_rows(fake_rows(3, 1 << 19), fake_rows(3, 1 << 19, 2), tessera::less{}, on);
     }},
    {"argsort_rows",
     [](grid::execution on) {
       return grid::argsort_rows(fake_rows(100, 1024), somewhere<std::int64_t>(2), tessera::less{}, on);
     }},
    {"argsort_rows, with gaps",
     [](grid::execution on) {
       return grid::argsort_rows(grid::matrix<float>{somewhere<float>(1), 100, 5000, 5001}, somewhere<std::int32_t>(2),
                                 tessera::less{}, on);
     }},
    {"argsort_rows, long ones",
     [](grid::execution on) {
       return grid::argsort_rows(fake_rows(3, 1 << 17), somewhere<std::int32_t>(2), tessera::less{}, on);
     }},
    {"top_k_rows, short ones",
     [](grid::execution on) {
       return grid::top_k_rows(fake_rows(1000, 64), 8, somewhere<float>(2), somewhere<std::int32_t>(3),
                               tessera::greater{}, {}, on);
     }},
    {"top_k_rows",
     [](grid::execution on) {
       return grid::top_k_rows(fake_rows(1000, 4096), 64, somewhere<float>(2), somewhere<std::int32_t>(3),
                               tessera::greater{}, {}, on);
     }},
    {"top_k_rows, few and long ones",
     [](grid::execution on) {
       return grid::top_k_rows(fake_rows(2, 1 << 20), 512, somewhere<float>(2), somewhere<std::int32_t>(3),
                               tessera::greater{}, {}, on);
     }},
    {"top_k_rows, most of long ones",
     [](grid::execution on) {
       return grid::top_k_rows(fake_rows(2, 1 << 18), 1 << 17, somewhere<float>(2), nullptr, tessera::greater{}, {},
                               on);
     }},
    {"median_rows",
     [](grid::execution on) { return grid::median_rows(fake_rows(10, 50'000), somewhere<float>(2), nullptr, {}, on); }},
    {"top_k_rows by an order of the test's own, short ones",
     [](grid::execution on) {
       return grid::top_k_rows(fake_rows(1000, 64), 8, somewhere<float>(2), somewhere<std::int32_t>(3), nearer_to_one{},
                               {}, on);
     }},
    {"argsort_rows by an order of the test's own",
     [](grid::execution on) {
       return grid::argsort_rows(fake_rows(100, 4096), somewhere<std::int32_t>(2), nearer_to_one{}, on);
     }},
    {"top_k_rows by an order of the test's own, of parts of rows",
     [](grid::execution on) {
       grid::top_k_rows_options options;
       options.lengths = somewhere<std::int32_t>(4);
       return grid::top_k_rows(fake_rows(100, 4096), 8, somewhere<float>(2), somewhere<std::int32_t>(3),
                               nearer_to_one{}, options, on);
     }},
    {"sample_rows",
     [](grid::execution on) {
       return grid::sample_rows(fake_rows(64, 131'072), somewhere<std::uint64_t>(2), somewhere<std::int32_t>(3),
                                by_top_p(), on);
     }},
    {"renormalize_rows",
     [](grid::execution on) {
       grid::sample_filters filters;
       filters.top_k = 50;
       return grid::renormalize_rows(fake_rows(64, 32'000), fake_rows(64, 32'000, 2), filters, on);
     }},
    {"route_rows",
     [](grid::execution on) {
       return grid::route_rows(fake_rows(8192, 256), 8, somewhere<float>(2), somewhere<std::int32_t>(3), {}, on);
     }},
    {"route_rows of few rows, and groups",
     [](grid::execution on) {
       return grid::route_rows(fake_rows(16, 64), 4, somewhere<float>(2), somewhere<std::int32_t>(3),
                               somewhere<std::int32_t>(4), somewhere<std::int32_t>(5), {}, {}, on);
     }},
    {"route_rows, and groups",
     [](grid::execution on) {
       return grid::route_rows(fake_rows(8192, 256), 8, somewhere<float>(2), somewhere<std::int32_t>(3),
                               somewhere<std::int32_t>(4), somewhere<std::int32_t>(5), {}, {}, on);
     }},
    {"group_by_label",
     [](grid::execution on) {
       return grid::group_by_label(somewhere<std::int32_t>(1), 1 << 20, 256, somewhere<std::int32_t>(2),
                                   somewhere<std::int32_t>(3), {}, on);
     }},
};

TEST(GridOrderedRowsStatus, AFailureIsReturnedAndNotLeftBehind) {
  for (auto const& [name, run] : calls) test::check_failures(name, run);
}
TEST(GridOrderedRowsStatus, AnEarlierErrorStays) {
  for (auto const& [name, run] : calls) test::check_earlier_error(name, run);
}
TEST(GridOrderedRowsStatus, AWorkspaceThatHasServedACallServesItAgain) {
  for (auto const& [name, run] : calls) test::check_workspace(name, run);
}

/// What is refused is refused before anything else is asked.
TEST(GridOrderedRowsStatus, BadArgumentsLeaveTheLastErrorAlone) {
  fake = {};
  auto* const ids = somewhere<std::int32_t>(3);
  EXPECT_EQ(grid::sort_rows(fake_rows(-1, 8), fake_rows(-1, 8, 2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_rows(fake_rows(4, 8), fake_rows(4, 7, 2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_rows(fake_rows(4, 8), {somewhere<float>(1) + 1, 4, 8}), cudaErrorInvalidValue) << "overlaps";
  for (std::int64_t const columns : {8, 1000, 10'000}) {
    EXPECT_EQ(grid::argsort_rows(grid::matrix<float>{nullptr, 4, columns}, ids), cudaErrorInvalidValue);
    EXPECT_EQ(grid::argsort_rows(fake_rows(4, columns), static_cast<std::int32_t*>(nullptr)), cudaErrorInvalidValue);
    EXPECT_EQ(grid::argsort_rows(grid::matrix<float>{somewhere<float>(1), 4, columns, columns - 1}, ids),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::argsort_rows(fake_rows(4, columns), somewhere<std::int32_t>(1) + 1), cudaErrorInvalidValue)
        << "overlaps";
  }
  EXPECT_EQ(grid::argsort_rows(fake_rows(4, (std::int64_t{1} << 30) + 1), ids), cudaErrorInvalidValue);
  EXPECT_EQ(grid::top_k_rows(fake_rows(4, 8), -1, somewhere<float>(2), ids), cudaErrorInvalidValue);
  EXPECT_EQ(grid::kth_value_rows(fake_rows(4, 8), -1, somewhere<float>(2), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sample_rows(fake_rows(4, 8), nullptr, ids, by_top_p()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(fake_rows(4, 8), 0, somewhere<float>(2), ids), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(fake_rows(4, 8), 9, somewhere<float>(2), ids), cudaErrorInvalidValue);
  EXPECT_EQ(grid::group_by_label(ids, -1, 4, somewhere<std::int32_t>(4), somewhere<std::int32_t>(5)),
            cudaErrorInvalidValue);
  EXPECT_EQ(fake.calls, 0);
}

/// Nothing is launched for no rows.
TEST(GridOrderedRowsStatus, NoRows) {
  fake = {};
  EXPECT_EQ(grid::sort_rows(fake_rows(0, 8), fake_rows(0, 8, 2)), cudaSuccess);
  EXPECT_EQ(grid::argsort_rows(fake_rows(0, 10'000), somewhere<std::int32_t>(3)), cudaSuccess);
  EXPECT_EQ(grid::top_k_rows(fake_rows(0, 8), 3, somewhere<float>(2), somewhere<std::int32_t>(3)), cudaSuccess);
  EXPECT_EQ(grid::sample_rows(fake_rows(0, 8), somewhere<std::uint64_t>(2), somewhere<std::int32_t>(3), by_top_p()),
            cudaSuccess);
  EXPECT_EQ(grid::route_rows(fake_rows(0, 8), 2, somewhere<float>(2), somewhere<std::int32_t>(3)), cudaSuccess);
  EXPECT_EQ(fake.launches, 0);
}

}  // namespace
