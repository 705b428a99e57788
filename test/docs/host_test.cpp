// What docs/ shows of host tiles alone; the pages and the reference have parts of this file.
#include <tessera/device.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>
#include <tessera/version.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

namespace host = tessera::host;

TEST(DocsHost, Launches) {
  // [tessera/host/launch.hpp, tessera/tessera.hpp]
  auto sums = host::launch_tile<8>([](host::tile<8> tile) {
    return tessera::reduce(tile, tile.thread_rank());
  });  // 28, eight times
  auto ranks = host::launch_block(
      48, [](host::block block) { return block.thread_rank(); });  // 0 … 47
  auto blocks = host::launch_grid(
      2, 64, [](host::block block) { return block.group_index().x; });
  // [end]
  EXPECT_EQ(sums, std::vector<unsigned>(8, 28u));
  EXPECT_EQ(ranks.back(), 47u);
  EXPECT_EQ(blocks.size(), 128u);
  EXPECT_EQ(blocks.back(), 1u);
}

TEST(DocsHost, Blocks) {
  // [tessera/host/block.hpp, tessera/host/run/dim3.hpp, tessera/host/tile.hpp]
  auto const columns = host::launch_block(host::dim3(16, 4), [](host::block block) {
    auto const tile = host::tiled_partition<16>(block);  // a row of the block
    block.sync();
    return tile.shfl(block.thread_index().x, 3);
  });
  // [end]
  EXPECT_EQ(columns, std::vector<unsigned>(64, 3u));
}

TEST(DocsHost, SharedMemory) {
  // [tessera/host/shared.hpp]
  auto const partners = host::launch_block(32, [](host::block block) {
    unsigned const rank = block.thread_rank();
    int const x = static_cast<int>(rank);
    host::shared<int> scratch(block, 32);  // like `__shared__ int scratch[32]`
    scratch[rank] = x;                     // a write
    block.sync();
    int const y = scratch[rank ^ 1];  // a read; `auto` would make a reference
    block.sync();
    scratch[0].fetch_add(1);  // atomics don't race with each other
    return y;
  });
  // [end]
  EXPECT_EQ(partners[4], 5);
}

/// out[i] = f(in[i]) with a grid of any size.
template <class Block>
TESSERA_FN void squares(Block const& block, float const* in, float* out,
                        std::uint64_t n) {
  auto const f = [](float x) { return x * x; };
  for (auto i = tessera::grid_rank(block); i < n; i += tessera::grid_size(block))
    out[i] = f(in[i]);
}

TEST(DocsHost, LoopsOverTheGrid) {
  std::vector<float> in(1000), out(1000);
  for (unsigned i = 0; i < 1000; ++i) in[i] = static_cast<float>(i);
  host::launch_grid(3, 64, [&](host::block block) {
    squares(block, in.data(), out.data(), 1000);
  });
  for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(out[i], in[i] * in[i]);
}

/// Turns each block's part of x around: `array` is an array in shared memory.
template <class Block, class Array>
TESSERA_FN void turn_around(Block const& block, Array& array, float* x) {
  unsigned const rank = block.thread_rank(), size = block.size(),
                 at = block.group_index().x * size;
  array[rank] = x[at + rank];
  block.sync();
  x[at + rank] = array[size - 1 - rank];
}

#if TESSERA_CUDA
__global__ void turn_around_kernel(float* x) {
  __shared__ float array[256];
  turn_around(cooperative_groups::this_thread_block(), array, x);
}
#endif

TEST(DocsHost, ArraysOfBothSides) {
  std::vector<float> x(512);
  for (unsigned i = 0; i < 512; ++i) x[i] = static_cast<float>(i);
  host::launch_grid(2, 256, [&](host::block block) {
    host::shared<float> array(block, 256);
    turn_around(block, array, x.data());
  });
  EXPECT_EQ(x[0], 255);
  EXPECT_EQ(x[511], 256);
}

TEST(DocsHost, Scratch) {
  // [tessera/host/scratch.hpp]
  auto const sums = host::launch_block(256, [](host::block block) {
    host::scratch<float, 256> scratch(
        block);  // like `__shared__ tessera::scratch<float, 256> scratch`
    auto const tile = tessera::this_block_tile<256>(block);
    return tessera::reduce(tile, 1.0f, tessera::plus{}, tessera::shared(scratch));
  });
  // [end]
  EXPECT_EQ(sums, std::vector<float>(256, 256.0f));
}

TEST(DocsHost, Misuse) {
  // [tessera/host/report/misuse.hpp]
  std::string text;
  try {
    host::launch_tile<8>([](host::tile<8> tile) {
      if (tile.thread_rank() < 3) tile.sync();  // lanes 3 to 7 never come
    });
  } catch (host::misuse const& report) {
    if (report.kind() == host::misuse_kind::exited_lane) text = report.what();
  }
  // [end]
  EXPECT_NE(text.find("exited lane"), std::string::npos) << text;
}

TEST(DocsHost, Schedules) {
  // [tessera/host/run/schedule.hpp]
  for (host::schedule order : host::all_schedules) {
    auto const how = host::options{}.with_schedule(order).with_seed(7);
    auto const sums = host::launch_tile<8>(
        how, [](host::tile<8> tile) { return tessera::reduce(tile, 1); });
    EXPECT_EQ(sums[0], 8) << name_of(order);
  }
  // [end]
}

// ---- docs/how-to/clusters.md

/// A value's share of the row of a cluster, and the share of all values up to it.
struct shares {
  float own, up_to_here;
};

/// For rows of 8 * 128 values.
template <class Cluster>
TESSERA_FN shares share_of_row(Cluster const& cluster, float x) {
  auto const tile = tessera::this_cluster_tile<1024, 128>(cluster);
  float const all = tessera::reduce(tile, x);
  float const up_to_here = tessera::inclusive_scan(tile, x);
  return {x / all, up_to_here / all};
}

TEST(DocsHost, Clusters) {
  auto const found = host::launch_cluster(8, 128, [](host::cluster const& cluster) {
    return share_of_row(cluster, 2.0f);
  });
  ASSERT_EQ(found.size(), 1024u);
  for (unsigned lane = 0; lane < 1024; ++lane) {
    EXPECT_EQ(found[lane].own, 1.0f / 1024);
    EXPECT_EQ(found[lane].up_to_here, static_cast<float>(lane + 1) / 1024);
  }

  auto const sums = host::launch_cluster(8, 128, [](host::cluster const& cluster) {
    float const x = 1;
    unsigned const length = 2;
    // [tessera/cluster_tile.hpp, tessera/host/cluster.hpp]
    auto tile = tessera::this_cluster_tile<1024, 128>(cluster);  // 8 blocks of 128
    float sum = tessera::reduce(tile, x);  // of all 8 blocks, in every lane
    unsigned end = tessera::inclusive_scan(tile, length);
    float part = tessera::reduce(tile.block(), x);  // of this block's lanes
    // [end]
    return sum + part + static_cast<float>(end - 2 * tile.thread_rank());
  });
  EXPECT_EQ(sums, std::vector<float>(1024, 1024.0f + 128 + 2));
}

TEST(DocsHost, DeviceAndVersion) {
  // [tessera/device.hpp]
  tessera::device_info const gpu = tessera::find_device();
  std::string const shown =
      gpu.usable ? gpu.name : gpu.reason;  // "NVIDIA H200", or why there is none
  // [end]
  EXPECT_NE(shown, "");
  // [tessera/version.hpp]
  std::string const headers = tessera::header_version, library = tessera::version();
  bool const match = headers == library;
  // [end]
  EXPECT_TRUE(match);
}

}  // namespace
