// The look-back of grid scans on host tiles: whatever the tiles before have published by then, the result has the same bits.
#include <gtest/gtest.h>

#include <tessera/grid/parts/look_back.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned group_tiles = detail::tiles_of_group;

template <class R>
struct launch_words {
  std::vector<std::uint64_t> words;
  explicit launch_words(std::int64_t tiles) : words(detail::look_back_words<R>(tiles)) {}
  detail::look_back_memory memory() { return {words.data(), words.size()}; }
};

template <class R>
detail::optional_value<R> as_optional(std::optional<R> const& x) {
  return x ? detail::optional_value<R>::some(*x) : detail::optional_value<R>::none();
}

/// What a warp gets for a tile, after it has looked back from `earlier` tiles.
template <class R, class Op>
std::optional<R> looked_back(launch_words<R>& all, unsigned tag, std::int64_t tiles, unsigned tile,
                             std::vector<R> const& own, Op op, std::optional<R> const& start, unsigned seed = 0,
                             std::vector<unsigned> const& earlier = {}) {
  tessera::host::options how;
  how.seed = seed;
  auto const results = tessera::host::launch_tile<32>(how, [&](tessera::host::tile<32> warp) {
    detail::published_values<R> const published(all.memory(), tag, tiles);
    if (warp.thread_rank() == 0) published.publish(published.of_tile(tile), own[tile]);
    detail::tile_predecessors<R> predecessors(as_optional(start));
    for (unsigned other : earlier) predecessors.of(warp, published, other, own[other], op);
    return predecessors.of(warp, published, tile, own[tile], op);
  });
  for (auto const& result : results) {
    EXPECT_EQ(result.exists, results[0].exists);
    EXPECT_EQ(std::memcmp(&result.word, &results[0].word, sizeof(R)), 0);
  }
  return results[0].exists ? std::optional<R>(results[0].value()) : std::nullopt;
}

/// The values of tiles, of which every one is looked back from: first in order, and then with other words published, by a block that
/// had other tiles before.
template <class R, class Op>
void check_bits(std::vector<R> const& own, Op op, std::optional<R> const& start, std::uint64_t seed) {
  auto const tiles = static_cast<std::int64_t>(own.size());
  launch_words<R> all(tiles);
  std::vector<std::optional<R>> in_order;
  for (unsigned tile = 0; tile < own.size(); ++tile)
    in_order.push_back(looked_back(all, 7, tiles, tile, own, op, start));
  auto const complete = all.words;
  random_engine random(seed);
  detail::published_values<R> const published(all.memory(), 7, tiles);
  for (unsigned tile = 1; tile < own.size(); tile += 1 + static_cast<unsigned>(random() % 5)) {
    // Some groups before aren't combined yet, and nothing that comes later is known.
    all.words = complete;
    auto const hide = [&](std::uint64_t number) {
      constexpr unsigned count = tessera::detail::word_count<R>;
      for (unsigned i = 0; i < count; ++i)
        all.words[detail::look_back_memory::header_words + number * count + i] &= 0xffffffff;
    };
    for (unsigned other = tile; other < own.size(); ++other) hide(published.of_tile(other));
    auto const groups = static_cast<unsigned>((own.size() + group_tiles - 1) / group_tiles);
    for (unsigned g = 0; g < groups; ++g) {
      if (g >= tile / group_tiles || random() % 2) hide(published.of_group(g));
    }
    std::vector<unsigned> earlier;
    for (unsigned other = 0; other < tile; other += 1 + static_cast<unsigned>(random() % (3 * group_tiles))) {
      if (random() % 2) earlier.push_back(other);
    }
    auto const got = looked_back(all, 7, tiles, tile, own, op, start, static_cast<unsigned>(seed), earlier);
    ASSERT_EQ(got.has_value(), in_order[tile].has_value());
    ASSERT_EQ(std::memcmp(&*got, &*in_order[tile], sizeof(R)), 0) << "tile " << tile;
  }
}

TEST(LookBackOnHost, SameBitsWhateverIsKnown) {
  for (std::size_t tiles : {2u, 32u, 33u, 200u, 1100u}) {
    random_engine random(tiles);
    std::vector<float> x(tiles);
    for (auto& value : x) value = sample<float>(random);
    check_bits(x, tessera::plus{}, std::optional<float>(), tiles);
    check_bits(x, tessera::plus{}, std::optional<float>(0.5f), tiles);
  }
}

TEST(LookBackOnHost, InOrder) {
  for (std::size_t tiles : {1u, 31u, 64u, 321u}) {
    random_engine random(tiles);
    std::vector<matrix> x(tiles);
    for (auto& value : x) value = sample<matrix>(random);
    for (bool has_start : {false, true}) {
      auto const start = has_start ? std::optional<matrix>({1, 2, 3, 4}) : std::nullopt;
      launch_words<matrix> all(static_cast<std::int64_t>(tiles));
      std::optional<matrix> expected = start;
      for (unsigned tile = 0; tile < tiles; ++tile) {
        auto const got = looked_back(all, 1, static_cast<std::int64_t>(tiles), tile, x, matrix_product{}, start);
        ASSERT_EQ(got.has_value(), expected.has_value());
        if (got) {
          ASSERT_EQ(std::memcmp(&*got, &*expected, sizeof(matrix)), 0) << tile;
        }
        expected = expected ? matrix_product{}(*expected, x[tile]) : x[tile];
      }
      check_bits(x, matrix_product{}, start, tiles);
    }
  }
}

/// Words of an earlier launch are none of this one, and where the numbers of launches begin again, all are cleared.
TEST(LookBackOnHost, Launches) {
  constexpr std::int64_t tiles = 70;
  launch_words<unsigned> all(tiles);
  auto const memory = all.memory();
  for (std::uint64_t launch : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{UINT32_MAX - 1}}) {
    all.words[0] = launch << 32;
    for (unsigned blocks : {1u, 3u}) {
      std::uint64_t const number = all.words[0] >> 32;
      unsigned expected = 0;
      std::vector<unsigned> own;
      for (unsigned i = 0; i < tiles; ++i) own.push_back(i + blocks);
      detail::tile_ticket ticket{};
      for (unsigned i = 0; i < tiles; ++i) {
        ticket = detail::take_ticket(memory);
        ASSERT_EQ(ticket.tile, i);
        ASSERT_EQ(ticket.tag, number + 1);
        detail::published_values<unsigned> const published(memory, ticket.tag, tiles);
        detail::seen_value<unsigned> seen{};
        published.poll(published.of_tile(i), seen);
        EXPECT_FALSE(seen.is_known);
        auto const got = looked_back(all, ticket.tag, tiles, i, own, tessera::plus{}, std::optional<unsigned>());
        ASSERT_EQ(got.value_or(0), expected);
        expected += i + blocks;
      }
      for (unsigned block = 0; block < blocks; ++block) {
        auto const none = detail::take_ticket(memory);
        EXPECT_EQ(none.tile, tiles + block);
        detail::leave_launch(memory, none, blocks);
      }
      EXPECT_EQ(all.words[1], 0u);
      std::uint64_t const next = number == UINT32_MAX - 1 ? 0 : number + 1;
      EXPECT_EQ(all.words[0], next << 32);
      if (next == 0) {
        for (std::size_t i = 0; i < all.words.size(); ++i) EXPECT_EQ(all.words[i], 0u) << i;
        break;
      }
    }
  }
}

}  // namespace
