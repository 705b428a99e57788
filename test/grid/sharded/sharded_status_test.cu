// Calls over several GPUs, as one of two ranks, with a CUDA and an NCCL that do nothing and fail as they are told
// (status_checks.hpp, fake_nccl.hpp).
#include <gtest/gtest.h>

#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_rows.cuh>
#include <tessera/grid/sharded_sample_rows.cuh>
#include <tessera/grid/sharded_select.cuh>
#include <tessera/grid/sharded_sort.cuh>
#include <tessera/grid/sharded_top_k.cuh>

#include <cstdint>
#include <functional>
#include <string>

#include "fake_nccl.hpp"
#include "status_checks.hpp"

namespace {

namespace grid = tessera::grid;

constexpr std::int64_t n = 100'000;
constexpr grid::shard part{n, n, 2 * n}, columns{500, 500, 1000};

grid::matrix<float> rows(std::uintptr_t at = 1) {
  return {somewhere<float>(at), 64, columns.count};
}
struct is_positive {
  TESSERA_FN bool operator()(float x) const { return x > 0; }
};

struct call {
  char const* name;
  std::function<cudaError_t(grid::communicator&, grid::execution)> run;
};
call const calls[] = {
    {"reduce",
     [](auto& ranks, auto on) {
       return grid::reduce(ranks, somewhere<float>(1), part, somewhere<float>(2), tessera::plus{}, on);
     }},
    {"argmax",
     [](auto& ranks, auto on) {
       return grid::argmax(ranks, somewhere<float>(1), part, somewhere<tessera::indexed<float, std::int64_t>>(2), on);
     }},
    {"moments",
     [](auto& ranks, auto on) {
       return grid::moments(ranks, somewhere<float>(1), part, somewhere<tessera::moments<double>>(2), on);
     }},
    {"inclusive_scan",
     [](auto& ranks, auto on) {
       return grid::inclusive_scan(ranks, somewhere<float>(1), part, somewhere<float>(2), tessera::plus{}, on);
     }},
    {"histogram",
     [](auto& ranks, auto on) {
       return grid::histogram(ranks, somewhere<float>(1), part, somewhere<std::uint64_t>(2), 256, 0.0f, 1.0f, {}, on);
     }},
    {"select",
     [](auto& ranks, auto on) {
       return grid::select(ranks, somewhere<float>(1), part, somewhere<float>(2), somewhere<grid::shard>(3),
                           is_positive{}, on);
     }},
    {"top_k",
     [](auto& ranks, auto on) {
       return grid::top_k(ranks, somewhere<float>(1), part, 100, somewhere<float>(2), somewhere<std::int64_t>(3),
                          tessera::greater{}, on);
     }},
    {"nth_element",
     [](auto& ranks, auto on) {
       return grid::nth_element(ranks, somewhere<float>(1), part, n, somewhere<float>(2), somewhere<std::int64_t>(3),
                                tessera::less{}, on);
     }},
    {"quantiles",
     [](auto& ranks, auto on) {
       double const q = 0.3;
       return grid::quantiles(ranks, somewhere<float>(1), part, &q, 1, somewhere<float>(2),
                              grid::quantile_method::linear, on);
     }},
    {"argmax_rows",
     [](auto& ranks, auto on) {
       return grid::argmax_rows(ranks, rows(), columns, somewhere<tessera::indexed<float, int>>(2), on);
     }},
    {"softmax_rows", [](auto& ranks, auto on) { return grid::softmax_rows(ranks, rows(), columns, rows(2), on); }},
    {"cross_entropy_rows with a gradient",
     [](auto& ranks, auto on) {
       grid::cross_entropy_options<float> options;
       options.gradient = rows();
       return grid::cross_entropy_rows(ranks, rows(), columns, somewhere<int>(2), somewhere<float>(3), options, on);
     }},
    {"top_k_rows",
     [](auto& ranks, auto on) {
       return grid::top_k_rows(ranks, rows(), columns, 8, somewhere<float>(2), somewhere<std::int32_t>(3),
                               tessera::greater{}, on);
     }},
    {"sample_rows",
     [](auto& ranks, auto on) {
       grid::sample_options options;
       options.top_k = 50;
       return grid::sample_rows(ranks, rows(), columns, somewhere<std::uint64_t>(2), somewhere<std::int32_t>(3),
                                options, on);
     }},
    {"sample_rows by parts",
     [](auto& ranks, auto on) {
       grid::sample_options options;
       options.top_p = 0.9f;
       return grid::sample_rows(ranks, rows(), columns, somewhere<std::uint64_t>(2), somewhere<std::int32_t>(3),
                                options, on);
     }},
    {"renormalize_rows",
     [](auto& ranks, auto on) { return grid::renormalize_rows(ranks, rows(), columns, rows(2), {}, on); }},
};

/// A communicator of an ncclComm_t that nobody reads.
struct some_ranks {
  some_ranks() {
    fake = {};
    nccl = {};
  }
  grid::communicator ranks{reinterpret_cast<ncclComm_t>(std::uintptr_t{8}), grid::exchange::nccl};
};

/// Calls make nothing wait on the CPU, leave an earlier error alone, and free what they allocate in the stream's order.
TEST(GridShardedStatus, NothingWaits) {
  some_ranks all;
  for (call const& one : calls)
    test::check_earlier_error(one.name, [&](grid::execution on) { return one.run(all.ranks, on); });
}

TEST(GridShardedStatus, AFailureOfCudaIsReturnedAndNotLeftBehind) {
  some_ranks all;
  for (call const& one : calls)
    test::check_failures(one.name, [&](grid::execution on) { return one.run(all.ranks, on); });
}

/// What NCCL says comes back, and nothing is launched after it.
TEST(GridShardedStatus, AFailureOfNcclIsReturned) {
  for (auto const& [name, run] : calls) {
    int with_all = 0;
    {
      some_ranks all;
      fake = {};
      nccl = {};
      EXPECT_EQ(run(all.ranks, {}), cudaSuccess) << name;
      EXPECT_GE(nccl.calls, 2) << name << ": asks for an error, and moves bytes";
      with_all = fake.launches;
      fake = {};
    }
    for (int failing = 1;; ++failing) {
      some_ranks all;
      fake = {};
      nccl.failing = failing;
      nccl.failure = ncclSystemError;
      cudaError_t const status = run(all.ranks, {});
      bool const is_over = !nccl.has_failed;
      if (!is_over) {
        EXPECT_EQ(status, cudaErrorOperatingSystem) << name << ": call " << failing << " of NCCL fails";
        EXPECT_EQ(all.ranks.status(), ncclSystemError) << name;
        EXPECT_TRUE(fake.launches < with_all || std::string(name) == "histogram") << name;
        EXPECT_EQ(fake.allocations, 0) << name;
        EXPECT_EQ(nccl.open_groups, 0) << name;
      }
      fake = {};
      if (is_over) break;
    }
  }
}

/// An error that another rank has had is found before anything is launched.
TEST(GridShardedStatus, AnErrorOfAnotherRank) {
  some_ranks all;
  for (auto const& [name, run] : calls) {
    fake = {};
    nccl.asynchronous = ncclRemoteError;
    EXPECT_EQ(run(all.ranks, {}), cudaErrorSystemNotReady) << name;
    EXPECT_EQ(fake.calls, 0) << name;
  }
  fake = {};
  nccl = {};
  EXPECT_EQ(all.ranks.abort(), cudaSuccess);
  for (auto const& [name, run] : calls) EXPECT_EQ(run(all.ranks, {}), cudaErrorNotPermitted) << name;
  EXPECT_EQ(fake.launches, 0);
}

/// A sort reads on the CPU where shards are cut. Nobody has written that here: it isn't what shards of one array have.
template <class Sort>
void check_up_to_cuts(Sort const& sort) {
  {
    some_ranks all;
    fake = {};
    EXPECT_EQ(sort(all.ranks), cudaErrorInvalidValue);
    EXPECT_EQ(fake.waits, 1);
    EXPECT_GT(fake.launches, 8);
    fake = {};
  }
  for (int failing = 1;; ++failing) {
    some_ranks all;
    fake = {};
    fake.failing = failing;
    cudaError_t const status = sort(all.ranks);
    std::string const failed = fake.failed;
    bool const named_by_cub = failed == "cudaGetDevice" && status == cudaErrorInvalidDevice;
    if (!failed.empty() && !(test::may_do_without(failed) && status == cudaErrorInvalidValue) && !named_by_cub)
      EXPECT_EQ(status, fake.failure) << failed << " fails";
    if (!failed.empty()) EXPECT_EQ(fake.last, cudaSuccess) << failed << " fails";
    fake = {};
    if (failed.empty()) break;
  }
}
TEST(GridShardedStatus, SortsUpToTheirCuts) {
  check_up_to_cuts(
      [](grid::communicator& ranks) { return grid::sort(ranks, somewhere<float>(1), part, somewhere<float>(2)); });
  check_up_to_cuts([](grid::communicator& ranks) {
    return grid::sort_by_key(ranks, somewhere<float>(1), somewhere<int>(2), part, somewhere<float>(3),
                             somewhere<int>(4));
  });
}

}  // namespace
