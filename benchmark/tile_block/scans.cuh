// Inclusive scans of a tile of several warps by every method.
#pragma once

#include "blocks.cuh"

#include <cooperative_groups/scan.h>
#include <cub/block/block_scan.cuh>
#include <tessera/scan.hpp>

namespace bench {

/// The inclusive scan by Op.
template <class T, class Op>
struct block_scan : plain_subject<T> {
  static T weight(unsigned /*rank*/, unsigned width) { return weight_value<T>(0.5f / static_cast<float>(width)); }
  /// Combines in tessera's order: the lanes of a warp as in Kogge and Stone's adder, and before them the
  /// warps before, as aligned blocks that double in size, each in the order of a reduction. Of many warps these
  /// are combined first, except in a warp's last lane.
  template <std::size_t N>
  static std::array<T, N> expected(std::array<T, N> x) {
    constexpr std::size_t warps = N / warp_lanes;
    constexpr bool blocks_first = tessera::detail::scans_totals_in_first_warp(warps);
    for (std::size_t delta = 1; delta < warp_lanes; delta *= 2) {
      for (std::size_t lane = N; lane-- > 0;) {
        if (lane % warp_lanes >= delta) x[lane] = Op{}(x[lane - delta], x[lane]);
      }
    }
    // block[w] is what the `size` warps from w on come to, where w is a multiple of `size`; up_to[w] what the
    // blocks before warp w and the warp come to.
    std::array<T, warps> block;
    for (std::size_t warp = 0; warp < warps; ++warp) block[warp] = x[warp * warp_lanes + warp_lanes - 1];
    auto up_to = block;
    for (std::size_t size = 1; size < warps; size *= 2) {
      for (std::size_t lane = 0; lane < N; ++lane) {
        std::size_t const warp = lane / warp_lanes;
        if (!blocks_first && (warp & size)) x[lane] = Op{}(block[warp & ~(2 * size - 1)], x[lane]);
      }
      for (std::size_t warp = 0; warp < warps; ++warp) {
        if (warp & size) up_to[warp] = Op{}(block[warp & ~(2 * size - 1)], up_to[warp]);
      }
      for (std::size_t warp = 0; warp < warps; warp += 2 * size) block[warp] = Op{}(block[warp], block[warp + size]);
    }
    for (std::size_t lane = 0; blocks_first && lane < N; ++lane) {
      std::size_t const warp = lane / warp_lanes;
      if (lane % warp_lanes == warp_lanes - 1) {
        x[lane] = up_to[warp];
      } else if (warp > 0) {
        x[lane] = Op{}(up_to[warp - 1], x[lane]);
      }
    }
    return x;
  }
};

template <class Op, class Tiles = on_partition, class Memory = own_memory>
struct our_block_scan : Tiles {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return tessera::inclusive_scan(tile, x, Op{}, Memory::template policy<T, Tile::size()>());
  }
};

struct cooperative_groups_block_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return cg::inclusive_scan(lanes, x, cg::plus<T>{});
  }
};

template <class Op, cub::BlockScanAlgorithm Algorithm>
struct cub_block_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    using scan = cub::BlockScan<T, N, Algorithm>;
    __shared__ typename scan::TempStorage storage;
    T result;
    if constexpr (std::is_same_v<Op, tessera::plus>) {
      scan(storage).InclusiveSum(x, result);
    } else {
      scan(storage).InclusiveScan(x, result, Op{});
    }
    __syncthreads();  // before the next call writes to the storage
    return result;
  }
};

template <class Subject, class Op>
void add_our_scans(std::vector<chain>& chains, char const* what) {
  using on_block_tile = our_block_scan<Op, on_block>;
  add_sizes<Subject, our_block_scan<Op>, blocks::filled>(chains, what, "tessera", kind::ours);
  add_sizes<Subject, our_block_scan<Op>, blocks::of_tile>(chains, what, "tessera, block = tile", kind::ours);
  add_sizes<Subject, on_block_tile, blocks::of_tile>(chains, what, "tessera, block tile", kind::ours);
  add_sizes<Subject, our_block_scan<Op, on_partition, callers_memory<blocks::filled>>, blocks::filled>(
      chains, what, "tessera, shared", kind::ours);
  add_sizes<Subject, our_block_scan<Op, on_block, callers_memory<blocks::of_tile>>, blocks::of_tile>(
      chains, what, "tessera, block, shared", kind::ours);
}

/// Adds two of CUB's algorithms, in blocks of First threads and more.
template <class Subject, class Op, unsigned First = 64>
void add_cub_scans(std::vector<chain>& chains, char const* what, std::string const& more = "") {
  using by_warps = cub_block_scan<Op, cub::BLOCK_SCAN_WARP_SCANS>;
  using raking = cub_block_scan<Op, cub::BLOCK_SCAN_RAKING>;
  add_sizes<Subject, by_warps, blocks::of_tile, First>(chains, what, "CUB warps" + more, kind::peer);
  add_sizes<Subject, raking, blocks::of_tile, First>(chains, what, "CUB raking" + more, kind::peer);
}

}  // namespace bench
