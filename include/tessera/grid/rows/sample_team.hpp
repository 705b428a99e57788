// The threads that sample a row, and their memory: those of a block here, of a cluster in sample_cluster.cuh.
//
// A Team is the threads that share a row:
//
//   is_alone                  whether that is one block; then there is no need for what follows `part`
//   tile(), part<N>()         this block's threads, and those of N neighboring lanes, as tiles
//   storage()                 this block's sample_storage
//   blocks(), rank()          the number of blocks, and of this one
//   all_gather(x)             gives x, of up to 64 bytes, which all threads of the block have, to all blocks, and
//                             returns once all have given theirs. Before it, a barrier of the block follows all
//                             value_of() of the turn before: the next turn but one uses the same memory
//   value_of<X>(block)        the value that a block has given in the last turn
//   send(place, i)            stores a place as element i of the list of every block
//   wait_for_places(n)        returns once this list's n places from other blocks have arrived
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/rows/row_block.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shared memory of a block that samples a row, or a part of it.
template <class Shape>
struct sample_storage {
  static constexpr unsigned warps = Shape::threads / 32;
  std::uint64_t parts[warps];                 // the sums of the warps' parts of a row
  std::uint64_t blocks[most_cluster_blocks];  // and of the blocks' parts
  std::uint64_t own[Shape::capacity];         // places of this block's part, before others have them
  std::uint64_t listed[Shape::capacity];      // places, in any order
  std::uint64_t sorted[Shape::capacity];      // the same in the row's order
  std::uint64_t masses[Shape::capacity];      // of the list up to each of its elements
  std::uint32_t weights[Shape::capacity];
  unsigned count;
  std::uint64_t place;  // of the last element that a filter keeps
};

/// A Team of one block.
template <class Shape, class Block>
class sample_block {
 public:
  static constexpr bool is_alone = true;

  TESSERA_FN sample_block(Block const& block, sample_storage<Shape>& storage) : block_(block), storage_(storage) {}

  TESSERA_FN auto tile() const { return tessera::this_block_tile<Shape::threads>(block_); }
  template <unsigned N>
  TESSERA_FN auto part() const {
    return tessera::tiled_partition<N>(block_);
  }
  TESSERA_FN sample_storage<Shape>& storage() const { return storage_; }
  TESSERA_FN static constexpr unsigned blocks() { return 1; }
  TESSERA_FN static constexpr unsigned rank() { return 0; }

 private:
  Block const& block_;
  sample_storage<Shape>& storage_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
