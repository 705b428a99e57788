// tile_cluster measures sums, scans and counts of the lanes of clusters of 8 blocks, by tessera, and by cooperative
// groups with CUB's collectives within the blocks; scans by one kernel beside scans by two; and sorts beside CUB's.
//
// In a row: each lane calls the collective repeatedly, x <- own + f(result), in one kernel. "block alone" is the same
// with the block's collective, "barrier" with a barrier of the cluster.
#include "../passes.hpp"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <tessera/block_tile.hpp>
#include <tessera/cluster_tile.hpp>
#include <tessera/device.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/vote.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

namespace {

namespace cg = cooperative_groups;

constexpr unsigned blocks = 8;

enum class what { sum, scan, count };

// ---- The value after a call: the same for all methods

__host__ __device__ float next_value(float own, float result, unsigned lanes) {
  return own + result * (0.5f / static_cast<float>(lanes));
}
__host__ __device__ unsigned next_value(unsigned own, unsigned result, unsigned) {
  return (own * 5 + result) & 0xffffu;
}
__host__ __device__ bool counts(unsigned x) {
  return x % 3 == 0;
}

// ---- Methods: made by all threads before the loop, called with a lane's value

template <what What, unsigned Threads>
struct by_tessera {
  tessera::cluster_tile<blocks * Threads, Threads> tile =
      tessera::this_cluster_tile<blocks * Threads, Threads>(cg::this_cluster());
  template <class T>
  __device__ T operator()(T x) {
    if constexpr (What == what::sum) return tessera::reduce(tile, x);
    if constexpr (What == what::scan) return tessera::inclusive_scan(tile, x);
    if constexpr (What == what::count) return tessera::count_if(tile, counts(x));
  }
};

/// The block's part by CUB; then thread 0 (of a scan the last one) stores the block's total into every block's memory,
/// or each block's warps load all blocks' totals. One barrier of the cluster a call, and two sets of totals.
template <what What, unsigned Threads, bool Loads>
struct by_cub {
  unsigned turn = 0;

  template <class T>
  __device__ T operator()(T x) {
    using reduce = cub::BlockReduce<T, Threads>;
    using scan = cub::BlockScan<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union {
      typename reduce::TempStorage of_reduce;
      typename scan::TempStorage of_scan;
    } storage;
    __shared__ T totals[2][blocks];
    auto const cluster = cg::this_cluster();
    unsigned const rank = cluster.block_rank(), lane = threadIdx.x % 32;
    turn ^= 1u;
    T mine = x, total = x;
    if constexpr (What == what::scan) {
      scan(storage.of_scan).InclusiveSum(x, mine, total);
    } else if constexpr (What == what::sum) {
      total = reduce(storage.of_reduce).Sum(x);
    } else {
      total = static_cast<T>(__syncthreads_count(counts(x)));
    }
    if constexpr (Loads) {
      if (threadIdx.x == 0) totals[turn][rank] = total;
    } else if constexpr (What == what::sum) {
      if (threadIdx.x < 32) {
        total = __shfl_sync(~0u, total, 0);
        if (lane < blocks) *cluster.map_shared_rank(&totals[turn][rank], static_cast<int>(lane)) = total;
      }
    } else if (threadIdx.x < blocks) {
      *cluster.map_shared_rank(&totals[turn][rank], static_cast<int>(threadIdx.x)) = total;
    }
    cluster.sync();
    T of_lane = T{};
    if (lane < blocks && (What != what::scan || lane < rank))
      of_lane = Loads ? *cluster.map_shared_rank(&totals[turn][lane], static_cast<int>(lane)) : totals[turn][lane];
    for (unsigned bit = 1; bit < blocks; bit *= 2) of_lane += __shfl_xor_sync(~0u, of_lane, bit);
    of_lane = __shfl_sync(~0u, of_lane, 0);
    return What == what::scan ? of_lane + mine : of_lane;
  }
};

template <what What, unsigned Threads>
struct block_alone {
  tessera::block_tile<Threads> tile = tessera::this_block_tile<Threads>(cg::this_thread_block());
  template <class T>
  __device__ T operator()(T x) {
    if constexpr (What == what::sum) return tessera::reduce(tile, x);
    if constexpr (What == what::scan) return tessera::inclusive_scan(tile, x);
    if constexpr (What == what::count) return tessera::count_if(tile, counts(x));
  }
};

struct barrier_alone {
  template <class T>
  __device__ T operator()(T x) {
    cg::this_cluster().sync();
    return x;
  }
};

template <class Method, unsigned Threads, class T>
__global__ void __launch_bounds__(Threads) run_in_a_row(unsigned calls, T const* in, T* out) {
  auto const cluster = cg::this_cluster();
  Method collective{};
  T const own = in[cluster.thread_rank()];
  T x = own;
#pragma unroll 1
  for (unsigned i = 0; i < calls; ++i) x = next_value(own, collective(x), blocks * Threads);
  out[blockIdx.x * Threads + threadIdx.x] = x;
  cluster.sync();  // no block exits while others load from its memory
}

template <class Method, unsigned Threads, class T>
cudaError_t launch_in_a_row(unsigned clusters, unsigned calls, gpu_data<T> const& in, gpu_data<T> const& out) {
  cudaLaunchAttribute shape[1] = {};
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim.x = blocks;
  shape[0].val.clusterDim.y = shape[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(clusters * blocks);
  launch.blockDim = dim3(Threads);
  launch.attrs = shape;
  launch.numAttrs = 1;
  return cudaLaunchKernelEx(&launch, run_in_a_row<Method, Threads, T>, calls, static_cast<T const*>(in.data()),
                            out.data());
}

// ---- A scan by two kernels

template <unsigned Threads, class T>
__global__ void __launch_bounds__(Threads) scan_blocks(T const* in, T* scans, T* totals) {
  using scan = cub::BlockScan<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage storage;
  unsigned const at = blockIdx.x * Threads + threadIdx.x;
  T x = in[at], total{};
  scan(storage).InclusiveSum(x, x, total);
  scans[at] = x;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
template <unsigned Threads, class T>
__global__ void __launch_bounds__(Threads) add_totals(T const* in, T const* scans, T const* totals, T* out) {
  unsigned const at = blockIdx.x * Threads + threadIdx.x, rank = blockIdx.x % blocks, first = blockIdx.x - rank;
  T before{};
  for (unsigned b = 0; b < rank; ++b) before += totals[first + b];
  out[at] = next_value(in[at % (blocks * Threads)], before + scans[at], blocks * Threads);
}

// ---- Tasks

template <class T>
std::vector<T> own_values(unsigned lanes) {
  std::vector<T> values(lanes);
  for (unsigned i = 0; i < lanes; ++i) values[i] = static_cast<T>(i * 2654435761u % 1000);
  return values;
}
/// The values of a cluster's lanes after so many calls.
template <what What, class T>
std::vector<T> values_after(unsigned calls, std::vector<T> const& own) {
  std::vector<T> x = own;
  auto const lanes = static_cast<unsigned>(own.size());
  for (unsigned i = 0; i < calls; ++i) {
    T total{};
    for (T const v : x) total += What == what::count ? static_cast<T>(counts(static_cast<unsigned>(v))) : v;
    T before{};
    for (unsigned r = 0; r < lanes; ++r) {
      before += x[r];
      x[r] = next_value(own[r], What == what::scan ? before : total, lanes);
    }
  }
  return x;
}
template <class T>
std::string difference(std::vector<T> const& got, std::vector<T> const& wanted) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    double const w = static_cast<double>(wanted[i % wanted.size()]), g = static_cast<double>(got[i]);
    if (!(std::abs(g - w) <= (std::is_integral_v<T> ? 0 : 1e-3 * std::abs(w) + 1e-3)))
      return "lane " + std::to_string(i) + " has " + std::to_string(g) + " in place of " + std::to_string(w);
  }
  return {};
}

constexpr unsigned calls_in_a_row = 200;

template <class Method, what What, unsigned Threads, class T>
pass pass_in_a_row(char const* method, pass_kind kind, unsigned clusters, unsigned calls, gpu_data<T> const& in,
                   gpu_data<T> const& out) {
  pass p{method, kind, [=] { return launch_in_a_row<Method, Threads, T>(clusters, calls, in, out); }};
  if (kind != pass_kind::ceiling) {
    p.mismatch = [=] {
      return difference(out.get(std::int64_t{clusters} * blocks * Threads), values_after<What, T>(calls, in.get()));
    };
  }
  return p;
}

std::string name_of(unsigned clusters, unsigned threads) {
  return (clusters == 1 ? "" : std::to_string(clusters) + " of ") + "8 x " + std::to_string(threads);
}

template <what What, unsigned Threads, class T>
task in_a_row(char const* name, unsigned clusters) {
  unsigned const lanes = clusters * blocks * Threads;
  double const bytes = static_cast<double>(sizeof(T)) * lanes * calls_in_a_row;
  return {
      name, name_of(clusters, Threads), bytes, [=] {
        gpu_data<T> const in(own_values<T>(blocks * Threads)), out(lanes);
        auto const ours = pass_kind::ours, peer = pass_kind::peer, ceiling = pass_kind::ceiling;
        return std::vector<pass>{
            pass_in_a_row<by_tessera<What, Threads>, What, Threads>("tessera", ours, clusters, calls_in_a_row, in, out),
            pass_in_a_row<by_cub<What, Threads, false>, What, Threads>("cg + CUB, stores", peer, clusters,
                                                                       calls_in_a_row, in, out),
            pass_in_a_row<by_cub<What, Threads, true>, What, Threads>("cg + CUB, loads", peer, clusters, calls_in_a_row,
                                                                      in, out),
            pass_in_a_row<block_alone<What, Threads>, What, Threads>("block alone", ceiling, clusters, calls_in_a_row,
                                                                     in, out),
            pass_in_a_row<barrier_alone, What, Threads>("barrier", ceiling, clusters, calls_in_a_row, in, out),
        };
      }};
}

/// So many scans, each of the result of the one before: by one launch, or by two launches a scan.
template <unsigned Threads>
task scans_by_kernels(char const* name, unsigned clusters, unsigned calls) {
  unsigned const lanes = clusters * blocks * Threads;
  return {name, name_of(clusters, Threads), 8.0 * lanes * calls, [=] {
            auto const own = own_values<float>(blocks * Threads);
            gpu_data<float> const in(own), out(lanes), scans(lanes), totals(clusters * blocks), first(lanes);
            std::vector<float> all(lanes);
            for (unsigned i = 0; i < lanes; ++i) all[i] = own[i % own.size()];
            first.put(all);
            pass two{"two kernels, CUB", pass_kind::peer, [=] {
                       for (unsigned i = 0; i < calls; ++i) {
                         float const* const from = i == 0 ? first.data() : out.data();
                         scan_blocks<Threads><<<clusters * blocks, Threads>>>(from, scans.data(), totals.data());
                         add_totals<Threads>
                             <<<clusters * blocks, Threads>>>(first.data(), scans.data(), totals.data(), out.data());
                       }
                       return cudaGetLastError();
                     }};
            two.mismatch = [=] { return difference(out.get(), values_after<what::scan>(calls, own)); };
            return std::vector<pass>{pass_in_a_row<by_tessera<what::scan, Threads>, what::scan, Threads>(
                                         "tessera", pass_kind::ours, clusters, calls, in, out),
                                     two};
          }};
}

// ---- Sorts: every cluster sorts 4 keys a lane

constexpr unsigned keys_a_lane = 4, sort_threads = 1024, keys_a_cluster = keys_a_lane * blocks * sort_threads;

__global__ void __launch_bounds__(sort_threads) sort_keys(unsigned const* in, unsigned* out) {
  auto const tile = tessera::this_cluster_tile<blocks * sort_threads>(cg::this_cluster());
  unsigned const at = blockIdx.x * sort_threads + threadIdx.x;
  auto const first = reinterpret_cast<uint4 const*>(in)[at];
  auto const sorted = tessera::sort(tile, tessera::items<unsigned, keys_a_lane>{{first.x, first.y, first.z, first.w}});
  reinterpret_cast<uint4*>(out)[at] = make_uint4(sorted[0], sorted[1], sorted[2], sorted[3]);
}

cudaError_t launch_sort(unsigned clusters, gpu_data<unsigned> const& in, gpu_data<unsigned> const& out) {
  cudaLaunchAttribute shape[1] = {};
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim.x = blocks;
  shape[0].val.clusterDim.y = shape[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(clusters * blocks);
  launch.blockDim = dim3(sort_threads);
  launch.attrs = shape;
  launch.numAttrs = 1;
  return cudaLaunchKernelEx(&launch, sort_keys, static_cast<unsigned const*>(in.data()), out.data());
}

task sorts(char const* name, unsigned clusters) {
  int const n = static_cast<int>(clusters * keys_a_cluster);
  return {name, name_of(clusters, sort_threads), 8.0 * n, [=] {
            std::vector<unsigned> keys(static_cast<std::size_t>(n));
            for (std::size_t i = 0; i < keys.size(); ++i)
              keys[i] = static_cast<unsigned>(i) * 2654435761u ^ 0x5bd1e995u;
            gpu_data<unsigned> const in(keys), out(n);
            std::vector<int> ends(clusters + 1);
            for (unsigned c = 0; c <= clusters; ++c) {
              ends[c] = static_cast<int>(c * keys_a_cluster);
              if (c > 0) std::sort(keys.begin() + ends[c - 1], keys.begin() + ends[c]);
            }
            gpu_data<int> const offsets(ends);
            std::vector<pass> passes{
                {"tessera", pass_kind::ours, [=] { return launch_sort(clusters, in, out); }},
                cub_pass("CUB, segmented sort",
                         [=](void* storage, std::size_t& bytes) {
                           return cub::DeviceSegmentedSort::SortKeys(storage, bytes, in.data(), out.data(), n,
                                                                     static_cast<int>(clusters), offsets.data(),
                                                                     offsets.data() + 1);
                         }),
            };
            if (clusters == 1) {
              passes.push_back(cub_pass("CUB, radix sort", [=](void* storage, std::size_t& bytes) {
                return cub::DeviceRadixSort::SortKeys(storage, bytes, in.data(), out.data(), n);
              }));
              passes.push_back(cub_pass("CUB, merge sort", [=](void* storage, std::size_t& bytes) {
                return cub::DeviceMergeSort::SortKeysCopy(storage, bytes, in.data(), out.data(), n, tessera::less{});
              }));
            }
            for (pass& p : passes) p.mismatch = [=] { return difference(out.get(), keys); };
            return passes;
          }};
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  using bench::what;
  tessera::device_info const device = tessera::find_device();
  if (device.usable && device.arch < 90) {
    std::fprintf(stderr, "tile_cluster: skipped: this GPU has no clusters\n");
    return 77;
  }
  bench::pass_program p;
  p.name = "tile_cluster";
  p.purpose = "Measures sums, scans and counts of the lanes of clusters of 8 blocks, by tessera and by its peers.";
  constexpr char const *sum = "float sum, 200 in a row", *int_sum = "uint32 sum, 200 in a row",
                       *scan = "float scan, 200 in a row", *count = "count, 200 in a row", *one = "one float scan",
                       *ten = "ten float scans", *sort = "sort of 4 uint32 a lane";
  for (unsigned clusters : {1, 16}) {
    p.tasks.push_back(bench::in_a_row<what::sum, 1024, float>(sum, clusters));
    p.tasks.push_back(bench::in_a_row<what::sum, 1024, unsigned>(int_sum, clusters));
    p.tasks.push_back(bench::in_a_row<what::scan, 1024, float>(scan, clusters));
    p.tasks.push_back(bench::in_a_row<what::count, 1024, unsigned>(count, clusters));
    p.tasks.push_back(bench::scans_by_kernels<1024>(one, clusters, 1));
    p.tasks.push_back(bench::scans_by_kernels<1024>(ten, clusters, 10));
    p.tasks.push_back(bench::sorts(sort, clusters));
  }
  p.tasks.push_back(bench::in_a_row<what::sum, 256, float>(sum, 1));
  p.tasks.push_back(bench::in_a_row<what::scan, 256, float>(scan, 1));

  for (char const* size : {"8 x 1024", "16 of 8 x 1024"}) {
    for (char const* call : {sum, int_sum, scan, count}) {
      p.targets.push_back({call, size, 1.3, "cg + CUB, stores", "tessera"});
      p.targets.push_back({call, size, 1.3, "cg + CUB, loads", "tessera"});
    }
    p.targets.push_back({one, size, 2.0, "two kernels, CUB", "tessera"});
    p.targets.push_back({ten, size, 2.0, "two kernels, CUB", "tessera"});
    p.targets.push_back({sort, size, 1.0, "CUB*", "tessera"});
  }
  return bench::run(p, argc, argv);
}
