// Sorts of segments: the segment is zipped with the key, and the order compares the segment first. std::stable_sort has what is right.
#include <tessera/operators.hpp>
#include <tessera/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "backend.hpp"

namespace {

using namespace test;

template <class Segment, class Key>
using segment_and_key = tessera::zipped<Segment, Key>;

/// The segments rise, and the keys fall within each. Lanes have K items.
template <class Segment, class Key, unsigned K>
struct lane_pairs {
  tessera::items<segment_and_key<Segment, Key>, K> keys;
  tessera::items<unsigned, K> values;
};

struct segment_then_greatest {
  template <class Segment, class Key>
  TESSERA_FN bool operator()(segment_and_key<Segment, Key> const& a, segment_and_key<Segment, Key> const& b) const {
    using tessera::get;
    return get<0>(a) != get<0>(b) ? get<0>(a) < get<0>(b) : get<1>(a) > get<1>(b);
  }
};

/// The order is a lambda in the kernel, as a user writes it.
struct sorts_segments_by_lambda {
  template <class Tile, class Segment, class Key, unsigned K>
  TESSERA_FN lane_pairs<Segment, Key, K> operator()(Tile const& tile, lane_pairs<Segment, Key, K> const& x) const {
    using pair = segment_and_key<Segment, Key>;
    auto const before = [](pair const& a, pair const& b) {
      return tessera::get<0>(a) != tessera::get<0>(b) ? tessera::get<0>(a) < tessera::get<0>(b)
                                                      : tessera::get<1>(a) > tessera::get<1>(b);
    };
    auto const sorted = tessera::stable_sort_by_key(tile, x.keys, x.values, before);
    return {sorted.keys, sorted.values};
  }
};
/// All values but the last ones, which stay where they are.
template <bool Stable>
struct sorts_first_segments {
  unsigned left_out;

  template <class Tile, class Segment, class Key, unsigned K>
  TESSERA_FN lane_pairs<Segment, Key, K> operator()(Tile const& tile, lane_pairs<Segment, Key, K> const& x) const {
    auto const n = tessera::first(tile.size() * K - left_out);
    if constexpr (Stable) {
      auto const sorted = tessera::stable_sort_by_key(tile, x.keys, x.values, segment_then_greatest{}, n);
      return {sorted.keys, sorted.values};
    } else {
      auto const sorted = tessera::sort_by_key(tile, x.keys, x.values, segment_then_greatest{}, n);
      return {sorted.keys, sorted.values};
    }
  }
};

/// Sorts tiles of N lanes, and compares each with std::stable_sort. Many keys are equal, but for a sort that isn't stable: a product with
/// an odd number has other lower bits for each number.
template <unsigned N, class Segment, class Key, unsigned K, class Kernel>
void check_segments(Kernel kernel, unsigned left_out, bool stable) {
  using pair = segment_and_key<Segment, Key>;
  using lane_t = lane_pairs<Segment, Key, K>;
  std::mt19937 random{N * 8 + K};
  std::vector<lane_t> in(2 * block_lanes_of(N));
  unsigned number = 0;
  for (lane_t& lane : in) {
    for (unsigned i = 0; i < K; ++i, ++number) {
      Key const key = static_cast<Key>(stable ? random() % 4 : number * 2654435761u % 65536u);
      lane.keys[i] = tessera::as_zipped(static_cast<Segment>(random() % 5), key);
      lane.values[i] = number;
    }
  }
  auto const out = backend::run<N, lane_t>(in, kernel);

  for (std::size_t tile = 0; tile < in.size(); tile += N) {
    struct element {
      pair key;
      unsigned value;
    };
    std::vector<element> expected;
    for (std::size_t lane = tile; lane < tile + N; ++lane)
      for (unsigned i = 0; i < K; ++i) expected.push_back({in[lane].keys[i], in[lane].values[i]});
    std::stable_sort(expected.begin(), expected.end() - left_out,
                     [](element const& a, element const& b) { return segment_then_greatest{}(a.key, b.key); });
    for (unsigned p = 0; p < N * K; ++p) {
      lane_t const& lane = out[tile + p / K];
      ASSERT_EQ(tessera::get<0>(lane.keys[p % K]), tessera::get<0>(expected[p].key)) << "N " << N << ", " << p;
      ASSERT_EQ(tessera::get<1>(lane.keys[p % K]), tessera::get<1>(expected[p].key)) << "N " << N << ", " << p;
      ASSERT_EQ(lane.values[p % K], expected[p].value) << "N " << N << ", " << p;
    }
  }
}
template <class Segment, class Key, unsigned K, unsigned... N>
void check_sizes() {
  for_each_size(sizes<N...>{}, [](auto n) {
    constexpr unsigned size = decltype(n)::value;
    check_segments<size, Segment, Key, K>(sorts_segments_by_lambda{}, 0, true);
    check_segments<size, Segment, Key, K>(sorts_first_segments<true>{1}, 1, true);
    check_segments<size, Segment, Key, K>(sorts_first_segments<false>{1}, 1, false);
  });
}

TEST(SortZipped, OneElementALane) {
  SKIP_WITHOUT_BACKEND();
  check_sizes<unsigned, float, 1, 8, 32, 64, 256>();
}
TEST(SortZipped, ItemsOfALane) {
  SKIP_WITHOUT_BACKEND();
  check_sizes<unsigned, float, 4, 1, 32, 128>();
}
TEST(SortZipped, MembersOfSeveralSizes) {
  SKIP_WITHOUT_BACKEND();
  check_sizes<short, double, 3, 8, 64>();
}

}  // namespace
