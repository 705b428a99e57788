// Scans by key and of segments through the library's plain C++ interface, against sequential references.
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "segment_lengths.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

enum class kind { inclusive, exclusive, from_seven };

/// Small integers, whose sums are exact in every type, scanned by a loop.
template <class T>
std::vector<T> expected_scan(std::vector<T> const& x, segment_lengths const& what, std::size_t first, kind which) {
  std::vector<T> out(x);
  std::size_t i = first;
  for (std::int64_t length : what.lengths) {
    T sum = which == kind::from_seven ? T(7) : T(0);
    for (std::int64_t k = 0; k < length; ++k, ++i) {
      T const before = sum;
      sum = static_cast<T>(sum + x[i]);
      out[i] = which == kind::inclusive ? sum : before;
    }
  }
  return out;
}

template <class T>
struct GridSegmentedScansOf : WithWorkspace {
  static std::vector<T> numbers(std::int64_t n) {
    std::mt19937_64 random(2);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& value : x) value = static_cast<T>(random() % 4);
    return x;
  }

  template <class Key>
  static cudaError_t scan_keys(Key const* keys, T const* in, std::int64_t n, T* out, kind which, grid::execution on) {
    if (which == kind::inclusive) return grid::inclusive_scan_by_key(keys, in, n, out, tessera::plus{}, on);
    if (which == kind::exclusive) return grid::exclusive_scan_by_key(keys, in, n, out, tessera::plus{}, on);
    return grid::exclusive_scan_by_key(keys, in, n, out, tessera::plus{}, 7, on);
  }
  template <class Offset>
  static cudaError_t scan_segments(T const* in, std::int64_t n, Offset const* offsets, std::int64_t segments, T* out,
                                   kind which, grid::execution on) {
    if (which == kind::inclusive)
      return grid::inclusive_scan_segments(in, n, offsets, segments, out, tessera::plus{}, on);
    if (which == kind::exclusive)
      return grid::exclusive_scan_segments(in, n, offsets, segments, out, tessera::plus{}, on);
    return grid::exclusive_scan_segments(in, n, offsets, segments, out, tessera::plus{}, 7, on);
  }

  /// call(in, out, execution), with and without a workspace and in place, gives what is expected.
  template <class Call>
  void expect_scanned(std::vector<T> const& x, std::vector<T> const& expected, std::size_t offset,
                      std::string const& name, Call call) {
    device_array<T> const in(x, offset), out(x, offset + 1), in_place(x, offset);
    ASSERT_EQ(call(in.data(), out.data(), memory), cudaSuccess);
    ASSERT_EQ(call(in_place.data(), in_place.data(), nullptr), cudaSuccess);
    ASSERT_EQ(first_difference(out.to_host(), expected), -1) << name << ", " << x.size() << ", offset " << offset;
    ASSERT_EQ(first_difference(in_place.to_host(), expected), -1) << name << ", in place, " << x.size();
    ASSERT_TRUE(out.guards_intact() && in_place.guards_intact()) << name;
  }

  template <class Key>
  void check_keys(segment_lengths const& what, std::size_t offset, kind which) {
    auto const x = numbers(what.items());
    std::vector<Key> keys;
    Key next = 5;
    for (std::int64_t length : what.lengths) {
      keys.insert(keys.end(), static_cast<std::size_t>(length), next);
      if (length > 0) next = static_cast<Key>(next * 3 + 1);
    }
    device_array<Key> const all_keys(keys, 2);
    expect_scanned(x, expected_scan(x, what, 0, which), offset, what.name + " by key",
                   [&](T const* in, T* out, grid::execution on) {
                     return scan_keys(all_keys.data(), in, what.items(), out, which, on);
                   });
  }
  template <class Offset>
  void check_segments(segment_lengths const& what, std::int64_t start, std::size_t offset, kind which) {
    std::int64_t const n = start + what.items() + 3;  // some elements belong to no segment
    auto const x = numbers(n);
    device_array<Offset> const begins(what.offsets<Offset>(start));
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    expect_scanned(x, expected_scan(x, what, static_cast<std::size_t>(start), which), offset, what.name + " by offsets",
                   [&](T const* in, T* out, grid::execution on) {
                     return scan_segments(in, n, begins.data(), segments, out, which, on);
                   });
  }
};
using all_types = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridSegmentedScansOf, all_types);

TYPED_TEST(GridSegmentedScansOf, Keys) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size()) || (what.items() > 3000000 && !has_long_arrays<TypeParam>)) continue;
    this->template check_keys<std::int32_t>(what, 0, kind::inclusive);
    this->template check_keys<std::int64_t>(what, 1, kind::exclusive);
    this->template check_keys<std::uint32_t>(what, 3, kind::from_seven);
    if (this->HasFatalFailure()) return;
  }
}
TYPED_TEST(GridSegmentedScansOf, Segments) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size()) || (what.items() > 3000000 && !has_long_arrays<TypeParam>)) continue;
    this->template check_segments<std::int32_t>(what, 0, 0, kind::inclusive);
    this->template check_segments<std::int64_t>(what, 5, 1, kind::exclusive);
    this->template check_segments<std::uint32_t>(what, 2, 3, kind::from_seven);
    if (this->HasFatalFailure()) return;
  }
}

using GridSegmentedScans = WithWorkspace;

/// Sizes around those of tiles, with one run and with runs of one.
TEST_F(GridSegmentedScans, SizesAroundTiles) {
  std::mt19937_64 random(3);
  for (std::int64_t tile : {1024, 2048, 3072, 4096, 6144}) {
    for (std::int64_t n : {tile - 1, tile, tile + 1, 32 * tile, 32 * tile + 1, 33 * tile, 97 * tile + 5}) {
      if (!is_worth(n)) continue;
      std::vector<int> x(static_cast<std::size_t>(n)), one(x), each(x), got;
      int sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<int>(random() % 9);
        each[i] = static_cast<int>(i);
        got.push_back(sum += x[i]);
      }
      device_array<int> const in(x), keys(one), other_keys(each), out(x.size());
      ASSERT_EQ(grid::inclusive_scan_by_key(keys.data(), in.data(), n, out.data(), tessera::plus{}, memory),
                cudaSuccess);
      ASSERT_EQ(out.to_host(), got) << n;
      ASSERT_EQ(grid::inclusive_scan_by_key(other_keys.data(), in.data(), n, out.data(), tessera::plus{}, memory),
                cudaSuccess);
      ASSERT_EQ(out.to_host(), x) << n;
    }
  }
}

/// The same bits in every run, whatever else the GPU does, and as near the sums as the header says.
TEST_F(GridSegmentedScans, SameBits) {
  std::int64_t const n = is_worth(1 << 23) ? 5000011 : 100003;
  std::vector<float> x(static_cast<std::size_t>(n));
  std::vector<int> keys(x.size());
  std::mt19937_64 random(4);
  int key = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    keys[i] = random() % 1000003 == 0 ? ++key : key;
  }
  device_array<float> const in(x), out(x.size());
  device_array<int> const all_keys(keys);
  stream const streams[2];
  std::vector<float> first;
  for (int turn = 0; turn < 20; ++turn) {
    device_array<float> const beside(x.size());
    ASSERT_EQ(grid::inclusive_scan_by_key(all_keys.data(), in.data(), n, beside.data(), tessera::plus{}, streams[1]),
              cudaSuccess);
    ASSERT_EQ(
        grid::inclusive_scan_by_key(all_keys.data(), in.data(), n, out.data(), tessera::plus{}, {streams[0], memory}),
        cudaSuccess);
    check(cudaDeviceSynchronize());
    auto const got = out.to_host();
    if (first.empty()) first = got;
    ASSERT_EQ(std::memcmp(first.data(), got.data(), got.size() * sizeof(float)), 0);
  }
  double exact = 0, size = 0, count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0 && keys[i] != keys[i - 1]) exact = size = count = 0;
    exact += x[i];
    size += std::fabs(x[i]);
    ++count;
    ASSERT_NEAR(first[i], exact, (count / 65536 + 32) * 0x1p-24 * size) << i;
  }
  EXPECT_EQ(memory.release(), cudaSuccess);
}

TEST_F(GridSegmentedScans, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(100);
  device_array<int> const keys(std::vector<int>(100, 1));
  auto const by_key = [&](int const* k, float const* x, std::int64_t n, float* to) {
    return grid::inclusive_scan_by_key(k, x, n, to, tessera::plus{}, memory) == cudaErrorInvalidValue;
  };
  auto const by_offsets = [&](float const* x, std::int64_t n, int const* begins, std::int64_t count, float* to) {
    return grid::exclusive_scan_segments(x, n, begins, count, to, tessera::plus{}, memory) == cudaErrorInvalidValue;
  };
  int const* const no_keys = nullptr;
  float* const none = nullptr;
  auto* const crooked = reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 1);
  EXPECT_TRUE(by_key(no_keys, in.data(), 3, out.data()));
  EXPECT_TRUE(by_key(keys.data(), none, 3, out.data()));
  EXPECT_TRUE(by_key(keys.data(), in.data(), 3, none));
  EXPECT_TRUE(by_key(keys.data(), in.data(), -1, out.data()));
  EXPECT_TRUE(by_key(keys.data(), in.data(), 3, crooked));
  EXPECT_TRUE(by_key(keys.data(), in.data(), 50, in.data() + 3));
  EXPECT_TRUE(by_key(keys.data(), in.data(), 50, reinterpret_cast<float*>(keys.data())));
  EXPECT_FALSE(by_key(no_keys, none, 0, none));
  EXPECT_TRUE(by_offsets(none, 3, keys.data(), 1, out.data()));
  EXPECT_TRUE(by_offsets(in.data(), 3, no_keys, 1, out.data()));
  EXPECT_TRUE(by_offsets(in.data(), 3, keys.data(), -1, out.data()));
  EXPECT_TRUE(by_offsets(in.data(), -3, keys.data(), 1, out.data()));
  EXPECT_TRUE(by_offsets(in.data(), 3, keys.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(by_offsets(in.data(), 3, keys.data(), 1, reinterpret_cast<float*>(keys.data())));
  EXPECT_FALSE(by_offsets(none, 0, no_keys, 5, none));
  EXPECT_FALSE(by_offsets(in.data(), 3, no_keys, 0, out.data()));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridSegmentedScans, InAGraph) {
  std::int64_t const n = 100000;
  device_array<float> const in(std::vector<float>(static_cast<std::size_t>(n), 2.0f)), out(static_cast<std::size_t>(n));
  device_array<int> const begins(std::vector<int>{0, 50000, 100000});
  stream const on;
  auto const scan_once = [&] {
    EXPECT_EQ(grid::inclusive_scan_segments(in.data(), n, begins.data(), 2, out.data(), tessera::plus{}, {on, memory}),
              cudaSuccess);
  };
  scan_once();
  graph const captured(on, scan_once);
  EXPECT_EQ(captured.nodes(), 1u);
  check(cudaMemsetAsync(out.data(), 0, static_cast<std::size_t>(n) * sizeof(float), on));
  for (int turn = 0; turn < 10; ++turn) captured.replay();
  check(cudaStreamSynchronize(on));
  auto const got = out.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], 2.0f * static_cast<float>(i % 50000 + 1)) << i;
  EXPECT_EQ(memory.release(), cudaSuccess);
}

TEST_F(GridSegmentedScans, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(std::vector<float>(20000, 1.0f)), out(20000);
  device_array<int> const keys(std::vector<int>(20000, 1));
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::inclusive_scan_by_key(keys.data(), in.data(), 20000, out.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
