// Scans of arrays through the library's plain C++ interface, against sequential references.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/scan.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "scan_reference.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// Sizes around a tile, a group of tiles, all resident blocks, and far more.
std::vector<std::int64_t> sizes() {
  constexpr std::int64_t tile = 8192;
  return worthwhile({1, 2, 31, 1000, tile - 1, tile, tile + 1, 4 * tile, 31 * tile, 32 * tile, 32 * tile + 1,
                     33 * tile - 1, 64 * tile, 65 * tile, 256 * tile, 256 * tile + 1, 264 * tile + 17, 1500007,
                     5000011});
}

template <class T>
struct GridScanOf : WithWorkspace {
  /// Small integers whose sums stay exact: of halves, sums wander between −32 and 32.
  static std::vector<T> numbers(std::int64_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::vector<T> x(static_cast<std::size_t>(n));
    int at = 0;
    for (T& value : x) {
      int const to = static_cast<int>(random() % 65) - 32;
      value = rounded<T>(to - at);
      at = to;
    }
    return x;
  }

  template <class Fold>
  void check_one(std::vector<T> const& x, bool suffix, bool exclusive, std::size_t offset, bool in_place) {
    using Op = typename Fold::op;
    using R = grid::reduced_t<T, Op>;
    auto const n = static_cast<std::int64_t>(x.size());
    T const start = rounded<T>(3);
    scan_reference const expected(Fold{}, x, suffix, exclusive ? std::optional<T>(start) : std::nullopt);
    device_array<T> const in(x, offset), out(x.size(), in_place ? 0 : 1);
    device_array<R> const total(1);
    grid::scan_options<R> const options{suffix, total.data()};
    T* const to = in_place ? in.data() : out.data();
    cudaError_t const status =
        exclusive
            ? grid::exclusive_scan(in.data(), n, to, Op{}, in_wider<R>(start), options, memory)
            : grid::inclusive_scan(in.data(), n, to, Op{}, options, offset == 0 ? grid::execution(memory) : nullptr);
    ASSERT_EQ(status, cudaSuccess);
    auto const got = in_place ? in.to_host() : out.to_host();
    std::int64_t const at = first_difference(got, expected.scanned);
    auto const i = static_cast<std::size_t>(at);
    if (at >= 0)
      FAIL() << i << " of " << n << ", suffix " << suffix << ", exclusive " << exclusive << ", offset " << offset
             << ": " << as_double(got[i]) << ", expected " << as_double(expected.scanned[i]);
    EXPECT_TRUE(same_bits(total.to_host()[0], in_wider<R>(*expected.total))) << n;
    ASSERT_TRUE(in.guards_intact() && out.guards_intact() && total.guards_intact());
  }

  template <class Fold>
  void check() {
    for (std::int64_t n : sizes_of<T>(sizes())) {
      auto const x = numbers(n);
      for (int way = 0; way<8; way += n> 300000 ? 3 : 1) {
        check_one<Fold>(x, way % 2 != 0, way / 2 % 2 != 0, way % 3 == 0 ? 0 : 3, way >= 6);
        if (this->HasFatalFailure()) return;
      }
    }
  }
};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridScanOf, all_types);

TYPED_TEST(GridScanOf, Sums) {
  this->template check<sum>();
}
TYPED_TEST(GridScanOf, Minima) {
  this->template check<least>();
}
TYPED_TEST(GridScanOf, Maxima) {
  this->template check<greatest>();
}

using GridScan = WithWorkspace;

/// Parts of an array, each of which begins with the total of the one before, give the scan of the whole.
TEST_F(GridScan, PartsByTheirTotals) {
  std::int64_t const n = worthwhile({3000, 300007}).back(), parts = 3;
  std::vector<std::int64_t> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(i * i % 1000 - 300);
  device_array<std::int64_t> const in(x), whole(x.size()), by_parts(x.size()), total(1);
  ASSERT_EQ(grid::inclusive_scan(in.data(), n, whole.data(), tessera::plus{}, 7, memory), cudaSuccess);
  std::int64_t carry = 7;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t const begin = part * n / parts, end = (part + 1) * n / parts;
    ASSERT_EQ(grid::inclusive_scan(in.data() + begin, end - begin, by_parts.data() + begin, tessera::plus{}, carry,
                                   {false, total.data()}, memory),
              cudaSuccess);
    carry = total.to_host()[0];
  }
  auto const got = whole.to_host();
  std::int64_t sum = 7;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum += x[i]) << i;
  EXPECT_EQ(carry, sum);
  EXPECT_EQ(by_parts.to_host(), got);
}

TEST_F(GridScan, SameBitsEachTime) {
  std::int64_t const n = is_worth(20000017) ? 20000017 : 300007;
  auto const x = random_numbers<float>(n, -1, 1, 8);
  std::vector<float> first;
  for (std::size_t offset = 0; offset < 4; ++offset) {
    device_array<float> const in(x, offset), out(x.size(), 3 - offset);
    for (int run = 0; run < 5; ++run) {
      ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, memory), cudaSuccess);
      auto const got = out.to_host();
      if (first.empty()) first = got;
      ASSERT_EQ(std::memcmp(got.data(), first.data(), got.size() * sizeof(float)), 0) << offset << ", " << run;
    }
  }
  double exact = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    exact += x[i];
    size += std::fabs(x[i]);
    double const bound = (static_cast<double>(i) * 0x1p-17 + 26) * unit<float> * size;
    ASSERT_NEAR(first[i], exact, bound) << i;
  }
}

TEST_F(GridScan, ZerosNaNsAndInfinities) {
  constexpr std::int64_t n = 100003;
  std::vector<float> x(n, -0.0f);
  device_array<float> const out(n);
  {
    device_array<float> const in(x);
    ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, memory), cudaSuccess);
    for (float value : out.to_host()) ASSERT_TRUE(same_bits(value, -0.0f));
  }
  x[70001] = std::numeric_limits<float>::quiet_NaN();
  device_array<float> const in(x);
  ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::maximum{}, memory), cudaSuccess);
  auto const got = out.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(std::isnan(got[i]), i >= 70001) << i;
}

TEST_F(GridScan, OfNothing) {
  device_array<float> const in(1), out(1), total(1);
  EXPECT_EQ(grid::inclusive_scan(in.data(), 0, out.data()), cudaSuccess);
  EXPECT_EQ(grid::inclusive_scan(static_cast<float const*>(nullptr), 0, static_cast<float*>(nullptr)), cudaSuccess);
  EXPECT_TRUE(out.untouched());
  ASSERT_EQ(grid::inclusive_scan(in.data(), 0, out.data(), tessera::plus{}, {false, total.data()}), cudaSuccess);
  EXPECT_EQ(total.to_host()[0], 0.0f);
  ASSERT_EQ(grid::exclusive_scan(in.data(), 0, out.data(), tessera::plus{}, 5, {true, total.data()}), cudaSuccess);
  EXPECT_EQ(total.to_host()[0], 5.0f);
  EXPECT_TRUE(out.untouched());
}

TEST_F(GridScan, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(100);
  float* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 2);
  auto const fails = [&](float const* from, std::int64_t n, float* to, float* total = nullptr) {
    return grid::inclusive_scan(from, n, to, tessera::plus{}, {false, total}, memory) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(fails(nullptr, 1, out.data()));
  EXPECT_TRUE(fails(in.data(), 1, nullptr));
  EXPECT_TRUE(fails(in.data(), -1, out.data()));
  EXPECT_TRUE(fails(in.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(fails(in.data(), 99, odd));
  EXPECT_TRUE(fails(odd, 99, out.data()));
  EXPECT_TRUE(fails(in.data(), 99, in.data() + 1));
  EXPECT_TRUE(fails(in.data() + 1, 99, in.data()));
  EXPECT_TRUE(fails(in.data(), 100, out.data(), odd));
  EXPECT_TRUE(fails(in.data(), 100, out.data(), in.data() + 99));
  EXPECT_TRUE(fails(in.data(), 100, out.data(), out.data() + 99));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridScan, TwoStreamsAtOnce) {
  std::int64_t const n = is_worth(3000017) ? 3000017 : 100003;
  auto const x = random_numbers<std::uint32_t>(n, 0, 0, 1);
  std::vector<std::uint32_t> expected(x.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = sum += x[i];
  device_array<std::uint32_t> const in(x), first(x.size()), second(x.size());
  stream const streams[2];
  grid::workspace memories[2];
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(grid::inclusive_scan(in.data(), n, (i % 2 ? first : second).data(), tessera::plus{},
                                   i < 50 ? grid::execution(streams[i % 2], memories[i % 2]) : streams[i % 2]),
              cudaSuccess);
  for (cudaStream_t on : streams) check(cudaStreamSynchronize(on));
  EXPECT_EQ(first.to_host(), expected);
  EXPECT_EQ(second.to_host(), expected);
  for (auto& m : memories) EXPECT_EQ(m.release(), cudaSuccess);
}

TEST_F(GridScan, InAGraph) {
  constexpr std::int64_t n = 1000003;
  device_array<int> const in(std::vector<int>(n, 2)), out(n);
  stream const on;
  grid::workspace used, empty;
  ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, {on, used}), cudaSuccess);
  graph const captured(on, [&] {
    EXPECT_EQ(grid::inclusive_scan(out.data(), n, out.data(), tessera::plus{}, {on, used}), cudaSuccess);
    EXPECT_EQ(grid::exclusive_scan(in.data(), n, out.data(), tessera::plus{}, {on, empty}),
              cudaErrorStreamCaptureUnsupported);
  });
  EXPECT_EQ(captured.nodes(), 1u);
  captured.replay();
  captured.replay();
  check(cudaStreamSynchronize(on));
  unsigned once = 0, twice = 0, thrice = 0;
  for (int value : out.to_host()) {
    once += 2;
    twice += once;
    thrice += twice;
    ASSERT_EQ(static_cast<unsigned>(value), thrice);
  }
  EXPECT_EQ(used.release(), cudaSuccess);
}

/// Launches of all sizes and types follow each other on one workspace, which grows, and holds words of other launches.
TEST_F(GridScan, ManyLaunchesOnOneWorkspace) {
  std::int64_t const most = is_worth(3000000) ? 3000000 : 100000;
  device_array<std::uint32_t> const in(std::vector<std::uint32_t>(static_cast<std::size_t>(most), 1)),
      out(static_cast<std::size_t>(most)), total(1);
  device_array<std::uint64_t> const long_in(std::vector<std::uint64_t>(static_cast<std::size_t>(most), 3)),
      long_out(static_cast<std::size_t>(most));
  std::mt19937_64 random(5);
  std::uint64_t const before = pool_bytes();
  {
    grid::workspace shared;
    for (int i = 0; i < many_calls() * 10; ++i) {
      std::int64_t const n = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
      std::int64_t const m = i % 100 == 0 ? n : 1 + n % 300000;
      ASSERT_EQ(grid::inclusive_scan(in.data(), m, out.data(), tessera::plus{}, {false, total.data()}, shared),
                cudaSuccess);
      ASSERT_EQ(grid::inclusive_scan(long_in.data(), m, long_out.data(), tessera::plus{}, shared), cudaSuccess);
      if (i % 100 != 0) continue;
      ASSERT_EQ(total.to_host()[0], static_cast<std::uint32_t>(m));
      auto const some = out.to_host();
      for (std::size_t k = 0; k < static_cast<std::size_t>(m); k += 97) ASSERT_EQ(some[k], k + 1);
    }
  }
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
