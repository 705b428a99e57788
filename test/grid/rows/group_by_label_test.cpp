// The kernel of group_by_label on host tiles: labels in one block and in several, of one tile and of more, sorted in
// shared memory and not, padded and not, against plain loops.
#include <gtest/gtest.h>

#include <tessera/grid/group_by_label.hpp>
#include <tessera/grid/rows/group_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "route_reference.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

/// Runs the agent in so many parts, and compares all results: of all labels, or of as many as `counted` gives.
template <class Shape, unsigned Bits, class Index, class Label>
void check(std::vector<Label> const& labels, int bins, std::int64_t part, std::int64_t pad_to, unsigned seed,
           std::vector<std::uint64_t>& words, std::int64_t const* counted = nullptr) {
  auto const n = static_cast<std::int64_t>(labels.size());
  std::int64_t const now = counted == nullptr ? n : std::min(std::max(*counted, std::int64_t{0}), n);
  grouped_labels<Index> const want(std::vector<Label>(labels.begin(), labels.begin() + now), bins, pad_to);
  auto const size = static_cast<std::size_t>(tessera::grid::grouped_size(n, bins, pad_to));
  auto const parts = static_cast<unsigned>(n == 0 ? 1 : (n + part - 1) / part);
  Index const kept = -77;
  std::vector<Index> offsets(static_cast<std::size_t>(bins) + 2, kept), order(size + 1, kept),
      counts(static_cast<std::size_t>(bins) + 1, kept), inverse(labels.size() + 1, kept);
  std::vector<std::int32_t> block_labels(size / static_cast<std::size_t>(pad_to) + 1, -77);
  detail::group_task<Label, Index> const task{labels.data(),
                                              n,
                                              static_cast<unsigned>(bins),
                                              parts,
                                              part,
                                              static_cast<Index>(pad_to),
                                              offsets.data(),
                                              order.data(),
                                              counts.data(),
                                              inverse.data(),
                                              block_labels.data()};
  std::size_t const needed = 2 + std::size_t{parts} * detail::packed_counts<Bits>::words(task.bins);
  if (words.size() < needed) words.assign(needed, 0);
  detail::look_back_memory const memory{parts == 1 ? nullptr : words.data(), words.size()};
  std::vector<std::vector<std::uint64_t>> shared(
      parts, std::vector<std::uint64_t>(detail::group_storage<Shape, Index>::bytes(task.bins) / 8 + 1));
  host::options how;
  how.seed = seed;
  host::launch_grid(parts, Shape::threads, how, [&](host::block const& block) {
    auto const run = [&](auto const& given) {
      detail::group_part<Shape, Bits>(block, given, memory, shared[block.group_index().x].data(), [](unsigned) {});
    };
    if (counted == nullptr) return run(task);
    run(detail::with_count(task, tessera::grid::count_on_device(counted, n)));
  });
  SCOPED_TRACE(testing::Message() << now << " of " << n << " labels, " << bins << " bins, parts of " << part
                                  << ", padded to " << pad_to << ", seed " << seed);
  auto const expect = [&](auto const& got, auto const& expected, char const* name) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      auto const x = i < expected.size() ? expected[i] : -77;
      ASSERT_EQ(got[i], x) << name << " " << i;
    }
  };
  expect(offsets, want.offsets, "offset");
  expect(counts, want.counts, "count");
  expect(inverse, want.inverse, "place of");
  expect(order, want.order, "order");
  expect(block_labels, want.block_labels, "block");
  if (parts > 1) {
    ASSERT_EQ(words[0] & 0xffffffffu, 0u);
    ASSERT_EQ(words[1], 0u);
  }
}

using two_warps = detail::group_shape<2, 2>;   // a tile of 128
using four_warps = detail::group_shape<4, 3>;  // of 384
using one_round = detail::group_shape<4, 1>;   // of 128
using two_sorted = detail::group_shape<2, 2, true>;
using four_sorted = detail::group_shape<4, 3, true>;

TEST(GridGroupByLabelOnHost, OneBlock) {
  random_engine random(1);
  std::vector<std::uint64_t> words;
  for (std::int64_t n : {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128})
    for (int bins : {1, 2, 3, 8, 37, 300}) {
      auto const labels = drawn_labels<std::int32_t>(n, bins, static_cast<unsigned>(n + bins) % 5, random);
      check<two_warps, 16, std::int32_t>(labels, bins, 128, n % 2 == 0 ? 1 : 4, 3, words);
      check<two_sorted, 16, std::int32_t>(labels, bins, 128, n % 2 == 0 ? 1 : 4, 4, words);
      if (HasFatalFailure()) return;
    }
}
TEST(GridGroupByLabelOnHost, Tiles) {
  random_engine random(2);
  std::vector<std::uint64_t> words;
  for (std::int64_t n : {129, 384, 385, 1000})
    for (int bins : {1, 5, 130}) {
      for (unsigned kind = 0; kind < 5; ++kind) {
        auto const labels = drawn_labels<std::int64_t>(n, bins, kind, random);
        check<two_warps, 32, std::int32_t>(labels, bins, n, 1 + kind, kind, words);
        check<four_sorted, 32, std::int32_t>(labels, bins, n, 1 + kind, kind, words);
      }
      if (HasFatalFailure()) return;
    }
}
TEST(GridGroupByLabelOnHost, Parts) {
  random_engine random(3);
  std::vector<std::uint64_t> words;  // of all launches, one after the other
  unsigned seed = 0;
  for (std::int64_t part : {1, 33, 96, 128, 200, 500})
    for (int bins : {1, 4, 9, 100, 257}) {
      std::int64_t const n = part * (part < 10 ? 40 : 5) + seed % 3;
      unsigned const kind = seed % 5;
      std::int64_t const pad_to = seed % 4 == 0 ? 1 : seed % 4 * 8;
      auto const labels = drawn_labels<std::int32_t>(n, bins, kind, random);
      check<two_warps, 16, std::int64_t>(labels, bins, part, pad_to, seed, words);
      check<four_warps, 32, std::int32_t>(labels, bins, part, pad_to, seed + 100, words);
      check<two_sorted, 32, std::int32_t>(labels, bins, part, pad_to, seed + 200, words);
      check<four_sorted, 16, std::int64_t>(labels, bins, part, pad_to, seed + 300, words);
      if (part <= 96) check<one_round, 8, std::int32_t>(labels, bins, part, pad_to, seed, words);
      if (HasFatalFailure()) return;
      ++seed;
    }
}
/// As many labels as the device knows, in parts of at_most: none, some parts, a part and a label, all.
TEST(GridGroupByLabelOnHost, Counted) {
  random_engine random(6);
  std::vector<std::uint64_t> words;
  unsigned seed = 0;
  for (std::int64_t part : {1, 96, 128, 200})
    for (int bins : {1, 9, 100}) {
      std::int64_t const at_most = part * 7 - part / 3, pad_to = seed % 3 == 0 ? 1 : seed % 3 * 8;
      auto const labels = drawn_labels<std::int32_t>(at_most, bins, seed % 5, random);
      for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, part, part + 1, 3 * part, at_most - 1, at_most,
                                       at_most + 5, std::int64_t{-7}}) {
        check<two_warps, 16, std::int64_t>(labels, bins, part, pad_to, ++seed, words, &count);
        check<four_sorted, 32, std::int32_t>(labels, bins, part, pad_to, seed, words, &count);
        check<two_sorted, 16, std::int32_t>(labels, bins, at_most, pad_to, seed, words, &count);
        if (HasFatalFailure()) return;
      }
    }
}
TEST(GridGroupByLabelOnHost, OtherLabels) {
  random_engine random(4);
  std::vector<std::uint64_t> words;
  check<two_warps, 16, std::int32_t>(drawn_labels<std::uint8_t>(500, 20, 0, random), 20, 100, 2, 1, words);
  check<two_warps, 16, std::int32_t>(drawn_labels<std::uint64_t>(500, 20, 0, random), 20, 100, 1, 1, words);
  check<two_warps, 16, std::int32_t>(drawn_labels<std::int16_t>(500, 20, 3, random), 20, 100, 1, 1, words);
  check<two_sorted, 16, std::int32_t>(drawn_labels<std::uint8_t>(500, 20, 0, random), 20, 200, 2, 1, words);
  check<two_sorted, 16, std::int32_t>(drawn_labels<std::int16_t>(500, 20, 3, random), 20, 100, 1, 1, words);
  std::vector<std::int64_t> far{1, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, -(std::int64_t{1} << 32), 0, 1};
  check<two_warps, 16, std::int32_t>(far, 2, 6, 1, 1, words);
}
TEST(GridGroupByLabelOnHost, LaunchNumbersBeginAgain) {
  random_engine random(5);
  std::vector<std::uint64_t> words(4000, 0);
  words[0] = std::uint64_t{0xfffffffeu} << 32;
  for (int i = 0; i < 4; ++i)
    check<two_warps, 16, std::int32_t>(drawn_labels<std::int32_t>(700, 30, 0, random), 30, 100, 1, 1, words);
  EXPECT_EQ(words[0] >> 32, 3u);
}

}  // namespace
