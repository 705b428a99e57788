// Uses every public device header. check.py compiles this in each language and mode.
#pragma once

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

template <class Tile>
TESSERA_FN unsigned use_everything(Tile const& tile, unsigned x) {
  x += tessera::reduce(tile, x) + tessera::reduce(tile, x, tessera::maximum{}, tessera::converged | tessera::first(x));
  float const f = static_cast<float>(x % 8);
  auto const [sum, least] =
      tessera::reduce(tile, tessera::as_zipped(x, f), tessera::zip(tessera::plus{}, tessera::minimum{}));
  x += sum + static_cast<unsigned>(least);
  x += static_cast<unsigned>(
      tessera::reduce(tile, tessera::as_moments(f), tessera::welford{}).variance() +
      tessera::reduce(tile, tessera::as_exp_sum(f), tessera::log_sum_exp{}, tessera::first(x)).share(f));
  x += tessera::reduce(tile, tessera::as_smallest<3>(x), tessera::smallest{})[2];
  x += tessera::reduce(tile, tessera::items<unsigned, 3>{{x, x, x}}) + tessera::reduce(tile, x > 2);
  x += tessera::reduce_batch(tile, tessera::items<unsigned, 3>{{x, x + 1, x + 2}}, tessera::plus{},
                             tessera::first(x))[2];
  x += tessera::reduce_batch(tile, tessera::items<bool, 2>{{x > 3, x > 4}}, tessera::plus{}, tessera::scattered);
  x += tessera::ballot(tile, x > 3).count() + tessera::count_if(tile, x > 4);
  tessera::items<unsigned, 2> const pair = tessera::transpose(tile, tessera::items<unsigned, 2>{{x, x + 1}});
  x += tessera::exchange_items(tile, tessera::blocked_to_striped(tile, pair), 1, 0, 1)[0];
  x += tessera::rotate(tile, x, -1) + tessera::reverse(tile, x);
  unsigned* const range = nullptr;
  tessera::joint_inclusive_scan(tile, range, 0, range);
  x += tessera::joint_exclusive_scan(tile, range, 0u, range, tessera::maximum{}, tessera::with_total);
  x += tessera::joint_reduce(tile, range, 0ll) +
       (tessera::joint_any_of(tile, range, 0, [](unsigned y) { return y == 2; }) ? 1 : 0);
  x += tessera::inclusive_scan(tile, x) +
       tessera::exclusive_scan(tile, x > 2, tessera::plus{}, tessera::suffix | tessera::with_total).total;
  x += tessera::exclusive_scan(tile, pair, tessera::maximum{}, 3u)[1] + tessera::segmented_reduce(tile, x, x > 2);
  x += tessera::segmented_exclusive_scan(tile, x, tessera::by_key(x)) + tessera::peers(tile, x).rank;
  x += tessera::match_any(tile, x).count() + tessera::reduce_by_label(tile, x, x);
  x += tessera::histogram<4>(tile, x)[1] + tessera::histogram<4>(tile, x, tessera::scattered);
  x += tessera::invoke_one(tile, [&] { return x; }) + (tessera::elect(tile) ? 1 : 0);
  unsigned const row[] = {1, 2, 3};
  unsigned sums[3];
  tessera::joint_merge(tile, row, 1, row, 2, sums);
  tessera::joint_sort(tile, range, 0, range);
  tessera::store(tile, tessera::load<2>(tile, row, 3), range, 0);
  tessera::joint_inclusive_scan(tile, row, 3, sums);
  tessera::joint_exclusive_scan(tile, row, 3, sums, tessera::maximum{}, tessera::with_total);
  x += tessera::joint_reduce(tile, row, 3) +
       (tessera::joint_any_of(tile, row, 3, [](unsigned y) { return y == 2; }) ? 1 : 0);
  x += tessera::compact(tile, x, x == 1, sums, tessera::first(1));
  x += tessera::scatter(tile, x, tessera::partition(tile, x > 1).position) + tessera::radix_rank<3>(tile, x).rank;
  x += tessera::merge(tile, x, x)[1] + tessera::merge_by_key(tile, pair, pair, 1, pair, pair, 2).values[3];
  auto const [run, length, runs] = tessera::run_length_encode(tile, x);
  x += tessera::unique(tile, x).position + tessera::run_length_decode<2>(tile, run, length).value[1] + runs;
  tessera::joint_inclusive_scan(tile, row, 3, sums, tessera::plus{}, 1u);
  tessera::joint_transform_inclusive_scan(tile, row, 3, sums, tessera::plus{}, [](unsigned y) { return y; });
  x += tessera::joint_transform_exclusive_scan(
      tile, row, 3, sums, tessera::plus{}, [](unsigned y, int i) { return y + static_cast<unsigned>(i); }, 2,
      tessera::with_total);
  x += tessera::inclusive_scan(tile, x, tessera::maximum{}, 3u) +
       static_cast<unsigned>(
           tessera::reduce(tile, tessera::as_exp_sum(f, tessera::items<float, 2>{{f, f}}), tessera::log_sum_exp{})
               .mean()[1]);
  return tessera::shift_up(tile, x, 1, 0u) + tessera::broadcast(tile, x) + (tessera::any_of(tile, x == 7) ? 1 : 0);
}

/// Atomics on memory that all lanes share.
template <class Tile>
TESSERA_FN void use_atomics(Tile const& tile, unsigned x, unsigned* cells, float* most) {
  tessera::aggregated_add(tile, cells, x % 3, x);
  tessera::aggregated_add(tile, cells + 1, 0, 5u, tessera::shuffles);
  tessera::atomic_max(most, 1.0f);
  tessera::atomic_exchange(most, tessera::atomic_compare_exchange(most, 1.0f, 2.0f));
  tessera::compact(tile, x, x > 9, cells, cells + 2);
  tessera::atomic_reduce(tile, most, 2.0f, tessera::minimum_number{});
}

/// Groups of any lanes of a warp.
template <class Block>
TESSERA_FN unsigned use_groups(Block const& block, unsigned x) {
  auto const group = tessera::binary_partition(tessera::tiled_partition<32>(block), x > 2);
  x += tessera::reduce(group, x) + tessera::inclusive_scan(group, x, tessera::maximum{});
  auto const row = tessera::labeled_partition(group, x % 4);
  return tessera::shuffle(row, x, 0) + tessera::match_any(row, x).count();
}

/// Tiles of several blocks.
template <class Cluster>
TESSERA_FN unsigned use_cluster(Cluster const& cluster, unsigned x) {
  auto const tile = tessera::this_cluster_tile<128, 64>(cluster);
  return x + tessera::reduce(tile, x) + tessera::inclusive_scan(tile, x) + tessera::count_if(tile, x > 2) +
         tessera::sort(tile, x) + tessera::stable_sort_by_key(tile, x, x, tessera::greater{}).values;
}

/// Tiles of several warps.
template <class Block>
TESSERA_FN unsigned use_block(Block const& block, unsigned x) {
  auto const tile = tessera::this_block_tile<64>(block);
  auto const padded = tessera::padded_block_tile<128>(block);
  x += tessera::reduce(tile, x) + tessera::inclusive_scan(tile, x) + tessera::segmented_reduce(tile, x, x > 2);
  x += tessera::match_any(tile, x).count() + tessera::rotate(tile, x, 1) + tessera::reduce_by_label(tile, x, x);
  return x + tessera::reduce(padded, x, tessera::plus{}, tessera::first(x)) + tessera::ballot(padded, x > 1).count();
}

inline unsigned use_on_host() {
  unsigned total = 0, cells[3] = {};
  float most = 0;
  for (unsigned x : tessera::host::launch_tile<8>([&](auto tile) {
         use_atomics(tile, tile.thread_rank(), cells, &most);
         return use_everything(tile, tile.thread_rank());
       }))
    total += x;
  tessera::host::launch_block(64, [&](tessera::host::block block) {
    tessera::host::scratch<unsigned, 64> scratch(block);
    unsigned const x = use_block(block, use_groups(block, block.thread_rank()));
    return tessera::reduce(tessera::this_block_tile<64>(block), x, tessera::plus{}, tessera::shared(scratch));
  });
  tessera::host::launch_cluster(
      2, 64, [](tessera::host::cluster cluster) { return use_cluster(cluster, cluster.thread_rank()); });
  return total;
}

#if defined(__CUDACC__)
// A kernel that isn't a template, so that it is compiled for the host too.
static __global__ void plain_kernel(float* x) {
  auto const tile = tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
  float y = x[threadIdx.x];
  y = tessera::reduce(tile, y) + tessera::inclusive_scan(tile, y);
  y += tessera::segmented_reduce(tile, y, tessera::by_key(threadIdx.x / 3));
  y += static_cast<float>(tessera::ballot(tile, y > 1).count() + tessera::match_any(tile, y).count());
  y += tessera::reduce_batch(tile, tessera::items<float, 2>{{y, y}}, tessera::plus{}, tessera::scattered);
  y += tessera::transpose(tile, tessera::items<float, 2>{{y, y}})[1] + tessera::rotate(tile, y, 3);
  tessera::aggregated_add(tile, x, threadIdx.x % 4, y);
  tessera::atomic_reduce(tile, x, y);
  tessera::joint_inclusive_scan(tile, x, 8, x);
  tessera::joint_transform_inclusive_scan(tile, x, 8, x, tessera::plus{}, [=](float z) { return y * z; });
  x[threadIdx.x] = y + tessera::joint_reduce(tile, x, 8) + tessera::reduce_by_label(tile, threadIdx.x % 2, y);
}

static __global__ void block_kernel(unsigned* out) {
  __shared__ tessera::scratch<unsigned, 64> scratch;
  auto const block = cooperative_groups::this_thread_block();
  unsigned x = use_block(block, out[threadIdx.x]);
  x += tessera::reduce(tessera::tiled_partition<64>(block), x, tessera::plus{}, tessera::fresh(scratch));
  out[threadIdx.x] =
      x + tessera::reduce(tessera::this_block_tile<64>(block), x, tessera::plus{}, tessera::shared(scratch));
}

static __global__ void cluster_kernel([[maybe_unused]] unsigned* out) {
#if TESSERA_ARCH == 0 || TESSERA_ARCH >= 900
  out[threadIdx.x] = use_cluster(cooperative_groups::this_cluster(), out[threadIdx.x]);
#endif
}

static __global__ void use_in_kernel(unsigned* out) {
  auto const tile = tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
  use_atomics(tile, threadIdx.x, out, reinterpret_cast<float*>(out + 3));
  out[threadIdx.x] = use_everything(tile, out[threadIdx.x]);
}
#endif
