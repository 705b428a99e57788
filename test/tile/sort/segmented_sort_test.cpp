// Sorts of a tile's segments. std::stable_sort of each segment by itself has what is right.
#include <tessera/block_tile.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/segmented_sort.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#include <tessera/host/scratch.hpp>
#endif

#include "sort_cases.hpp"

namespace {

using namespace test;
using sorts::by_high_bits;
using sorts::draw;
using sorts::values;

struct SegmentedSort : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Three bytes without an order of their own. Its number isn't compared.
struct card {
  char suit;
  unsigned char number[2];
};
struct by_suit {
  TESSERA_FN bool operator()(card const& a, card const& b) const { return a.suit < b.suit; }
};

template <class T>
T drawn(std::mt19937_64& random, values which) {
  return draw<T>(random, which);
}
template <>
card drawn<card>(std::mt19937_64& random, values) {
  auto const bits = random();
  return {static_cast<char>(bits % 3), {static_cast<unsigned char>(bits >> 8), static_cast<unsigned char>(bits >> 16)}};
}

template <class T>
bool same_value(T const& a, T const& b) {
  return sorts::bits_of(a) == sorts::bits_of(b);
}
bool same_value(card const& a, card const& b) {
  return a.suit == b.suit && a.number[0] == b.number[0] && a.number[1] == b.number[1];
}

template <class Before>
struct order_of {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return sorts::comes_before<Before>(a, b);
  }
};
template <>
struct order_of<by_suit> : by_suit {};

enum class given_by { heads, tails, keys };

/// A lane's value with its flag, a head or a tail, and its key.
template <class T>
struct lane_input {
  T x;
  bool flag;
  long long key;
};

/// The values of a tile, in segments from one a lane to one for all. Keys differ in the upper word only.
template <class T>
std::vector<lane_input<T>> draw_tiles(unsigned lanes, unsigned tile, std::mt19937_64& random, values which) {
  std::vector<lane_input<T>> all;
  unsigned const lengths[] = {1, 2, 3, 5, 40, 1000};
  unsigned one_in = 1;
  long long key = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    if (i % tile == 0) one_in = lengths[random() % 6];
    if (random() % one_in == 0) key = static_cast<long long>(random() % 4) << 32;
    all.push_back({drawn<T>(random, which), random() % one_in == 0, key});
  }
  return all;
}

/// Compares what a tile's lanes got with its values, of which the first n took part.
template <class Before, given_by By, class T>
void check_tile(lane_input<T> const* in, T const* got, unsigned lanes, unsigned n) {
  for (unsigned first = 0; first < lanes;) {
    auto const begins = [&](unsigned rank) {
      return By == given_by::heads   ? in[rank].flag
             : By == given_by::tails ? in[rank - 1].flag
                                     : in[rank].key != in[rank - 1].key;
    };
    unsigned end = first + 1;
    while (end < lanes && !begins(end)) ++end;
    std::vector<unsigned> order;
    for (unsigned rank = first; rank < end; ++rank) order.push_back(rank);
    unsigned const sorted = std::min(std::max(n, first), end) - first;
    std::stable_sort(order.begin(), order.begin() + sorted,
                     [&](unsigned a, unsigned b) { return order_of<Before>{}(in[a].x, in[b].x); });
    for (unsigned rank = first; rank < end; ++rank)
      ASSERT_TRUE(same_value(got[rank], in[order[rank - first]].x))
          << lanes << " lanes, of which " << n << " take part, segment " << first << " to " << end - 1 << ", rank "
          << rank;
    first = end;
  }
}

template <class Before, given_by By, class Tile, class T, class Policy>
TESSERA_FN T sort_in(Tile const& tile, lane_input<T> const& in, Policy policy) {
  if constexpr (By == given_by::heads) {
    return tessera::segmented_sort(tile, in.x, in.flag, Before{}, policy);
  } else if constexpr (By == given_by::tails) {
    return tessera::segmented_sort(tile, in.x, tessera::by_tail(in.flag), Before{}, policy);
  } else {
    return tessera::segmented_sort(tile, in.x, tessera::by_key(in.key), Before{}, policy);
  }
}

template <class Before, given_by By, class Policy, bool Whole>
struct sorts_segments {
  Policy policy;
  unsigned n;

  template <class Tile, class T>
  TESSERA_FN T operator()(Tile const& tile, lane_input<T> const& in) const {
    if constexpr (Whole) {
      return sort_in<Before, By>(tile, in, policy);
    } else {
      return sort_in<Before, By>(tile, in, policy | tessera::first(n));
    }
  }
};

template <unsigned N, class T, class Before, given_by By, bool Whole, class Policy>
void check_rows(Policy policy, unsigned n) {
  for (values which : {values::any, values::few}) {
    std::mt19937_64 random(100 * N + n);
    auto const in = draw_tiles<T>((N > 64 ? 1 : 4) * block_lanes_of(N), N, random, which);
    auto const out = backend::run<N, T>(in, sorts_segments<Before, By, Policy, Whole>{policy, n});
    for (unsigned base = 0; base < in.size(); base += N) check_tile<Before, By>(&in[base], &out[base], N, n);
  }
}

template <class T, class Before, class Sizes>
void check_sizes(Sizes of) {
  for_each_size(of, [](auto size) {
    constexpr unsigned N = decltype(size)::value;
    check_rows<N, T, Before, given_by::heads, true>(tessera::policy<>{}, N);
    check_rows<N, T, Before, given_by::tails, true>(tessera::policy<>{} | tessera::converged, N);
    for (unsigned n : {0u, 1u, N / 2 + 1, N})
      check_rows<N, T, Before, given_by::keys, false>(tessera::policy<>{} | tessera::isolated, n);
  });
}

TEST_F(SegmentedSort, FloatsByLess) {
  check_sizes<float, tessera::less>(small_sizes{});
}
TEST_F(SegmentedSort, Floats) {
  check_sizes<float, tessera::greater>(large_sizes{});
}
TEST_F(SegmentedSort, WideIntegers) {
  check_sizes<long long, tessera::less>(small_sizes{});
  check_sizes<long long, tessera::greater>(some_large_sizes{});
}
TEST_F(SegmentedSort, ByFunction) {
  check_sizes<unsigned, by_high_bits>(small_sizes{});
  check_sizes<unsigned, by_high_bits>(some_large_sizes{});
}
TEST_F(SegmentedSort, Structs) {
  check_sizes<card, by_suit>(small_sizes{});
  check_sizes<card, by_suit>(some_large_sizes{});
}

/// In a padded tile whose last lanes are missing, through the library's memory and the caller's.
template <unsigned N>
struct sorts_in_padded_tile {
  lane_input<float> const* in;
  unsigned n;

  template <class Block>
  TESSERA_FN float operator()(Block const& block) const {
    auto const tile = tessera::padded_block_tile<N>(block);
    lane_input<float> const& own = in[tile.thread_rank()];
#if TESSERA_ARCH
    __shared__ tessera::scratch<float, N> scratch;
#elif TESSERA_CUDA  // nvcc's host pass compiles the kernel, but never runs it
    tessera::scratch<float, N> scratch;
#else
    tessera::host::scratch<float, N> scratch(block);
#endif
    auto const shared = tessera::shared(scratch);
    float const once = sort_in<tessera::less, given_by::tails>(tile, own, shared | tessera::first(n));
    float const again = sort_in<tessera::less, given_by::tails>(tile, own, tessera::first(n));
    return sorts::bits_of(once) == sorts::bits_of(again) ? once : 12345.0f;
  }
};

template <unsigned N>
void check_padded() {
  for (unsigned threads : {1u, 2u, 31u, 33u, 40u, N - 1, N}) {
    for (unsigned n : {0u, threads / 2, threads, 2000u}) {
      std::mt19937_64 random(threads);
      auto const in = draw_tiles<float>(threads, threads, random, values::few);
      backend::array<lane_input<float>> array(in);
      auto const out = backend::run_block<float>(threads, sorts_in_padded_tile<N>{array.data(), n});
      check_tile<tessera::less, given_by::tails>(in.data(), out.data(), threads, n);
    }
  }
}
TEST_F(SegmentedSort, PaddedTiles) {
  check_padded<64>();
  check_padded<128>();
}

}  // namespace
