// The kernels of grid::select, partition and unique on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/select/three_way_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using detail::tile_kind;
constexpr unsigned warps = 3;

template <class T, class Mark, class Paired, tile_kind Kind>
using shape_of = typename detail::select_traits<T, Mark, Paired>::template shape<Kind>;

/// Runs the agent on `task` in so many blocks.
template <tile_kind Kind = tile_kind::small_tile, class T, class Mark, class Paired, class... Places>
void run(detail::select_task<T, Mark, Paired, Places...> const& task, unsigned blocks, unsigned seed,
         std::vector<std::uint64_t>& words) {
  using shape = shape_of<T, Mark, Paired, Kind>;
  using storage_t =
      detail::select_storage<detail::select_task<T, Mark, Paired, Places...>, shape, warps + 2>;  // for more warps
  std::int64_t const tiles = shape::tile_count(task.n, warps);
  if (tiles == 1) blocks = 1;
  std::size_t const needed = detail::look_back_words<std::uint64_t>(tiles);
  if (words.size() < needed) words.assign(needed, 0);
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  auto storage = std::make_unique<storage_t>();  // blocks take turns
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_select_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
}

/// An array at so many elements after where its memory begins, with an element on either side that must stay.
template <class T>
class guarded {
 public:
  guarded(std::int64_t n, unsigned offset, T const& fill)
      : memory_(static_cast<std::size_t>(n) + offset + 2, fill), offset_(offset + 1), fill_(fill) {}
  T* data() { return memory_.data() + offset_; }
  T const& operator[](std::int64_t i) const { return memory_[offset_ + static_cast<std::size_t>(i)]; }
  /// Whether all but the elements first … end − 1 are as they were.
  bool is_kept_but(std::int64_t first, std::int64_t end) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      auto const at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(offset_);
      if ((at < first || at >= end) && !same_bits(memory_[i], fill_)) return false;
    }
    return true;
  }

 private:
  std::vector<T> memory_;
  std::size_t offset_;
  T fill_;
};

/// A drawn array, and flags of which about `rate` percent are set.
template <class T>
struct drawn_case {
  std::int64_t n;
  unsigned offset;
  std::vector<T> memory;
  std::vector<unsigned char> flag_memory;
  std::vector<T> kept, others;

  drawn_case(std::int64_t count, unsigned rate, unsigned seed)
      : n(count), offset(seed % 7), memory(static_cast<std::size_t>(count) + seed % 7 + 20), flag_memory(offset) {
    random_engine random(static_cast<std::uint64_t>(n) * 31 + seed);
    for (auto& value : memory) value = sample<T>(random);
    for (std::int64_t i = 0; i < n; ++i) {
      unsigned char const set[] = {1, 0x80, 0xff};  // a shift by a bit would lose one of them
      flag_memory.push_back(random() % 100 < rate ? set[random() % 3] : 0);
      (flag_memory.back() ? kept : others).push_back(in()[i]);
    }
  }
  T* in() { return memory.data() + offset; }
  unsigned char const* flags() const { return flag_memory.data() + offset; }
};

struct by_flag {
  unsigned char const* flags;
  template <class T>
  bool operator()(T const&, std::int64_t i) const {
    return flags[i] != 0;
  }
};

/// Whether out[0] … are the values.
template <class T, class Array>
bool begins_with(Array const& out, std::vector<T> const& values, std::int64_t from = 0) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    T const& x = out[from + static_cast<std::int64_t>(i)];
    if (!same_bits(x, values[i])) return false;
  }
  return true;
}

/// What selections by flags have beside them.
template <class T>
using kept_alone = std::conditional_t<detail::others_are_optional<T>, detail::paired_others<T>, detail::unpaired>;

/// Every way to select and to partition.
template <tile_kind Kind, class T>
void check_select(std::int64_t n, unsigned rate, unsigned seed) {
  drawn_case<T> x(n, rate, seed);
  auto const kept = static_cast<std::int64_t>(x.kept.size());
  unsigned const blocks = 1 + seed % 3;
  T const fill = x.memory.back();
  std::vector<std::uint64_t> words;
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, " << rate << " %, seed " << seed);
  using element = detail::if_element<by_flag>;
  using flags = detail::if_stencil<unsigned char, detail::is_not_zero>;
  flags const by_flags{x.flags(), {}};
  std::int64_t count = -1;

  guarded<T> out(n, seed % 5, fill);
  run<Kind>(detail::select_task<T, element, detail::unpaired>{x.in(), n, out.data(), &count, {{x.flags()}}, {}, false},
            blocks, seed, words);
  ASSERT_EQ(count, kept);
  ASSERT_TRUE(begins_with(out, x.kept) && out.is_kept_but(0, kept));

  guarded<T> both(n, seed % 3, fill);
  run<Kind>(
      detail::select_task<T, flags, detail::paired_others<T>>{
          x.in(), n, both.data(), nullptr, by_flags, {both.data(), &kept}, false},
      blocks, seed, words);
  ASSERT_TRUE(begins_with(both, x.kept) && begins_with(both, x.others, kept) && both.is_kept_but(0, n));

  guarded<T> selected(n, 0, fill), others(n, seed % 4, fill);
  count = -1;
  run<Kind>(
      detail::select_task<T, flags, detail::paired_others<T>>{
          x.in(), n, selected.data(), &count, by_flags, {others.data(), nullptr}, false},
      blocks, seed, words);
  ASSERT_EQ(count, kept);
  ASSERT_TRUE(begins_with(selected, x.kept) && selected.is_kept_but(0, kept));
  ASSERT_TRUE(begins_with(others, x.others) && others.is_kept_but(0, n - kept));

  // Into proxies.
  guarded<T> selected_by_proxy(n, 1, fill), others_by_proxy(n, 0, fill);
  using proxies = strided<T, 1>;
  run<Kind>(
      detail::select_task<T, flags, detail::paired_others<T, proxies>, T const*, proxies>{
          x.in(), n, {selected_by_proxy.data()}, &count, by_flags, {{others_by_proxy.data()}, nullptr}, false},
      blocks, seed, words);
  ASSERT_EQ(count, kept);
  ASSERT_TRUE(begins_with(selected_by_proxy, x.kept) && selected_by_proxy.is_kept_but(0, kept));
  ASSERT_TRUE(begins_with(others_by_proxy, x.others) && others_by_proxy.is_kept_but(0, n - kept));
  guarded<T> both_by_proxy(n, 0, fill);
  run<Kind>(
      detail::select_task<T, flags, detail::paired_others<T, proxies>, T const*, proxies>{
          x.in(), n, {both_by_proxy.data()}, nullptr, by_flags, {{both_by_proxy.data()}, &kept}, false},
      blocks, seed, words);
  ASSERT_TRUE(begins_with(both_by_proxy, x.kept) && begins_with(both_by_proxy, x.others, kept) &&
              both_by_proxy.is_kept_but(0, n));

  run<Kind>(detail::select_task<T, flags, kept_alone<T>>{x.in(), n, x.in(), &count, by_flags, {}, true}, blocks, seed,
            words);
  ASSERT_EQ(count, kept);
  ASSERT_TRUE(begins_with(x.in(), x.kept));
}

template <class T, tile_kind Kind = tile_kind::small_tile>
void check_sizes() {
  using shape = shape_of<T, detail::if_element<by_flag>, detail::unpaired, Kind>;
  std::int64_t const tile = shape::tile_elements(warps);
  for (unsigned rate : {0u, 10u, 50u, 90u, 100u}) {
    unsigned seed = rate;
    for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1, 3 * tile + 7})
      check_select<Kind, T>(n, rate, seed++);
  }
  check_select<Kind, T>(70 * tile + 3, 50, 2);
}

TEST(GridSelectOnHost, Numbers) {
  check_sizes<unsigned>();
  check_sizes<std::uint64_t>();
  check_sizes<unsigned short>();
  check_sizes<char>();
}

/// Tiles of long arrays.
TEST(GridSelectOnHost, LargeTiles) {
  check_sizes<unsigned, tile_kind::large>();
  check_sizes<unsigned short, tile_kind::large>();
  check_sizes<row<12>, tile_kind::large>();
}

TEST(GridSelectOnHost, Structs) {
  check_sizes<row<3>>();
  check_sizes<row<12>>();
  check_sizes<row<17>>();
  check_sizes<matrix>();
  check_sizes<digits>();
  check_sizes<row<64>>();
}

/// Stencils of other types than the elements'.
TEST(GridSelectOnHost, Stencils) {
  auto const is_above = [](double s) { return s > 0; };
  for (std::int64_t n : {1, 100, 5000}) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned char> x(static_cast<std::size_t>(n)), expected;
    std::vector<double> stencil(x.size() + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<unsigned char>(random());
      stencil[i + 1] = sample<double>(random);
      if (is_above(stencil[i + 1])) expected.push_back(x[i]);
    }
    std::vector<unsigned char> out(x.size());
    std::int64_t count = 0;
    std::vector<std::uint64_t> words;
    using mark = detail::if_stencil<double, decltype(is_above)>;
    run(
        detail::select_task<unsigned char, mark, detail::unpaired>{
            x.data(), n, out.data(), &count, {stencil.data() + 1, is_above}, {}, false},
        2, 3, words);
    out.resize(static_cast<std::size_t>(count));
    ASSERT_EQ(out, expected);
  }
}

/// Runs of equal neighbors, with and without values, in place and not.
template <class T, class V, tile_kind Kind = tile_kind::small_tile>
void check_unique(std::int64_t n, unsigned most, unsigned seed) {
  random_engine random(static_cast<std::uint64_t>(n) + seed);
  std::vector<T> keys(static_cast<std::size_t>(n)), expected;
  std::vector<V> values(keys.size()), expected_values;
  T key = sample<T>(random);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (random() % most == 0) key = sample<T>(random);
    keys[i] = key;
    values[i] = sample<V>(random);
    if (i > 0 && tessera::equal_to{}(keys[i - 1], keys[i])) continue;
    expected.push_back(keys[i]);
    expected_values.push_back(values[i]);
  }
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, runs up to " << most << ", seed " << seed);
  using mark = detail::if_head<tessera::equal_to>;
  auto const runs = static_cast<std::int64_t>(expected.size());
  std::vector<std::uint64_t> words;
  std::int64_t count = -1;
  std::vector<T> out(keys.size());
  std::vector<V> out_values(keys.size());
  run<Kind>(
      detail::select_task<T, mark, detail::paired_values<V>>{
          keys.data(), n, out.data(), &count, {}, {values.data(), out_values.data()}, false},
      1 + seed % 3, seed, words);
  ASSERT_EQ(count, runs);
  ASSERT_TRUE(begins_with(out.data(), expected) && begins_with(out_values.data(), expected_values));
  // Into proxies.
  using by_proxy = strided<V, 1>;
  using keys_by_proxy = strided<T, 1>;
  using written = detail::paired_values<V, V const*, by_proxy>;
  out.assign(keys.size(), T{});
  out_values.assign(keys.size(), V{});
  run<Kind>(
      detail::select_task<T, mark, written, T const*, keys_by_proxy>{
          keys.data(), n, {out.data()}, &count, {}, {values.data(), {out_values.data()}}, false},
      1 + seed % 2, seed, words);
  ASSERT_TRUE(begins_with(out.data(), expected) && begins_with(out_values.data(), expected_values));
  count = -1;
  run<Kind>(detail::select_task<T, mark, detail::unpaired>{keys.data(), n, keys.data(), &count, {}, {}, true},
            1 + seed % 2, seed, words);
  ASSERT_EQ(count, runs);
  ASSERT_TRUE(begins_with(keys.data(), expected));
}

TEST(GridSelectOnHost, Unique) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (std::int64_t n : {0, 1, 2, 511, 512, 513, 2048, 10000}) {
      for (unsigned most : {1u, 8u, 1000u}) {
        check_unique<unsigned, float>(n, most, seed);
        check_unique<float, double>(n, most, seed);
        check_unique<std::int64_t, char>(n, most, seed);
        check_unique<char, row<12>>(n, most, seed);
        check_unique<unsigned, std::uint64_t, tile_kind::large>(n, most, seed);
      }
    }
  }
}

/// Lanes keep elements for which shared memory has no room, each of them one.
TEST(GridSelectOnHost, LongElements) {
  struct long_key {
    int tag;
    char rest[900];
    bool operator==(long_key const& other) const { return tag % 4 == other.tag % 4; }
  };
  using keys = detail::select_traits<row<1024>, detail::if_element<by_flag>, detail::unpaired>;
  static_assert(!keys::shape<tile_kind::least>::in_shared && keys::shape<tile_kind::small_tile>::in_shared);
  for (unsigned rate : {0u, 30u, 100u})
    for (std::int64_t n : {0, 1, 96, 97, 500}) check_select<tile_kind::least, row<1024>>(n, rate, rate);
  for (std::int64_t n : {1, 97, 900}) {
    check_unique<long_key, row<64>, tile_kind::least>(n, 3, 1);
    check_unique<unsigned, row<1024>, tile_kind::least>(n, 8, 2);
    check_unique<long_key, row<1024>>(n, 1, 0);
  }
}

/// How many results there are isn't known before, so the count may lie after the first.
TEST(GridSelectOnHost, TheCountIsApart) {
  std::vector<std::int64_t> words(40);
  auto* const x = reinterpret_cast<float*>(words.data());
  auto* const out = x + 40;
  std::int64_t* const count = words.data() + 20;
  EXPECT_TRUE(detail::are_countable(x, 40, out, count + 1));
  EXPECT_TRUE(detail::are_countable(x, 40, out + 2, count));
  EXPECT_TRUE(detail::are_countable(x, 0, out, count)) << "nothing is stored";
  EXPECT_FALSE(detail::are_countable(x, 40, out, count));
  EXPECT_FALSE(detail::are_countable(x, 40, out + 1, count));
  EXPECT_FALSE(detail::are_countable(x, 40, out, words.data() + 19)) << "within the input";
  EXPECT_FALSE(detail::are_countable(x, -1, out, count + 1));
  EXPECT_FALSE(detail::are_countable(x, 40, out, static_cast<std::int64_t*>(nullptr)));
  EXPECT_FALSE(detail::are_countable(x, 40, static_cast<float*>(nullptr), count));
  EXPECT_TRUE(detail::begins_within(out - 1, x, 40));
  EXPECT_FALSE(detail::begins_within(out, x, 40));
}

/// Words are used again by the next launch.
TEST(GridSelectOnHost, LaunchesShareWords) {
  std::vector<std::uint64_t> words(4096);
  for (unsigned launch = 0; launch < 5; ++launch) {
    std::vector<unsigned> x(9000 + 4000 * launch), out(x.size());
    for (unsigned i = 0; i < x.size(); ++i) x[i] = i;
    std::int64_t count = 0;
    auto const every = [launch](unsigned value) { return value % (launch + 1) == 0; };
    run(
        detail::select_task<unsigned, detail::if_element<decltype(every)>, detail::unpaired>{
            x.data(), static_cast<std::int64_t>(x.size()), out.data(), &count, {every}, {}, false},
        3, launch, words);
    ASSERT_EQ(static_cast<std::size_t>(count), (x.size() + launch) / (launch + 1));
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) ASSERT_EQ(out[i], i * (launch + 1));
  }
  EXPECT_EQ(words[0], std::uint64_t{5} << 32);
}

// ---- Three ways

struct by_digit {
  unsigned char const* digits;
  unsigned char least;
  template <class T>
  bool operator()(T const&, std::int64_t i) const {
    return digits[i] >= least;
  }
};

template <class T>
void check_three_ways(std::int64_t n, unsigned seed) {
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, seed " << seed);
  drawn_case<T> drawn(n, 50, seed);
  random_engine random(seed);
  std::vector<unsigned char> digits(static_cast<std::size_t>(n));
  std::vector<T> parts[3];
  for (std::int64_t i = 0; i < n; ++i) {
    auto const d = seed % 4 == 3 ? 2u : static_cast<unsigned>(random() % 10);
    digits[static_cast<std::size_t>(i)] = static_cast<unsigned char>(d);
    parts[d >= 7 ? 0 : d >= 4 ? 1 : 2].push_back(drawn.in()[i]);  // all of the first have the second predicate, too
  }
  T const fill = sample<T>(random);
  guarded<T> first(n, seed % 3, fill), second(n, seed % 5, fill), others(n, seed % 7, fill);
  std::int64_t counts[2] = {-1, -1};
  using task_t = detail::three_way_task<T const*, by_digit, by_digit>;
  using shape = typename task_t::template shape<tile_kind::small_tile>;
  using storage_t = detail::three_way_storage<task_t, shape, warps + 2>;
  task_t const task{drawn.in(),    n,      first.data(),       second.data(),
                    others.data(), counts, {digits.data(), 7}, {digits.data(), 4}};
  std::int64_t const tiles = shape::tile_count(n, warps);
  unsigned const blocks = tiles == 1 ? 1 : 1 + seed % 3;
  std::vector<std::uint64_t> words(detail::look_back_words<detail::two_counts>(tiles), 0);
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  auto storage = std::make_unique<storage_t>();
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_three_way_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
  EXPECT_EQ(counts[0], static_cast<std::int64_t>(parts[0].size()));
  EXPECT_EQ(counts[1], static_cast<std::int64_t>(parts[1].size()));
  EXPECT_TRUE(begins_with(first, parts[0]) && first.is_kept_but(0, static_cast<std::int64_t>(parts[0].size())));
  EXPECT_TRUE(begins_with(second, parts[1]) && second.is_kept_but(0, static_cast<std::int64_t>(parts[1].size())));
  EXPECT_TRUE(begins_with(others, parts[2]) && others.is_kept_but(0, static_cast<std::int64_t>(parts[2].size())));
}

TEST(GridSelectOnHost, ThreeWays) {
  for (std::int64_t n : {0, 1, 31, 2304, 2305, 20000})
    for (unsigned seed = 0; seed < 4; ++seed) {
      check_three_ways<float>(n, seed);
      check_three_ways<short>(n, seed);
      if (n < 5000) check_three_ways<row<12>>(n, seed);
      if (n < 500) check_three_ways<row<1024>>(n, seed);
    }
}

}  // namespace
