// The kernels of the set operations on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/select/set_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using detail::set_operation;
constexpr unsigned warps = 2;

template <set_operation Operation, class T, class V, class Before>
void run(detail::set_task<Operation, T, V, Before> task, bool are_found, unsigned blocks, unsigned seed) {
  using task_t = detail::set_task<Operation, T, V, Before>;
  using shape = detail::set_shape<T, V>;
  auto const storage = std::make_unique<detail::set_storage<task_t, shape, warps>>();  // blocks take turns
  std::int64_t const tiles = shape::tile_count(task.in.na + task.in.nb, warps);
  if (tiles == 1) blocks = 1;
  std::vector<std::uint64_t> words(detail::look_back_words<std::uint64_t>(tiles));
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  std::vector<std::int64_t> ends(static_cast<std::size_t>(tiles) + 1);
  tessera::host::options how;
  how.seed = seed;
  if (are_found) {
    task.ends = ends.data();
    std::int64_t found[2];
    tessera::host::launch_grid(static_cast<unsigned>(tiles) / 32 + 1, 64, how, [&](tessera::host::block block) {
      detail::find_set_ends<2>(block, task, shape::tile_elements(warps), tiles, found);
    });
  }
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_set_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
}

template <set_operation Operation, class T, class Before>
std::vector<T> expected_of(std::vector<T> const& a, std::vector<T> const& b, Before const& before) {
  std::vector<T> out;
  auto const to = std::back_inserter(out);
  if constexpr (Operation == set_operation::set_union) {
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), to, before);
  } else if constexpr (Operation == set_operation::intersection) {
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to, before);
  } else if constexpr (Operation == set_operation::difference) {
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to, before);
  } else {
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), to, before);
  }
  return out;
}

struct run_options {
  bool are_found;
  unsigned blocks, seed;
};

template <set_operation Operation, class T, class Before>
void check_one(std::vector<T> const& a, std::vector<T> const& b, Before const& before, run_options const& how) {
  auto const expected = expected_of<Operation>(a, b, before);
  T const untouched{};
  std::vector<T> out(expected.size() + 2, untouched);
  std::int64_t count = -1;
  auto const na = static_cast<std::int64_t>(a.size()), nb = static_cast<std::int64_t>(b.size());
  run(
      detail::set_task<Operation, T, void, Before>{
          {a.data(), na, b.data(), nb, before}, out.data() + 1, &count, {}, nullptr},
      how.are_found, how.blocks, how.seed);
  ASSERT_EQ(count, static_cast<std::int64_t>(expected.size())) << na << " and " << nb;
  ASSERT_TRUE(same_bits(out.front(), untouched) && same_bits(out.back(), untouched));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_bits(out[i + 1], expected[i]))
        << i << " of " << na << " and " << nb << (how.are_found ? ", ends found before, " : ", ") << sizeof(T)
        << " bytes, operation " << static_cast<int>(Operation);
}

template <class T, class Before>
void check(std::vector<T> const& a, std::vector<T> const& b, Before const& before, run_options const& how) {
  check_one<set_operation::set_union>(a, b, before, how);
  check_one<set_operation::intersection>(a, b, before, how);
  check_one<set_operation::difference>(a, b, before, how);
  check_one<set_operation::symmetric_difference>(a, b, before, how);
}

template <class T, class Draw, class Before>
std::vector<T> drawn(std::int64_t n, Draw draw, Before const& before) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(draw());
  std::stable_sort(x.begin(), x.end(), before);
  return x;
}

/// Sizes at the edges of tiles of so many elements.
std::vector<std::pair<std::int64_t, std::int64_t>> sizes_around(std::int64_t tile) {
  return {{0, 0},
          {1, 0},
          {0, 1},
          {1, 1},
          {tile, 0},
          {0, tile + 1},
          {tile / 2, tile - tile / 2},
          {tile / 2 + 1, tile - tile / 2},
          {3, 4 * tile},
          {4 * tile, 2},
          {3 * tile + 1, 3 * tile}};
}

template <class T>
void check_numbers(unsigned values) {
  std::int64_t const tile = detail::set_shape<T>::tile_elements(warps);
  unsigned seed = 0;
  for (auto const& [na, nb] : sizes_around(tile)) {
    random_engine random(static_cast<std::uint64_t>(na * 7 + nb) + ++seed);
    auto const draw = [&] {
      if constexpr (std::is_floating_point_v<T>) {
        if (random() % 11 == 0) return std::numeric_limits<T>::quiet_NaN();
      }
      return values == 0 ? sample<T>(random) : static_cast<T>(random() % values);
    };
    auto const a = drawn<T>(na, draw, tessera::less{}), b = drawn<T>(nb, draw, tessera::less{});
    check(a, b, tessera::less{}, {seed % 2 == 0, 1 + seed % 3, seed});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(GridSetOperationsOnHost, Numbers) {
  for (unsigned values : {0u, 1u, 3u, 400u}) {
    check_numbers<float>(values);
    check_numbers<int>(values);
  }
  check_numbers<std::uint64_t>(50);
  check_numbers<unsigned char>(200);
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
    return a.time > b.time;
  }
};
template <unsigned Bytes>
void check_events(unsigned times) {
  using T = event<Bytes>;
  std::int64_t const tile = detail::set_shape<T>::tile_elements(warps);
  unsigned seed = 0;
  for (auto const& [na, nb] : sizes_around(tile)) {
    random_engine random(static_cast<std::uint64_t>(na * 7 + nb));
    int number = 0;
    auto const draw = [&] {
      T x{};
      x.time = static_cast<int>(random() % times);
      x.number = ++number;
      x.more[Bytes - 9] = static_cast<unsigned char>(number);
      return x;
    };
    auto const a = drawn<T>(na, draw, happens_before{}), b = drawn<T>(nb, draw, happens_before{});
    for (bool are_found : {false, true}) check(a, b, happens_before{}, {are_found, 2, ++seed});
    if (testing::Test::HasFatalFailure()) return;
  }
}
TEST(GridSetOperationsOnHost, WhichOfEqualElements) {
  check_events<12>(1);
  check_events<12>(100);
  check_events<16>(5);
  check_events<128>(30);
}

/// Runs of one array alone, of both, and longer in either, at all distances from a tile's end.
TEST(GridSetOperationsOnHost, RunsAcrossTiles) {
  int const tile = static_cast<int>(detail::set_shape<int>::tile_elements(warps));
  for (int before = tile - 8; before <= tile + 3; ++before)
    for (auto const& [in_a, in_b] : {std::pair{5, 5}, {5, 2}, {2, 5}, {40, 39}, {1, 30}, {30, 1}, {0, 9}, {9, 0}}) {
      std::vector<int> a, b;
      for (int i = 0; i < before; ++i) (i % 2 == 0 ? a : b).push_back(i);
      for (int i = 0; i < in_a; ++i) a.push_back(tile * 2);
      for (int i = 0; i < in_b; ++i) b.push_back(tile * 2);
      for (int i = 0; i < 100; ++i) (i % 3 == 0 ? a : b).push_back(tile * 2 + 1 + i / 5);
      check(a, b, tessera::less{}, {before % 2 == 0, 2, static_cast<unsigned>(before)});
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// A tile's end so many elements after the begin of a run, which the search for it goes back to in growing steps.
TEST(GridSetOperationsOnHost, EndsWithinLongRuns) {
  int const end = 2 * static_cast<int>(detail::set_shape<int>::tile_elements(warps));
  unsigned seed = 0;
  for (int back : {1, 2, 15, 16, 17, 63, 64, 65, 66, 67, 1023, 1024, 1025, 1026, 1800})
    for (auto const& [in_a, in_b] : {std::pair{back + 20, 0}, {back + 20, 3}, {back + 20, back}, {0, back + 20}}) {
      std::vector<int> a, b;
      for (int i = 0; i < end - back; ++i) (i % 2 == 0 ? a : b).push_back(i / 3);
      a.insert(a.end(), static_cast<std::size_t>(in_a), end);
      b.insert(b.end(), static_cast<std::size_t>(in_b), end);
      for (int i = 0; i < 100; ++i) (i % 3 == 0 ? a : b).push_back(end + 1 + i / 5);
      check(a, b, tessera::less{}, {++seed % 2 == 0, 2, seed});
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Values go with their keys.
template <set_operation Operation>
void check_values(unsigned keys) {
  struct pair_t {
    int key;
    double value;
  };
  auto const before = [](pair_t const& x, pair_t const& y) { return x.key < y.key; };
  std::int64_t const tile = detail::set_shape<int, double>::tile_elements(warps);
  for (auto const& [na, nb] : {std::pair<std::int64_t, std::int64_t>{2 * tile, tile}, {7, tile}, {0, 0}, {tile, 0}}) {
    random_engine random(static_cast<std::uint64_t>(na) + keys);
    double number = 0;
    auto const draw = [&] { return pair_t{static_cast<int>(random() % keys), number += 0.5}; };
    auto const a = drawn<pair_t>(na, draw, before), b = drawn<pair_t>(nb, draw, before);
    auto const expected = expected_of<Operation>(a, b, before);
    std::vector<int> keys_a, keys_b, keys_out(expected.size() + 1, -1);
    std::vector<double> values_a, values_b, values_out(expected.size() + 1, -1);
    for (pair_t const& x : a) keys_a.push_back(x.key), values_a.push_back(x.value);
    for (pair_t const& x : b) keys_b.push_back(x.key), values_b.push_back(x.value);
    std::int64_t count = -1;
    run(detail::set_task<Operation, int, double, tessera::less>{{keys_a.data(), na, keys_b.data(), nb, {}},
                                                                keys_out.data(),
                                                                &count,
                                                                {values_a.data(), values_b.data(), values_out.data()},
                                                                nullptr},
        keys % 2 == 0, 2, keys);
    ASSERT_EQ(count, static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(keys_out.back(), -1);
    ASSERT_EQ(values_out.back(), -1);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(keys_out[i], expected[i].key) << i;
      ASSERT_EQ(values_out[i], expected[i].value) << i;
    }
  }
}
TEST(GridSetOperationsOnHost, Values) {
  for (unsigned keys : {1u, 40u, 3000u}) {
    check_values<set_operation::set_union>(keys);
    check_values<set_operation::symmetric_difference>(keys);
    check_values<set_operation::intersection>(keys);
    check_values<set_operation::difference>(keys);
  }
}

}  // namespace
