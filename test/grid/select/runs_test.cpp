// The kernels of grid::run_length_encode and reduce_by_key on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/select/repeats_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using detail::tile_kind;
constexpr unsigned warps = 3;

/// Runs the agent on `task` in so many blocks.
template <tile_kind Kind = tile_kind::small_tile, class T, class Equal, class Sums>
void run(detail::runs_task<T, Equal, Sums> const& task, unsigned blocks, unsigned seed,
         std::vector<std::uint64_t>& words) {
  using shape = detail::runs_shape<T, Sums, Kind>;
  using storage_t = detail::runs_storage<detail::runs_task<T, Equal, Sums>, shape, warps + 2>;  // for more warps
  std::int64_t const tiles = detail::runs_tile_count<shape>(task.n, warps);
  if (tiles == 1) blocks = 1;
  std::size_t const needed = detail::look_back_words<detail::run_prefix<typename Sums::total>>(tiles);
  if (words.size() < needed) words.assign(needed, 0);
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  auto storage = std::make_unique<storage_t>();  // blocks take turns
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_runs_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
}

/// Keys in runs of up to `most`, at some elements after where their memory begins, and the values that belong to them.
template <class T, class V>
struct drawn_runs {
  std::int64_t n;
  unsigned offset;
  std::vector<T> keys;
  std::vector<V> values;
  std::vector<std::int64_t> heads;  // where runs begin, and n

  drawn_runs(std::int64_t count, unsigned most, unsigned seed) : n(count), offset(seed % 6) {
    random_engine random(static_cast<std::uint64_t>(n) * 13 + seed);
    T key = sample<T>(random);
    for (std::int64_t i = 0; i < n + offset; ++i) {
      if (random() % most == 0) key = sample<T>(random);
      keys.push_back(key);
      values.push_back(sample<V>(random));
    }
    for (std::int64_t i = 0; i < n; ++i)
      if (i == 0 || !tessera::equal_to{}(in()[i - 1], in()[i])) heads.push_back(i);
    heads.push_back(n);
  }
  T const* in() const { return keys.data() + offset; }
  V const* values_in() const { return values.data() + offset; }
  std::int64_t runs() const { return n == 0 ? 0 : static_cast<std::int64_t>(heads.size()) - 1; }
};

template <class T>
bool is_filled_with(std::vector<T> const& x, std::size_t from, T const& fill) {
  for (std::size_t i = from; i < x.size(); ++i)
    if (!same_bits(x[i], fill)) return false;
  return true;
}

/// The array of lengths that a kernel gets: of a type, or as the library's kernels, which store both sizes.
template <class Sums, class Length>
typename Sums::array array_of_lengths(Length* lengths) {
  if constexpr (std::is_same_v<typename Sums::array, detail::lengths_of_any_size>) {
    return {lengths, sizeof(Length) == 8};
  } else {
    return lengths;
  }
}

template <class T, class Length, tile_kind Kind = tile_kind::small_tile, class Sums = detail::run_lengths<Length>>
void check_lengths(std::int64_t n, unsigned most, unsigned seed) {
  drawn_runs<T, char> const x(n, most, seed);
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, runs up to " << most << ", seed " << seed);
  auto const size = static_cast<std::size_t>(n) + 2;
  T const fill{};
  std::vector<T> keys(size, fill);
  std::vector<Length> lengths(size, Length(77));
  std::int64_t count = -1;
  std::vector<std::uint64_t> words;
  run<Kind>(
      detail::runs_task<T, tessera::equal_to, Sums>{
          x.in(), n, keys.data() + 1, &count, {}, {array_of_lengths<Sums>(lengths.data() + 1)}},
      1 + seed % 3, seed, words);
  ASSERT_EQ(count, x.runs());
  for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
    ASSERT_TRUE(same_bits(keys[r + 1], x.in()[x.heads[r]])) << r;
    ASSERT_EQ(static_cast<std::int64_t>(lengths[r + 1]), x.heads[r + 1] - x.heads[r]) << r;
  }
  auto const end = static_cast<std::size_t>(count) + 1;
  ASSERT_TRUE(is_filled_with(lengths, end, Length(77)) && is_filled_with(keys, end, fill));
  ASSERT_TRUE(lengths[0] == Length(77) && same_bits(keys[0], fill));
}

std::vector<std::int64_t> sizes_of(std::int64_t tile) {
  return {0, 1, 2, 31, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 7, 40 * tile + 5};
}

TEST(GridRunsOnHost, Lengths) {
  unsigned seed = 0;
  for (unsigned most : {1u, 2u, 8u, 1000u, 1u << 30})
    for (std::int64_t n : sizes_of(768)) {
      check_lengths<unsigned, std::int32_t>(n, most, seed++);
      check_lengths<std::uint64_t, std::int64_t>(n, most, seed++);
      check_lengths<float, std::int64_t>(n, most, seed++);
      check_lengths<char, unsigned>(n, most, seed++);
    }
}

TEST(GridRunsOnHost, LengthsOfAnySize) {
  using any = detail::run_lengths<void>;
  unsigned seed = 0;
  for (unsigned most : {1u, 8u, 1u << 30})
    for (std::int64_t n : sizes_of(768)) {
      check_lengths<unsigned, std::int32_t, tile_kind::small_tile, any>(n, most, seed++);
      check_lengths<unsigned, std::int64_t, tile_kind::small_tile, any>(n, most, seed++);
    }
}

/// Keys that are structs, and equal by a relation of one's own.
struct tagged_key {
  int tag;
  char rest[9];
  bool operator==(tagged_key const& other) const { return tag / 4 == other.tag / 4; }
};

TEST(GridRunsOnHost, Structs) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    check_lengths<tagged_key, std::int64_t>(3000, 5, seed);
    check_lengths<tagged_key, std::int32_t>(128 * seed, 2, seed);
  }
}

/// The results of runs that a loop combines, from left to right.
template <class T, class V, class Op>
std::vector<V> expected_sums(drawn_runs<T, V> const& x, Op const& op) {
  std::vector<V> out;
  for (std::size_t r = 0; r < static_cast<std::size_t>(x.runs()); ++r) {
    V all = x.values_in()[x.heads[r]];
    for (std::int64_t i = x.heads[r] + 1; i < x.heads[r + 1]; ++i) all = static_cast<V>(op(all, x.values_in()[i]));
    out.push_back(all);
  }
  return out;
}

template <tile_kind Kind, class T, class V, class Op>
std::vector<V> reduce_runs(drawn_runs<T, V> const& x, Op const& op, unsigned blocks, unsigned seed, std::int64_t& count,
                           std::vector<T>& keys) {
  auto const size = static_cast<std::size_t>(x.n) + 2;
  random_engine random(seed);
  V const fill = sample<V>(random);
  keys.assign(size, T{});
  std::vector<V> out(size, fill);
  std::vector<std::uint64_t> words;
  using sums = detail::run_values<V, V, Op, V>;
  run<Kind>(
      detail::runs_task<T, tessera::equal_to, sums>{
          x.in(), x.n, keys.data() + 1, &count, {}, {x.values_in(), out.data() + 1, op}},
      blocks, seed, words);
  EXPECT_TRUE(same_bits(out[0], fill));
  EXPECT_TRUE(is_filled_with(out, static_cast<std::size_t>(count) + 1, fill));
  EXPECT_TRUE(is_filled_with(keys, static_cast<std::size_t>(count) + 1, T{}));
  out.erase(out.begin());
  keys.erase(keys.begin());
  return out;
}

template <class T, class V, tile_kind Kind = tile_kind::small_tile, class Op>
void check_sums(std::int64_t n, unsigned most, Op const& op, unsigned seed) {
  drawn_runs<T, V> const x(n, most, seed);
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(T) << ", values of " << sizeof(V)
                                  << " bytes, runs up to " << most << ", seed " << seed);
  std::int64_t count = -1;
  std::vector<T> keys;
  auto const out = reduce_runs<Kind>(x, op, 1 + seed % 3, seed, count, keys);
  ASSERT_EQ(count, x.runs());
  auto const expected = expected_sums(x, op);
  for (std::size_t r = 0; r < expected.size(); ++r) {
    ASSERT_TRUE(same_bits(keys[r], x.in()[x.heads[r]])) << r;
    ASSERT_TRUE(same_bits(out[r], expected[r])) << r;
  }
}

TEST(GridRunsOnHost, Sums) {
  unsigned seed = 0;
  for (unsigned most : {1u, 2u, 8u, 1000u, 1u << 30})
    for (std::int64_t n : sizes_of(768)) {
      check_sums<unsigned, unsigned>(n, most, tessera::plus{}, seed++);
      check_sums<char, std::uint64_t>(n, most, tessera::plus{}, seed++);
      check_sums<std::uint64_t, std::int32_t>(n, most, tessera::maximum{}, seed++);
      check_sums<std::int64_t, unsigned short>(n, most, tessera::bit_xor{}, seed++);
    }
}

/// Tiles of long arrays, of keys and values of 4 bytes.
TEST(GridRunsOnHost, LargeTiles) {
  using lengths = detail::runs_shape<unsigned, detail::run_lengths<std::int64_t>, tile_kind::large>;
  using sums =
      detail::runs_shape<unsigned, detail::run_values<unsigned, unsigned, tessera::plus, unsigned>, tile_kind::large>;
  unsigned seed = 0;
  for (unsigned most : {1u, 2u, 8u, 1000u, 1u << 30}) {
    for (std::int64_t n : sizes_of(lengths::tile_elements(warps)))
      check_lengths<unsigned, std::int64_t, tile_kind::large>(n, most, seed++);
    for (std::int64_t n : sizes_of(sums::tile_elements(warps)))
      check_sums<unsigned, unsigned, tile_kind::large>(n, most, tessera::plus{}, seed++);
  }
}

/// Operators that don't commute, and have no identity.
TEST(GridRunsOnHost, InOrder) {
  unsigned seed = 0;
  for (unsigned most : {1u, 3u, 100u, 1u << 30})
    for (std::int64_t n : {1, 64, 255, 256, 257, 3000}) {
      check_sums<int, matrix>(n, most, matrix_product{}, seed++);
      check_sums<short, digits>(n, most, digit_concatenation{}, seed++);
      check_sums<float, row<6>>(n, most, compose_rows<6>{}, seed++);
      check_sums<unsigned, row<64>>(n, most, compose_rows<64>{}, seed++);
    }
}

/// Lanes keep keys and results for which shared memory has no room, each of them one.
TEST(GridRunsOnHost, LongElements) {
  struct long_key {
    int tag;
    char rest[1020];
    bool operator==(long_key const& other) const { return tag / 4 == other.tag / 4; }
  };
  static_assert(!detail::runs_shape<long_key, detail::run_lengths<int>, tile_kind::least>::in_shared);
  unsigned seed = 0;
  for (unsigned most : {1u, 3u, 1u << 30})
    for (std::int64_t n : {0, 1, 96, 97, 300}) {
      check_lengths<long_key, std::int64_t, tile_kind::least>(n, most, seed++);
      check_sums<unsigned, row<1024>, tile_kind::least>(n, most, compose_rows<1024>{}, seed++);
      check_sums<long_key, unsigned, tile_kind::least>(n, most, tessera::plus{}, seed++);
      check_sums<long_key, row<700>>(n, most, compose_rows<700>{}, seed++);
    }
}

/// The bits of float sums depend on the array alone.
TEST(GridRunsOnHost, Floats) {
  for (unsigned most : {4u, 300u, 1u << 30}) {
    drawn_runs<unsigned, float> const x(30000, most, most);
    std::vector<float> first;
    std::vector<unsigned> keys;
    for (unsigned seed = 0; seed < 4; ++seed) {
      std::int64_t count = -1;
      auto const out = reduce_runs<tile_kind::small_tile>(x, tessera::plus{}, 1 + seed, seed, count, keys);
      ASSERT_EQ(count, x.runs());
      for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
        if (seed > 0) {
          ASSERT_TRUE(same_bits(out[r], first[r]));
        }
        double exact = 0, size = 0;
        for (std::int64_t i = x.heads[r]; i < x.heads[r + 1]; ++i) {
          exact += x.values_in()[i];
          size += std::fabs(x.values_in()[i]);
        }
        ASSERT_NEAR(out[r], exact, 60 * std::ldexp(size, -24));
      }
      first = out;
    }
  }
}

/// Sums of 16-bit values in another type.
TEST(GridRunsOnHost, OtherTypes) {
  drawn_runs<unsigned, short> const x(5000, 10, 1);
  std::vector<unsigned> keys(5000);
  std::vector<double> out(5000);
  std::int64_t count = -1;
  std::vector<std::uint64_t> words;
  using sums = detail::run_values<short, std::int64_t, tessera::plus, double>;
  run(
      detail::runs_task<unsigned, tessera::equal_to, sums>{
          x.in(), x.n, keys.data(), &count, {}, {x.values_in(), out.data(), {}}},
      2, 5, words);
  ASSERT_EQ(count, x.runs());
  for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
    std::int64_t exact = 0;
    for (std::int64_t i = x.heads[r]; i < x.heads[r + 1]; ++i) exact += x.values_in()[i];
    ASSERT_EQ(out[r], static_cast<double>(exact));
  }
}

// ---- Runs of more than one

template <class T, class Offset, class Length>
void check_repeats(std::int64_t n, unsigned most, unsigned seed) {
  drawn_runs<T, char> const x(n, most, seed);
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, runs up to " << most << ", seed " << seed);
  std::vector<Offset> expected;
  std::vector<Length> expected_lengths;
  for (std::int64_t r = 0; r < x.runs(); ++r) {
    auto const at = static_cast<std::size_t>(r);
    std::int64_t const length = x.heads[at + 1] - x.heads[at];
    if (length > 1) expected.push_back(static_cast<Offset>(x.heads[at]));
    if (length > 1) expected_lengths.push_back(static_cast<Length>(length));
  }
  auto const size = static_cast<std::size_t>(n) / 2 + 2;
  std::vector<Offset> offsets(size, Offset(77));
  std::vector<Length> lengths(size, Length(78));
  std::int64_t count = -1;
  using task_t = detail::repeats_task<T const*, tessera::equal_to, Offset*, Length*>;
  using shape = typename task_t::template shape<tile_kind::small_tile>;
  using storage_t = detail::repeats_storage<task_t, shape, warps + 2>;
  task_t const task{x.in(), n, offsets.data() + 1, lengths.data() + 1, &count, {}};
  std::int64_t const tiles = shape::tile_count(n, warps);
  unsigned const blocks = tiles == 1 ? 1 : 1 + seed % 3;
  std::vector<std::uint64_t> words(detail::look_back_words<detail::counted_starts>(tiles), 0);
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  auto storage = std::make_unique<storage_t>();
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_repeats_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
  ASSERT_EQ(count, static_cast<std::int64_t>(expected.size()));
  for (std::size_t r = 0; r < expected.size(); ++r) {
    ASSERT_EQ(offsets[r + 1], expected[r]) << r;
    ASSERT_EQ(lengths[r + 1], expected_lengths[r]) << r;
  }
  ASSERT_TRUE(is_filled_with(offsets, expected.size() + 1, Offset(77)) && offsets[0] == Offset(77));
  ASSERT_TRUE(is_filled_with(lengths, expected.size() + 1, Length(78)) && lengths[0] == Length(78));
}

TEST(GridRunsOnHost, RunsOfMoreThanOne) {
  unsigned seed = 0;
  for (unsigned most : {1u, 2u, 8u, 1000u, 1u << 30})
    for (std::int64_t n : sizes_of(768)) {
      check_repeats<unsigned, std::int32_t, std::int32_t>(n, most, seed++);
      check_repeats<double, std::int64_t, std::uint32_t>(n, most, seed++);
      check_repeats<char, std::int64_t, std::int64_t>(n, most, seed++);
      check_repeats<short, std::int32_t, std::int64_t>(n, most, seed++);
    }
}

}  // namespace
