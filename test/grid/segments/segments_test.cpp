// The kernel of reduce_segments on host tiles: blocks and lanes in any order, operators that don't commute.
#include <gtest/gtest.h>

#include <tessera/grid/segments/segment_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "samples.hpp"
#include "segment_lengths.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

using list = std::vector<std::int64_t>;

/// Lengths that need several tiles, and parts of the path, but no long time on host tiles.
std::vector<segment_lengths> some_lengths() {
  std::mt19937_64 random(4);
  list few(700), sparse(4000, 0);
  for (auto& length : few) length = static_cast<std::int64_t>(random() % 30);
  for (std::size_t i = 0; i < sparse.size(); i += 1 + random() % 60)
    sparse[i] = static_cast<std::int64_t>(random() % 40);
  list uneven(300, 3), together(102, 3), nothing(122, 0);
  uneven[100] = 9001;
  together.front() = together.back() = 9003;
  nothing.front() = nothing.back() = 9001;
  nothing[70] = 5;
  return {
      {"one empty", {0}},
      {"one of one", {1}},
      {"one of 9000", {9000}},
      {"empty ones", list(5000, 0)},
      {"ones", list(5003, 1)},
      {"as a tile", {512, 0, 511, 1, 0, 513, 4096, 0, 4095, 1, 0, 4097}},
      {"random", few},
      {"sparse", sparse},
      {"uneven", uneven},
      // If boundaries are few, a lane looks at two: here more of them are in a tile, with elements and without.
      {"short ones together", together},
      {"empty ones together", nothing},
  };
}

/// Lengths up to some number, many or few of which are 0.
segment_lengths random_lengths(unsigned seed) {
  random_engine random(seed);
  std::int64_t const most[] = {2, 9, 40, 150, 1200};
  auto const longest = most[random() % 5];
  auto const empty = random() % 4;  // of four
  segment_lengths out{"seed " + std::to_string(seed), {}};
  for (std::int64_t left = 6000; left > 0;) {
    bool const none = random() % 4 < empty;
    out.lengths.push_back(none ? 0 : static_cast<std::int64_t>(random()) % longest);
    if (out.lengths.back() < 0) out.lengths.back() += longest;
    left -= out.lengths.back() + 1;
  }
  return out;
}

/// What the kernel gives in so many blocks.
template <class R, class T, class Offset, class Op, class Convert>
std::vector<R> reduced(T const* in, std::vector<Offset> const& offsets, unsigned blocks, unsigned seed, Op const& op,
                       Convert const& convert, R const& poison) {
  auto const segments = static_cast<std::int64_t>(offsets.size()) - 1;
  std::vector<R> out(offsets.size() - 1, poison);
  std::vector<detail::segment_part<R>> parts(blocks);
  unsigned counter = 0;
  auto const storage = std::make_unique<detail::segment_storage<T, R>>();  // blocks take turns
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, detail::segments_tuning::threads, how, [&](tessera::host::block block) {
    detail::run_segment_agent(
        block, {block.thread_rank(), block.group_index().x, blocks},
        detail::segment_task<T, R>{in, detail::segment_offsets::of(offsets.data()), segments, out.data()}, op, convert,
        *storage, parts.data(), &counter);
  });
  EXPECT_EQ(counter, 0u);
  return out;
}

/// Bit for bit what a loop gives, for elements from `first` on, which lie `offset` elements after a multiple of 16
/// bytes. An element is the R that `convert` makes of it.
template <class R, class T, class Offset, class Op, class Convert>
void check(segment_lengths const& what, unsigned blocks, unsigned seed, unsigned offset, Op op, R identity,
           Convert convert, T (*make)(random_engine&)) {
  auto const combine = [&] {
    if constexpr (std::is_same_v<Op, tessera::plus>) {
      return op;
    } else {
      return tessera::make_operator(op, identity);
    }
  }();
  auto const offsets = what.offsets<Offset>(seed % 7);
  random_engine random(seed);
  std::vector<T> memory(static_cast<std::size_t>(offsets.back()) + offset, make(random));
  for (auto& value : memory) value = make(random);
  T const* const in = memory.data() + offset;
  auto const out = reduced<R>(in, offsets, blocks, seed, combine, convert, convert(make(random)));
  for (std::size_t s = 0; s < out.size(); ++s) {
    R expected = identity;
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) expected = op(expected, convert(in[i]));
    ASSERT_EQ(std::memcmp(&out[s], &expected, sizeof(R)), 0)
        << what.name << ", segment " << s << " of " << out.size() << ", " << blocks << " blocks, seed " << seed;
  }
}

struct as_it_is {
  template <class T>
  T operator()(T const& x) const {
    return x;
  }
};

/// Brackets in one number: elements that come by 16 bytes.
template <class Number>
struct packed_concatenation {
  static constexpr unsigned half = sizeof(Number) * 4;
  static brackets unpacked(Number x) {
    return {static_cast<unsigned>(x >> half), static_cast<unsigned>(x & ((Number{1} << half) - 1))};
  }
  Number operator()(Number x, Number y) const {
    brackets const both = bracket_concatenation{}(unpacked(x), unpacked(y));
    return static_cast<Number>(Number{both.closed} << half | both.opened);
  }
};
template <class Number>
Number packed_bracket(random_engine& random) {
  return random() % 2 != 0 ? Number{1} : static_cast<Number>(Number{1} << sizeof(Number) * 4);
}

/// Elements smaller than what they are combined as.
struct bracket_of {
  template <class T>
  brackets operator()(T const& x) const {
    return x % 2 != 0 ? brackets{1, 0} : brackets{0, 1};
  }
};
template <class T>
T any_number(random_engine& random) {
  return static_cast<T>(random());
}

brackets any_bracket(random_engine& random) {
  return bracket_of{}(random());
}
template <unsigned Bytes>
row<Bytes> any_row(random_engine& random) {
  row<Bytes> out{};
  for (unsigned i = 0; i + 1 < Bytes; i += 2) {
    out.scale_and_offset[i] = static_cast<unsigned char>(random() | 1);
    out.scale_and_offset[i + 1] = static_cast<unsigned char>(random());
  }
  return out;
}
template <unsigned Bytes>
void check_rows(segment_lengths const& what, unsigned blocks, unsigned seed) {
  row<Bytes> one{};
  for (unsigned i = 0; i + 1 < Bytes; i += 2) one.scale_and_offset[i] = 1;
  check<row<Bytes>, row<Bytes>, int>(what, blocks, seed, seed % 2, compose_rows<Bytes>{}, one, as_it_is{},
                                     any_row<Bytes>);
}

/// All kinds of elements, by operators that don't commute; and sums of floats, whose padding isn't what empty segments
/// have.
void check_all(segment_lengths const& what, unsigned seed) {
  unsigned const blocks = 1 + seed % 3;
  auto const none = brackets{0, 0};
  check<std::uint32_t, std::uint32_t, int>(what, blocks, seed, seed % 5, packed_concatenation<std::uint32_t>{}, 0u,
                                           as_it_is{}, packed_bracket<std::uint32_t>);
  check<std::uint64_t, std::uint64_t, std::int64_t>(what, blocks, seed, seed % 3, packed_concatenation<std::uint64_t>{},
                                                    std::uint64_t{0}, as_it_is{}, packed_bracket<std::uint64_t>);
  check<brackets, std::uint16_t, int>(what, blocks, seed, seed % 11, bracket_concatenation{}, none, bracket_of{},
                                      any_number<std::uint16_t>);
  check<brackets, unsigned char, std::int64_t>(what, blocks, seed, seed % 17, bracket_concatenation{}, none,
                                               bracket_of{}, any_number<unsigned char>);
  check<brackets, brackets, int>(what, blocks, seed, seed % 2, bracket_concatenation{}, none, as_it_is{}, any_bracket);
  check<float, float, int>(what, blocks, seed, seed % 4, tessera::plus{}, 0.0f, as_it_is{},
                           [](random_engine& random) { return 1.0f + static_cast<float>(random() % 8); });
  check_rows<3>(what, blocks, seed);
  check_rows<12>(what, blocks, seed);
  check_rows<48>(what, blocks, seed);
}

TEST(GridSegmentsOnHost, InOrder) {
  unsigned seed = 0;
  for (auto const& what : some_lengths()) {
    for (unsigned turn = 0; turn < 2; ++turn) {
      check_all(what, ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GridSegmentsOnHost, RandomLengths) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check_all(random_lengths(seed), seed);
    if (HasFatalFailure()) return;
  }
}

/// As segments.hpp says.
TEST(GridSegmentsOnHost, ErrorsOfSums) {
  for (auto const& what : some_lengths()) {
    auto const offsets = what.offsets<int>(0);
    random_engine random(9);
    std::vector<float> x(static_cast<std::size_t>(offsets.back()) + 1);
    for (float& value : x) value = static_cast<float>(random() % 100'000) * 1e-5f;
    auto const sums = reduced<float>(x.data(), offsets, 2, 1, tessera::plus{}, as_it_is{}, -1.0f);
    for (std::size_t s = 0; s < sums.size(); ++s) {
      double expected = 0;
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected += static_cast<double>(x[static_cast<std::size_t>(i)]);
      double const most = (offsets[s + 1] - offsets[s]) / 512.0 + 80;
      ASSERT_LE(std::abs(static_cast<double>(sums[s]) - expected), most * 0x1p-24 * expected)
          << what.name << ", segment " << s;
    }
  }
}

TEST(GridSegmentsOnHost, SumsOfNegativeZerosAndOfNothing) {
  auto all = some_lengths();
  for (unsigned seed = 1; seed <= 5; ++seed) all.push_back(random_lengths(seed));
  for (auto const& what : all) {
    auto const offsets = what.offsets<int>(3);
    std::vector<float> const x(static_cast<std::size_t>(offsets.back()) + 1, -0.0f);
    for (unsigned blocks : {1u, 3u}) {
      auto const sums = reduced<float>(x.data(), offsets, blocks, 1, tessera::plus{}, as_it_is{}, -1.0f);
      for (std::size_t s = 0; s < sums.size(); ++s) {
        ASSERT_EQ(sums[s], 0.0f);
        ASSERT_EQ(std::signbit(sums[s]), offsets[s] < offsets[s + 1]) << what.name << ", segment " << s;
      }
    }
  }
}

TEST(GridSegmentsOnHost, OffsetsOf32BitsAreUnsigned) {
  for (auto const& what : some_lengths()) {
    random_engine random(3);
    std::vector<std::uint32_t> x(static_cast<std::size_t>(what.items()) + 1);
    for (auto& value : x) value = packed_bracket<std::uint32_t>(random);
    auto const op = tessera::make_operator(packed_concatenation<std::uint32_t>{}, 0u);
    auto const few = reduced<std::uint32_t>(x.data(), what.offsets<int>(0), 2, 1, op, as_it_is{}, 77u);
    for (std::int64_t first : large_offsets(what.items())) {
      auto const offsets = what.offsets<std::uint32_t>(first);
      auto const* const in = array_before(x.data(), first);
      EXPECT_EQ(reduced<std::uint32_t>(in, offsets, 2, 1, op, as_it_is{}, 77u), few) << what.name;
    }
  }
}

/// The lower halves of offsets of 64 bits say where boundaries are, whichever part of memory these are in.
TEST(GridSegmentsOnHost, OffsetsOf64BitsBeyond32) {
  for (auto const& what : some_lengths()) {
    random_engine random(3);
    std::vector<std::uint32_t> x(static_cast<std::size_t>(what.items()) + 1);
    for (auto& value : x) value = packed_bracket<std::uint32_t>(random);
    auto const op = tessera::make_operator(packed_concatenation<std::uint32_t>{}, 0u);
    auto const few = reduced<std::uint32_t>(x.data(), what.offsets<int>(0), 2, 1, op, as_it_is{}, 77u);
    for (std::int64_t const first : {(std::int64_t{1} << 32) - 100, std::int64_t{5} << 32}) {
      auto const offsets = what.offsets<std::int64_t>(first);
      auto const* const in = array_before(x.data(), first);
      EXPECT_EQ(reduced<std::uint32_t>(in, offsets, 2, 1, op, as_it_is{}, 77u), few) << what.name;
    }
  }
}

/// Where parts begin: a place has as many boundaries and elements after it as its diagonal says, and the boundary of a
/// segment with elements never comes next.
TEST(GridSegmentsOnHost, MergePath) {
  for (auto const& what : some_lengths()) {
    auto const offsets = what.offsets<int>(7);
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    std::int64_t const total = what.items() + segments;
    for (std::int64_t diagonal : {std::int64_t{0}, std::int64_t{1}, total / 3, total / 2, total - 1, total}) {
      if (diagonal < 0) continue;
      auto const places = tessera::host::launch_tile<32>([&](tessera::host::tile<32> warp) {
        return detail::merge_path_search(warp, offsets.data(), segments, diagonal);
      });
      auto const by_half = tessera::host::launch_tile<16>([&](tessera::host::tile<16> half) {
        return detail::merge_path_search(half, offsets.data(), segments, diagonal);
      });
      ASSERT_TRUE(by_half[0].boundaries == places[0].boundaries && by_half[0].item == places[0].item);
      for (auto const& place : places) {
        ASSERT_TRUE(place.boundaries == places[0].boundaries && place.item == places[0].item);
        std::int64_t const behind = place.boundaries + place.item - 7;
        ASSERT_TRUE(behind == diagonal || behind == diagonal + 1) << what.name << ", diagonal " << diagonal;
        auto const next = static_cast<std::size_t>(place.boundaries);
        ASSERT_LE(offsets[next], place.item);
        if (place.boundaries < segments) {
          ASSERT_GE(offsets[next + 1], place.item + (what.lengths[next] > 0 ? 1 : 0));
        }
      }
    }
  }
}

}  // namespace
