// Scans of arrays of any type by any operator (scan.cuh), and the look-back under stress: blocks that are delayed, and a GPU
// that another kernel fills.
#include <cub/device/device_scan.cuh>

#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "../backend.hpp"
#include "../samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridScanAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  grid::workspace memory;
};

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
    cudaError_t const status =
        exclusive
            ? grid::exclusive_scan(in.data() + 1, n, out.data() + 1, op, start, options, nullptr, &memory)
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

TEST_F(GridScanAny, InOrder) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    check_in_order<matrix>(memory, n, matrix_product{});
    check_in_order<digits>(memory, n, digit_concatenation{});
    check_in_order<row<3>>(memory, n, compose_rows<3>{});
    check_in_order<row<12>>(memory, n, compose_rows<12>{});
    check_in_order<row<64>>(memory, n, compose_rows<64>{});
    if (HasFatalFailure()) return;
  }
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
    ASSERT_EQ(grid::transform_exclusive_scan(in.data(), n, out.data(), tessera::plus{}, above{5}, 7, nullptr,
                                             &memory),
              cudaSuccess);
    auto const got = out.to_host();
    std::int64_t count = 7;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(got[i], count) << i;
      count += x[i] > 5 ? 1 : 0;
    }
  }
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
  ASSERT_EQ(grid::exclusive_scan(in.data(), n, ours.data(), tessera::plus{}, nullptr, &memory), cudaSuccess);
  EXPECT_EQ(ours.to_host(), theirs.to_host());
}

/// Waits for some microseconds at one element in many.
struct now_and_then {
  unsigned seed;
  TESSERA_FN unsigned operator()(unsigned x, [[maybe_unused]] std::int64_t index) const {
#if TESSERA_ARCH
    unsigned const hash = (static_cast<unsigned>(index) ^ seed) * 2654435761u;
    if (hash >> 16 == 7) {
      for (unsigned i = 0; i < (hash & 31); ++i) __nanosleep(1000);
    }
#endif
    return x;
  }
};

__global__ void fill_gpu(unsigned const* stop) {
  while (*static_cast<unsigned const volatile*>(stop) == 0) __nanosleep(1000);
}

TEST_F(GridScanAny, DelayedBlocks) {
  std::int64_t const n = is_worth(4000037) ? 4000037 : 100003;
  std::vector<unsigned> x(static_cast<std::size_t>(n));
  random_engine random(3);
  for (auto& value : x) value = sample<unsigned>(random);
  gpu_array<unsigned> const in(x), out(x.size());
  for (unsigned run = 0; run < (is_worth(4000037) ? 200u : 5u); ++run) {
    ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{}, now_and_then{run},
                                             nullptr, &memory),
              cudaSuccess);
    if (run % 20 != 0) continue;
    auto const got = out.to_host();
    unsigned sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum += x[i]) << i << ", run " << run;
  }
}

/// Other kernels leave room for a few blocks of the scan at a time.
TEST_F(GridScanAny, BesideAnotherKernel) {
  std::int64_t const n = is_worth(4000037) ? 4000037 : 100003;
  std::vector<unsigned> x(static_cast<std::size_t>(n), 3);
  gpu_array<unsigned> const in(x), out(x.size());
  int multiprocessors = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  cudaStream_t other = nullptr, on = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking), cudaSuccess);
  unsigned* stop = nullptr;
  ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
  for (unsigned blocks_per_multiprocessor : {1u, 3u}) {  // of four that have room: the scan's need two
    *stop = 0;
    fill_gpu<<<static_cast<unsigned>(multiprocessors) * blocks_per_multiprocessor - 1, 512, 0, other>>>(stop);
    grid::workspace own;
    for (int run = 0; run < 5; ++run)
      ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, on, &own), cudaSuccess);
    if (blocks_per_multiprocessor == 1) ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    *static_cast<unsigned volatile*>(stop) = 1;
    ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    auto const got = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], 3 * (i + 1));
    EXPECT_EQ(own.release(), cudaSuccess);
  }
  ASSERT_EQ(cudaFreeHost(stop), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(on), cudaSuccess);
}

}  // namespace
