// Calls on segments as they come, with a CUDA that launches nothing and fails as it is told (fake_cuda.hpp): how often they launch, that
// each failure is returned, that no memory is left allocated, and that none is where a workspace has what they take.
#include <gtest/gtest.h>

#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k_segments.cuh>

#include <cstdint>
#include <functional>
#include <string>

#include "iterators.hpp"
#include "status_checks.hpp"

namespace {

namespace grid = tessera::grid;

/// So that these kernels aren't the static library's.
struct sum {
  TESSERA_FN int operator()(int a, int b) const { return a + b; }
};
struct before {
  TESSERA_FN bool operator()(int a, int b) const { return a < b; }
};
template <class T>
struct some_number {
  TESSERA_FN T operator()(std::int64_t i) const { return static_cast<T>(i); }
};
auto const op = tessera::make_operator(sum{}, 0);
test::computed<some_number<int>> const integers{};
test::computed<some_number<float>> const floats{};
int* const x = somewhere<int>(1);
int* const first = somewhere<int>(2);
int* const second = somewhere<int>(3);
int* const out = somewhere<int>(4);
int* const other = somewhere<int>(5);
constexpr std::int64_t n = 100'000, segments = 10'000;
auto const some = grid::count_on_device(somewhere<std::int64_t>(6), segments);

using grid::detail::each_scratch;
using grid::detail::gathered_scratch;
using grid::detail::located_scratch;
using grid::detail::segment_scratch;
constexpr segment_scratch reduction = each_scratch(segments, sizeof(int));

struct call {
  char const* name;
  int launches;
  std::size_t bytes;  // of its workspace; 0: it takes none
  std::function<cudaError_t(grid::execution)> run;
};
call const calls[] = {
    {"reduce between", 2, reduction.total(),
     [](grid::execution on) {
       return grid::reduce_segments(x, grid::segments_between(first, second), segments, out, op, on);
     }},
    {"reduce by lengths", 2, located_scratch(segments, grid::detail::reduced_scratch(132, 4)).total(),
     [](grid::execution on) {
       return grid::reduce_segments(x, grid::segments_of_lengths(first), segments, out, op, on);
     }},
    {"reduce of one length", 1, 0,
     [](grid::execution on) { return grid::reduce_segments(x, grid::segments_of_length(7), segments, out, op, on); }},
    {"reduce from a start", 2, reduction.total(),
     [](grid::execution on) { return grid::reduce_segments(x, first, segments, out, op, 5, on); }},
    {"reduce some", 3, located_scratch(segments, reduction).total(),
     [](grid::execution on) { return grid::reduce_segments(x, grid::segments_of_lengths(first), some, out, op, on); }},
    {"softmax", 3, each_scratch(segments, 8).total(),
     [](grid::execution on) {
       return grid::softmax_segments(somewhere<float>(1), first, segments, somewhere<float>(4), on);
     }},
    {"log-sum-exp", 2, each_scratch(segments, 8).total(),
     [](grid::execution on) {
       return grid::log_sum_exp_segments(somewhere<float>(1), first, segments, somewhere<float>(4), on);
     }},
    {"log-sum-exp of an iterator in some", 3, located_scratch(segments, each_scratch(segments, 8)).total(),
     [](grid::execution on) {
       return grid::log_sum_exp_segments(floats, grid::segments_of_lengths(first), some, somewhere<float>(4), on);
     }},
    {"top k", 2, grid::detail::top_k_segments_scratch(segments, 4, 8).total(),
     [](grid::execution on) {
       return grid::top_k_segments(x, first, segments, 8, out, other, tessera::less{}, {}, on);
     }},
    {"top 64", 2, grid::detail::top_k_segments_scratch(segments, 4, 64).total(),
     [](grid::execution on) {
       return grid::top_k_segments(x, first, segments, 64, out, nullptr, tessera::less{}, {}, on);
     }},
    {"top 65", 1, 0,
     [](grid::execution on) {
       return grid::top_k_segments(x, first, segments, 65, out, nullptr, tessera::less{}, {}, on);
     }},
    {"top k by lengths", 2, located_scratch(segments, {0, 0}).total(),
     [](grid::execution on) {
       return grid::top_k_segments(x, grid::segments_of_lengths(first), some, 100, out, nullptr, tessera::less{}, {},
                                   on);
     }},
    {"sort between, by key", 11, gathered_scratch(n, segments, 4, 4).total(),
     [](grid::execution on) {
       return grid::sort_segments_by_key(x, other, n, grid::segments_between(first, second), segments, out,
                                         somewhere<int>(7), before{}, on);
     }},
    {"sort some", 8, located_scratch(segments, gathered_scratch(n, segments, 4, 0)).total(),
     [](grid::execution on) {
       return grid::sort_segments(x, n, grid::segments_of_lengths(first), some, out, before{}, on);
     }},
    {"sort of one length", 3, located_scratch(segments, grid::detail::sorted_scratch(n, 4, 0)).total(),
     [](grid::execution on) {
       return grid::sort_segments(x, n, grid::segments_of_length(7), segments, out, before{}, on);
     }},
    {"sort of an iterator, by key", 4, grid::detail::sorted_scratch(n, 4, 4).total(),
     [](grid::execution on) {
       return grid::sort_segments_by_key(integers, integers, n, first, segments, out, somewhere<int>(7), before{}, on);
     }},
    {"sort of few from an iterator", 2, 0,
     [](grid::execution on) { return grid::sort_segments(integers, 500, first, 7, out, before{}, on); }},
    {"sort of an iterator between, by key", 11, gathered_scratch(n, segments, 4, 4).total(),
     [](grid::execution on) {
       return grid::sort_segments_by_key(integers, other, n, grid::segments_between(first, second), segments, out,
                                         somewhere<int>(7), before{}, on);
     }},
    {"sort of an iterator in one length", 4, located_scratch(segments, grid::detail::sorted_scratch(n, 4, 0)).total(),
     [](grid::execution on) {
       return grid::sort_segments(integers, n, grid::segments_of_length(7), segments, out, before{}, on);
     }},
    {"softmax of an iterator", 3, each_scratch(segments, 8).total(),
     [](grid::execution on) { return grid::softmax_segments(floats, first, segments, somewhere<float>(4), on); }},
    {"computed rows", 1, 0,
     [](grid::execution on) { return grid::reduce_rows(grid::matrix_of(integers, 100, 16'384), out, op, on); }},
    {"long computed rows", 2, grid::detail::workspace_layout::total(0, 100 * 3 * sizeof(int)),
     [](grid::execution on) { return grid::reduce_rows(grid::matrix_of(integers, 100, 40'000), out, op, on); }},
    {"softmax of long computed rows", 2, grid::detail::workspace_layout::total(0, 100 * 3 * 8),
     [](grid::execution on) {
       return grid::softmax_rows(grid::matrix_of(floats, 100, 40'000),
                                 grid::matrix<float>(somewhere<float>(4), 100, 40'000), nullptr, on);
     }},
    {"scan between", 2, each_scratch(segments).total(),
     [](grid::execution on) {
       return grid::inclusive_scan_segments(x, n, grid::segments_between(first, second), segments, out, sum{}, on);
     }},
    {"scan by lengths", 2, located_scratch(segments, grid::detail::scanned_scratch(n, 4, 4)).total(),
     [](grid::execution on) {
       return grid::inclusive_scan_segments(x, n, grid::segments_of_lengths(first), segments, out, sum{}, on);
     }},
};

TEST(GridSegmentListStatus, Launches) {
  for (auto const& [name, launches, bytes, run] : calls) {
    fake = {};
    EXPECT_EQ(run({}), cudaSuccess) << name;
    EXPECT_EQ(fake.launches, launches) << name;
    EXPECT_EQ(fake.allocations, 0) << name;
    EXPECT_EQ(fake.waits, 0) << name;
  }
}

/// The calls inside a call don't make its workspace grow: it allocates at the first call, and only once.
TEST(GridSegmentListStatus, AWorkspaceServesTheCallsInside) {
  for (auto const& [name, launches, bytes, run] : calls) {
    fake = {};
    grid::workspace memory;
    EXPECT_EQ(run(memory), cudaSuccess) << name;
    EXPECT_EQ(fake.allocated, bytes > 0 ? 1 : 0) << name;
    fake.is_captured = true;
    EXPECT_EQ(run(memory), cudaSuccess) << name;
    EXPECT_EQ(fake.launches, 2 * launches) << name;
    EXPECT_EQ(fake.allocated, bytes > 0 ? 1 : 0) << name;
  }
}
TEST(GridSegmentListStatus, TakeMemoryOfTheCallers) {
  for (auto const& [name, launches, bytes, run] : calls)
    for (bool const is_captured : {false, true}) {
      fake = {};
      fake.has_memory = false;
      fake.is_captured = is_captured;
      grid::workspace given(somewhere<char>(8), bytes);
      EXPECT_EQ(run(given), cudaSuccess) << name << (is_captured ? ", captured" : "");
      EXPECT_EQ(fake.launches, launches) << name;
      EXPECT_EQ(fake.allocated, 0) << name;
      if (bytes == 0) continue;
      grid::workspace smaller(somewhere<char>(8), bytes - 1);
      EXPECT_EQ(run(smaller), cudaErrorInvalidValue) << name;
      EXPECT_EQ(fake.launches, launches) << name << ": not enough memory is found before the first launch";
      EXPECT_EQ(fake.allocated, 0) << name;
    }
}

TEST(GridSegmentListStatus, AFailureIsReturnedAndNotLeftBehind) {
  for (auto const& [name, launches, bytes, run] : calls) test::check_failures(name, run);
}

}  // namespace
