// The threads that share a row, if their number is known when the kernel runs: some lanes of a warp, the warps of a
// block, or those of several blocks. One kernel so serves rows of several lengths, where a tile of each size would have
// one of its own. A reduction combines them by the tree of a tile of as many threads, and its result has the same bits:
// it doesn't depend on how many blocks the threads are in.
//
//   row_lanes     Lanes exchange values with those of their own row: as many steps as there are for its lanes.
//   row_block     Each warp reduces its lanes' values. Every warp reads those of all warps, and combines them.
//   row_cluster   Each block does so, and gives its value to all blocks of the cluster. Every warp combines those.
//   row_pass      Blocks that can't wait for each other: each of a row's reductions takes a kernel of its own.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/warp_by_warp.hpp>
#include <tessera/grid/segments/segment_lanes.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shared memory of a block whose threads share a row: for each of the reductions of a row, a value of each warp.
/// There are no more reductions than these.
template <class X>
struct row_block_storage {
  static constexpr unsigned reductions = 3, most_warps = 32;
  X of_warp[reductions][most_warps];
};

/// The most blocks of a cluster.
inline constexpr unsigned most_cluster_blocks = 8;

/// value(0) … value(count − 1) combined, in each lane of a warp. `count` is a power of two, at most Most ≤ 32.
template <unsigned Most, class Warp, class Op, class Value>
TESSERA_FN auto combine_values(Warp const& warp, Op const& op, unsigned count, Value value) {
  auto all = value(warp.thread_rank() & (count - 1));
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Most; bit *= 2) {
    if (bit < count) all = op(all, tessera::butterfly(warp, all, bit, converged));
  }
  return tessera::detail::canonicalize_nan<Op>(all);
}

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
    X const own = tessera::reduce(warp, x, op, converged | warp_by_warp<X, Op>);
    if (warp.thread_rank() == 0) storage_.of_warp[number][block_.thread_rank() / 32] = own;
    detail::barrier_of_block(block_);
    return detail::combine_values<32>(warp, op, static_cast<unsigned>(block_.size()) / 32,
                                      [&](unsigned i) { return storage_.of_warp[number][i]; });
  }

 private:
  Block const& block_;
  row_block_storage<X>& storage_;
};

/// A power of two of blocks, each of a power of two of warps. `Cluster` is what they exchange values by:
///
///   block_rank()              the number of this block
///   num_blocks()              how many there are
///   storage()                 this block's row_block_storage
///   begin()                   returns once all blocks can receive values
///   all_gather(x, number)     gives x, which all threads of the block have, to all blocks, and returns once all have
///                             given theirs. Once for each number
///   value_of(block, number)   the value that a block gave
template <class Block, class Cluster>
class row_cluster {
 public:
  TESSERA_FN row_cluster(Block const& block, Cluster const& cluster) : block_(block), cluster_(cluster) {}

  TESSERA_FN unsigned thread_rank() const {
    return cluster_.block_rank() * static_cast<unsigned>(block_.size()) + block_.thread_rank();
  }
  /// Called by all threads before the first reduction.
  TESSERA_FN void begin() const { cluster_.begin(); }

  /// The values of all threads of all blocks, combined. Reduction `number` of the row.
  template <class X, class Op>
  TESSERA_FN X reduce(X const& x, Op const& op, unsigned number) const {
    X const own = row_block<Block, X>(block_, cluster_.storage()).reduce(x, op, number);
    cluster_.all_gather(own, number);
    return detail::combine_values<most_cluster_blocks>(
        tessera::tiled_partition<32>(block_), op, cluster_.num_blocks(),
        [&](unsigned block) { return static_cast<X>(cluster_.value_of(block, number)); });
  }

 private:
  Block const& block_;
  Cluster const& cluster_;
};

/// One of several blocks that share a row, in kernel number `pass` of as many as a row has reductions, and one more.
/// The results of earlier passes are known, that of this pass is stored, and later ones are unspecified. `of_row` has a
/// value of each block for each of the reductions.
template <class Block, class X>
class row_pass {
 public:
  TESSERA_FN row_pass(Block const& block, row_block_storage<X>& storage, X* of_row, unsigned which, unsigned blocks,
                      unsigned pass)
      : block_(block), storage_(storage), of_row_(of_row), which_(which), blocks_(blocks), pass_(pass) {}

  TESSERA_FN unsigned thread_rank() const {
    return which_ * static_cast<unsigned>(block_.size()) + block_.thread_rank();
  }
  template <class Op>
  TESSERA_FN X reduce(X const& x, Op const& op, unsigned number) const {
    if (number > pass_) return x;
    X* const of_block = of_row_ + number * blocks_;
    if (number < pass_)
      return detail::combine_values<32>(tessera::tiled_partition<32>(block_), op, blocks_,
                                        [&](unsigned i) { return of_block[i]; });
    X const own = row_block<Block, X>(block_, storage_).reduce(x, op, number);
    if (block_.thread_rank() == 0) of_block[which_] = own;
    return own;
  }

 private:
  Block const& block_;
  row_block_storage<X>& storage_;
  X* of_row_;
  unsigned which_, blocks_, pass_;
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

/// False for the types above whose threads may be in several warps.
template <class Tile>
inline constexpr bool is_row_of_warp = true;
template <class Block, class X>
inline constexpr bool is_row_of_warp<row_block<Block, X>> = false;
template <class Block, class Cluster>
inline constexpr bool is_row_of_warp<row_cluster<Block, Cluster>> = false;
template <class Block, class X>
inline constexpr bool is_row_of_warp<row_pass<Block, X>> = false;

/// The values of all threads that share a row, combined, in each of them. Reduction `number` of the row.
template <class Tile, class X, class Op>
TESSERA_FN X reduce_row(Tile const& tile, X const& x, Op const& op, unsigned) {
  return tessera::reduce(tile, x, op, converged | warp_by_warp<X, Op>);
}
template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_block<Block, X> const& block, X const& x, Op const& op, unsigned number) {
  return block.reduce(x, op, number);
}

template <class Block, class Cluster, class X, class Op>
TESSERA_FN X reduce_row(row_cluster<Block, Cluster> const& cluster, X const& x, Op const& op, unsigned number) {
  return cluster.reduce(x, op, number);
}
template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_pass<Block, X> const& pass, X const& x, Op const& op, unsigned number) {
  return pass.reduce(x, op, number);
}
template <class Block, class X, class Op>
TESSERA_FN X reduce_row(row_lanes<Block> const& lanes, X const& x, Op const& op, unsigned) {
  return lanes.reduce(x, op);
}
template <class Warp, class X, class Op>
TESSERA_FN X reduce_row(segment_lanes<Warp> const& lanes, X const& x, Op const& op, unsigned) {
  return lanes.reduce(x, op);
}

/// Called by all threads that share a row before its first reduction.
template <class Tile>
TESSERA_FN void begin_row(Tile const&) {}
template <class Block, class Cluster>
TESSERA_FN void begin_row(row_cluster<Block, Cluster> const& cluster) {
  cluster.begin();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
