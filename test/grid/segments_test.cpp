// The kernel of reduce_segments on host tiles: blocks and lanes in any order, operators that don't commute.
#include <gtest/gtest.h>

#include <tessera/grid/detail/segment_blocks.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "../samples.hpp"
#include "segment_lengths.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

using list = std::vector<std::int64_t>;

/// Lengths that need several tiles, and blocks, but no long time on host tiles.
std::vector<segment_lengths> some_lengths() {
  std::mt19937_64 random(4);
  list few(700), sparse(4000, 0);
  for (auto& length : few) length = static_cast<std::int64_t>(random() % 30);
  for (std::size_t i = 0; i < sparse.size(); i += 1 + random() % 60)
    sparse[i] = static_cast<std::int64_t>(random() % 40);
  list uneven(300, 3);
  uneven[100] = 9001;
  return {
      {"one empty", {0}},      {"one of one", {1}},
      {"one of 9000", {9000}}, {"empty ones", list(5000, 0)},
      {"ones", list(5003, 1)}, {"as a tile", {4096, 0, 4095, 1, 0, 4097}},
      {"random", few},         {"sparse", sparse},
      {"uneven", uneven},
  };
}

/// Bit for bit what a loop gives, for elements from `first` on, which lie `offset` elements after a multiple of 16
/// bytes.
template <class T, class Offset, class Op>
void check(segment_lengths const& what, unsigned blocks, unsigned seed, unsigned offset, Op op, T identity,
           T (*make)(random_engine&)) {
  auto const combine = tessera::make_operator(op, identity);
  auto const offsets = what.offsets<Offset>(2);
  auto const segments = static_cast<std::int64_t>(what.lengths.size());
  random_engine random(seed);
  std::vector<T> memory(static_cast<std::size_t>(offsets.back()) + offset, identity);
  for (auto& value : memory) value = make(random);
  T const* const in = memory.data() + offset;
  T const poison = make(random);
  std::vector<T> out(what.lengths.size(), poison);
  std::vector<detail::block_part<T>> parts(blocks);
  unsigned counter = 0;
  auto const shared = std::make_unique<detail::segment_memory<T, T>>();  // blocks take turns
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, detail::segments_tuning::threads, how, [&](tessera::host::block block) {
    detail::reduce_segment_blocks(
        block, block.thread_rank(), block.group_index().x, blocks, in, offsets.data(), segments, out.data(),
        combine, [](T const& x) { return x; }, *shared, parts.data(), &counter);
  });
  EXPECT_EQ(counter, 0u);
  for (std::size_t s = 0; s < out.size(); ++s) {
    T expected = identity;
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) expected = op(expected, in[i]);
    ASSERT_EQ(std::memcmp(&out[s], &expected, sizeof(T)), 0)
        << what.name << ", segment " << s << " of " << segments << ", " << blocks << " blocks, seed " << seed;
  }
}

brackets any_bracket(random_engine& random) {
  return random() % 2 != 0 ? brackets{1, 0} : brackets{0, 1};
}
unsigned any_number(random_engine& random) {
  return static_cast<unsigned>(random());
}
row<3> any_row(random_engine& random) {
  return {{static_cast<unsigned char>(random() | 1), static_cast<unsigned char>(random()), 0}};
}

TEST(GridSegmentsOnHost, InOrder) {
  unsigned seed = 0;
  for (auto const& what : some_lengths()) {
    for (unsigned blocks : {1u, 3u}) {
      ++seed;
      check<brackets, int>(what, blocks, seed, seed % 2, bracket_concatenation{}, brackets{0, 0},
                           any_bracket);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GridSegmentsOnHost, WideAndOddElements) {
  unsigned seed = 0;
  for (auto const& what : some_lengths()) {
    ++seed;
    check<unsigned, std::int64_t>(what, 2, seed, seed % 4, tessera::plus{}, 0u, any_number);
    if (HasFatalFailure()) return;
    check<row<3>, int>(what, 3, seed, 1, compose_rows<3>{}, row<3>{{1, 0, 0}}, any_row);
    if (HasFatalFailure()) return;
  }
}

/// Where blocks begin: each place has so many ends and elements behind it, and no end of a segment with elements next.
TEST(GridSegmentsOnHost, Places) {
  for (auto const& what : some_lengths()) {
    auto const offsets = what.offsets<int>(7);
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    std::int64_t const total = what.items() + segments;
    for (std::int64_t number : {std::int64_t{0}, std::int64_t{1}, total / 3, total / 2, total - 1, total}) {
      if (number < 0) continue;
      auto const places = tessera::host::launch_tile<32>([&](tessera::host::tile<32> warp) {
        return detail::place_on_path(warp, offsets.data(), segments, number);
      });
      for (auto const& place : places) {
        ASSERT_TRUE(place.ends == places[0].ends && place.item == places[0].item);
        std::int64_t const behind = place.ends + place.item - 7;
        ASSERT_TRUE(behind == number || behind == number + 1) << what.name << ", place " << number;
        auto const next = static_cast<std::size_t>(place.ends);
        ASSERT_LE(offsets[next], place.item);
        if (place.ends < segments) {
          ASSERT_GE(offsets[next + 1], place.item + (what.lengths[next] > 0 ? 1 : 0));
        }
      }
    }
  }
}

}  // namespace
