// unique, run_length_encode and run_length_decode of random runs, beside a loop; the oracle has all sizes, types and policies.
#include <tessera/runs.hpp>

#include <gtest/gtest.h>

#include "backend.hpp"
#include "rearranged.hpp"

namespace {

using namespace test;

/// What the kernel returns for each lane.
template <unsigned K>
struct lane_of_runs {
  tessera::items<bool, K> keep;
  tessera::items<unsigned, K> position, value, length;
  tessera::items<unsigned, 3> decoded, offset;
  unsigned count, encoded, total;
};

/// A value has its run's in the lower byte, and the length to decode above it.
template <unsigned K>
struct takes_runs {
  unsigned n, from;

  template <class Tile>
  TESSERA_FN lane_of_runs<K> operator()(Tile const& tile, tessera::items<unsigned, K> x) const {
    tessera::items<unsigned, K> value{}, length{};
    for (unsigned i = 0; i < K; ++i) {
      value[i] = x[i] % 256;
      length[i] = x[i] / 256;
    }
    auto const unique = tessera::unique(tile, value, tessera::equal_to{}, tessera::first(n));
    auto const runs = tessera::run_length_encode(tile, value, tessera::equal_to{}, tessera::first(n));
    auto const back = tessera::run_length_decode<3>(tile, value, length, from, tessera::first(n));
    return {unique.keep, unique.position, runs.value, runs.length, back.value,
            back.offset, unique.count,    runs.count, back.total};
  }
};

/// The same of a whole tile.
struct expected_runs {
  std::vector<unsigned> position, value, length, decoded, offset;
};
expected_runs runs_of(std::vector<unsigned> const& x, unsigned n) {
  expected_runs all;
  for (unsigned i = 0; i < x.size() && i < n; ++i) {
    if (i == 0 || x[i] % 256 != x[i - 1] % 256) {
      all.value.push_back(x[i] % 256);
      all.length.push_back(0);
    }
    ++all.length.back();
    all.position.push_back(static_cast<unsigned>(all.value.size() - 1));
    for (unsigned k = 0; k < x[i] / 256; ++k) {
      all.decoded.push_back(x[i] % 256);
      all.offset.push_back(k);
    }
  }
  return all;
}

template <unsigned N, unsigned K>
void check_tile(std::vector<lane_of_runs<K>> const& got, unsigned base, expected_runs const& is, unsigned from) {
  unsigned const taking_part = static_cast<unsigned>(is.position.size());
  unsigned const count = static_cast<unsigned>(is.value.size());
  for (unsigned i = 0; i < N * K; ++i) {
    auto const& lane = got[base + i / K];
    bool const begins = i < taking_part && (i == 0 || is.position[i] != is.position[i - 1]);
    ASSERT_EQ(lane.keep[i % K], begins) << i;
    ASSERT_EQ(lane.position[i % K], i < taking_part ? is.position[i] : count) << i;
    ASSERT_EQ(lane.length[i % K], i < count ? is.length[i] : 0) << i;
    if (i < count) {
      ASSERT_EQ(lane.value[i % K], is.value[i]) << i;
    }
  }
  for (unsigned i = 0; i < N * 3 && from + i < is.decoded.size(); ++i) {
    ASSERT_EQ(got[base + i / 3].decoded[i % 3], is.decoded[from + i]) << i;
    ASSERT_EQ(got[base + i / 3].offset[i % 3], is.offset[from + i]) << i;
  }
  for (unsigned r = 0; r < N; ++r) {
    ASSERT_EQ(got[base + r].count, count);
    ASSERT_EQ(got[base + r].encoded, count);
    ASSERT_EQ(got[base + r].total, is.decoded.size());
  }
}
template <unsigned N, unsigned K>
void check_runs(unsigned n, unsigned from) {
  auto x = random_items<K>(2 * block_lanes_of(N), N + K + n, 1024);
  for (auto& lane : x)
    for (unsigned& item : lane) item = item % 11 == 0 ? item : item / 256 * 256 + 1;  // ones between others
  auto const got = backend::run<N, lane_of_runs<K>>(x, takes_runs<K>{n, from});
  for (unsigned base = 0; base < x.size(); base += N) {
    SCOPED_TRACE("N " + std::to_string(N) + ", K " + std::to_string(K) + ", n " + std::to_string(n));
    check_tile<N, K>(got, base, runs_of(values_of_tile<N>(x, base), n), from);
    if (testing::Test::HasFatalFailure()) return;
  }
}
template <unsigned N>
void check_size() {
  for (unsigned n : {0u, 1u, 2 * N - 1, 5000u}) {
    check_runs<N, 1>(n, 0);
    check_runs<N, 3>(n, N / 2);
  }
}
TEST(Runs, RandomRuns) {
  SKIP_WITHOUT_BACKEND();
  check_size<1>();
  check_size<2>();
  check_size<8>();
  check_size<32>();
  check_size<64>();
  check_runs<256, 1>(200, 3);
  check_runs<256, 3>(5000, 100);
}

/// NaNs are equal to each other, and −0 is equal to +0.
struct counts_runs_of_floats {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    bool const is_upper = tile.thread_rank() >= tile.size() / 2, is_odd = tile.thread_rank() % 2 != 0;
    float const nan = __builtin_nanf("");
    float const x = is_upper ? (is_odd ? nan : -nan) : (is_odd ? 0.0f : -0.0f);
    return tessera::unique(tile, x).count;
  }
};
template <unsigned N>
void check_floats() {
  std::vector<unsigned> const nothing(1024);
  for (unsigned runs : backend::run<N, unsigned>(nothing, counts_runs_of_floats{})) ASSERT_EQ(runs, 2u) << N;
}
TEST(Runs, FloatsWithNaNAndZeros) {
  SKIP_WITHOUT_BACKEND();
  check_floats<8>();
  check_floats<32>();
  check_floats<64>();
}

}  // namespace
