// The look-back of scans under stress: blocks that are delayed, and a GPU that another kernel fills.
#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "delays.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridLookBack = WithWorkspace;

/// The elements, after a delay.
struct delayed {
  delay wait;
  TESSERA_FN unsigned operator()(unsigned x, std::int64_t index) const {
    wait(static_cast<unsigned>(index));
    return x;
  }
};

/// Of a tile for each block, of small tiles, and of large ones.
constexpr std::int64_t some_sizes[] = {1000003, 4400037, 8000009};

void expect_sums(std::vector<unsigned> const& got, std::vector<unsigned> const& x) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum += x[i]) << i << " of " << x.size();
}

TEST_F(GridLookBack, DelayedBlocks) {
  for (std::int64_t most : some_sizes) {
    std::int64_t const n = is_worth(most) ? most : 100003;
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    for (unsigned run = 0; run < (is_worth(most) ? 100u : 5u); ++run) {
      SCOPED_TRACE(run);
      ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{},
                                               delayed{{delay::now_and_then, run}}, memory),
                cudaSuccess);
      if (run % 20 == 0) expect_sums(out.to_host(), x);
    }
  }
}

/// The first block is late: all others leave their tiles to the last one that leaves the kernel. In place, too, and with the same workspace
/// afterwards.
TEST_F(GridLookBack, LateTiles) {
  for (std::int64_t n : {20000, 100003, 2000037}) {
    if (!is_worth(n)) continue;
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    ASSERT_EQ(
        grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{}, delayed{{delay::late_start}}, memory),
        cudaSuccess);
    expect_sums(out.to_host(), x);
    ASSERT_EQ(
        grid::transform_inclusive_scan(in.data(), n, in.data(), tessera::plus{}, delayed{{delay::late_start}}, memory),
        cudaSuccess);
    expect_sums(in.to_host(), x);
    gpu_array<unsigned> const again(x);
    ASSERT_EQ(grid::inclusive_scan(again.data(), n, out.data(), tessera::plus{}, memory), cudaSuccess);
    expect_sums(out.to_host(), x);
  }
}

TEST_F(GridLookBack, BesideAnotherKernel) {
  if (!is_worth(some_sizes[2])) GTEST_SKIP() << "a sanitizer runs one kernel after the other";
  for (std::int64_t n : some_sizes) {
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    call_beside_another_kernel(
        [&](grid::execution on) { return grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, on); },
        [&] { expect_sums(out.to_host(), x); });
  }
}

}  // namespace
