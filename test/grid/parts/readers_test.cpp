// Agents of whole arrays that read by iterators, on host tiles: each reads every element, each as often as it promises, and none
// outside the array; and what they give is what they give of the same elements in memory.
#include <gtest/gtest.h>

#include <tessera/grid/histogram/edge_search.hpp>
#include <tessera/grid/histogram/samples.hpp>
#include <tessera/grid/parts/count_cells.hpp>
#include <tessera/grid/reduce/argmin_agent.hpp>
#include <tessera/grid/reduce/moments_agent.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/search/adjacent_difference_agent.hpp>
#include <tessera/grid/search/bounds_agent.hpp>
#include <tessera/grid/search/find_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/sort/merge_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

/// Elements of a vector, which counts how often each is read. `at` reports an index outside the array.
struct counting_reads {
  std::vector<unsigned> const* x;
  std::vector<int>* reads;
  unsigned operator()(std::int64_t i) const {
    ++reads->at(static_cast<std::size_t>(i));
    return x->at(static_cast<std::size_t>(i));
  }
};
using counted = computed<counting_reads>;

struct source {
  std::vector<unsigned> x;
  std::vector<int> reads;

  explicit source(std::int64_t n) : x(static_cast<std::size_t>(n)), reads(static_cast<std::size_t>(n)) {
    random_engine random(static_cast<std::uint64_t>(n));
    for (unsigned& value : x) value = sample<unsigned>(random) % 1000;
  }
  counted first() { return {{&x, &reads}, 0}; }
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
  /// Each element was read so often, or up to `most` times; the last one, or the first of a suffix scan, more often: a tile that
  /// reaches beyond the array has copies of it.
  void expect_reads(int least, int most) {
    for (std::size_t i = 1; i + 1 < reads.size(); ++i) ASSERT_TRUE(reads[i] >= least && reads[i] <= most) << i;
    if (!reads.empty()) {
      EXPECT_GE(std::min(reads.front(), reads.back()), least);
    }
    for (int& count : reads) count = 0;
  }
};

std::int64_t const sizes[] = {0, 1, 2, 31, 255, 1000, 5003};
constexpr unsigned threads = 64;

/// Reduces into a proxy.
template <class R, class Agent, class Op>
R reduce(counted in, std::int64_t n, unsigned blocks, Agent const& agent, Op const& op) {
  std::vector<R> partials(blocks);
  unsigned counter = 0;
  R out[2]{};
  detail::even_share const share{blocks, threads, (n + blocks - 1) / blocks, false};
  tessera::host::launch_grid(blocks, threads, {}, [&](tessera::host::block block) {
    detail::run_reduce_agent<threads>(block, in, n, share, agent, op,
                                      detail::shared_partials<R>{partials.data(), &counter, nullptr},
                                      strided<R, 2>{out});
  });
  R const untouched{};
  EXPECT_EQ(std::memcmp(&out[1], &untouched, sizeof(R)), 0);
  return out[0];
}

/// Keeps the first operand: it doesn't commute.
struct take_first {
  unsigned operator()(unsigned a, unsigned b) const { return a == 0 ? b : a; }
};

TEST(GridReaders, Reductions) {
  for (std::int64_t n : sizes) {
    source in(n);
    unsigned sum = 0, first = 0;
    tessera::indexed<unsigned, std::int64_t> least{~0u, 0};
    for (std::int64_t i = 0; i < n; ++i) {
      unsigned const x = in.x[static_cast<std::size_t>(i)];
      sum += x;
      first = take_first{}(first, x);
      if (x < least.value) least = {x, i};
    }
    for (unsigned blocks : {1u, 3u}) {
      using adds = detail::operator_agent<unsigned, tessera::plus, tessera::detail::as_it_is>;
      EXPECT_EQ(reduce<unsigned>(in.first(), n, blocks, adds{{}, {}}, tessera::plus{}), sum) << n;
      in.expect_reads(1, 1);
      auto const op = tessera::make_operator(take_first{}, 0u);
      using takes = detail::operator_agent<unsigned, std::decay_t<decltype(op)>, tessera::detail::as_it_is>;
      EXPECT_EQ(reduce<unsigned>(in.first(), n, blocks, takes{op, {}}, op), first) << n;
      in.expect_reads(1, 1);
      auto const best = reduce<tessera::indexed<unsigned, std::int64_t>>(
          in.first(), n, blocks, detail::argmin_agent<unsigned>{}, tessera::argmin{});
      in.expect_reads(1, 1);
      if (n > 0) {
        EXPECT_EQ(best.value, least.value);
        EXPECT_EQ(best.index, least.index);
      }
      auto const m =
          reduce<tessera::moments<double>>(in.first(), n, blocks, detail::moments_agent{}, tessera::welford{});
      in.expect_reads(1, 1);
      EXPECT_EQ(m.count, static_cast<double>(n));
      if (n > 0) {
        EXPECT_NEAR(m.mean, sum / static_cast<double>(n), 1e-9);
      }
    }
  }
}

constexpr unsigned warps = 3;

/// Scans into a proxy's array.
template <detail::tile_kind Kind, bool Suffix>
void check_scan(std::int64_t n) {
  using shape = detail::scan_shape<unsigned, unsigned, Kind>;
  constexpr bool is_each = Kind == detail::tile_kind::each;
  std::int64_t const tiles = shape::tile_count(n, warps);
  if (is_each && tiles > detail::most_tiles_each<warps>) return;
  source in(n);
  std::vector<unsigned> out(2 * static_cast<std::size_t>(n) + 2, 7u);
  unsigned total = 0;
  std::vector<std::uint64_t> words(is_each ? detail::tile_each_words<unsigned>(tiles)
                                           : detail::look_back_words<unsigned>(tiles));
  unsigned const blocks = is_each || tiles == 1 ? static_cast<unsigned>(tiles) : 2;
  auto const suffix = detail::direction<tessera::plus, unsigned, Suffix>();
  detail::scan_storage<unsigned, shape, is_each ? warps : warps + 2> storage;
  detail::scan_task<counted, strided<unsigned, 2>, unsigned, tessera::plus, tessera::detail::as_it_is,
                    std::decay_t<decltype(suffix)>> const task{
      in.first(), {out.data()}, n, {}, {}, detail::optional_value<unsigned>::none(), &total, false, suffix};
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  tessera::host::launch_grid(blocks, 32 * (is_each ? warps : warps + 1), {}, [&](tessera::host::block block) {
    detail::run_scan_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, storage);
  });
  in.expect_reads(1, is_each ? 2 : 1);  // Another block may scan what a block has waited long with.
  unsigned sum = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    auto const i = static_cast<std::size_t>(Suffix ? n - 1 - k : k);
    sum += in.x[i];
    ASSERT_EQ(out[2 * i], sum) << i << " of " << n;
    ASSERT_EQ(out[2 * i + 1], 7u);
  }
  EXPECT_EQ(total, sum);
}

TEST(GridReaders, Scans) {
  for (std::int64_t n : sizes) {
    check_scan<detail::tile_kind::each, false>(n);
    check_scan<detail::tile_kind::least, false>(n);
    check_scan<detail::tile_kind::least, true>(n);
  }
}

struct is_even {
  TESSERA_FN bool operator()(unsigned x) const { return x % 2 == 0; }
};

/// Selects by the elements and by a stencil that is computed, into a proxy's array.
template <class Mark>
void check_select(source& in, Mark const& mark) {
  std::int64_t const n = in.size();
  using task_t = detail::select_task<unsigned, Mark, detail::unpaired, counted, strided<unsigned, 2>>;
  using shape =
      typename detail::select_traits<unsigned, Mark, detail::unpaired>::template shape<detail::tile_kind::least>;
  auto const storage = std::make_unique<detail::select_storage<task_t, shape, warps + 2>>();
  std::int64_t const tiles = shape::tile_count(n, warps);
  std::vector<std::uint64_t> words(detail::look_back_words<std::uint64_t>(tiles));
  std::vector<unsigned> out(2 * static_cast<std::size_t>(n) + 2, 7u);
  std::int64_t count = -1;
  task_t const task{in.first(), n, {out.data()}, &count, mark, {}, false};
  unsigned const blocks = tiles == 1 ? 1 : 2;
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  tessera::host::launch_grid(blocks, 32 * (warps + 1), {}, [&](tessera::host::block block) {
    detail::run_select_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, *storage);
  });
  std::size_t kept = 0;
  for (unsigned x : in.x) {
    if (is_even{}(x)) {
      ASSERT_EQ(out[2 * kept], x) << kept << " of " << n;
      ++kept;
    }
  }
  EXPECT_EQ(count, static_cast<std::int64_t>(kept));
  EXPECT_EQ(out[2 * kept], 7u);
}

TEST(GridReaders, Selections) {
  for (std::int64_t n : sizes) {
    source in(n);
    check_select(in, detail::if_element<is_even>{});
    in.expect_reads(1, 1);
    check_select(in, detail::if_stencil<unsigned, is_even, counted>{in.first(), {}});
    in.expect_reads(2, 2);
  }
}

struct is_beyond {
  std::int64_t at;
  TESSERA_FN bool operator()(unsigned, std::int64_t i) const { return i >= at; }
};

TEST(GridReaders, Searches) {
  for (std::int64_t n : sizes) {
    for (std::int64_t at : {std::int64_t{0}, n / 2, n}) {
      source in(n);
      std::int64_t out = -1;
      unsigned counters[2] = {};
      std::uint64_t best = 0;
      bool const single = detail::find_shape<unsigned>::tile_count(n, threads) <= 1;
      detail::find_memory const memory{single ? nullptr : counters, single ? nullptr : &best};
      detail::find_storage storage{};
      tessera::host::launch_grid(1, threads, {}, [&](tessera::host::block block) {
        detail::run_find_agent<threads>(block, detail::find_task<counted, is_beyond>{in.first(), n, {at}, &out}, memory,
                                        1, storage);
      });
      EXPECT_EQ(out, at);
    }
  }
}

/// Needles that are computed, in a sorted array that is, into a proxy's array.
TEST(GridReaders, Bounds) {
  for (std::int64_t n : sizes) {
    source in(n), needles(777);
    std::sort(in.x.begin(), in.x.end());
    std::int64_t const count = needles.size();
    for (unsigned levels : {0u, 2u}) {
      if (n >> levels == 0) continue;
      std::vector<std::int64_t> out(2 * static_cast<std::size_t>(count), -1);
      detail::bounds_task<counted, counted, strided<std::int64_t, 2>, tessera::less> const task{
          in.first(), n, needles.first(), count, {out.data()}, {}};
      detail::bounds_storage<unsigned, 64> storage;
      tessera::host::launch_grid(3, threads, {}, [&](tessera::host::block block) {
        detail::run_bounds_agent<threads, 2, true, std::uint32_t>(block, block.group_index().x, 3, task, levels,
                                                                  storage);
      });
      for (std::size_t i = 0; i < needles.x.size(); ++i) {
        ASSERT_EQ(out[2 * i], std::upper_bound(in.x.begin(), in.x.end(), needles.x[i]) - in.x.begin()) << n;
        ASSERT_EQ(out[2 * i + 1], -1);
      }
      needles.expect_reads(1, 1);
    }
  }
}

/// By the upper digits, so that elements of equal ones show where they are from.
struct by_hundreds {
  bool operator()(unsigned a, unsigned b) const { return a / 100 < b / 100; }
};

TEST(GridReaders, Merges) {
  for (std::int64_t n : sizes) {
    source a(n), b(3 * n / 2 + 1);
    std::sort(a.x.begin(), a.x.end());
    std::sort(b.x.begin(), b.x.end());
    std::vector<unsigned> expected(a.x.size() + b.x.size()), out(2 * expected.size() + 2, ~0u);
    std::merge(a.x.begin(), a.x.end(), b.x.begin(), b.x.end(), expected.begin(), by_hundreds{});
    // One by an iterator, and the other by a pointer.
    detail::merge_task<unsigned, by_hundreds, counted, unsigned const*, strided<unsigned, 2>> const task{
        {a.first(), a.size(), b.x.data(), b.size(), {}}, {out.data()}};
    std::int64_t const tiles = detail::merge_shape<unsigned>::tile_count(a.size() + b.size(), threads);
    tessera::host::launch_grid(static_cast<unsigned>(tiles), threads, {}, [&](tessera::host::block block) {
      static detail::merge_storage<threads, unsigned> storage;
      detail::run_merge_agent<threads>(block, task, block.group_index().x, false, storage);
    });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(out[2 * i], expected[i]) << i << " of " << n;
      ASSERT_EQ(out[2 * i + 1], ~0u);
    }
    EXPECT_EQ(out[2 * expected.size()], ~0u);
  }
}

struct ratio {
  double operator()(unsigned own, unsigned before) const { return own * 1000.0 + before; }
};

TEST(GridReaders, AdjacentDifferences) {
  for (std::int64_t n : sizes) {
    if (n == 0) continue;
    source in(n);
    std::vector<double> out(2 * static_cast<std::size_t>(n) + 2, -1);
    detail::adjacent_task<counted, strided<double, 2>, ratio> const task{in.first(), n, {out.data()}, {}};
    std::int64_t const tiles = detail::difference_shape<unsigned>::tile_count(n, threads);
    tessera::host::launch_grid(static_cast<unsigned>(tiles), threads, {}, [&](tessera::host::block block) {
      detail::run_adjacent_agent<threads>(block, task, block.group_index().x);
    });
    for (std::size_t i = 0; i < in.x.size(); ++i) {
      ASSERT_EQ(out[2 * i], i == 0 ? in.x[0] : ratio{}(in.x[i], in.x[i - 1])) << i << " of " << n;
      ASSERT_EQ(out[2 * i + 1], -1);
    }
    EXPECT_EQ(out[2 * in.x.size()], -1);
    in.expect_reads(1, 2);  // A warp reads the last element of the one before, too.
  }
}

/// The counts of three blocks' parts of an array, in bins or channels' bins.
template <class Samples, class Bins, class Totals>
void count_samples(Samples const& in, std::int64_t n, Bins const& bins, Totals const& to) {
  detail::cell_slice const all{0, bins.cells(), 2};
  std::vector<unsigned> cells(all.size * all.copies);
  auto const range = tessera::detail::range_of(in, static_cast<std::uint64_t>(n));
  tessera::host::launch_grid(3, threads, {}, [&](tessera::host::block block) {
    detail::clear_cells(block, cells.data(), all);
    block.sync();
    detail::count_cells<threads, false>(block, range, block.group_index().x, 3, bins, cells.data(), all);
    block.sync();
    detail::add_cells(block, cells.data(), all, 0, bins, to);
    block.sync();
  });
}

enum class color : std::uint16_t {};
struct as_color {
  counting_reads from;
  color operator()(std::int64_t i) const { return static_cast<color>(from(i)); }
};

TEST(GridReaders, Histograms) {
  for (std::int64_t n : sizes) {
    source in(n);
    std::vector<std::uint64_t> expected(10), counts(10), outside(3);
    std::uint64_t above = 0;
    for (unsigned x : in.x) ++(x < 700 ? expected[x / 70] : above);
    detail::totals const to{counts.data(), outside.data(), 10};
    count_samples(in.first(), n, detail::bins_of<unsigned>::over(10, 0, 700), to);
    in.expect_reads(1, 1);
    EXPECT_EQ(counts, expected) << n;
    EXPECT_EQ(outside[1], above) << n;

    // Elements that are counted as others are: enumerators.
    counts.assign(10, 0);
    computed<as_color> const colors{{in.first().f}};
    count_samples(detail::samples_of<std::uint16_t>(colors), n, detail::bins_of<std::uint16_t>::over(10, 0, 700), to);
    in.expect_reads(1, 1);
    EXPECT_EQ(counts, expected) << n;
  }
}

TEST(GridReaders, HistogramsOfChannels) {
  for (std::int64_t n : sizes) {
    source in(3 * n);
    std::vector<std::uint64_t> expected(17), counts(17), outside(6);
    for (std::size_t i = 0; i < in.x.size(); ++i) {
      if (i % 3 == 0) ++expected[in.x[i] / 100];
      if (i % 3 == 1 && in.x[i] < 700) ++expected[10 + in.x[i] / 100];
    }
    detail::channel_bins<detail::bins_of<unsigned>, 2> bins;
    bins.channel[0] = detail::bins_of<unsigned>::over(10, 0, 1000);
    bins.channel[1] = detail::bins_of<unsigned>::over(7, 0, 700);
    bins.number_cells();
    detail::channel_totals<2> const to{
        {{counts.data(), outside.data(), 10}, {counts.data() + 10, outside.data() + 3, 7}}};
    count_samples(detail::pixels_of<unsigned, 3>(in.first()), n, bins, to);
    in.expect_reads(1, 1);
    EXPECT_EQ(counts, expected) << n;
  }
}

TEST(GridReaders, HistogramsBetweenEdges) {
  std::vector<unsigned> const edges{5, 100, 101, 500, 900};
  for (std::int64_t n : sizes) {
    source in(n);
    std::vector<std::uint64_t> expected(4), counts(4), outside(3);
    std::uint64_t below = 0, above = 0;
    for (unsigned x : in.x) {
      auto const bin = std::upper_bound(edges.begin(), edges.end(), x) - edges.begin();
      ++(bin == 0 ? below : bin == 5 ? above : expected[static_cast<std::size_t>(bin) - 1]);
    }
    detail::edge_request<unsigned> const request{edges.data(), 4, 0, false};
    detail::edge_layout const layout{0, 4, 1, 6};
    std::vector<std::uint64_t> memory(layout.bytes(sizeof(unsigned)) / 8 + 1);
    auto const range = tessera::detail::range_of(in.first(), static_cast<std::uint64_t>(n));
    tessera::host::launch_grid(2, threads, {}, [&](tessera::host::block block) {
      detail::edge_search<unsigned> search(request, layout, reinterpret_cast<unsigned*>(memory.data()));
      detail::cell_slice const cells{0, layout.cells(), 1};
      detail::clear_cells(block, search.counters(), cells);
      search.prepare(block);
      block.sync();
      detail::visit_part<false>(detail::block_lanes<threads>{block.thread_rank()}, range, block.group_index().x, 2,
                                [&](unsigned x) { search.count(x); });
      block.sync();
      detail::add_cells(block, search.counters(), cells, 0, search, detail::totals{counts.data(), outside.data(), 4});
      block.sync();
    });
    in.expect_reads(1, 1);
    EXPECT_EQ(counts, expected) << n;
    EXPECT_EQ(outside[0], below) << n;
    EXPECT_EQ(outside[1], above) << n;
  }
}

}  // namespace
