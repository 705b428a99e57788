// Scans of arrays of any type by any operator (scan.cuh).

#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

#if TESSERA_TEST_HAS_PART(2)
#include <cub/device/device_scan.cuh>
#endif

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridScanAny = WithWorkspace;

std::int64_t const sizes[] = {1, 2, 33, 1000, 4097, 65537, 1000003, 6000011};

/// By an operator without an identity that doesn't commute.
template <class T, class Op>
void check_in_order(grid::workspace& memory, std::int64_t n, Op op) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n) + 1);
  for (auto& value : x) value = sample<T>(random);
  gpu_array<T> const in(x), out(x.size());
  T const start = sample<T>(random);
  for (int way = 0; way < 4; ++way) {
    bool const suffix = way % 2 != 0, exclusive = way / 2 != 0;
    grid::scan_options<T> options;
    options.suffix = suffix;
    cudaError_t const status = exclusive
                                   ? grid::exclusive_scan(in.data() + 1, n, out.data() + 1, op, start, options, memory)
                                   : grid::inclusive_scan(in.data() + 1, n, out.data() + 1, op, options);
    ASSERT_EQ(status, cudaSuccess);
    auto const got = out.to_host();
    T joined = start;
    bool begun = exclusive;
    for (std::int64_t k = 0; k < n; ++k) {
      auto const i = static_cast<std::size_t>(1 + (suffix ? n - 1 - k : k));
      T const with_own = !begun ? x[i] : suffix ? op(x[i], joined) : op(joined, x[i]);
      ASSERT_TRUE(same_bits(got[i], exclusive ? joined : with_own)) << i << " of " << n << ", way " << way;
      joined = with_own;
      begun = true;
    }
  }
}

template <class T, class Op>
void check_all_in_order(grid::workspace& memory, Op op) {
  for (std::int64_t n : sizes) {
    if (is_worth(n)) check_in_order<T>(memory, n, op);
    if (testing::Test::HasFatalFailure()) return;
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridScanAny, Matrices) {
  check_all_in_order<matrix>(memory, matrix_product{});
}

struct above {
  int threshold;
  TESSERA_FN std::int64_t operator()(int x) const { return x > threshold ? 1 : 0; }
};

TEST_F(GridScanAny, OfFunctions) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<int> x(static_cast<std::size_t>(n));
    for (auto& value : x) value = sample<int>(random);
    gpu_array<int> const in(x);
    gpu_array<std::int64_t> const out(x.size());
    ASSERT_EQ(grid::transform_exclusive_scan(in.data(), n, out.data(), tessera::plus{}, above{5}, 7, memory),
              cudaSuccess);
    auto const got = out.to_host();
    std::int64_t count = 7;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(got[i], count) << i;
      count += x[i] > 5 ? 1 : 0;
    }
  }
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridScanAny, Strings) {
  check_all_in_order<digits>(memory, digit_concatenation{});
}
TEST_F(GridScanAny, StructsOfThreeBytes) {
  check_all_in_order<row<3>>(memory, compose_rows<3>{});
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridScanAny, Structs) {
  check_all_in_order<row<12>>(memory, compose_rows<12>{});
  check_all_in_order<row<64>>(memory, compose_rows<64>{});
}

TEST_F(GridScanAny, AsCubDoes) {
  constexpr int n = 3000001;
  if (!is_worth(n)) return;
  random_engine random(2);
  std::vector<unsigned> x(n);
  for (auto& value : x) value = sample<unsigned>(random);
  gpu_array<unsigned> const in(x), theirs(x.size()), ours(x.size());
  std::size_t bytes = 0;
  cub::DeviceScan::ExclusiveSum(nullptr, bytes, in.data(), theirs.data(), n);
  gpu_array<unsigned char> const temporary(bytes);
  cub::DeviceScan::ExclusiveSum(temporary.data(), bytes, in.data(), theirs.data(), n);
  ASSERT_EQ(grid::exclusive_scan(in.data(), n, ours.data(), tessera::plus{}, memory), cudaSuccess);
  EXPECT_EQ(ours.to_host(), theirs.to_host());
}
#endif

}  // namespace
