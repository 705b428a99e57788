// grid::unique, unique_by_key, run_length_encode and reduce_by_key, as plain C++ calls them: against loops.
#include <tessera/grid.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "runs_reference.hpp"
#include "same_arrays.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// Keys in runs of about this length, and values.
template <class T, class V>
struct drawn_runs {
  std::vector<T> keys;
  std::vector<V> values;

  drawn_runs(std::int64_t n, int mean, std::uint64_t seed) {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(n));
    auto const draw = [&] {
      if constexpr (std::is_floating_point_v<T>) {
        T const special[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(), T(1)};
        return random() % 3 == 0 ? special[random() % 4] : static_cast<T>(random() % 100);
      } else {
        return static_cast<T>(random());
      }
    };
    T key = draw();
    for (std::int64_t i = 0; i < n; ++i) {
      if (random() % static_cast<unsigned>(mean) == 0) key = draw();
      keys.push_back(key);
      values.push_back(static_cast<V>(random() % 4));  // whose sums are exact, of five million too
    }
  }
  runs_reference<T, V> expected() const { return {keys, values}; }
};

struct GridRuns : WithWorkspace {
  template <class T, class V, class Length>
  void check_runs(std::int64_t n, int mean, std::size_t offset, grid::execution on) {
    drawn_runs<T, V> const drawn(n, mean, offset);
    auto const expected = drawn.expected();
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(T) << " bytes, values of " << sizeof(V)
                                    << ", runs of " << mean << ", offset " << offset);
    auto const size = static_cast<std::size_t>(n);
    device_array<T> const keys(drawn.keys, offset), once(size, 1), with_values(size), encoded(size, 2);
    device_array<V> const values(drawn.values, offset % 3), firsts(size, 3);
    device_array<Length> const lengths(size, 1);
    device_array<std::int64_t> const counts(4);
    std::int64_t* const count = counts.data();
    tessera::equal_to const equal;
    ASSERT_EQ(grid::unique(keys.data(), n, once.data(), count, equal, on), cudaSuccess);
    ASSERT_EQ(
        grid::unique_by_key(keys.data(), values.data(), n, with_values.data(), firsts.data(), count + 1, equal, on),
        cudaSuccess);
    ASSERT_EQ(grid::run_length_encode(keys.data(), n, encoded.data(), lengths.data(), count + 2, equal, on),
              cudaSuccess);
    ASSERT_EQ(grid::unique(keys.data(), n, keys.data(), count + 3, equal, on), cudaSuccess);
    EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(4, static_cast<std::int64_t>(expected.lengths.size())));
    EXPECT_TRUE(same_arrays(once.to_host(), expected.heads) && same_arrays(with_values.to_host(), expected.heads) &&
                same_arrays(encoded.to_host(), expected.heads));
    EXPECT_TRUE(same_arrays(keys.to_host(), expected.heads)) << "in place";
    EXPECT_TRUE(same_arrays(firsts.to_host(), expected.firsts));
    EXPECT_TRUE(same_arrays(lengths.to_host(), std::vector<Length>(expected.lengths.begin(), expected.lengths.end())));
    EXPECT_TRUE(once.guards_intact() && with_values.guards_intact() && encoded.guards_intact() &&
                firsts.guards_intact() && lengths.guards_intact() && keys.guards_intact());
  }

  template <class T, class V>
  void check_sums(std::int64_t n, int mean, std::size_t offset, grid::execution on) {
    drawn_runs<T, V> const drawn(n, mean, offset);
    auto const expected = drawn.expected();
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(T) << " bytes, values of " << sizeof(V)
                                    << ", runs of " << mean << ", offset " << offset);
    auto const size = static_cast<std::size_t>(n);
    device_array<T> const keys(drawn.keys, offset), out(size, 1);
    device_array<V> const values(drawn.values, offset % 3), sums(size, 3);
    device_array<std::int64_t> const count(1);
    ASSERT_EQ(grid::reduce_by_key(keys.data(), values.data(), n, out.data(), sums.data(), count.data(), tessera::plus{},
                                  tessera::equal_to{}, on),
              cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected.lengths.size()));
    EXPECT_TRUE(same_arrays(out.to_host(), expected.heads) && same_arrays(sums.to_host(), expected.sums));
    EXPECT_TRUE(out.guards_intact() && sums.guards_intact());
  }

  template <class Key, class Check>
  void each_size(Check check) {
    std::size_t offset = 0;
    for (std::int64_t n : sizes_of<Key>(
             worthwhile({0, 1, 31, 1000, 2047, 2048, 4095, 4096, 4097, 6144, 6145, 8192, 100003, 1000001, 5000011})))
      for (int mean : {1, 2, 8, 1000, 1 << 30}) check(n, mean, offset++ % 20, grid::execution(memory));
    check(70001, 8, 3, nullptr);
  }
};

TEST_F(GridRuns, IntegerKeys) {
  each_size<std::uint32_t>([&](auto... how) { check_runs<std::uint32_t, float, std::int32_t>(how...); });
  each_size<std::uint64_t>([&](auto... how) { check_runs<std::int64_t, std::uint64_t, std::int64_t>(how...); });
}
TEST_F(GridRuns, FloatKeys) {
  each_size<float>([&](auto... how) { check_runs<float, std::int64_t, std::uint32_t>(how...); });
  each_size<double>([&](auto... how) { check_runs<double, std::int32_t, std::int64_t>(how...); });
}
TEST_F(GridRuns, Sums) {
  each_size<std::int32_t>([&](auto... how) { check_sums<std::int32_t, float>(how...); });
  each_size<std::uint32_t>([&](auto... how) { check_sums<std::uint32_t, std::int64_t>(how...); });
  each_size<std::int64_t>([&](auto... how) { check_sums<std::int64_t, double>(how...); });
  each_size<std::uint64_t>([&](auto... how) { check_sums<std::uint64_t, std::uint32_t>(how...); });
}

/// The bits of float sums are the same in each run, and as near the exact sums as runs.hpp says.
TEST_F(GridRuns, AnyFloats) {
  std::int64_t const n = worthwhile({1000, 5000, 3000001}).back();
  for (int mean : {20, 5000, 1 << 30}) {
    drawn_runs<unsigned, float> drawn(n, mean, 5);
    auto const expected = drawn.expected();
    std::mt19937_64 random(3);
    for (float& x : drawn.values) x = std::uniform_real_distribution<float>(-1, 1)(random);
    device_array<unsigned> const keys(drawn.keys), out(drawn.keys.size());
    device_array<float> const values(drawn.values), sums(drawn.keys.size());
    device_array<std::int64_t> const count(1);
    std::vector<float> first;
    for (int turn = 0; turn < 5; ++turn) {
      ASSERT_EQ(grid::reduce_by_key(keys.data(), values.data(), n, out.data(), sums.data(), count.data(),
                                    tessera::plus{}, tessera::equal_to{}, memory),
                cudaSuccess);
      auto got = sums.to_host();
      got.resize(static_cast<std::size_t>(count.to_host()[0]));
      if (turn == 0) first = got;
      ASSERT_TRUE(got.size() == first.size() && std::memcmp(got.data(), first.data(), got.size() * sizeof(float)) == 0);
    }
    ASSERT_EQ(first.size(), expected.lengths.size());
    std::size_t at = 0;
    for (std::size_t r = 0; r < first.size(); ++r) {
      double exact = 0, size = 0;
      for (std::int64_t i = 0; i < expected.lengths[r]; ++i, ++at) {
        exact += drawn.values[at];
        size += std::fabs(drawn.values[at]);
      }
      double const bound = (static_cast<double>(expected.lengths[r]) / (1 << 16) + 28) * 0x1p-24 * size;
      ASSERT_LE(std::fabs(first[r] - exact), bound) << "run " << r;
    }
  }
}

TEST_F(GridRuns, BadArgumentsTouchNothing) {
  device_array<int> const in(std::vector<int>(100, 1)), out(100);
  device_array<float> const values(std::vector<float>(100, 1)), sums(100);
  device_array<std::int64_t> const counts(1);
  std::int64_t* const count = counts.data();
  int* const x = in.data();
  int* const none = nullptr;
  constexpr cudaError_t bad = cudaErrorInvalidValue;
  EXPECT_EQ(grid::unique(none, 100, out.data(), count), bad);
  EXPECT_EQ(grid::unique(x, -1, out.data(), count), bad);
  EXPECT_EQ(grid::unique(x, 100, none, count), bad);
  EXPECT_EQ(grid::unique(x, 100, x + 3, count), bad);
  EXPECT_EQ(grid::unique(x, 100, out.data(), nullptr), bad);
  EXPECT_EQ(grid::unique_by_key(x, values.data(), 100, out.data(), reinterpret_cast<float*>(out.data()), count), bad);
  EXPECT_EQ(grid::unique_by_key(x, values.data(), 100, out.data(), values.data() + 1, count), bad);
  EXPECT_EQ(grid::run_length_encode(x, 100, x, out.data(), count), bad);
  EXPECT_EQ(grid::run_length_encode(x, 100, out.data(), out.data(), count), bad);
  EXPECT_EQ(grid::reduce_by_key(x, values.data(), 100, x, sums.data(), count), bad);
  EXPECT_EQ(grid::reduce_by_key(x, values.data(), 100, out.data(), values.data(), count), bad);
  EXPECT_EQ(grid::reduce_by_key(x, static_cast<float const*>(nullptr), 100, out.data(), sums.data(), count), bad);
  EXPECT_TRUE(out.untouched() && sums.untouched() && counts.untouched());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridRuns, InAGraph) {
  std::int64_t const n = 300007;
  drawn_runs<unsigned, float> const drawn(n, 30, 1);
  auto const expected = drawn.expected();
  auto const size = static_cast<std::size_t>(n);
  device_array<unsigned> const keys(drawn.keys), out(size);
  device_array<float> const values(drawn.values), sums(size);
  device_array<std::int64_t> const count(1);
  stream const on;
  grid::workspace own;
  auto const once = [&] {
    EXPECT_EQ(grid::reduce_by_key(keys.data(), values.data(), n, out.data(), sums.data(), count.data(), tessera::plus{},
                                  tessera::equal_to{}, {on, own}),
              cudaSuccess);
  };
  once();
  graph const captured(on, once);
  EXPECT_EQ(captured.nodes(), 1u);
  check(cudaMemsetAsync(sums.data(), 0, size * sizeof(float), on));
  for (int turn = 0; turn < (is_worth(100 * n) ? 50 : 3); ++turn) captured.replay();
  check(cudaStreamSynchronize(on));
  EXPECT_TRUE(same_arrays(sums.to_host(), expected.sums) && same_arrays(out.to_host(), expected.heads));
  EXPECT_EQ(own.release(), cudaSuccess);
}

TEST_F(GridRuns, CallsWithoutAWorkspaceLeaveNothing) {
  std::int64_t const n = 20000;
  drawn_runs<unsigned, float> const drawn(n, 30, 1);
  device_array<unsigned> const keys(drawn.keys), out(static_cast<std::size_t>(n));
  device_array<int> const lengths(static_cast<std::size_t>(n));
  device_array<std::int64_t> const count(1);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::run_length_encode(keys.data(), n, out.data(), lengths.data(), count.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
