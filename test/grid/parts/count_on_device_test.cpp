// Scans and selections of as many elements as the device knows, on host tiles: the cut is that of more elements, and the workspace
// serves the next launch.
#include <gtest/gtest.h>

#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

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

template <bool Suffix>
void check_scans(std::int64_t at_most) {
  using shape = detail::scan_shape<unsigned, unsigned, detail::tile_kind::least>;
  auto const suffix = detail::direction<tessera::plus, unsigned, Suffix>();
  using task_t = detail::scan_task<unsigned const*, unsigned*, unsigned, tessera::plus, tessera::detail::as_it_is,
                                   std::decay_t<decltype(suffix)>>;
  auto const x = values(at_most);
  auto const tiles = static_cast<unsigned>(shape::tile_count(at_most, warps));
  std::vector<std::uint64_t> words(detail::look_back_words<unsigned>(tiles));
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  detail::scan_storage<unsigned, shape, warps + 2> storage;
  for (std::int64_t count : counts) {  // all by one workspace
    std::int64_t const n = meant(count, at_most);
    std::vector<unsigned> out(x.size() + 1, 7u);
    unsigned total = 9;
    task_t const task{x.data(), out.data(), at_most, {}, {}, detail::optional_value<unsigned>::some(5),
                      &total,   false,      suffix};
    unsigned const blocks = tiles < 4 ? tiles : 4;
    tessera::host::launch_grid(blocks, 32 * (warps + 1), {}, [&](tessera::host::block block) {
      detail::run_counted_scan_agent<shape>(block, detail::counted_task<task_t>{task, {&count, at_most}}, memory,
                                            {tiles, warps}, blocks, storage);
    });
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
    auto const storage = std::make_unique<detail::select_storage<task_t, shape, warps + 2>>();
    auto const tiles = static_cast<unsigned>(shape::tile_count(at_most, warps));
    std::vector<std::uint64_t> words(detail::look_back_words<std::uint64_t>(tiles));
    detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
    for (std::int64_t count : counts) {
      std::int64_t const n = meant(count, at_most);
      std::vector<unsigned> out(x.size() + 1, 7u);
      std::int64_t kept = -1;
      task_t const task{x.data(), at_most, out.data(), &kept, {}, {}, false};
      unsigned const blocks = tiles < 4 ? tiles : 4;
      tessera::host::launch_grid(blocks, 32 * (warps + 1), {}, [&](tessera::host::block block) {
        detail::run_counted_select_agent<shape>(block, detail::counted_task<task_t>{task, {&count, at_most}}, memory,
                                                {tiles, warps}, blocks, *storage);
      });
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

}  // namespace
