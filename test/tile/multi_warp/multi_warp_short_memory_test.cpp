// Tiles of several warps in a kernel that leaves the library two slots a warp, so that values move in rounds.
#define TESSERA_SHARED_BYTES 0

#include <tessera/joint_reduce.hpp>
#include <tessera/joint_scan.hpp>
#include <tessera/joint_sort.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/merge.hpp>
#include <tessera/partition.hpp>
#include <tessera/radix.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/runs.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>
#include <tessera/transpose.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backend.hpp"
#include "rearranged.hpp"
#include "samples.hpp"

namespace {

using namespace test;
using tessera::items;

/// What a lane gets from each call.
struct results {
  unsigned shuffled, sum, before, peers, label_sum, rank;
  items<unsigned, 4> sorted, scattered, blocked, best;
};

struct all_calls {
  template <class Tile>
  TESSERA_FN results operator()(Tile const& tile, items<unsigned, 4> x) const {
    unsigned const r = tile.thread_rank(), N = tessera::tile_size_v<Tile>;
    items<unsigned, 4> position{};
    for (unsigned i = 0; i < 4; ++i) position[i] = (4 * r + i) ^ 5;
    return {tessera::shuffle(tile, x[0], (r + 35) % N),
            tessera::reduce(tile, x[0]),
            tessera::exclusive_scan(tile, x[0]),
            tessera::match_any(tile, x[1] % 7).count(),
            tessera::reduce_by_label(tile, x[1] % 7, x[2]),
            tessera::radix_rank<3>(tile, x[1] % 7).rank,
            tessera::sort(tile, x),
            tessera::scatter(tile, x, position),
            tessera::striped_to_blocked(tile, x),
            tessera::top_k<4>(tile, x)};
  }
};

template <unsigned N>
void check_all() {
  auto const x = random_items<4>(block_lanes_of(N), N, 1000);
  auto const got = backend::run<N, results>(x, all_calls{});
  for (unsigned base = 0; base < x.size(); base += N) {
    auto const all = values_of_tile<N>(x, base);
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    unsigned sum = 0;
    std::array<unsigned, 7> label_sum{}, peers{};
    for (unsigned r = 0; r < N; ++r) {
      label_sum[x[base + r][1] % 7] += x[base + r][2];
      ++peers[x[base + r][1] % 7];
    }
    std::array<unsigned, 7> place{};
    std::exclusive_scan(peers.begin(), peers.end(), place.begin(), 0u);
    for (unsigned r = 0; r < N; ++r) {
      results const& of = got[base + r];
      unsigned const label = x[base + r][1] % 7;
      ASSERT_EQ(of.shuffled, x[base + (r + 35) % N][0]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.before, sum) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.peers, peers[label]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.label_sum, label_sum[label]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.rank, place[label]++) << "N " << N << ", rank " << r;
      sum += x[base + r][0];
      for (unsigned i = 0; i < 4; ++i) {
        unsigned const at = 4 * r + i;
        ASSERT_EQ(of.sorted[i], sorted[at]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.scattered[i], all[at ^ 5]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.blocked[i], x[base + at % N][at / N]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.best[i], sorted[4 * N - 1 - i]) << "N " << N << ", number " << i;
      }
    }
    for (unsigned r = 0; r < N; ++r) ASSERT_EQ(got[base + r].sum, sum) << "N " << N << ", rank " << r;
  }
}

/// What a lane gets from calls of several arguments, and of larger types.
struct more_results {
  items<unsigned, 4> merged, key, value, run, run_length;
  items<double, 2> doubles;
  double double_sum;
  matrix product, before;
  unsigned runs, range_sum;
};
bool is_equal(matrix x, matrix y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
}

struct more_calls {
  unsigned const* range;  // of all lanes, four each
  unsigned* sorted;       // as many
  unsigned* buffer;

  TESSERA_FN static matrix matrix_of(unsigned x) { return {x, 1, x % 3, 2}; }
  template <class Tile>
  TESSERA_FN more_results operator()(Tile const& tile, items<unsigned, 4> x) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>;
    unsigned const r = tile.thread_rank();
    more_results out{};
    items<unsigned, 2> even{}, odd{};
    items<unsigned, 4> position{}, like_neighbors{};
    items<double, 2> numbers{};
    for (unsigned i = 0; i < 2; ++i) {
      even[i] = 2 * (2 * r + i);
      odd[i] = even[i] + 1;
      numbers[i] = static_cast<double>(x[i]);
    }
    for (unsigned i = 0; i < 4; ++i) {
      position[i] = 4 * r + i;
      like_neighbors[i] = position[i] / 7;
    }
    out.merged = tessera::merge(tile, even, odd);
    auto const pairs = tessera::stable_sort_by_key(tile, x, position);
    out.key = pairs.keys;
    out.value = pairs.values;
    auto const runs = tessera::run_length_encode(tile, like_neighbors);
    out.run = runs.value;
    out.run_length = runs.length;
    out.runs = runs.count;
    out.doubles = tessera::sort(tile, numbers, tessera::greater{});
    out.double_sum = tessera::reduce(tile, numbers[0]);
    auto const product = tessera::make_operator(matrix_product{}, matrix_one);
    out.product = tessera::reduce(tile, matrix_of(x[0]), product);
    out.before = tessera::exclusive_scan(tile, matrix_of(x[0]), product);
    unsigned const* const first = range + 4 * N * this_tile(x);
    out.range_sum = tessera::joint_reduce(tile, first, 4 * N);
    unsigned* const to = sorted + 4 * N * this_tile(x);
    tessera::joint_inclusive_scan(tile, first, 4 * N, to);
    tile.sync();
    tessera::joint_sort(tile, to, 4 * N, buffer + 4 * N * this_tile(x), tessera::greater{});
    return out;
  }
  /// The tile's number, which each lane's last item has above bit 16.
  TESSERA_FN static unsigned this_tile(items<unsigned, 4> const& x) { return x[3] >> 16; }
};

template <unsigned N>
void check_more() {
  auto x = random_items<4>(block_lanes_of(N), N, 1000);
  for (unsigned lane = 0; lane < x.size(); ++lane) x[lane][3] += lane / N << 16;
  std::vector<unsigned> range;
  for (auto const& row : x) range.insert(range.end(), row.begin(), row.end());
  for (unsigned& value : range) value %= 1000;
  std::vector<unsigned> const none(range.size());
  backend::array<unsigned> in(range), sorted(none), buffer(none);
  auto const got = backend::run<N, more_results>(x, more_calls{in.data(), sorted.data(), buffer.data()});
  auto const scanned = sorted.to_host();
  for (unsigned base = 0; base < x.size(); base += N) {
    auto const all = values_of_tile<N>(x, base);
    std::vector<unsigned> order(4 * N);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return all[a] < all[b]; });
    std::vector<double> numbers;
    double double_sum = 0;
    matrix product = matrix_one;
    unsigned range_sum = 0;
    std::vector<unsigned> scan;
    for (unsigned r = 0; r < N; ++r) {
      double_sum += x[base + r][0];
      for (unsigned i = 0; i < 2; ++i) numbers.push_back(x[base + r][i]);
      for (unsigned i = 0; i < 4; ++i) scan.push_back(range_sum += range[4 * (base + r) + i]);
    }
    std::sort(numbers.rbegin(), numbers.rend());
    unsigned const runs = (4 * N + 6) / 7;
    for (unsigned r = 0; r < N; ++r) {
      more_results const& of = got[base + r];
      ASSERT_TRUE(is_equal(of.before, product)) << "N " << N << ", rank " << r;
      product = matrix_product{}(product, more_calls::matrix_of(x[base + r][0]));
      ASSERT_EQ(of.double_sum, double_sum) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.range_sum, range_sum) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.runs, runs) << "N " << N << ", rank " << r;
      for (unsigned i = 0; i < 2; ++i) ASSERT_EQ(of.doubles[i], numbers[2 * r + i]) << "N " << N << ", rank " << r;
      for (unsigned i = 0; i < 4; ++i) {
        unsigned const at = 4 * r + i;
        ASSERT_EQ(of.merged[i], at) << "N " << N << ", position " << at;
        ASSERT_EQ(of.key[i], all[order[at]]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.value[i], order[at]) << "N " << N << ", position " << at;
        unsigned const length = at < 4 * N / 7 ? 7 : at < runs ? 4 * N % 7 : 0;
        ASSERT_EQ(of.run_length[i], length) << "N " << N << ", position " << at;
        if (at < runs) {
          ASSERT_EQ(of.run[i], at) << "N " << N << ", position " << at;
        }
        ASSERT_EQ(scanned[4 * base + at], scan[4 * N - 1 - at]) << "N " << N << ", position " << at;
      }
    }
    for (unsigned r = 0; r < N; ++r)
      ASSERT_TRUE(is_equal(got[base + r].product, product)) << "N " << N << ", rank " << r;
  }
}

/// A value of which two a warp are more than such a kernel has memory for: it is moved in pieces, the last one of a word.
struct wide {
  unsigned word[25];
  TESSERA_FN static wide of(unsigned x) {
    wide w{};
    for (unsigned i = 0; i < 25; ++i) w.word[i] = x * 31 + i;
    return w;
  }
  /// The x that this is of, or a number that none is.
  TESSERA_FN unsigned number() const {
    for (unsigned i = 0; i < 25; ++i)
      if (word[i] != word[0] + i) return ~0u;
    return word[0] / 31;
  }
};
struct wide_results {
  unsigned shuffled, shifted, peers, broadcast;
  items<unsigned, 2> scattered, sorted;
  items<double, 8> sums;
  double own_sum;
};

struct wide_calls {
  template <class Tile>
  TESSERA_FN wide_results operator()(Tile const& tile, items<unsigned, 4> x) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>;
    unsigned const r = tile.thread_rank();
    items<wide, 2> const values{{wide::of(2 * r), wide::of(2 * r + 1)}};
    items<unsigned, 2> const position{{(2 * r) ^ 5, (2 * r + 1) ^ 5}}, key{{(2 * r) ^ 9, (2 * r + 1) ^ 9}};
    auto const scattered = tessera::scatter(tile, values, position);
    auto const sorted = tessera::stable_sort_by_key(tile, key, values);
    wide label{};
    label.word[3] = x[1] % 7;  // the other pieces are equal
    items<double, 8> numbers{};
    for (unsigned i = 0; i < 8; ++i) numbers[i] = static_cast<double>(x[i % 4] + i);
    return {tessera::shuffle(tile, wide::of(r), (r + 35) % N).number(),
            tessera::shift_down(tile, wide::of(r), 3, wide::of(0)).number(),
            tessera::match_any(tile, label).count(),
            tessera::broadcast(tile, wide::of(r), N - 1).number(),
            {{scattered[0].number(), scattered[1].number()}},
            {{sorted.values[0].number(), sorted.values[1].number()}},
            tessera::reduce_batch(tile, numbers),
            tessera::reduce_batch(tile, numbers, tessera::plus{}, tessera::scattered)};
  }
};

template <unsigned N>
void check_wide() {
  auto const x = random_items<4>(block_lanes_of(N), N, 1000);
  auto const got = backend::run<N, wide_results>(x, wide_calls{});
  for (unsigned base = 0; base < x.size(); base += N) {
    std::array<unsigned, 7> peers{};
    std::array<double, 8> sums{};
    for (unsigned r = 0; r < N; ++r) {
      ++peers[x[base + r][1] % 7];
      for (unsigned i = 0; i < 8; ++i) sums[i] += x[base + r][i % 4] + i;
    }
    for (unsigned r = 0; r < N; ++r) {
      wide_results const& of = got[base + r];
      ASSERT_EQ(of.shuffled, (r + 35) % N) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.shifted, r + 3 < N ? r + 3 : 0) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.peers, peers[x[base + r][1] % 7]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.broadcast, N - 1) << "N " << N << ", rank " << r;
      for (unsigned i = 0; i < 2; ++i) {
        ASSERT_EQ(of.scattered[i], (2 * r + i) ^ 5) << "N " << N << ", rank " << r;
        ASSERT_EQ(of.sorted[i], (2 * r + i) ^ 9) << "N " << N << ", rank " << r;
      }
      for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(of.sums[i], sums[i]) << "N " << N << ", rank " << r;
      if (r < 8) {
        ASSERT_EQ(of.own_sum, sums[r]) << "N " << N << ", rank " << r;
      }
    }
  }
}

TEST(MultiWarpShortMemory, LargeValues) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(sizes<64, 256>{}, [](auto n) { check_wide<decltype(n)::value>(); });
}
TEST(MultiWarpShortMemory, AllCalls) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(some_large_sizes{}, [](auto n) { check_all<decltype(n)::value>(); });
}
TEST(MultiWarpShortMemory, MoreCalls) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(some_large_sizes{}, [](auto n) { check_more<decltype(n)::value>(); });
}

}  // namespace
