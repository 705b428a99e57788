// How a warp stores rows, of which each lane has some vectors.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/grid/parts/vectors.hpp>
#include <tessera/lanes.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The vectors of a row that a lane of its tile has, from vector `begin` on.
template <class Bits>
struct lane_vectors {
  Bits* row;
  int length, begin;

  TESSERA_FN void store(int v, packed<Bits> const& x) const {
    int const at = (begin + v) * static_cast<int>(row_vector_length<Bits>);
    if (at < length) detail::store_part(row + at, at, length, x);
  }
};

/// Stores the vectors of a warp's lanes. Two lanes exchange half of theirs, so that they store 32 bytes together, which
/// is what memory takes at once:
///
///   has        a b c d     e f g h
///   store      a   c  e  g
///                b   d  f  h
///
/// part_of(thread)  the part of a thread of the block.
template <class Bits, unsigned Vectors, class Block, class PartOf>
TESSERA_FN void store_lane_vectors(Block const& block, packed<Bits> const (&x)[Vectors], PartOf const& part_of) {
  unsigned const thread = block.thread_rank();
  if constexpr (Vectors % 2 != 0) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) part_of(thread).store(static_cast<int>(v), x[v]);
  } else {
    using vectors_t = tessera::items<packed<Bits>, Vectors / 2>;
    bool const is_second = thread % 2 != 0;
    auto exchanged = detail::from_words<vectors_t>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Vectors / 2; ++i) exchanged[i] = detail::select(is_second, x[2 * i], x[2 * i + 1]);
    exchanged = tessera::butterfly(tessera::tiled_partition<32>(block), exchanged, 1, converged);
    lane_vectors<Bits> const first = part_of(thread & ~1u), second = part_of(thread | 1u);
    TESSERA_UNROLL
    for (unsigned i = 0; i < Vectors / 2; ++i) {
      int const v = static_cast<int>(2 * i + (is_second ? 1 : 0));
      first.store(v, detail::select(is_second, exchanged[i], x[2 * i]));
      second.store(v, detail::select(is_second, x[2 * i + 1], exchanged[i]));
    }
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
