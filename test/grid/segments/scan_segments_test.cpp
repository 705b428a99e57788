// The kernel of scans of segments on host tiles.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>

#include "marked.hpp"
#include "segment_lengths.hpp"
#include "segmented_scan_cases.hpp"

namespace {

using namespace test;
using namespace test::segmented_scans;

template <class R, class Offset, class T, class Op>
void check_offsets(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) {
  drawn_array<R, T> drawn(n, mean, seed);
  random_engine random(seed * 5 + mean);
  // Some elements before the first segment and after the last belong to none, and some segments are empty.
  std::int64_t const before = static_cast<std::int64_t>(random() % 3) * static_cast<std::int64_t>(seed % 2);
  std::vector<Offset> offsets;
  std::int64_t end = std::min(before, n);
  std::int64_t const begin = end;
  for (std::int64_t length : drawn.lengths) {
    if (end + length > n) break;
    std::uint64_t const empty = random() % 7 == 0 ? random() % (seed % 3 == 2 ? 300 : 4) : 0;
    for (std::uint64_t i = 0; i <= empty; ++i) offsets.push_back(static_cast<Offset>(end));
    end += length;
  }
  offsets.push_back(static_cast<Offset>(end));
  std::vector<bool> heads(static_cast<std::size_t>(n));
  for (Offset o : offsets)
    if (static_cast<std::int64_t>(o) < n) heads[static_cast<std::size_t>(o)] = true;
  auto const segments = static_cast<std::int64_t>(offsets.size()) - 1;
  detail::offset_source<> const source{detail::segment_offsets::of(offsets.data()), segments};
  for (bool exclusive : {false, true})
    for (bool has_start : {false, true}) {
      request<R> const what{exclusive, has_start ? std::optional<R>(drawn.start) : std::nullopt};
      std::vector<T> const inside(drawn.x.begin() + begin, drawn.x.begin() + end);
      auto const results =
          expected_scan<R>(inside, std::vector<bool>(heads.begin() + begin, heads.begin() + end), op, what, identity);
      std::vector<T> expected(drawn.x.size(), static_cast<T>(drawn.start));
      for (std::size_t i = 0; i < results.size(); ++i)
        std::memcpy(&expected[static_cast<std::size_t>(begin) + i], &results[i], sizeof(T));
      std::vector<T> out(drawn.x.size() + 2, static_cast<T>(drawn.start));
      std::vector<std::uint64_t> words;
      scan<R>(drawn.memory.data() + drawn.offset, n, out.data() + 1, source, op, what, 1 + seed % 3, seed, words);
      expect_scanned<R>(out, expected, static_cast<T>(drawn.start), "segments");
    }
}

/// Offsets of two sizes.
struct check_both_offsets {
  template <class R, class Op>
  void operator()(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) const {
    check_offsets<R, std::int32_t, R>(n, mean, op, identity, seed);
    check_offsets<R, std::int64_t, R>(n, mean, op, identity, seed);
  }
};

TEST(GridScanSegmentsOnHost, AllKinds) {
  for_all_kinds(check_both_offsets{});
}
TEST(GridScanSegmentsOnHost, Structs) {
  for_structs(check_both_offsets{});
}

TEST(GridScanSegmentsOnHost, Floats) {
  for (std::int64_t n : {1, 1000, 3000, 40001}) {
    drawn_array<float, float> const drawn(n, 3000, 5);
    std::vector<std::int32_t> offsets;
    for (std::size_t i = 0; i < drawn.x.size(); ++i)
      if (drawn.heads[i]) offsets.push_back(static_cast<std::int32_t>(i));
    auto const segments = static_cast<std::int64_t>(offsets.size());
    offsets.push_back(static_cast<std::int32_t>(n));
    check_float_sums(drawn, detail::offset_source<>{detail::segment_offsets::of(offsets.data()), segments});
  }
}

TEST(GridScanSegmentsOnHost, OffsetsOf32BitsAreUnsigned) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    drawn_array<int, int> const drawn(6000, 40, seed);
    std::vector<std::uint32_t> offsets, few;
    for (std::size_t i = 0; i < drawn.x.size(); ++i)
      if (drawn.heads[i]) few.push_back(static_cast<std::uint32_t>(i));
    auto const segments = static_cast<std::int64_t>(few.size());
    auto const n = static_cast<std::int64_t>(drawn.x.size());
    few.push_back(static_cast<std::uint32_t>(n));
    std::vector<int> expected(drawn.x.size());
    std::vector<std::uint64_t> words;
    scan<int>(drawn.x.data(), n, expected.data(),
              detail::offset_source<>{detail::segment_offsets::of(few.data()), segments}, tessera::plus{},
              request<int>{}, 2, seed, words);
    for (std::int64_t first : large_offsets(n)) {
      offsets = few;
      for (auto& offset : offsets) offset += static_cast<std::uint32_t>(first);
      std::vector<int> out(drawn.x.size());
      std::vector<std::uint64_t> zeros;
      scan<int>(array_before(drawn.x.data(), first), n, array_before(out.data(), first),
                detail::offset_source<>{detail::segment_offsets::of(offsets.data()), segments}, tessera::plus{},
                request<int>{}, 2, seed, zeros);
      EXPECT_EQ(out, expected) << "from " << first;
    }
  }
}

/// Heads of the last tile of 2^32 − 1 elements, by offsets that differ by more than 32 bits with a sign hold: those before the
/// tile, which are loaded with its own, are no heads in it.
TEST(GridScanSegmentsOnHost, OffsetsFarApart) {
  constexpr unsigned warps_of_tile = 2, threads = 32 * warps_of_tile, k = 4;
  using source_t = detail::offset_source<>;
  using heads_t = detail::segment_heads<warps_of_tile + 1, k, 2, tessera::host::tile<32>, source_t>;
  constexpr std::int64_t end = (std::int64_t{1} << 32) - 1;
  for (std::int64_t length : {1, 100, 512}) {
    for (std::int64_t before : {0, 5, 99, 511}) {
      std::int64_t const first = end - length, own = first + length / 2;
      std::vector<std::uint32_t> offsets{0};
      for (std::int64_t offset : {before, before, own, end}) offsets.push_back(static_cast<std::uint32_t>(offset));
      source_t const source{detail::segment_offsets::of(offsets.data()), 4};
      heads_t::storage_t storage;
      std::vector<std::int64_t> found;
      tessera::host::launch_block(threads + 32, [&](tessera::host::block block) {
        auto const warp = tessera::tiled_partition<32>(block);
        unsigned const rank = block.thread_rank();
        detail::tile_place const tile{first, end};
        heads_t heads(rank, warps_of_tile, source, source.range(end), storage);
        block.sync();
        if (rank >= threads) heads.look_ahead(warp, tile, 0);
        block.sync();
        if (rank < threads) {
          heads.load(warp, tile, first);
          heads.mark(tile);
        }
        block.sync();
        if (rank != 0) return;
        for (std::int64_t i = first; i < end; ++i)
          if ((heads.of_row(warp, tile, 0, i) & 1u) != 0) found.push_back(i);
      });
      EXPECT_EQ(found, std::vector<std::int64_t>{own}) << length << " elements, " << before;
    }
  }
}

/// Segments that are all empty, of an array of any size: nothing is stored.
TEST(GridScanSegmentsOnHost, NoElements) {
  for (std::int64_t n : {1, 10, 20000}) {
    std::vector<int> x(static_cast<std::size_t>(n), 7), out(x);
    std::vector<std::int64_t> const offsets(500, n / 2);
    std::vector<std::uint64_t> words;
    scan<int>(x.data(), n, out.data(), detail::offset_source<>{detail::segment_offsets::of(offsets.data()), 499},
              tessera::plus{}, request<int>{}, 3, 0, words);
    EXPECT_EQ(out, x);
  }
}

/// Many more empty segments than a block has threads, at the beginnings of tiles and within them, between segments of one element.
TEST(GridScanSegmentsOnHost, ManyEmptySegments) {
  for (std::int64_t each : {63, 64, 65, 200, 1000}) {
    std::vector<std::int64_t> offsets;
    std::int64_t const n = 3500;
    for (std::int64_t i = 0; i < n; i += i % 512 < 3 ? 1 : 509)
      offsets.insert(offsets.end(), static_cast<std::size_t>(i % 2 ? 1 : each), i);
    offsets.insert(offsets.end(), 500, n);
    auto const segments = static_cast<std::int64_t>(offsets.size()) - 1;
    std::vector<int> x(static_cast<std::size_t>(n), 1), out(x);
    std::vector<std::uint64_t> words;
    scan<int>(x.data(), n, out.data(), detail::offset_source<>{detail::segment_offsets::of(offsets.data()), segments},
              tessera::plus{}, request<int>{}, 3, 1, words);
    int expected = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      expected = std::binary_search(offsets.begin(), offsets.end(), i) ? 1 : expected + 1;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], expected) << i << ", " << each << " offsets";
    }
  }
}

TEST(GridScanSegmentsOnHost, OperatorsMeetNothingElse) {
  using number = marked<1>;
  auto const op = tessera::make_operator(sum_of_marked{}, number::of(0));
  sum_of_marked::strangers = 0;
  std::vector<number> const x(9000, number::of(1));
  std::vector<int> const offsets{7, 7, 2000, 2001, 8900};
  for (bool exclusive : {false, true}) {
    std::vector<number> out(x.size());
    std::vector<std::uint64_t> words;
    scan<number>(x.data(), 9000, out.data(), detail::offset_source<>{detail::segment_offsets::of(offsets.data()), 4},
                 op, request<number>{exclusive, std::nullopt}, 2, 0, words);
    EXPECT_EQ(out[8899].number, 6899 - (exclusive ? 1 : 0));
    EXPECT_EQ(sum_of_marked::strangers, 0) << "exclusive " << exclusive;
  }
}

}  // namespace
