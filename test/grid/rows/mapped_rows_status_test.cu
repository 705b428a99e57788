// Scans, losses, norms and operations of one's own on rows, with a CUDA that launches nothing and fails as it is told
// (status_checks.hpp).
#include <gtest/gtest.h>

#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/scan_rows.cuh>

#include <cstdint>
#include <functional>

#include "row_operations.hpp"
#include "status_checks.hpp"

namespace {

namespace grid = tessera::grid;
using test::fake_rows;

grid::cross_entropy_options<float> gradient_of(grid::matrix<float> const& logits) {
  grid::cross_entropy_options<float> options;
  options.gradient = logits;
  return options;
}

/// Each call in each way that it has: short rows, long ones, and few of the longest, which several blocks take.
test::status_call const calls[] = {
    {"inclusive_scan_rows, short ones",
     [](grid::execution on) {
       return grid::inclusive_scan_rows(fake_rows(1000, 32), fake_rows(1000, 32, 2), tessera::plus{}, on);
     }},
    {"inclusive_scan_rows, long ones",
     [](grid::execution on) {
       return grid::inclusive_scan_rows(fake_rows(3, 1 << 20), fake_rows(3, 1 << 20, 2), tessera::plus{}, on);
     }},
    {"exclusive_scan_columns",
     [](grid::execution on) {
       return grid::exclusive_scan_columns(fake_rows(1 << 16, 32), fake_rows(1 << 16, 32, 2), tessera::plus{}, on);
     }},
    {"log_sum_exp_rows",
     [](grid::execution on) { return grid::log_sum_exp_rows(fake_rows(1000, 4096), somewhere<float>(2), on); }},
    {"log_sum_exp_rows, few and long ones",
     [](grid::execution on) { return grid::log_sum_exp_rows(fake_rows(3, 1 << 20), somewhere<float>(2), on); }},
    {"log_probability_rows, few and long ones",
     [](grid::execution on) {
       return grid::log_probability_rows(fake_rows(3, 1 << 20), somewhere<int>(2), somewhere<float>(3), on);
     }},
    {"cross_entropy_rows",
     [](grid::execution on) {
       return grid::cross_entropy_rows(fake_rows(8192, 32'768), somewhere<int>(2), somewhere<float>(3), {}, on);
     }},
    {"cross_entropy_rows with a gradient",
     [](grid::execution on) {
       return grid::cross_entropy_rows(fake_rows(1000, 4096), somewhere<int>(2), somewhere<float>(3),
                                       gradient_of(fake_rows(1000, 4096, 4)), on);
     }},
    {"cross_entropy_rows with a gradient, few and long ones",
     [](grid::execution on) {
       return grid::cross_entropy_rows(fake_rows(3, 1 << 20), somewhere<int>(2), somewhere<float>(3),
                                       gradient_of(fake_rows(3, 1 << 20, 4)), on);
     }},
    {"add_rms_norm_rows",
     [](grid::execution on) {
       return grid::add_rms_norm_rows(fake_rows(1000, 4096), fake_rows(1000, 4096, 2), fake_rows(1000, 4096, 3),
                                      nullptr, nullptr, 1e-5, on);
     }},
    {"add_layer_norm_rows, few and long ones",
     [](grid::execution on) {
       return grid::add_layer_norm_rows(fake_rows(3, 1 << 20), fake_rows(3, 1 << 20, 2), fake_rows(3, 1 << 20, 3),
                                        nullptr, nullptr, 1e-5, on);
     }},
    {"map_rows",
     [](grid::execution on) {
       return grid::map_rows(fake_rows(1000, 512), fake_rows(1000, 512, 2), test::mean_distance<float>{100}, on);
     }},
    {"map_rows, few and long ones",
     [](grid::execution on) {
       return grid::map_rows(fake_rows(3, 1 << 20), fake_rows(3, 1 << 20, 2), test::mean_distance<float>{100}, on);
     }},
};

TEST(GridMappedRowsStatus, AFailureIsReturnedAndNotLeftBehind) {
  for (auto const& [name, run] : calls) test::check_failures(name, run);
}
TEST(GridMappedRowsStatus, AnEarlierErrorStays) {
  for (auto const& [name, run] : calls) test::check_earlier_error(name, run);
}
TEST(GridMappedRowsStatus, AWorkspaceThatHasServedACallServesItAgain) {
  for (auto const& [name, run] : calls) test::check_workspace(name, run);
}

/// What is refused is refused before anything else is asked.
TEST(GridMappedRowsStatus, BadArgumentsLeaveTheLastErrorAlone) {
  fake = {};
  auto* const out = somewhere<float>(3);
  auto* const targets = somewhere<int>(2);
  EXPECT_EQ(grid::inclusive_scan_rows(fake_rows(-1, 8), fake_rows(-1, 8, 2)), cudaErrorInvalidValue);
  grid::matrix<float> const among{somewhere<float>(1) + 1, 4, 8};
  EXPECT_EQ(grid::inclusive_scan_rows(fake_rows(4, 8), among), cudaErrorInvalidValue);
  EXPECT_EQ(grid::exclusive_scan_columns(fake_rows(4, 8), fake_rows(4, 7, 2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::log_sum_exp_rows(grid::matrix<float>{nullptr, 4, 8}, out), cudaErrorInvalidValue);
  EXPECT_EQ(grid::log_probability_rows(fake_rows(4, 8), static_cast<int*>(nullptr), out), cudaErrorInvalidValue);
  EXPECT_EQ(grid::cross_entropy_rows(fake_rows(4, 8), targets, static_cast<float*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::cross_entropy_rows(fake_rows(4, 8), targets, out, gradient_of(fake_rows(4, 7, 4))),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::add_rms_norm_rows(fake_rows(4, 8), fake_rows(4, 8, 2), fake_rows(4, 7, 3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::map_rows(fake_rows(4, 8), fake_rows(3, 8, 2), test::mean_distance<float>{8}), cudaErrorInvalidValue);
  EXPECT_EQ(fake.calls, 0);
}

/// Nothing is launched for no rows.
TEST(GridMappedRowsStatus, NoRows) {
  fake = {};
  EXPECT_EQ(grid::inclusive_scan_rows(fake_rows(0, 8), fake_rows(0, 8, 2)), cudaSuccess);
  EXPECT_EQ(grid::log_sum_exp_rows(fake_rows(0, 8), somewhere<float>(3)), cudaSuccess);
  EXPECT_EQ(grid::cross_entropy_rows(fake_rows(0, 8), somewhere<int>(2), somewhere<float>(3)), cudaSuccess);
  EXPECT_EQ(grid::add_rms_norm_rows(fake_rows(0, 8), fake_rows(0, 8, 2), fake_rows(0, 8, 3)), cudaSuccess);
  EXPECT_EQ(grid::map_rows(fake_rows(0, 8), fake_rows(0, 8, 2), test::mean_distance<float>{8}), cudaSuccess);
  EXPECT_EQ(fake.launches, 0);
}

}  // namespace
