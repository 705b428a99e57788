// The kernels of sort_segments on host tiles: blocks and lanes in any order, against std::stable_sort.
#include <gtest/gtest.h>

#include <tessera/grid/sort/sort_long_segments_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "radix_order.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

using list = std::vector<std::int64_t>;
using tuning = detail::segment_sort_tuning;

/// Lengths around every boundary: of classes, chunks, windows and tiles of so many elements.
std::vector<segment_lengths> some_lengths(std::int64_t capacity) {
  std::mt19937_64 random(4);
  list few(400), around, sparse(3000, 0), zipf(500);
  for (auto& length : few) length = static_cast<std::int64_t>(random() % 30);
  for (auto& length : zipf) length = static_cast<std::int64_t>(300 / (1 + random() % 300));
  for (std::size_t i = 0; i < sparse.size(); i += 1 + random() % 60)
    sparse[i] = static_cast<std::int64_t>(random() % 40);
  for (std::int64_t size : {1, 2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048})
    for (std::int64_t more : {-1, 0, 1}) around.push_back(size + more);
  return {
      {"none", {}},
      {"one empty", {0}},
      {"one of one", {1}},
      {"a window", {capacity}},
      {"one more", {capacity + 1}},
      {"one less", {capacity - 1, 1, 1, capacity - 1}},
      {"empty ones", list(5000, 0)},
      {"ones", list(3000, 1)},
      {"eights", list(700, 8)},
      {"around", around},
      {"random", few},
      {"sparse", sparse},
      {"zipf", zipf},
      {"long ones", {5, 2 * capacity, 0, 2 * capacity + 1, 3, 3 * capacity + 7, 9}},
      {"a long one", {7 * capacity - 5}},
      {"parts", {1500, 1500, 1025, 4095, 3, 3000, 1025, 2049, 40, 2050}},
      {"medium ones", {capacity / 2 + 1, capacity / 2 + 1, 257, 513, capacity / 3}},
  };
}

/// Lengths up to some number, many or few of which are 0.
segment_lengths random_lengths(unsigned seed) {
  random_engine random(seed);
  std::int64_t const most[] = {2, 9, 40, 150, 700, 3000};
  auto const longest = most[random() % 6];
  auto const empty = random() % 4;  // of four
  segment_lengths out{"seed " + std::to_string(seed), {}};
  for (std::int64_t left = 5000; left > 0;) {
    bool const none = random() % 4 < empty;
    out.lengths.push_back(none ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest)));
    left -= out.lengths.back() + 1;
  }
  return out;
}

/// Runs both kernels in so many blocks. `spare` are arrays as long as the others.
template <class Codec>
void run_kernels(Codec const& codec, typename Codec::arrays const& in, typename Codec::arrays const& out,
                 typename Codec::arrays const& spare, void const* offsets, bool wide, std::int64_t segments,
                 std::int64_t n, unsigned blocks, unsigned seed) {
  std::vector<detail::long_segment_tile> tiles(static_cast<std::size_t>(2 * n / Codec::capacity + 1));
  std::vector<std::uint64_t> words(100);
  detail::long_segment_list const longs{tiles.data(), words.data()};
  detail::segment_sort_task<Codec> const task{codec, in, out, spare, {offsets, wide}, segments};
  auto const storage = std::make_unique<detail::segment_sort_storage<Codec>>();  // blocks take turns
  unsigned counter = 0;
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, tuning::threads, how, [&](tessera::host::block block) {
    detail::run_sort_segments_agent(block, block.thread_rank(), block.group_index().x, blocks, task, longs, *storage);
  });
  tessera::host::launch_grid(blocks, tuning::threads, how, [&](tessera::host::block block) {
    detail::run_sort_long_segments_agent(block, block.thread_rank(), blocks, task, longs, *storage, &counter);
  });
  EXPECT_EQ(counter, 0u);
  for (auto word : words) ASSERT_EQ(word, 0u);
}

/// The indices of the elements of each segment in order.
template <class T, class Before>
std::vector<std::int64_t> expected_places(std::vector<T> const& x, list const& offsets, Before before) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(places.begin() + offsets[s], places.begin() + offsets[s + 1], [&](std::int64_t i, std::int64_t j) {
      return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
    });
  return places;
}

template <class T>
T drawn(random_engine& random) {
  if (random() % 4 == 0) return sample_special<T>(random);
  return random() % 2 == 0 ? static_cast<T>(static_cast<float>(random() % 50) - 25) : sample<T>(random);
}
template <class T>
std::vector<T> drawn_keys(std::int64_t n, unsigned seed) {
  random_engine random(seed);
  std::vector<T> out;
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      out.push_back(random() % 2 == 0 ? static_cast<T>(random() % 50) : static_cast<T>(random()));
    } else {
      T x = drawn<T>(random);
      if (x != x && random() % 2 == 0) x = -x;  // a NaN with a sign
      out.push_back(x);
    }
  }
  return out;
}

/// Keys alone: in the order of `before`, all bits kept. In place if the seed is odd.
template <class T, bool Falling>
void check_keys(segment_lengths const& what, unsigned seed) {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  using codec = detail::direct_keys<bits>;
  auto const offsets = what.offsets<std::int64_t>(seed % 5);
  auto const x = drawn_keys<T>(offsets.back() + 3, seed);
  std::vector<T> in = x, out(x.size(), T(77)), spare(x.size());
  bool const in_place = seed % 2 == 1;
  auto const raw = [](std::vector<T>& of) { return typename codec::arrays{reinterpret_cast<bits*>(of.data())}; };
  codec const how{detail::key_coding<bits>::template of<T, Falling>()};
  run_kernels(how, raw(in), in_place ? raw(in) : raw(out), raw(spare), offsets.data(), true,
              static_cast<std::int64_t>(what.lengths.size()), static_cast<std::int64_t>(x.size()), 1 + seed % 3, seed);
  auto const& got = in_place ? in : out;
  using order = radix_order<T, Falling>;
  auto const key = [](T const& value) {
    bits raw_bits;
    std::memcpy(&raw_bits, &value, sizeof(value));
    return order::key_of(raw_bits);
  };
  auto const places = expected_places(x, offsets, [&](T const& a, T const& b) { return key(a) < key(b); });
  using comparator = std::conditional_t<Falling, tessera::greater, tessera::less>;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const at = static_cast<std::int64_t>(i);
    bool const inside = at >= offsets.front() && at < offsets.back();
    T const expected = inside ? x[static_cast<std::size_t>(places[i])] : in_place ? x[i] : T(77);
    ASSERT_EQ(std::memcmp(&got[i], &expected, sizeof(T)), 0) << what.name << ", element " << i << ", seed " << seed;
  }
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (auto i = static_cast<std::size_t>(offsets[s]) + 1; i < static_cast<std::size_t>(offsets[s + 1]); ++i)
      ASSERT_FALSE(comparator{}(got[i], got[i - 1])) << what.name << ", element " << i;
  }
}

/// Keys with values: stable, with NaNs equal to each other and -0 to +0.
template <class T, class Value, bool Falling>
void check_pairs(segment_lengths const& what, unsigned seed) {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  using codec = detail::packed_keys<bits>;
  auto const from = what.offsets<std::int32_t>(seed % 5);
  list const offsets(from.begin(), from.end());
  auto const x = drawn_keys<T>(offsets.back() + 3, seed);
  std::vector<T> in = x, out(x.size(), T(77)), spare(x.size());
  std::vector<Value> values(x.size()), values_out(x.size(), Value(77)), spare_values(x.size());
  std::iota(values.begin(), values.end(), Value(0));
  bool const in_place = seed % 2 == 1;
  auto const raw = [](std::vector<T>& keys, std::vector<Value>& v) {
    return typename codec::arrays{reinterpret_cast<bits*>(keys.data()), {v.data(), sizeof(Value)}};
  };
  codec const how{detail::key_coding<bits>::template of<T, Falling>()};
  run_kernels(how, raw(in, values), in_place ? raw(in, values) : raw(out, values_out), raw(spare, spare_values),
              from.data(), false, static_cast<std::int64_t>(what.lengths.size()), static_cast<std::int64_t>(x.size()),
              1 + seed % 3, seed);
  using comparator = std::conditional_t<Falling, tessera::greater, tessera::less>;
  auto const places = expected_places(x, offsets, comparator{});
  auto const& got = in_place ? in : out;
  auto const& got_values = in_place ? values : values_out;
  for (auto i = static_cast<std::size_t>(offsets.front()); i < static_cast<std::size_t>(offsets.back()); ++i) {
    ASSERT_EQ(static_cast<std::int64_t>(got_values[i]), places[i])
        << what.name << ", element " << i << ", seed " << seed;
    ASSERT_EQ(std::memcmp(&got[i], &x[static_cast<std::size_t>(places[i])], sizeof(T)), 0) << what.name;
  }
}

/// A type without default constructor and assignment, of 12 bytes, ordered by a part of it.
struct city {
  city(int p, int n, int m) : people(p), number(n), more(m) {}
  city(city const&) = default;
  city& operator=(city const&) = delete;
  int const people, number, more;
};
struct larger_city {
  bool operator()(city const& a, city const& b) const { return a.people > b.people; }
};

void check_structs(segment_lengths const& what, unsigned seed) {
  using codec = detail::compared_keys<city, detail::no_values, larger_city>;
  auto const offsets = what.offsets<std::int64_t>(seed % 5);
  random_engine random(seed);
  std::vector<city> x;
  for (std::int64_t i = 0; i < offsets.back() + 3; ++i)
    x.emplace_back(static_cast<int>(random() % 40), static_cast<int>(i), -static_cast<int>(i));
  using raw = std::vector<typename codec::key_bytes>;
  raw in(x.size()), out(x.size()), spare(x.size());
  std::memcpy(static_cast<void*>(in.data()), x.data(), x.size() * sizeof(city));
  run_kernels(codec{{}}, {in.data(), nullptr}, {out.data(), nullptr}, {spare.data(), nullptr}, offsets.data(), true,
              static_cast<std::int64_t>(what.lengths.size()), static_cast<std::int64_t>(x.size()), 1 + seed % 3, seed);
  auto const places = expected_places(x, offsets, larger_city{});
  for (auto i = static_cast<std::size_t>(offsets.front()); i < static_cast<std::size_t>(offsets.back()); ++i)
    ASSERT_EQ(std::memcmp(&out[i], &x[static_cast<std::size_t>(places[i])], sizeof(city)), 0)
        << what.name << ", element " << i << ", seed " << seed;
}

TEST(GridSortSegmentsOnHost, Keys) {
  unsigned seed = 0;
  for (auto const& what : some_lengths(4096)) {
    check_keys<float, false>(what, ++seed);
    check_keys<std::int32_t, true>(what, ++seed);
    if (HasFatalFailure()) return;
  }
  for (auto const& what : some_lengths(2048)) {
    check_keys<double, true>(what, ++seed);
    check_keys<std::uint64_t, false>(what, ++seed);
    if (HasFatalFailure()) return;
  }
}

TEST(GridSortSegmentsOnHost, Pairs) {
  unsigned seed = 0;
  for (auto const& what : some_lengths(2048)) {
    check_pairs<float, std::uint32_t, false>(what, ++seed);
    check_pairs<float, std::uint64_t, true>(what, ++seed);
    if (HasFatalFailure()) return;
  }
  for (auto const& what : some_lengths(1024)) {
    check_pairs<double, std::uint32_t, false>(what, ++seed);
    check_pairs<std::int64_t, std::uint64_t, true>(what, ++seed);
    if (HasFatalFailure()) return;
  }
  for (auto const& what : some_lengths(4096)) {
    check_pairs<std::int16_t, std::uint32_t, false>(what, ++seed);
    if (HasFatalFailure()) return;
  }
}

TEST(GridSortSegmentsOnHost, OffsetsOf32BitsAreUnsigned) {
  using codec = detail::direct_keys<std::uint32_t>;
  codec const how{detail::key_coding<std::uint32_t>::of<std::uint32_t, false>()};
  for (auto const& what : some_lengths(codec::capacity)) {
    auto const offsets = what.offsets<std::int64_t>(0);
    auto x = drawn_keys<std::uint32_t>(what.items(), 8), spare = x;
    auto expected = x;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
    for (std::int64_t first : large_offsets(what.items())) {
      auto const far = what.offsets<std::uint32_t>(first);
      std::vector<std::uint32_t> out(x.size());
      run_kernels(how, codec::arrays{array_before(x.data(), first)}, codec::arrays{array_before(out.data(), first)},
                  codec::arrays{array_before(spare.data(), first)}, far.data(), false,
                  static_cast<std::int64_t>(what.lengths.size()), what.items(), 2, 1);
      EXPECT_EQ(out, expected) << what.name << " from " << first;
    }
  }
}

TEST(GridSortSegmentsOnHost, Structs) {
  unsigned seed = 0;
  for (auto const& what : some_lengths(2048)) {
    check_structs(what, ++seed);
    if (HasFatalFailure()) return;
  }
}

TEST(GridSortSegmentsOnHost, RandomLengths) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    auto const what = random_lengths(seed);
    check_keys<float, true>(what, seed);
    check_pairs<float, std::uint32_t, false>(what, seed);
    check_structs(what, seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
