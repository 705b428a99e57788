// The kernels of top_k_rows on host tiles: blocks and lanes in any order, against std::stable_sort.
#include <gtest/gtest.h>

#include <tessera/cluster_tile.hpp>
#include <tessera/grid/rows/top_k_digit_rows.hpp>
#include <tessera/grid/rows/top_k_held_rows.hpp>
#include <tessera/grid/rows/top_k_rows_tuning.hpp>
#include <tessera/grid/rows/top_k_short_rows.hpp>
#include <tessera/grid/rows/top_k_sorted_rows.hpp>
#include <tessera/grid/rows/top_k_stream_rows.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "top_k_rows_reference.hpp"
#include "top_k_rows_task.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

template <class T>
using bits_of = typename tessera::detail::unsigned_of<sizeof(T)>::type;

/// Runs run(task) for a case of elements x, and compares.
template <class T, class Run>
void expect_elements(top_k_rows_case const& c, std::vector<T> const& x, unsigned seed, Run run) {
  using bits = bits_of<T>;
  std::vector<T> memory(x.size() + 300);
  T* first = memory.data();
  while (reinterpret_cast<std::uintptr_t>(first) % 256 != 0) ++first;
  first += c.offset;
  std::copy(x.begin(), x.end(), first);

  auto const k_of_row = drawn_for_rows(c.rows, c.k, seed + 1), begins = drawn_for_rows(c.rows, c.columns, seed + 2),
             lengths = drawn_for_rows(c.rows, c.columns, seed + 3);
  T const nothing = top_k_number<T>(77);
  auto const expected =
      expected_top_k_rows<T>(first, c, c.per_row ? k_of_row.data() : nullptr, c.per_row ? begins.data() : nullptr,
                             c.per_row ? lengths.data() : nullptr, nothing);
  std::vector<T> values(expected.values.size(), nothing);
  std::vector<std::int64_t> indices(expected.indices.size(), -7);
  auto const task = task_of_case<detail::top_k_rows_task<bits>>(
      c, first, values, indices, c.per_row ? k_of_row.data() : nullptr, c.per_row ? begins.data() : nullptr,
      c.per_row ? lengths.data() : nullptr, detail::rank_keys_of_bits<bits>::template order_of<T>(c.falling),
      tessera::detail::from_bits<bits>(top_k_missing<T>(c.falling)));
  run(task);
  std::int64_t const at = first_difference(indices, expected.indices);
  ASSERT_EQ(at, -1) << c.text() << ": index " << indices[static_cast<std::size_t>(at)] << " instead of "
                    << expected.indices[static_cast<std::size_t>(at)];
  ASSERT_EQ(first_difference(values, expected.values), -1) << c.text();
}

template <class T, class Run>
void expect_top_k(top_k_rows_case const& c, unsigned seed, Run run) {
  expect_elements<T>(c, top_k_numbers<T>(c.rows * c.stride() + 1, c.kind, seed), seed, run);
}

template <unsigned Lanes, unsigned Vectors, unsigned Most, class T>
void expect_short(top_k_rows_case const& c, unsigned seed) {
  using shape = detail::top_k_tile_shape<Lanes, Vectors, Most, 64>;
  expect_top_k<T>(c, seed, [&](auto const& task) {
    host::options how;
    how.seed = seed;
    auto const blocks = static_cast<unsigned>((c.rows + shape::rows_per_block - 1) / shape::rows_per_block);
    host::launch_grid(blocks, shape::threads, how,
                      [&](host::block block) { detail::select_from_short_rows<shape>(block, task); });
  });
}

template <class T>
void expect_short_rows() {
  constexpr unsigned many = detail::top_k_rows_tuning::vectors<bits_of<T>>;
  constexpr auto width = static_cast<std::int64_t>(detail::row_vector_length<bits_of<T>>);
  constexpr unsigned widest = sizeof(T) == 8 ? 32 : 16;
  unsigned seed = 1;
  for (int kind : {0, 1, 2, 3, 4, 5, 7, 8}) {
    for (bool falling : {false, true}) {
      for (bool higher : {false, true}) {
        top_k_rows_case c{19, 16, 8, 0, 0, falling, higher, kind};
        if (2 * many * width >= 16) expect_short<2, many, 8, T>(c, ++seed);
        c.columns = 4 * many * width - 3;
        c.gap = 3;
        expect_short<4, many, 8, T>(c, ++seed);
        c.k = 30;
        c.value_gap = 2;
        c.index_gap = 1;
        expect_short<4, many, 32, T>(c, ++seed);
        c.k = c.columns;
        expect_short<4, many, 4 * many * width, T>(c, ++seed);
        expect_short<widest / 16, many, 16, T>({70, 15, 15, 1, 1, falling, higher, kind}, ++seed);
        expect_short<widest / 8, many, 32, T>({35, 16, 16, 0, 0, falling, higher, kind, false, 1, 3}, ++seed);
        expect_short<widest / 4, many, 64, T>({17, 48, 40, 1, 1, falling, higher, kind}, ++seed);
        expect_short<widest / 2, many, 32, T>({9, 112, 20, 3, 1, falling, higher, kind, false, 2}, ++seed);
        c.rows = 3;
        c.columns = 16 * many * width - width - 1 < 256 ? 16 * many * width - width - 1 : 256;
        c.offset = 1;
        c.gap = 2;
        c.k = 7;
        expect_short<16, many, 8, T>(c, ++seed);
        expect_short<8, 2 * many, 8, T>(c, ++seed);
        c.k = 32;
        expect_short<16, many, 32, T>(c, ++seed);
        expect_short<8, 2 * many, 32, T>(c, ++seed);
        c.k = 130;
        expect_short<16, many, 16 * many * width, T>(c, ++seed);
      }
    }
  }
  for (std::int64_t columns = 0; columns <= 6; ++columns) {
    top_k_rows_case c{9, columns, 1, 1, 1, columns % 2 == 0, columns % 3 == 0, 1};
    for (std::int64_t k : {1, 2, 8}) {
      c.k = k;
      expect_short<4, many, 8, T>(c, ++seed);
    }
  }
  top_k_rows_case c{40, 4 * many * width - 2 * width, 8, 3, 1, true, false, 0, true, 1, 2};
  for (int kind : {0, 1, 2}) {
    c.kind = kind;
    expect_short<4, many, 8, T>(c, ++seed);
    c.higher_column = true;
    expect_short<4, many, 32, T>(c, ++seed);
  }
}

/// One result of each row: of one rank, or the one in the middle.
template <class T, class Run>
void expect_one(top_k_rows_case c, unsigned seed, Run run) {
  std::int64_t const k = c.k;
  for (int kind : {0, 1, 2}) {
    for (bool per_row : {false, true}) {
      c.k = k;
      c.kind = kind;
      c.per_row = per_row;
      c.only_last = true;
      c.median = false;
      c.higher_column = kind == 1;
      run(c, ++seed);
      c.only_last = false;
      c.median = true;
      c.k = (c.columns + 1) / 2;
      c.higher_column = !c.higher_column;
      run(c, ++seed);
    }
  }
}

TEST(GridTopKRowsOnHost, OneOfShortRows) {
  for (std::int64_t k : {1, 6, 20})
    expect_one<float>({20, 37, k, 1, 1}, 300,
                      [](auto const& c, unsigned seed) { expect_short<4, 4, 64, float>(c, seed); });
  expect_one<double>({20, 17, 7, 1, 1}, 330,
                     [](auto const& c, unsigned seed) { expect_short<4, 4, 32, double>(c, seed); });
}
/// Rows of each length that one lane or two hold, with each k up to 8, at any address.
template <class T>
void expect_shortest_rows() {
  constexpr unsigned many = detail::top_k_rows_tuning::vectors<bits_of<T>>;
  constexpr std::int64_t width = detail::row_vector_length<bits_of<T>>, of_lane = many * width;
  unsigned seed = 500;
  for (std::int64_t columns = 1; columns <= 2 * of_lane; ++columns) {
    for (std::int64_t k = 1; k <= 8; ++k) {
      ++seed;
      bool const aligned = seed % 4 == 0;
      top_k_rows_case const c{70,
                              columns,
                              k,
                              aligned ? (columns + width - 1) / width * width - columns : seed % 3,
                              aligned ? 0 : seed % 5,
                              seed % 2 == 0,
                              seed % 7 < 3,
                              static_cast<int>(seed % 8),
                              seed % 6 == 0,
                              seed % 5 == 0 ? 3 : 0,
                              seed % 5 == 1 ? 1 : 0};
      std::int64_t const most = columns + (aligned || width == 1 ? 0 : width - 1);
      if (most <= of_lane) expect_short<1, many, 8, T>(c, seed);
      if (most <= 2 * of_lane) expect_short<2, many, 8, T>(c, seed);
      expect_short<2, 2 * many, 8, T>(c, seed);
    }
  }
}

TEST(GridTopKRowsOnHost, ShortestRows) {
  expect_shortest_rows<float>();
  expect_shortest_rows<double>();
  expect_shortest_rows<__half>();
  expect_shortest_rows<std::int32_t>();
  expect_shortest_rows<std::uint8_t>();
}
TEST(GridTopKRowsOnHost, OneOfTheShortestRows) {
  for (std::int64_t k : {1, 5, 8})
    expect_one<float>({70, 15, k, 1}, 320, [](auto const& c, unsigned seed) { expect_short<1, 4, 8, float>(c, seed); });
}
TEST(GridTopKRowsOnHost, ShortRowsOfFloats) {
  expect_short_rows<float>();
}
TEST(GridTopKRowsOnHost, ShortRowsOfDoubles) {
  expect_short_rows<double>();
}
TEST(GridTopKRowsOnHost, ShortRowsOfHalves) {
  expect_short_rows<__half>();
  expect_short_rows<__nv_bfloat16>();
}
TEST(GridTopKRowsOnHost, ShortRowsOfIntegers) {
  expect_short_rows<std::int32_t>();
  expect_short_rows<std::uint32_t>();
  expect_short_rows<std::int64_t>();
  expect_short_rows<std::int16_t>();
  expect_short_rows<std::int8_t>();
  expect_short_rows<std::uint8_t>();
}

/// The bits that tell some numbers apart.
template <class T>
unsigned width_of_keys(std::vector<T> const& x) {
  using keys = detail::rank_keys_of_bits<bits_of<T>>;
  auto const order = keys::template order_of<T>(true);
  typename keys::key differing = 0, set = 0;
  for (T const& each : x) {
    differing |= keys::of(each, order) ^ keys::of(x[0], order);
    set |= tessera::detail::from_bits<bits_of<T>>(each);
  }
  return detail::key_bits<typename keys::key>::of(differing, set).width;
}
TEST(GridTopKRowsOnHost, FewBitsTellNumbersApart) {
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> longs;
  for (int i = -100; i < 100; ++i) {
    floats.push_back(static_cast<float>(i) / 16);
    doubles.push_back(static_cast<double>(i) / 16);
    longs.push_back(static_cast<std::int64_t>(i) * (std::int64_t{1} << 55));
  }
  EXPECT_LE(width_of_keys(floats), 24u);
  EXPECT_LE(width_of_keys(doubles), 24u);
  EXPECT_LE(width_of_keys(longs), 9u);
  EXPECT_LE(width_of_keys(std::vector<std::int32_t>{5, 100, 7}), 7u);
  EXPECT_EQ(width_of_keys(std::vector<float>{0, 0}), 0u);
}

template <class Shape, class T>
void expect_sorted(top_k_rows_case const& c, unsigned seed) {
  expect_top_k<T>(c, seed, [&](auto const& task) {
    host::options how;
    how.seed = seed;
    detail::row_sort_storage<Shape> storage;  // blocks take turns
    auto const blocks = static_cast<unsigned>((c.rows + Shape::rows_per_block - 1) / Shape::rows_per_block);
    host::launch_grid(blocks, Shape::threads, how,
                      [&](host::block block) { detail::select_from_sorted_rows(block, task, storage); });
  });
}
/// Rows of tiles of Shape: 32 columns or more.
template <class Shape, class T>
void expect_sorted_rows() {
  constexpr std::int64_t most = Shape::capacity, rows = Shape::lanes < 64 ? Shape::rows_per_block + 1 : 2;
  unsigned seed = 600;
  for (int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
    for (bool falling : {false, true}) {
      for (std::int64_t columns : {most, most - 1, most / 2 + 2}) {
        bool const higher = ++seed % 2 == 0;
        expect_sorted<Shape, T>({rows, columns, columns, 3, 1, falling, higher, kind}, seed);
        expect_sorted<Shape, T>({rows, columns, columns / 2 + 1, 0, 0, falling, !higher, kind, false, 2, 1}, seed);
      }
    }
  }
  for (std::int64_t columns : {0, 1, 2, 31})
    expect_sorted<Shape, T>({3, columns, columns + 2, 1, 1, columns % 2 == 0, columns % 3 == 0, 1}, ++seed);
  for (int kind : {0, 1, 4})
    expect_sorted<Shape, T>({10, most - 7, most - 12, 1, 1, true, kind == 1, kind, true, 2, 1}, ++seed);
}
template <class T>
void expect_all_sorted_rows() {
  expect_sorted_rows<detail::row_sort_shape<64, 4, 64>, T>();
  expect_sorted_rows<detail::row_sort_shape<4, 8, 64>, T>();
  expect_sorted_rows<detail::row_sort_shape<16, 16, 32>, T>();
  for (std::int64_t columns : {16, 9})
    expect_sorted<detail::row_sort_shape<2, 8, 64>, T>({40, columns, columns, 1, 1, true, false, 1}, 700);
  expect_sorted<detail::row_sort_tuning::shape<32, 32>, T>({5, 1000, 1000, 1}, 701);
}

TEST(GridTopKRowsOnHost, FloatsOfSortedRows) {
  expect_all_sorted_rows<float>();
  expect_all_sorted_rows<double>();
}
TEST(GridTopKRowsOnHost, OthersOfSortedRows) {
  expect_all_sorted_rows<__half>();
  expect_all_sorted_rows<std::int64_t>();
  expect_all_sorted_rows<std::uint32_t>();
  expect_all_sorted_rows<std::int8_t>();
}
TEST(GridTopKRowsOnHost, OneOfSortedRows) {
  using shape = detail::row_sort_shape<16, 8, 64>;
  for (std::int64_t k : {1, 40, 100})
    expect_one<float>({9, 100, k, 1, 1}, 340,
                      [](auto const& c, unsigned seed) { expect_sorted<shape, float>(c, seed); });
}
TEST(GridTopKRowsOnHost, LongestSortedRow) {
  expect_sorted<detail::row_sort_tuning::of_4096, float>({1, 4096, 4096}, 1);
  expect_sorted<detail::row_sort_tuning::of_4096, std::int64_t>({1, 4000, 4000, 0, 0, false, true, 5}, 2);
}

/// Runs of elements that share a digit of 24 bits, in and out of order, short and long, beside each other.
template <class Shape>
void expect_ties() {
  static_assert(Shape::capacity == 256);
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    // Of 64 bits keys have 8, 16 or more bits below the digit.
    std::vector<std::uint64_t> x;
    while (x.size() < 256) {
      std::uint64_t const digit = random() >> 40;
      std::size_t const many = random() % 4 == 0 ? random() % (round % 3 == 0 ? 60 : 17) + 1 : random() % 3 + 1;
      bool const is_equal = random() % 3 == 0, rises = random() % 2 == 0;
      for (std::size_t i = 0; i < many && x.size() < 256; ++i)
        x.push_back(digit << 40 | (is_equal ? 5 : rises ? i : random() % 256) << (round % 2 == 0 ? 30 : 0));
    }
    if (round % 5 != 0) std::shuffle(x.begin(), x.end(), random);
    top_k_rows_case const c{1, 256, 256, 0, 0, round % 2 == 0, round % 4 < 2};
    expect_elements<std::uint64_t>(c, x, static_cast<unsigned>(round), [&](auto const& task) {
      detail::row_sort_storage<Shape> storage;
      host::launch_grid(1, Shape::threads, {},
                        [&](host::block block) { detail::select_from_sorted_rows(block, task, storage); });
    });
  }
}
TEST(GridTopKRowsOnHost, TiesOfSortedRows) {
  expect_ties<detail::row_sort_shape<64, 4, 64>>();
  expect_ties<detail::row_sort_shape<32, 8, 32>>();
  expect_ties<detail::row_sort_shape<16, 16, 32>>();
}

/// The 4 blocks of a cluster of host lanes.
template <class Shape, class Storage>
struct host_team {
  host::cluster const& cluster;
  Storage* memory;

  auto tile() const { return tessera::this_cluster_tile<4 * Shape::threads, Shape::threads>(cluster).block(); }
  unsigned blocks() const { return cluster.num_blocks(); }
  unsigned rank() const { return cluster.block_rank(); }
  void sync() const { cluster.sync(); }
  Storage& storage(unsigned b) const { return memory[b]; }
};

/// Blocks with room for few entries, and digits of few bits. A cluster for each row if the seed is odd.
template <class T>
void expect_digits(top_k_rows_case const& c, unsigned seed) {
  using shape = detail::top_k_digit_shape<64, 1024, 5, 2>;
  using storage_t = detail::top_k_digit_storage<shape, bits_of<T>>;
  expect_top_k<T>(c, seed, [&](auto const& task) {
    host::options how;
    how.seed = seed;
    auto const storage = std::make_unique<storage_t[]>(4);  // blocks take turns
    if (seed % 2 == 0) {
      host::launch_grid(static_cast<unsigned>(c.rows), shape::threads, how, [&](host::block block) {
        detail::top_k_block<shape, host::block, storage_t> const team{block, storage[0]};
        c.by_column ? detail::select_from_row_by_digits<shape, true>(team, task, block.group_index().x)
                    : detail::select_from_row_by_digits<shape>(team, task, block.group_index().x);
      });
    } else {
      for (std::int64_t r = 0; r < c.rows; ++r) {
        host::launch_cluster(4, shape::threads, how, [&](host::cluster cluster) {
          host_team<shape, storage_t> const team{cluster, storage.get()};
          c.by_column ? detail::select_from_row_by_digits<shape, true>(team, task, r)
                      : detail::select_from_row_by_digits<shape>(team, task, r);
        });
      }
    }
  });
}
template <class T>
void expect_rows_by_digits(bool by_column = false) {
  unsigned seed = 100;
  auto const expect_by_digits = [by_column](top_k_rows_case c, unsigned its_seed) {
    c.by_column = by_column;
    expect_digits<T>(c, its_seed);
  };
  for (int kind : {0, 1, 2, 3, 4, 5, 6}) {
    for (bool falling : {false, true}) {
      top_k_rows_case c{2, 500 + kind, 5, 3, 1, falling, seed % 2 == 0, kind};
      expect_by_digits(c, ++seed);
      c.k = 140;
      c.higher_column = !c.higher_column;
      expect_by_digits(c, ++seed);
      c.k = 520;
      expect_by_digits(c, ++seed);
    }
  }
  for (std::int64_t columns : {0, 1, 3, 64, 65, 127, 128, 129})
    expect_by_digits({3, columns, 70, 1, 1, columns % 2 == 0, columns % 3 == 0, 0}, ++seed);
  for (int kind : {0, 1}) expect_by_digits({10, 700, 60, 1, 1, true, kind == 1, kind, true, 2, 1}, ++seed);
  // Several chunks for each block, and none for the last one.
  for (int chunks : {3, 6}) {
    for (std::int64_t k : {100, 700}) {
      auto const columns = static_cast<std::int64_t>(chunks * 128 * 16 / sizeof(T)) - 40;
      for (int i = 0; i < (by_column ? 2 : 0); ++i) expect_by_digits({2, columns, k, 1, 1, true, false, i}, ++seed);
    }
  }
}

/// As host_team, of rows that it holds.
template <class Held, class Storage>
struct host_held_team : host_team<Held, Storage> {
  detail::top_k_held_storage<Held>* of_blocks;
  std::uint32_t (*values)[4];  // for each number one of each block

  auto warp() const { return tessera::tiled_partition<32>(this->tile()); }
  detail::top_k_held_storage<Held>& held() const { return of_blocks[this->rank()]; }
  void begin() const { this->sync(); }
  void all_gather(std::uint32_t x, unsigned number) const {
    if (this->tile().thread_rank() == 0) values[number][this->rank()] = x;
    this->sync();
  }
  std::uint32_t value_of(unsigned b, unsigned number) const { return values[number][b]; }
  void send(std::uint64_t word, unsigned i) const {
    for (unsigned b = 0; b < this->blocks(); ++b) of_blocks[b].list[this->rank()][i] = word;
  }
  void wait_for_words(unsigned, unsigned) const { this->sync(); }
};

/// Rows that clusters of 4 blocks hold. Returns how many were left to digits.
template <class T, unsigned Items>
int expect_held(top_k_rows_case const& c, unsigned seed) {
  using held = detail::top_k_held_shape<128, Items>;
  using shape = detail::top_k_digit_shape<128, 2048, 5, 2>;
  using storage_t = detail::top_k_digit_storage<shape, bits_of<T>>;
  int left = 0;
  expect_top_k<T>(c, seed, [&](auto const& task) {
    host::options how;
    how.seed = seed;
    auto const storage = std::make_unique<storage_t[]>(4);
    auto const of_blocks = std::make_unique<detail::top_k_held_storage<held>[]>(4);
    for (std::int64_t r = 0; r < c.rows; ++r) {
      std::uint32_t values[3][4] = {};
      host::launch_cluster(4, held::threads, how, [&](host::cluster cluster) {
        host_held_team<held, storage_t> const team{{cluster, storage.get()}, of_blocks.get(), values};
        if (detail::select_from_held_row<held>(team, task, r, c.by_column)) return;
        if (team.rank() == 0 && team.tile().thread_rank() == 0) ++left;
        c.by_column ? detail::select_from_row_by_digits<shape, true>(team, task, r)
                    : detail::select_from_row_by_digits<shape>(team, task, r);
      });
    }
  });
  return left;
}
template <class T>
void expect_held_rows(bool by_column = false) {
  constexpr auto width = static_cast<std::int64_t>(detail::row_vector_length<bits_of<T>>);
  unsigned seed = 900;
  for (int kind : {0, 1, 2, 3, 4, 5, 6}) {
    for (bool falling : {false, true}) {
      for (std::int64_t k : {1, 7, 40, 140, 500}) {
        top_k_rows_case c{2, 1023 * width, k, 3, 1, falling, seed % 2 == 0, kind};
        c.by_column = by_column;
        (void)expect_held<T, 2 * width>(c, ++seed);
        c.columns = 300 + 10 * kind;
        (void)expect_held<T, 2 * width>(c, ++seed);
      }
    }
  }
  for (std::int64_t columns : {0, 1, 3, 64, 65, 127, 128, 129})
    (void)expect_held<T, 32>({3, columns, 70, 1, 1, columns % 2 == 0, columns % 3 == 0, 0}, ++seed);
  // Rows of some lengths and begins of their own.
  for (int kind : {0, 1}) (void)expect_held<T, 32>({10, 700, 60, 1, 1, true, kind == 1, kind, true, 2, 1}, ++seed);
}
TEST(GridTopKRowsOnHost, HeldFloats) {
  expect_held_rows<float>();
  // Of numbers that are rarely equal, bounds leave few; of short rows all are listed.
  for (std::int64_t columns : {3, 129, 500})
    EXPECT_EQ((expect_held<float, 32>({3, columns, 250, 1, 1, true, false, 0}, 1)), 0);
  for (unsigned seed = 0; seed < 8; ++seed)
    EXPECT_EQ((expect_held<float, 8>({4, 4088, 120, 1, 1, true, false, 0}, seed)), 0);
}
TEST(GridTopKRowsOnHost, HeldByColumn) {
  expect_held_rows<float>(true);
  expect_held_rows<__half>(true);
}
TEST(GridTopKRowsOnHost, HeldOthers) {
  expect_held_rows<std::int32_t>();
  expect_held_rows<__half>();
  expect_held_rows<std::uint8_t>();
}
TEST(GridTopKRowsOnHost, OneHeld) {
  for (std::int64_t k : {1, 2, 200, 399, 400, 500})
    expect_one<float>({5, 400, k, 1, 1}, 370,
                      [](auto const& c, unsigned seed) { (void)expect_held<float, 8>(c, seed); });
}

TEST(GridTopKRowsOnHost, OneByDigits) {
  for (std::int64_t k : {1, 2, 200, 399, 400, 500}) {
    expect_one<float>({5, 400, k, 1, 1}, 350, [](auto const& c, unsigned seed) { expect_digits<float>(c, seed); });
    expect_one<std::int64_t>({5, 400, k, 1, 1}, 360,
                             [](auto const& c, unsigned seed) { expect_digits<std::int64_t>(c, seed); });
  }
}
TEST(GridTopKRowsOnHost, FloatsByDigits) {
  expect_rows_by_digits<float>();
  expect_rows_by_digits<double>();
}
TEST(GridTopKRowsOnHost, ByColumn) {
  expect_rows_by_digits<float>(true);
  expect_rows_by_digits<double>(true);
  expect_rows_by_digits<__half>(true);
  expect_rows_by_digits<std::uint8_t>(true);
}
TEST(GridTopKRowsOnHost, OthersByDigits) {
  expect_rows_by_digits<__half>();
  expect_rows_by_digits<std::int64_t>();
  expect_rows_by_digits<std::int32_t>();
  expect_rows_by_digits<std::uint8_t>();
}

/// Rows in chunks, by 1 or 4 of the 4 warps of a block, with entries of a type. A block's warps may take several rows.
template <unsigned Most, class Entry, class T>
void expect_in_chunks_by(top_k_rows_case const& c, unsigned warps, unsigned seed) {
  using shape = detail::top_k_rows_tuning::stream<bits_of<T>, Most == 8, Entry>;
  static_assert(shape::most == Most);
  expect_top_k<T>(c, seed, [&](auto const& task) {
    host::options how;
    how.seed = seed;
    std::vector<Entry> shared(shape::entries_of(4));  // blocks take turns
    auto const all = static_cast<unsigned>((c.rows * warps + 3) / 4),
               blocks = shape::takes_several && warps == 1 ? 1u : all;
    host::launch_grid(blocks, 128, how, [&](host::block block) {
      detail::select_from_rows_in_chunks<shape>(block, task, shared.data(), warps, blocks);
    });
  });
}
template <unsigned Most, class T>
void expect_in_chunks(top_k_rows_case const& c, unsigned warps, unsigned seed) {
  expect_in_chunks_by<Most, std::uint64_t, T>(c, warps, seed);
  if constexpr (sizeof(T) <= 2) expect_in_chunks_by<Most, std::uint32_t, T>(c, warps, seed);
}
template <class T>
void expect_rows_in_chunks() {
  unsigned seed = 200;
  for (int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
    for (bool falling : {false, true}) {
      top_k_rows_case c{2, 3000 + kind, 8, 3, 1, falling, seed % 2 == 0, kind};
      expect_in_chunks<8, T>(c, 1, ++seed);
      expect_in_chunks<8, T>(c, 4, ++seed);
      c.k = 64;
      expect_in_chunks<64, T>(c, 1, ++seed);
      c.higher_column = !c.higher_column;
      expect_in_chunks<64, T>(c, 4, ++seed);
      c.k = 5;
      expect_in_chunks<8, T>(c, 4, ++seed);
      c.k = 33;
      c.columns = 700;
      expect_in_chunks<64, T>(c, 1, ++seed);
    }
  }
  for (std::int64_t columns : {0, 1, 3, 31, 64, 511, 512, 513, 1024}) {
    expect_in_chunks<64, T>({5, columns, 50, 1, 1, columns % 2 == 0, columns % 3 == 0, 0}, 1, ++seed);
    expect_in_chunks<8, T>({3, columns, 6, 1, 1, columns % 2 == 0, columns % 3 == 0, 1}, 4, ++seed);
  }
  for (int kind : {0, 1}) {
    expect_in_chunks<64, T>({10, 1700, 60, 1, 1, true, kind == 1, kind, true, 2, 1}, 1, ++seed);
    expect_in_chunks<8, T>({10, 1700, 8, 1, 1, true, kind == 0, kind, true, 2, 1}, 4, ++seed);
  }
  for (int kind : {0, 1, 2, 3}) {  // warps that take up to three rows each
    for (bool per_row : {false, true})
      expect_in_chunks<8, T>({10, 1700, 8, 1, 1, true, kind % 2 == 0, kind, per_row, 2, 1}, 1, ++seed);
  }
}

TEST(GridTopKRowsOnHost, OneInChunks) {
  for (std::int64_t k : {1, 30}) {
    top_k_rows_case c{6, 900, k, 1, 1};
    c.only_last = true;
    for (bool per_row : {false, true}) {
      c.per_row = per_row;
      expect_in_chunks<64, float>(c, 4, 380);
    }
  }
}
TEST(GridTopKRowsOnHost, FloatsInChunks) {
  expect_rows_in_chunks<float>();
}
TEST(GridTopKRowsOnHost, HalvesInChunks) {
  expect_rows_in_chunks<__half>();
  expect_rows_in_chunks<__nv_bfloat16>();
}
TEST(GridTopKRowsOnHost, IntegersInChunks) {
  expect_rows_in_chunks<std::int32_t>();
  expect_rows_in_chunks<std::uint8_t>();
}

}  // namespace
