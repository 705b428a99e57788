// The kernel of copy_batches on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/grid/copy/copy_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned warps = 2;

/// Buffers of drawn sizes at any addresses, one after the other with some bytes between, and copies of them elsewhere.
struct drawn_buffers {
  std::vector<unsigned char> from, to, expected;
  std::vector<void const*> sources;
  std::vector<void*> destinations;
  std::vector<std::uint32_t> sizes;

  /// `aligned`: to so many bytes, sizes too.
  drawn_buffers(std::size_t count, std::uint32_t most, unsigned aligned, random_engine& random) {
    std::vector<std::size_t> at, to_at;
    std::size_t end = 16, to_end = 16;
    auto const gap = [&] { return random() % 20 * aligned % 32 / aligned * aligned; };
    for (std::size_t i = 0; i < count; ++i) {
      auto const size = static_cast<std::uint32_t>(random() % 7 == 0 ? 0 : random() % (most + 1)) / aligned * aligned;
      sizes.push_back(size);
      at.push_back(end += gap());
      to_at.push_back(to_end += gap());
      end += size;
      to_end += size;
    }
    for (std::size_t i = 0; i < end + 16; ++i) from.push_back(static_cast<unsigned char>(random()));
    to.assign(to_end + 64, 0xcd);
    expected = to;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t b = 0; b < sizes[i]; ++b) expected[to_at[i] + b] = from[at[i] + b];
      sources.push_back(from.data() + at[i]);
      destinations.push_back(to.data() + to_at[i]);
    }
  }
};

template <class Sources, class Destinations, class Sizes>
void run(Sources const& sources, Destinations const& destinations, Sizes const& sizes, std::size_t count,
         unsigned of_group, unsigned seed) {
  std::vector<std::uint64_t> entries(count / 32 + 1);
  alignas(8) unsigned counters[4]{};
  auto const list = detail::copy_list::of(entries.data(), counters);
  detail::copy_task<Sources, Destinations, Sizes> const task{
      sources, destinations, sizes, static_cast<std::int64_t>(count), 1, of_group};
  unsigned const blocks = 1 + seed % 3;
  tessera::host::options how;
  how.seed = seed;
  unsigned const threads = 32 * warps, list_blocks = static_cast<unsigned>(count) / threads + 1;
  tessera::host::launch_grid(list_blocks, threads, how, [&](tessera::host::block block) {
    detail::run_copy_list_agent(block, task, list, block.group_index().x);
  });
  tessera::host::launch_grid(blocks, threads, how, [&](tessera::host::block block) {
    detail::run_copy_agent(block, task, list, block.group_index().x, blocks, warps);
  });
  for (unsigned counter : counters) EXPECT_EQ(counter, 0u);
}

/// By pointers, or by iterators.
void check_copies(std::size_t count, std::uint32_t most, unsigned aligned, unsigned of_group, unsigned seed) {
  random_engine random(seed + count * 31 + most);
  drawn_buffers x(count, most, aligned, random);
  if (seed % 2 == 0) {
    run(x.sources.data(), x.destinations.data(), x.sizes.data(), count, of_group, seed);
  } else {
    auto const at = [](auto const& array) { return computed{[p = array.data()](std::int64_t i) { return p[i]; }}; };
    run(at(x.sources), at(x.destinations), at(x.sizes), count, of_group, seed);
  }
  ASSERT_TRUE(x.to == x.expected) << count << " buffers of up to " << most << " bytes, seed " << seed;
}

TEST(GridCopyBatchesOnHost, AllSizes) {
  unsigned seed = 0;
  for (std::uint32_t most : {1u, 20u, 100u, 1500u, 70000u})
    for (unsigned aligned : {1u, 4u, 16u})
      for (std::size_t count : {1u, 33u, 200u}) {
        if (most < aligned || (most > 2000 && count > 33)) continue;
        check_copies(count, most, aligned, 1 + seed % 32, seed);
        ++seed;
      }
  check_copies(150, 30000, 1, 2, seed);  // several groups with long buffers
}

}  // namespace
