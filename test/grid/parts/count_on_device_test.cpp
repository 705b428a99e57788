// Calls of as many elements as the device knows, on host tiles: the cut is that of more elements, and the workspace serves the next
// launch.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/search/find_agent.hpp>
#include <tessera/grid/segments/segmented_scan_agent.hpp>
#include <tessera/grid/select/repeats_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/select/three_way_agent.hpp>
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
constexpr unsigned warps = 3;

std::vector<unsigned> values(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<unsigned> x(static_cast<std::size_t>(n));
  for (unsigned& value : x) value = sample<unsigned>(random);
  return x;
}

/// What a count on the device means.
std::int64_t meant(std::int64_t count, std::int64_t at_most) {
  return std::min(std::max(count, std::int64_t{0}), at_most);
}

constexpr std::int64_t counts[] = {0, 1, 383, 384, 385, 2000, 5003, 6000, -1};

/// Launches of one agent, run(shape, block, task, …), on at most so many elements: all by one workspace.
template <class S, class Shape, class Storage, class Run>
class launches {
 public:
  launches(std::int64_t at_most, std::int64_t tiles, Run run)
      : at_most_(at_most),
        tiles_(static_cast<unsigned>(tiles)),
        run_(run),
        words_(detail::look_back_words<S>(tiles)),
        storage_(std::make_unique<Storage>()) {}

  template <class Task>
  void operator()(Task const& task, std::int64_t count) {
    detail::counted_task<Task> const counted{task, {&count, at_most_}};
    detail::look_back_memory const memory{tiles_ > 1 ? words_.data() : nullptr, words_.size()};
    unsigned const blocks = tiles_ < 4 ? tiles_ : 4;
    tessera::host::launch_grid(blocks, 32 * (warps + 1), {}, [&](tessera::host::block block) {
      run_(Shape{}, block, counted, memory, detail::tile_cut{tiles_, warps}, blocks, *storage_);
    });
  }

 private:
  std::int64_t at_most_;
  unsigned tiles_;
  Run run_;
  std::vector<std::uint64_t> words_;
  std::unique_ptr<Storage> storage_;
};
template <class S, class Shape, class Storage, class Run>
launches<S, Shape, Storage, Run> launches_of(std::int64_t at_most, std::int64_t tiles, Run run) {
  return {at_most, tiles, run};
}

template <bool Suffix>
void check_scans(std::int64_t at_most) {
  using shape = detail::scan_shape<unsigned, unsigned, detail::tile_kind::least>;
  auto const suffix = detail::direction<tessera::plus, unsigned, Suffix>();
  using task_t = detail::scan_task<unsigned const*, unsigned*, unsigned, tessera::plus, tessera::detail::as_it_is,
                                   std::decay_t<decltype(suffix)>>;
  auto const x = values(at_most);
  auto launch = launches_of<unsigned, shape, detail::scan_storage<unsigned, shape, warps + 2>>(
      at_most, shape::tile_count(at_most, warps),
      [](auto tiles, auto&&... in) { detail::run_scan_agent<decltype(tiles)>(in...); });
  for (std::int64_t count : counts) {
    std::int64_t const n = meant(count, at_most);
    std::vector<unsigned> out(x.size() + 1, 7u);
    unsigned total = 9;
    launch(
        task_t{x.data(), out.data(), at_most, {}, {}, detail::optional_value<unsigned>::some(5), &total, false, suffix},
        count);
    unsigned sum = 5;
    for (std::int64_t k = 0; k < n; ++k) {
      auto const i = static_cast<std::size_t>(Suffix ? n - 1 - k : k);
      ASSERT_EQ(out[i], sum += x[i]) << i << " of " << count << ", at most " << at_most;
    }
    EXPECT_EQ(out[static_cast<std::size_t>(n)], 7u);
    EXPECT_EQ(total, sum) << count << ", at most " << at_most;
  }
}

TEST(GridCounted, Scans) {
  for (std::int64_t at_most : {1, 300, 5003}) {
    check_scans<false>(at_most);
    check_scans<true>(at_most);
  }
}

struct is_even {
  TESSERA_FN bool operator()(unsigned x) const { return x % 2 == 0; }
};

TEST(GridCounted, Selections) {
  using mark = detail::if_element<is_even>;
  using task_t = detail::select_task<unsigned, mark, detail::unpaired>;
  using shape =
      typename detail::select_traits<unsigned, mark, detail::unpaired>::template shape<detail::tile_kind::least>;
  for (std::int64_t at_most : {1, 300, 9000}) {
    auto const x = values(at_most);
    auto launch = launches_of<std::uint64_t, shape, detail::select_storage<task_t, shape, warps + 2>>(
        at_most, shape::tile_count(at_most, warps),
        [](auto tiles, auto&&... in) { detail::run_select_agent<decltype(tiles)>(in...); });
    for (std::int64_t count : counts) {
      std::int64_t const n = meant(count, at_most);
      std::vector<unsigned> out(x.size() + 1, 7u);
      std::int64_t kept = -1;
      launch(task_t{x.data(), at_most, out.data(), &kept, {}, {}, false}, count);
      std::size_t expected = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        if (!is_even{}(x[i])) continue;
        ASSERT_EQ(out[expected++], x[i]) << i << " of " << count << ", at most " << at_most;
      }
      EXPECT_EQ(kept, static_cast<std::int64_t>(expected)) << count << ", at most " << at_most;
      EXPECT_EQ(out[expected], 7u);
    }
  }
}

/// The others of a partition begin after as many as are kept of the first *count.
TEST(GridCounted, Partitions) {
  using mark = detail::if_element<is_even>;
  using paired = detail::paired_others<unsigned>;
  using task_t = detail::select_task<unsigned, mark, paired>;
  using shape = typename detail::select_traits<unsigned, mark, paired>::template shape<detail::tile_kind::least>;
  for (std::int64_t at_most : {1, 300, 9000}) {
    auto const x = values(at_most);
    auto launch = launches_of<std::uint64_t, shape, detail::select_storage<task_t, shape, warps + 2>>(
        at_most, shape::tile_count(at_most, warps),
        [](auto tiles, auto&&... in) { detail::run_select_agent<decltype(tiles)>(in...); });
    for (std::int64_t count : counts) {
      std::vector<unsigned> expected(x.begin(), x.begin() + meant(count, at_most));
      auto const middle = std::stable_partition(expected.begin(), expected.end(), is_even{});
      std::int64_t const kept = middle - expected.begin();
      std::vector<unsigned> out(x.size() + 1, 7u);
      launch(task_t{x.data(), at_most, out.data(), nullptr, {}, {out.data(), &kept}, false}, count);
      expected.push_back(7);
      out.resize(expected.size());
      ASSERT_EQ(out, expected) << count << ", at most " << at_most;
    }
  }
}

struct is_large {
  TESSERA_FN bool operator()(unsigned x) const { return x > 1u << 31; }
};

TEST(GridCounted, ThreeWays) {
  using task_t = detail::three_way_task<unsigned const*, is_even, is_large>;
  using shape = typename task_t::template shape<detail::tile_kind::small_tile>;
  for (std::int64_t at_most : {1, 300, 9000}) {
    auto const x = values(at_most);
    auto launch = launches_of<detail::two_counts, shape, detail::three_way_storage<task_t, shape, warps + 2>>(
        at_most, shape::tile_count(at_most, warps),
        [](auto tiles, auto&&... in) { detail::run_three_way_agent<decltype(tiles)>(in...); });
    for (std::int64_t count : counts) {
      std::vector<unsigned> expected[3];
      for (std::int64_t i = 0; i < meant(count, at_most); ++i) {
        unsigned const value = x[static_cast<std::size_t>(i)];
        expected[is_even{}(value) ? 0 : is_large{}(value) ? 1 : 2].push_back(value);
      }
      std::vector<unsigned> first(x.size()), second(x.size()), others(x.size());
      std::int64_t found[2] = {-1, -1};
      launch(task_t{x.data(), at_most, first.data(), second.data(), others.data(), found, {}, {}}, count);
      ASSERT_EQ(found[0], static_cast<std::int64_t>(expected[0].size())) << count << ", at most " << at_most;
      ASSERT_EQ(found[1], static_cast<std::int64_t>(expected[1].size())) << count << ", at most " << at_most;
      first.resize(expected[0].size());
      second.resize(expected[1].size());
      others.resize(expected[2].size());
      ASSERT_TRUE(first == expected[0] && second == expected[1] && others == expected[2]) << count;
    }
  }
}

/// Keys in runs, and where these begin.
struct keys_in_runs {
  std::vector<unsigned> keys;
  std::vector<std::int64_t> heads;

  explicit keys_in_runs(std::int64_t n) {
    random_engine random(static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      bool const begins = i == 0 || random() % 5 == 0;
      if (begins) heads.push_back(i);
      keys.push_back(begins ? static_cast<unsigned>(i) : keys.back());
    }
  }
  /// Where the runs of the first n keys begin, and n.
  std::vector<std::int64_t> within(std::int64_t n) const {
    std::vector<std::int64_t> found;
    for (auto head : heads)
      if (head < n) found.push_back(head);
    found.push_back(n);
    return found;
  }
};

/// Lengths, read by an iterator and by a pointer; and sums. Keys go into proxies.
template <class Sums, class In>
void check_runs(std::int64_t at_most, keys_in_runs const& x, In const& in, Sums const& sums,
                std::vector<std::int64_t>& out, std::int64_t const* sum_of) {
  using task_t = detail::runs_task<unsigned, tessera::equal_to, Sums, In, strided<unsigned, 2>>;
  using shape = detail::runs_shape<unsigned, Sums, detail::tile_kind::small_tile>;
  auto launch =
      launches_of<detail::run_prefix<typename Sums::total>, shape, detail::runs_storage<task_t, shape, warps + 2>>(
          at_most, detail::runs_tile_count<shape>(at_most, warps),
          [](auto tiles, auto&&... given) { detail::run_runs_agent<decltype(tiles)>(given...); });
  for (std::int64_t count : counts) {
    auto const begin = x.within(meant(count, at_most));
    std::vector<unsigned> keys(2 * x.keys.size() + 2, 7u);
    std::fill(out.begin(), out.end(), 7);
    std::int64_t runs = -1;
    launch(task_t{in, at_most, {keys.data()}, &runs, {}, sums}, count);
    ASSERT_EQ(runs, static_cast<std::int64_t>(begin.size()) - 1) << count << ", at most " << at_most;
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
      ASSERT_EQ(keys[2 * r], x.keys[static_cast<std::size_t>(begin[r])]);
      ASSERT_EQ(keys[2 * r + 1], 7u);
      std::int64_t expected = 0;
      for (std::int64_t i = begin[r]; i < begin[r + 1]; ++i) expected += sum_of[i];
      ASSERT_EQ(out[r], expected) << r << " of " << count << ", at most " << at_most;
    }
    ASSERT_TRUE(keys[2 * begin.size() - 2] == 7 && out[begin.size() - 1] == 7);
  }
}
/// Reads by an iterator.
template <class T>
struct reader {
  T const* at;
  TESSERA_FN reader operator+(std::int64_t i) const { return {at + i}; }
  TESSERA_FN T operator*() const { return *at; }
};

TEST(GridCounted, Runs) {
  for (std::int64_t at_most : {1, 300, 5003}) {
    keys_in_runs const x(at_most);
    std::vector<std::int64_t> out(x.keys.size() + 1), ones(x.keys.size(), 1), numbers(x.keys.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i * i);
    using lengths = detail::run_lengths<std::int64_t>;
    check_runs(at_most, x, x.keys.data(), lengths{out.data()}, out, ones.data());
    check_runs(at_most, x, reader<unsigned>{x.keys.data()}, lengths{out.data()}, out, ones.data());
    using sums = detail::run_values<std::int64_t, std::int64_t, tessera::plus, std::int64_t, reader<std::int64_t>>;
    check_runs(at_most, x, x.keys.data(), sums{{numbers.data()}, out.data(), {}}, out, numbers.data());
    // By writers.
    using written = strided<std::int64_t, 1>;
    using lengths_written = detail::run_lengths<std::int64_t, written>;
    check_runs(at_most, x, x.keys.data(), lengths_written{{out.data()}}, out, ones.data());
    using sums_written =
        detail::run_values<std::int64_t, std::int64_t, tessera::plus, std::int64_t, reader<std::int64_t>, written>;
    check_runs(at_most, x, x.keys.data(), sums_written{{numbers.data()}, {out.data()}, {}}, out, numbers.data());
  }
}

TEST(GridCounted, RunsOfMoreThanOne) {
  using task_t = detail::repeats_task<unsigned const*, tessera::equal_to, std::int64_t*, std::int64_t*>;
  using shape = typename task_t::template shape<detail::tile_kind::small_tile>;
  for (std::int64_t at_most : {1, 300, 5003}) {
    keys_in_runs const x(at_most);
    auto launch = launches_of<detail::counted_starts, shape, detail::repeats_storage<task_t, shape, warps + 2>>(
        at_most, shape::tile_count(at_most, warps),
        [](auto tiles, auto&&... in) { detail::run_repeats_agent<decltype(tiles)>(in...); });
    for (std::int64_t count : counts) {
      auto const begin = x.within(meant(count, at_most));
      std::vector<std::int64_t> offsets(x.keys.size()), lengths(x.keys.size()), expected, expected_lengths;
      for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        if (begin[r + 1] - begin[r] < 2) continue;
        expected.push_back(begin[r]);
        expected_lengths.push_back(begin[r + 1] - begin[r]);
      }
      std::int64_t runs = -1;
      launch(task_t{x.keys.data(), at_most, offsets.data(), lengths.data(), &runs, {}}, count);
      ASSERT_EQ(runs, static_cast<std::int64_t>(expected.size())) << count << ", at most " << at_most;
      offsets.resize(expected.size());
      lengths.resize(expected.size());
      ASSERT_TRUE(offsets == expected && lengths == expected_lengths) << count << ", at most " << at_most;
    }
  }
}

TEST(GridCounted, ScansByKey) {
  using source_t = detail::key_source<unsigned, tessera::equal_to>;
  using task_t = detail::segmented_scan_task<unsigned, unsigned, tessera::plus, tessera::detail::as_it_is, source_t,
                                             bool, unsigned const*>;
  using shape = detail::segmented_scan_shape<unsigned, unsigned, source_t, detail::tile_kind::least>;
  for (std::int64_t at_most : {1, 300, 5003}) {
    keys_in_runs const x(at_most);
    auto const in = values(at_most);
    auto launch =
        launches_of<detail::open_run<unsigned>, shape, detail::segmented_scan_storage<task_t, shape, warps + 2>>(
            at_most, shape::tile_count(at_most, warps),
            [](auto tiles, auto&&... given) { detail::run_segmented_scan_agent<decltype(tiles)>(given...); });
    for (std::int64_t count : counts) {
      std::int64_t const n = meant(count, at_most);
      std::vector<unsigned> out(in.size() + 1, 7u);
      launch(task_t{in.data(),
                    out.data(),
                    at_most,
                    {x.keys.data(), {}},
                    {},
                    {},
                    detail::optional_value<unsigned>::none(),
                    false},
             count);
      unsigned sum = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        sum = i == 0 || x.keys[i] != x.keys[i - 1] ? in[i] : sum + in[i];
        ASSERT_EQ(out[i], sum) << i << " of " << count << ", at most " << at_most;
      }
      EXPECT_EQ(out[static_cast<std::size_t>(n)], 7u);
    }
  }
}

TEST(GridCounted, Searches) {
  constexpr unsigned threads = 64;
  struct is_at {
    std::int64_t at;
    TESSERA_FN bool operator()(unsigned, std::int64_t i) const { return i >= at; }
  };
  using task_t = detail::find_task<unsigned const*, is_at>;
  for (std::int64_t at_most : {1, 9000}) {
    auto const x = values(at_most);
    unsigned counters[4] = {};
    std::uint64_t best = 0;
    bool const is_single = task_t::shape::tile_count(at_most, threads) <= 1;
    detail::find_memory const memory{is_single ? nullptr : counters, is_single ? nullptr : &best};
    for (std::int64_t count : counts) {
      for (std::int64_t at : {std::int64_t{0}, std::int64_t{384}, std::int64_t{4000}}) {
        std::int64_t const n = meant(count, at_most);
        std::int64_t out = -1;
        detail::find_storage storage{};
        detail::counted_task<task_t> const counted{{x.data(), at_most, {at}, &out}, {&count, at_most}};
        unsigned const blocks = is_single ? 1 : 3;
        tessera::host::launch_grid(blocks, threads, {}, [&](tessera::host::block block) {
          detail::run_find_agent<threads>(block, detail::task_now(counted), memory, blocks, storage);
        });
        ASSERT_EQ(out, std::min(at, n)) << count << ", at most " << at_most;
      }
    }
  }
}

}  // namespace
