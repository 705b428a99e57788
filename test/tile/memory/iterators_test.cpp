// Collectives on ranges that iterators read or write: each gives what it gives of the same elements in memory.
#include <tessera/joint.hpp>
#include <tessera/operators.hpp>
#include <tessera/search.hpp>

#include <gtest/gtest.h>

#include <utility>

#include "all_true.hpp"
#include "iterators.hpp"

namespace {

using namespace test;

struct spread {
  TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(i) * 2654435761u + 12345u; }
};

/// 2 × 2 matrices over unsigned integers: a product that doesn't commute.
struct affine_map {
  unsigned a, b;
};
struct then_map {
  TESSERA_FN affine_map operator()(affine_map f, affine_map g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct as_map {
  TESSERA_FN affine_map operator()(unsigned x) const { return {x | 1u, x}; }
};

/// n elements from `from` on, which an iterator computes, by all calls; what they give is compared with loops.
struct computed_elements {
  unsigned* out;  // 4 · n elements for each tile
  int from, n;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    computed<spread> const x{{}, from};
    unsigned* const sums = out + lane / tessera::tile_size_v<Tile> * 4u * static_cast<unsigned>(n + 1);
    unsigned* const products = sums + 2 * (n + 1);
    auto const op = tessera::make_operator(then_map{}, affine_map{1, 0});
    unsigned const sum = tessera::joint_reduce(tile, x, n);
    affine_map const all = tessera::joint_transform_reduce(tile, x, n, op, as_map{});
    unsigned const scanned = tessera::joint_inclusive_scan(tile, x, n, sums, tessera::plus{}, tessera::with_total);
    tessera::joint_transform_exclusive_scan(tile, x, n, products, tessera::plus{}, [](unsigned e) { return e / 2; });
    tile.sync();
    auto const best = tessera::joint_top_k<2>(tile, x, n);
    bool const any = tessera::joint_any_of(tile, x, n, [](unsigned e) { return e % 64 == 0; });
    bool const every = tessera::joint_all_of(tile, x, n, [](unsigned e, int i) { return e > 0 && i >= 0; });
    int const found = tessera::find_if(tile, x, n, [](unsigned e) { return e % 64 == 0; });

    unsigned plain_sum = 0, greatest = 0, halves = 0;
    affine_map plain_all{1, 0};
    int plain_found = n;
    bool plain_every = true, right = true;
    for (int i = 0; i < n; ++i) {
      unsigned const e = spread{}(from + i);
      right = right && products[i] == halves;
      halves += e / 2;
      plain_sum += e;
      right = right && sums[i] == plain_sum;
      plain_all = then_map{}(plain_all, as_map{}(e));
      greatest = e > greatest ? e : greatest;
      if (e % 64 == 0 && plain_found == n) plain_found = i;
      plain_every = plain_every && e > 0;
    }
    right = right && sum == plain_sum && scanned == plain_sum && all.a == plain_all.a && all.b == plain_all.b;
    right = right && any == (plain_found < n) && found == plain_found && every == plain_every;
    if (n > 0) right = right && best[0] == greatest;
    return right ? 1u : 0u;
  }
};

/// Searches of 10, 11, 11, 11, 12, 12 …: every key three times, but for the first.
struct sorted_elements {
  int n;

  struct third {
    TESSERA_FN int operator()(std::int64_t i) const { return static_cast<int>(10 + (i + 2) / 3); }
  };
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    computed<third> const x{{}};
    bool right = true;
    for (int key = 9; key < 13 + n / 3; key += 1 + n / 16) {
      int lower = 0, upper = 0;
      for (int i = 0; i < n; ++i) {
        lower += third{}(i) < key ? 1 : 0;
        upper += third{}(i) <= key ? 1 : 0;
      }
      auto const range = tessera::equal_range(tile, x, n, key);
      right = right && tessera::lower_bound(tile, x, n, key) == lower && tessera::upper_bound(tile, x, n, key) == upper;
      right = right && range.begin == lower && range.end == upper;
      right = right && tessera::binary_search(tile, x, n, key) == (lower < upper);
    }
    return right ? 1u : 0u;
  }
};

/// Elements that a proxy gives.
struct strided_elements {
  unsigned* memory;
  int n;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    strided<unsigned, 3> const every_third{memory};
    unsigned const sum = tessera::joint_reduce(tile, every_third, n);
    unsigned const least = tessera::joint_reduce(tile, every_third, n, tessera::minimum{}, tessera::converged);
    unsigned plain_sum = 0, plain_least = ~0u;
    for (int i = 0; i < n; ++i) {
      plain_sum += memory[3 * i];
      plain_least = memory[3 * i] < plain_least ? memory[3 * i] : plain_least;
    }
    return sum == plain_sum && least == plain_least ? 1u : 0u;
  }
};

/// Merges and scans to every second element of an array.
struct written_elements {
  unsigned* out;  // 4 · (n + m) elements for each tile
  int n, m;

  struct even {
    TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(2 * i); }
  };
  struct third {
    TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(3 * i); }
  };
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    int const all = n + m;
    unsigned* const merged = out + lane / tessera::tile_size_v<Tile> * 4u * static_cast<unsigned>(all);
    unsigned* const sums = merged + 2 * all;
    tessera::joint_merge(tile, computed<even>{{}}, n, computed<third>{{}}, m, strided<unsigned, 2>{merged});
    unsigned const total = tessera::joint_inclusive_scan(tile, computed<third>{{}}, all, strided<unsigned, 2>{sums},
                                                         tessera::plus{}, 7u, tessera::with_total);
    tile.sync();
    bool right = true;
    unsigned sum = 0;
    for (int i = 0, of_a = 0; i < all; ++i) {
      bool const takes_a = of_a < n && (i - of_a == m || even{}(of_a) <= third{}(i - of_a));
      right = right && merged[2 * i] == (takes_a ? even{}(of_a) : third{}(i - of_a));
      of_a += takes_a ? 1 : 0;
      sum += third{}(i);
      right = right && sums[2 * i] == 7 + sum;
    }
    return right && total == sum ? 1u : 0u;
  }
};

template <unsigned N>
void check_computed() {
  constexpr unsigned tiles = block_lanes_of(N) / N;
  std::vector<unsigned> lanes(tiles * N);
  for (unsigned lane = 0; lane < lanes.size(); ++lane) lanes[lane] = lane;
  for (int n : {0, 1, 3, 37, 300}) {
    backend::array<unsigned> out(std::vector<unsigned>(tiles * 4u * static_cast<unsigned>(n + 1)));
    for (int from : {0, 5})
      for (unsigned right : backend::run<N, unsigned>(lanes, computed_elements{out.data(), from, n}))
        ASSERT_EQ(right, 1u) << "N " << N << ", n " << n;
  }
  for (int n : {0, 1, 4, 37, 300}) check_all_true_in_block<N>(sorted_elements{n});
  for (auto const& [n, m] : {std::pair{0, 0}, {1, 0}, {0, 5}, {37, 1}, {200, 300}}) {
    backend::array<unsigned> out(std::vector<unsigned>(tiles * 4u * static_cast<unsigned>(n + m) + 4));
    for (unsigned right : backend::run<N, unsigned>(lanes, written_elements{out.data(), n, m}))
      ASSERT_EQ(right, 1u) << "N " << N << ", n " << n << ", m " << m;
  }
  std::vector<unsigned> values(1024);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = spread{}(i);
  backend::array<unsigned> memory(values);
  for (int n : {0, 2, 100, 341}) check_all_true_in_block<N>(strided_elements{memory.data(), n});
}

TEST(Iterators, Collectives) {
  SKIP_WITHOUT_BACKEND();
  check_computed<4>();
  check_computed<32>();
  check_computed<128>();
}

}  // namespace
