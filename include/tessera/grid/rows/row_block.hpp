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

/// The shared memory of a row_block: for each of the reductions of a row, a value of each warp.
template <class X>
struct row_block_storage {
  static constexpr unsigned reductions = 2, most_warps = 32;
  X of_warp[reductions][most_warps];
};

/// A block of a power of two of warps.
template <class Block, class X>
class row_block {
 public:
  TESSERA_FN row_block(Block const& block, row_block_storage<X>& storage) : block_(block), storage_(storage) {}

  TESSERA_FN unsigned thread_rank() const { return block_.thread_rank(); }

  /// The values of all threads, combined. Reduction `number` of the row.
  template <class Op>
  TESSERA_FN X reduce(X const& x, Op const& op, unsigned number) const {
    auto const warp = tessera::tiled_partition<32>(block_);
    unsigned const rank = block_.thread_rank(), warps = static_cast<unsigned>(block_.size()) / 32;
    X const own = tessera::reduce(warp, x, op, converged | warp_by_warp<X, Op>);
    if (warp.thread_rank() == 0) storage_.of_warp[number][rank / 32] = own;
    block_.sync();
    X all = storage_.of_warp[number][rank & (warps - 1)];
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < row_block_storage<X>::most_warps; bit *= 2) {
      if (bit < warps) all = op(all, tessera::butterfly(warp, all, bit, converged));
    }
    return tessera::detail::canonicalize_nan<Op>(all);
  }

 private:
  Block const& block_;
  row_block_storage<X>& storage_;
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
template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_block<Block, X> const& block, X const& x, Op const& op, unsigned number) {
  return block.reduce(x, op, number);
}

template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_lanes<Block> const& lanes, X const& x, Op const& op, unsigned) {
  return lanes.reduce(x, op);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
