// Subnormal floats in reductions, scans, sorts and selections: none is taken for 0.
//
// The values are multiples of the least float, so that sums are exact and integers say what must come out.
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "backend.hpp"

namespace {

using namespace test;

/// What a lane gets from each call: floats by their bits, since a comparison of floats might flush, too.
struct results {
  std::uint32_t sum, running, before, least, least_by_shuffles, greatest, sorted, key, best;
  unsigned index, least_at, value;
  bool all;
};

TESSERA_FN std::uint32_t bits_of(float x) {
  return tessera::detail::from_bits<std::uint32_t>(x);
}

struct all_calls {
  template <class Tile>
  TESSERA_FN results operator()(Tile const& tile, std::uint32_t bits) const {
    using namespace tessera;
    float const x = detail::from_bits<float>(bits);
    unsigned const r = tile.thread_rank();
    auto const pairs = stable_sort_by_key(tile, x, r);
    return {bits_of(reduce(tile, x)),
            bits_of(inclusive_scan(tile, x)),
            bits_of(exclusive_scan(tile, x)),
            bits_of(reduce(tile, x, minimum{})),
            bits_of(reduce(tile, x, minimum_number{}, shuffles)),
            bits_of(inclusive_scan(tile, x, maximum{})),
            bits_of(sort(tile, x, greater{})),
            bits_of(pairs.keys),
            bits_of(top_k<1>(tile, x)[0]),
            reduce(tile, with_index(x, r), argmax{}).index,
            reduce(tile, with_index(x, r), argmin{}, shuffles).index,
            pairs.values,
            reduce(tile, x, logical_and{}) != 0.0f};
  }
};

/// k times the least float, whose bits those of a small number are.
std::uint32_t bits_of_multiple(int k) {
  return k < 0 ? static_cast<std::uint32_t>(-k) | 0x80000000u : static_cast<std::uint32_t>(k);
}

template <unsigned N>
void check_tiles() {
  unsigned const lanes = block_lanes_of(N);
  std::vector<int> k(lanes);
  std::vector<std::uint32_t> in(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    k[lane] = static_cast<int>(lane * 37 % 41) - 15;
    if (k[lane] == 0) k[lane] = 40;
    in[lane] = bits_of_multiple(k[lane]);
  }
  auto const got = backend::run<N, results>(in, all_calls{});
  for (unsigned base = 0; base < lanes; base += N) {
    auto const first = k.begin() + base, end = first + N;
    std::vector<unsigned> order(N);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return first[a] < first[b]; });
    int const sum = std::accumulate(first, end, 0), least = *std::min_element(first, end),
              greatest = *std::max_element(first, end);
    int before = 0;
    for (unsigned r = 0; r < N; ++r) {
      results const& of = got[base + r];
      auto const where = "N " + std::to_string(N) + ", lane " + std::to_string(base + r);
      ASSERT_EQ(of.sum, bits_of_multiple(sum)) << where;
      ASSERT_EQ(of.before, bits_of_multiple(before)) << where;
      ASSERT_EQ(of.running, bits_of_multiple(before += first[r])) << where;
      ASSERT_EQ(of.least, bits_of_multiple(least)) << where;
      ASSERT_EQ(of.least_by_shuffles, bits_of_multiple(least)) << where;
      ASSERT_EQ(of.greatest, bits_of_multiple(*std::max_element(first, first + r + 1))) << where;
      ASSERT_EQ(of.sorted, bits_of_multiple(first[order[N - 1 - r]])) << where;
      ASSERT_EQ(of.key, bits_of_multiple(first[order[r]])) << where;
      ASSERT_EQ(of.value, order[r]) << where;
      ASSERT_EQ(of.best, bits_of_multiple(greatest)) << where;
      ASSERT_EQ(of.index, static_cast<unsigned>(std::max_element(first, end) - first)) << where;
      ASSERT_EQ(of.least_at, static_cast<unsigned>(std::min_element(first, end) - first)) << where;
      ASSERT_TRUE(of.all) << where;
    }
  }
}

TEST(Subnormals, AreNotTakenForZero) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(sizes<8, 32, 64>{}, [](auto n) { check_tiles<decltype(n)::value>(); });
}

}  // namespace
