// The kernels of grid::merge on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/sort/merge_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

template <class T, class Before>
void merge(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out, Before const& before, bool are_found,
           unsigned seed) {
  detail::merge_storage<threads, T> storage;
  detail::merge_task<T, Before> const task{{a, na, b, nb, before}, out};
  auto const tiles = static_cast<unsigned>(detail::merge_shape<T>::tile_count(na + nb, threads));
  tessera::host::options how;
  how.seed = seed;
  if (are_found) {
    std::int64_t found[2];
    tessera::host::launch_grid(tiles / 16 + 1, 64, how, [&](tessera::host::block block) {
      detail::find_merge_ends<threads, 4>(block, task, found);
    });
  }
  tessera::host::launch_grid(tiles, threads, how, [&](tessera::host::block block) {
    detail::run_merge_agent<threads>(block, task, block.group_index().x, are_found, storage);
  });
}

/// Merges what `draw` gives, beside std::merge, which is stable.
template <class T, class Draw, class Before>
void check(std::int64_t na, std::int64_t nb, Draw draw, Before const& before, bool are_found, unsigned seed) {
  std::vector<T> a, b;
  for (std::int64_t i = 0; i < na; ++i) a.push_back(draw(i));
  for (std::int64_t i = 0; i < nb; ++i) b.push_back(draw(na + i));
  std::stable_sort(a.begin(), a.end(), before);
  std::stable_sort(b.begin(), b.end(), before);
  std::vector<T> expected(a.size() + b.size(), draw(0)), out(a.size() + b.size() + 2, draw(1));
  T const untouched = out.front();
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), before);
  merge(a.data(), na, b.data(), nb, out.data() + 1, before, are_found, seed);
  ASSERT_TRUE(same_bits(out.front(), untouched) && same_bits(out.back(), untouched));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_bits(out[i + 1], expected[i]))
        << i << " of " << na << " and " << nb << (are_found ? ", ends found before, " : ", ") << sizeof(T) << " bytes";
}

/// Sizes at the edges of a tile of so many elements.
std::vector<std::pair<std::int64_t, std::int64_t>> sizes_around(std::int64_t tile) {
  return {{0, 0},
          {1, 0},
          {0, 1},
          {1, 1},
          {tile, 0},
          {0, tile + 1},
          {tile / 2, tile - tile / 2},
          {tile, tile},
          {3, 4 * tile},
          {5000, 10},
          {2 * tile, 1},
          {tile + 1, 2000},
          {3000, 4001}};
}

template <class T>
void check_numbers(unsigned values) {
  std::int64_t const tile = detail::merge_shape<T>::tile_elements(threads);
  unsigned seed = 0;
  for (auto const& [na, nb] : sizes_around(tile))
    for (bool are_found : {false, true}) {
      random_engine random(static_cast<std::uint64_t>(na * 7 + nb) + ++seed);
      auto const draw = [&](std::int64_t) {
        if constexpr (std::is_floating_point_v<T>) {
          if (random() % 11 == 0) return std::numeric_limits<T>::quiet_NaN();
        }
        return values == 0 ? sample<T>(random) : static_cast<T>(random() % values);
      };
      check<T>(na, nb, draw, tessera::less{}, are_found, seed);
    }
}

TEST(GridMergeOnHost, Numbers) {
  for (unsigned values : {0u, 1u, 5u}) {
    check_numbers<float>(values);
    check_numbers<double>(values);
    check_numbers<int>(values);
    check_numbers<std::uint64_t>(values);
    check_numbers<unsigned char>(values);
  }
}

/// Elements that are told apart although they are equal.
template <unsigned Bytes>
struct event {
  int time, number;
  unsigned char more[Bytes - 8];
};
struct happens_before {
  template <class Event>
  bool operator()(Event const& a, Event const& b) const {
    return a.time < b.time;
  }
};
template <unsigned Bytes>
void check_events() {
  using T = event<Bytes>;
  std::int64_t const tile = detail::merge_shape<T>::tile_elements(threads);
  for (auto const& [na, nb] : sizes_around(tile)) {
    random_engine random(static_cast<std::uint64_t>(na * 7 + nb));
    auto const draw = [&](std::int64_t i) {
      T x{};
      x.time = static_cast<int>(random() % 30);
      x.number = static_cast<int>(i);
      x.more[Bytes - 9] = static_cast<unsigned char>(i);
      return x;
    };
    for (bool are_found : {false, true}) check<T>(na, nb, draw, happens_before{}, are_found, 1);
  }
}
TEST(GridMergeOnHost, Stable) {
  check_events<12>();
  check_events<16>();
  check_events<40>();
  check_events<128>();
}

/// All of one array before all of the other.
TEST(GridMergeOnHost, Apart) {
  for (bool a_first : {false, true})
    for (bool are_found : {false, true}) {
      std::int64_t const na = 2500;
      auto const draw = [&](std::int64_t i) { return static_cast<int>((i < na) == a_first ? i : i + 100000); };
      check<int>(na, 3100, draw, tessera::less{}, are_found, 2);
    }
}

/// Ends that are found before lie near a straight line between those of other ends, or far from it.
TEST(GridMergeOnHost, Bent) {
  std::int64_t const n = 40000;
  auto const bends = {+[](std::int64_t i) { return i * i / n; }, +[](std::int64_t i) { return i < n / 3 ? 5 : 9 * i; },
                      +[](std::int64_t i) { return 700 * (i / 700); }, +[](std::int64_t i) { return i + 3; }};
  for (auto a_at : bends)
    for (auto b_at : bends) {
      auto const draw = [&](std::int64_t i) { return static_cast<int>(i < n ? a_at(i) : b_at(i - n)); };
      check<int>(n, n + 777, draw, tessera::less{}, true, 3);
    }
}

/// Arrays that aren't sorted are merged in some order, and nothing is read or stored beyond their ends.
TEST(GridMergeOnHost, Unsorted) {
  for (bool are_found : {false, true}) {
    std::int64_t const na = 5000, nb = 3000;
    random_engine random(1);
    std::vector<float> a, b, out(na + nb + 2, -1.0f);
    for (std::int64_t i = 0; i < na; ++i) a.push_back(static_cast<float>(random() % 1000));
    for (std::int64_t i = 0; i < nb; ++i) b.push_back(static_cast<float>(random() % 1000));
    merge(a.data(), na, b.data(), nb, out.data() + 1, tessera::less{}, are_found, 3);
    EXPECT_EQ(out.front(), -1.0f);
    EXPECT_EQ(out.back(), -1.0f);
  }
}

}  // namespace
