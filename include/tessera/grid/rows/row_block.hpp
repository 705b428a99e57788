// The threads that share a row, if their number is known when the kernel runs: some lanes of a warp, or the warps of a
// block. One kernel so serves rows of several lengths, where a tile of each size would have one of its own. A reduction
// combines them by the tree of a tile of as many threads, and its result has the same bits.
//
//   row_lanes   Lanes exchange values with those of their own row: as many steps as there are for its lanes.
//   row_block   Each warp reduces its lanes' values. Every warp reads those of all warps, and combines them.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/warp_by_warp.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shared memory of a row_block: for each of some reductions, a value of each warp.
template <class X, unsigned Reductions = 2, unsigned MostWarps = 32>
struct row_block_storage {
  static constexpr unsigned most_warps = MostWarps;
  X of_warp[Reductions][MostWarps];
};

/// The values of a warp's lanes, combined: lane 0 gets it.
template <class Warp, class X, class Op>
TESSERA_FN X reduce_warp(Warp const& warp, X const& x, Op const& op) {
  return tessera::reduce(warp, x, op, converged | to_leader | warp_by_warp<X, Op>);
}

/// A block of a power of two of warps.
template <class Block, class Storage>
class row_block {
 public:
  TESSERA_FN row_block(Block const& block, Storage& storage) : block_(block), storage_(storage) {}

  TESSERA_FN unsigned thread_rank() const { return block_.thread_rank(); }
  TESSERA_FN auto warp() const { return tessera::tiled_partition<32>(block_); }

  /// The values of all warps, which their lanes 0 have, combined in their order: thread 0 gets it, and if op(a, b) has
  /// the bits of op(b, a), all threads do. Values of two calls with one `number` are apart by a barrier.
  template <class X, class Op>
  TESSERA_FN X combine_warps(X const& of_warp, Op const& op, unsigned number) const {
    auto const lanes = warp();
    unsigned const rank = block_.thread_rank(), warps = static_cast<unsigned>(block_.size()) / 32;
    if (lanes.thread_rank() == 0) storage_.of_warp[number][rank / 32] = of_warp;
    block_.sync();
    X all = storage_.of_warp[number][rank & (warps - 1)];
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < Storage::most_warps; bit *= 2) {
      if (bit < warps) all = static_cast<X>(op(all, tessera::butterfly(lanes, all, bit, converged)));
    }
    return tessera::detail::canonicalize_nan<Op>(all);
  }

 private:
  Block const& block_;
  Storage& storage_;
};

/// The lanes of a warp that share a row: a power of two of them.
template <class Block>
class row_lanes {
 public:
  TESSERA_FN row_lanes(Block const& block, unsigned count) : block_(block), count_(count) {}

  TESSERA_FN unsigned thread_rank() const { return block_.thread_rank() & (count_ - 1); }
  /// The values of all lanes of the row, combined. Called by all lanes of the warp.
  template <class X, class Op>
  TESSERA_FN X reduce(X const& x, Op const& op) const {
    auto const warp = tessera::tiled_partition<32>(block_);
    X all = x;
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < 32; bit *= 2) {
      if (bit < count_) all = static_cast<X>(op(all, tessera::butterfly(warp, all, bit, converged)));
    }
    return tessera::detail::canonicalize_nan<Op>(all);
  }

 private:
  Block const& block_;
  unsigned count_;
};

/// The values of all threads that share a row, combined, in each of them. Reduction `number` of the row.
template <class Tile, class X, class Op>
TESSERA_FN X reduce_row(Tile const& tile, X const& x, Op const& op, unsigned) {
  return tessera::reduce(tile, x, op, converged | warp_by_warp<X, Op>);
}
template <class Block, class Storage, class X, class Op>
TESSERA_FN X reduce_row(row_block<Block, Storage> const& block, X const& x, Op const& op, unsigned number) {
  return block.combine_warps(detail::reduce_warp(block.warp(), x, op), op, number);
}

template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_lanes<Block> const& lanes, X const& x, Op const& op, unsigned) {
  return lanes.reduce(x, op);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
