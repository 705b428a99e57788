// Agents of whole arrays that read by iterators, on host tiles: each reads every element, each as often as it promises, and none
// outside the array; and what they give is what they give of the same elements in memory.
#include <gtest/gtest.h>

#include <tessera/grid/reduce/argmin_agent.hpp>
#include <tessera/grid/reduce/moments_agent.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/search/find_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
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

template <class R, class Agent, class Op>
R reduce(counted in, std::int64_t n, unsigned blocks, Agent const& agent, Op const& op) {
  std::vector<R> partials(blocks);
  unsigned counter = 0;
  R out{};
  detail::even_share const share{blocks, threads, (n + blocks - 1) / blocks, false};
  tessera::host::launch_grid(blocks, threads, {}, [&](tessera::host::block block) {
    detail::run_reduce_agent<threads>(block, in, n, share, agent, op,
                                      detail::shared_partials<R>{partials.data(), &counter, nullptr}, &out);
  });
  return out;
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
      bool const single = detail::reading_shape<unsigned>::tile_count(n, threads) <= 1;
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

}  // namespace
