// The kernels of top_k_segments on host tiles: segments of all lengths, against std::stable_sort.
#include <gtest/gtest.h>

#include <tessera/grid/rows/top_k_segments.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "laid_out_segments.hpp"
#include "run_each_segment.hpp"
#include "top_k_rows_reference.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

template <class T>
using bits_of = typename tessera::detail::unsigned_of<sizeof(T)>::type;

/// Runs run(task, segments, their number), and compares with top_k_rows of each segment alone.
template <class T, class Run>
void expect_top_k(std::vector<int> const& lengths, top_k_rows_case c, unsigned seed, Run run) {
  using bits = bits_of<T>;
  std::vector<int> begins, ends;
  int elements = 0;
  lay_out(lengths, begins, ends, elements);
  c.rows = static_cast<std::int64_t>(begins.size());
  auto const x = top_k_numbers<T>(elements, c.kind, seed);
  auto const k_of_row = drawn_for_rows(c.rows, c.k, seed + 1);
  T const nothing = top_k_number<T>(77);
  // One segment more has a place, and isn't written: its number is beyond the count.
  std::vector<T> values(static_cast<std::size_t>((c.rows + 1) * (c.k + c.value_gap)), nothing);
  std::vector<std::int64_t> indices(static_cast<std::size_t>((c.rows + 1) * (c.k + c.index_gap)), -7);
  detail::top_k_rows_task<bits> const task{reinterpret_cast<bits const*>(x.data()),
                                           0,
                                           c.rows,
                                           0,
                                           static_cast<int>(c.k),
                                           detail::top_k_part::all,
                                           static_cast<int>(c.k),
                                           reinterpret_cast<bits*>(values.data()),
                                           indices.data(),
                                           true,
                                           c.k + c.value_gap,
                                           c.k + c.index_gap,
                                           c.per_row ? k_of_row.data() : nullptr,
                                           nullptr,
                                           nullptr,
                                           detail::rank_keys_of_bits<bits>::template order_of<T>(c.falling),
                                           c.higher_column ? 1u : 0u,
                                           0,
                                           tessera::detail::from_bits<bits>(top_k_missing<T>(c.falling))};
  run(task, tessera::grid::segments_between(begins.data(), ends.data()));
  std::vector<T> expected_values;
  std::vector<std::int64_t> expected_indices;
  for (std::int64_t s = 0; s <= c.rows; ++s) {
    top_k_rows_case one = c;
    auto const at = static_cast<std::size_t>(s);
    one.rows = s < c.rows ? 1 : 0;
    one.columns = s < c.rows ? ends[at] - begins[at] : 0;
    auto const row = expected_top_k_rows<T>(s < c.rows ? x.data() + begins[at] : x.data(), one,
                                            c.per_row ? k_of_row.data() + s : nullptr, nullptr, nullptr, nothing);
    expected_values.insert(expected_values.end(), row.values.begin(), row.values.end());
    expected_indices.insert(expected_indices.end(), row.indices.begin(), row.indices.end());
  }
  expected_values.resize(values.size(), nothing);
  expected_indices.resize(indices.size(), -7);
  auto const at = first_difference(indices, expected_indices);
  ASSERT_EQ(at, -1) << c.text() << ": index " << indices[static_cast<std::size_t>(at)] << " instead of "
                    << expected_indices[static_cast<std::size_t>(at)] << " in segment " << at / (c.k + c.index_gap)
                    << " of "
                    << ends[static_cast<std::size_t>(at / (c.k + c.index_gap))] -
                           begins[static_cast<std::size_t>(at / (c.k + c.index_gap))];
  ASSERT_EQ(first_difference(values, expected_values), -1) << c.text();
}

unsigned blocks_for(std::int64_t segments, unsigned each) {
  return static_cast<unsigned>((segments + each - 1) / each);
}

/// With `each` segments for a block.
template <unsigned Most, class T>
void expect_in_chunks(std::vector<int> const& lengths, top_k_rows_case const& c, unsigned each, unsigned seed) {
  using tuning = detail::top_k_rows_tuning;
  using shape = tuning::short_stream<bits_of<T>, Most == 8, std::uint64_t>;
  using in_tuning = tuning::segment_in_chunks<bits_of<T>, Most == 8>;
  using of_tile = detail::top_k_tile_shape<in_tuning::lanes, in_tuning::vectors, Most, 128>;
  using lane_tuning = tuning::segment_by_lane<bits_of<T>, Most == 8>;
  using of_lane = detail::top_k_tile_shape<1, lane_tuning::vectors, lane_tuning::most, 128, true>;
  expect_top_k<T>(lengths, c, seed, [&](auto const& task, auto const& segments) {
    host::options how;
    how.seed = seed;
    std::vector<typename shape::entry> shared(shape::entries_of(of_tile::threads / 32));  // blocks take turns
    unsigned const here = each < of_lane::rows_per_block ? each : of_lane::rows_per_block;
    detail::top_k_segments_lists<of_lane::threads> lists;
    listed_pieces pieces(seed % 4 == 0 ? 2 : 100, shape::most * sizeof(typename shape::entry));
    using segments_t = std::decay_t<decltype(segments)>;
    host::launch_grid(blocks_for(task.row_count, here), of_lane::threads, how, [&](host::block block) {
      detail::segments_of_block<segments_t> const own{segments, task.row_count,
                                                      std::int64_t{block.group_index().x} * here, here};
      detail::select_from_segments_in_chunks<of_lane, of_tile, shape>(block, task, own, pieces.list(), shared.data(),
                                                                      lists);
    });
    detail::listed_pieces_storage storage;
    unsigned const blocks = 1 + seed % 3;
    host::launch_grid(blocks, of_lane::threads, how, [&](host::block block) {
      detail::select_from_listed_pieces<of_lane::threads, shape>(block, blocks, task, segments, pieces.list(),
                                                                 shared.data(), storage);
    });
    EXPECT_TRUE(pieces.is_clear());
  });
}
template <class T>
void expect_by_digits(std::vector<int> const& lengths, top_k_rows_case const& c, unsigned each, unsigned seed) {
  using bits = bits_of<T>;
  using digits = detail::top_k_digit_shape<64, 1024, 5, 2>;
  using of_tile = detail::top_k_tile_shape<detail::top_k_rows_tuning::segment<bits>::lanes,
                                           detail::top_k_rows_tuning::segment<bits>::vectors, 256, digits::threads>;
  using storage_t = detail::top_k_digit_storage<digits, bits>;
  expect_top_k<T>(lengths, c, seed, [&](auto const& task, auto const& segments) {
    host::options how;
    how.seed = seed;
    auto const storage = std::make_unique<storage_t>();  // blocks take turns
    unsigned const here = each < of_tile::rows_per_block ? each : of_tile::rows_per_block;
    host::launch_grid(blocks_for(task.row_count, here), digits::threads, how, [&](host::block block) {
      detail::segments_of_block<std::decay_t<decltype(segments)>> const own{
          segments, task.row_count, std::int64_t{block.group_index().x} * here, here};
      detail::top_k_block<digits, host::block, storage_t> const team{block, *storage};
      detail::select_from_segments_by_digits<of_tile, digits>(block, team, task, own);
    });
  });
}

/// Lengths about those from which a warp, registers and a block's memory don't hold a segment.
std::vector<int> lengths_for_top_k(unsigned seed) {
  random_engine random(seed);
  std::vector<int> lengths{0,   1,   2,    7,    8,    9,    10,   13,   14,   16,  17,    18,    63,   64,  65,
                           112, 113, 121,  125,  126,  128,  129,  240,  241,  242, 249,   250,   253,  254, 255,
                           256, 257, 1000, 4095, 4096, 4097, 9000, 5000, 6000, 0,   32768, 32769, 50000};
  for (int i = 0; i < 20; ++i) lengths.push_back(static_cast<int>(random() % 300));
  for (int i = 0; i < 60; ++i) lengths.push_back(static_cast<int>(random() % 20));
  std::shuffle(lengths.begin(), lengths.end(), random);
  return lengths;
}

template <class T>
void expect_segments() {
  unsigned seed = 1;
  for (int kind : {0, 1, 2, 5, 7}) {
    for (bool higher : {false, true}) {
      ++seed;
      auto const lengths = lengths_for_top_k(seed);
      top_k_rows_case c{0, 0, 8, 0, 0, seed % 3 != 0, higher, kind, seed % 4 == 3};
      unsigned const each = seed % 5 == 0 ? 16 : seed % 5 == 1 ? 128 : 1 + seed % 4;
      if constexpr (sizeof(T) <= 4) {
        expect_in_chunks<8, T>(lengths, c, each, seed);
        c.k = 33 + seed % 32;
        c.value_gap = 2;
        expect_in_chunks<64, T>(lengths, c, each, seed);
      }
      c.k = 5 + seed % 2 * 65;
      c.index_gap = 1;
      expect_by_digits<T>(lengths, c, each, seed);
      c.k = 400;
      if (kind < 2) expect_by_digits<T>(lengths, c, each, seed);
    }
  }
}

TEST(GridTopKSegmentsOnHost, Floats) {
  expect_segments<float>();
}
TEST(GridTopKSegmentsOnHost, Doubles) {
  expect_segments<double>();
}
TEST(GridTopKSegmentsOnHost, Halves) {
  expect_segments<__half>();
}
TEST(GridTopKSegmentsOnHost, Integers) {
  expect_segments<std::int32_t>();
  expect_segments<std::uint64_t>();
  expect_segments<std::uint8_t>();
}

/// A block's warps take many long segments together, one after the other.
TEST(GridTopKSegmentsOnHost, LongOnesOfABlock) {
  for (unsigned seed = 1; seed < 9; ++seed) {
    random_engine random(seed);
    std::vector<int> lengths;
    for (int i = 0; i < 12; ++i) lengths.push_back(4097 + static_cast<int>(random() % 2000));
    top_k_rows_case const c{0, 0, seed % 2 != 0 ? 8 : 64, 0, 0, true, seed % 3 == 0, seed % 4 < 2 ? 1 : 0, false};
    if (c.k == 8) {
      expect_in_chunks<8, float>(lengths, c, 12, seed);
    } else {
      expect_in_chunks<64, float>(lengths, c, 12, seed);
    }
  }
}

}  // namespace
