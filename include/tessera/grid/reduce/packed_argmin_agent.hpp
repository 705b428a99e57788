// The agent of argmin and argmax of long arrays of small elements: packed argmin, improved by an atomic min. Argmax is
// argmin of elements that have bits flipped (parts/flipped_bits.hpp).
//
//   packed best   32 bits of ordered key ‖ 32 bits of index: the least of such words is the first of the best elements.
//                 With the index's complement (its number, argmin_ties.hpp) it is the last of them.
//   load          Each block loads a step. Its first thread loads the grid's packed best after the block's first
//                 loads.
//   reduce        The block reduces its elements' keys. If the best can't improve the packed best, it is done.
//   find index    Else the lanes that hold the best key look for its first index, and the block reduces these.
//   publish       A block that has improved the packed best updates it by an atomic min, in any order.
//   store         The last block (block_protocols.hpp: arrivals) unpacks the result and stores it.
//
// Blocks take few steps and there are many of them. A block knows the packed best as it was when its first loads were
// outstanding, so that it seldom improves it. The word is kept as its complement: 0 stands for no element.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/flipped_bits.hpp>
#include <tessera/grid/reduce/argmin_ties.hpp>
#include <tessera/grid/reduce/even_share.hpp>
#include <tessera/grid/reduce/reduce_tuning.hpp>
#include <tessera/reduce.hpp>
#include <tessera/warp/redux_indexed.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::combine_tree;
using tessera::detail::is_nan;
using tessera::detail::number_of_key;
using tessera::detail::ordered_key;

/// True if a packed best holds the ordered key and the index of any of n elements of T.
template <class T>
constexpr bool fits_packed_argmin(std::int64_t n) {
  return sizeof(T) <= 4 && n <= UINT32_MAX;
}

TESSERA_FN constexpr std::uint64_t pack_best(std::uint32_t key, std::uint32_t index) {
  return std::uint64_t{key} << 32 | index;
}

/// The memory that the blocks of a kernel share: 0 before and after it.
struct shared_packed_best {
  std::uint64_t* complement;
  unsigned* counter;

  TESSERA_FN std::uint64_t load() const { return ~detail::load_relaxed(complement); }
  /// Called by one thread of a block, before it arrives.
  TESSERA_FN void atomic_min(std::uint64_t best) const {
    detail::fetch_max(complement, ~best);
    detail::fence();
  }
};

/// The share of each block: some steps in a row. A step is the same number of vectors for each thread of a block.
struct packed_argmin_share {
  unsigned blocks, steps_per_block, steps;
  bool streaming;  // whether full steps are loaded with load_streaming
};

/// The share of each block of an array of n > 0 elements.
template <unsigned Threads, unsigned Vectors, class T>
inline packed_argmin_share packed_argmin_share_of(T const* in, std::int64_t n, std::int64_t resident) {
  constexpr std::int64_t step = Threads * Vectors * vector_length<T>;
  std::int64_t const steps = (n + step - 1) / step;
  std::int64_t each = steps / resident;
  if (each > reduce_tuning::packed_argmin_steps) each = reduce_tuning::packed_argmin_steps;
  if (each < 1) each = 1;
  return {static_cast<unsigned>((steps + each - 1) / each), static_cast<unsigned>(each), static_cast<unsigned>(steps),
          detail::is_streamed(in, n)};
}

template <unsigned Threads, unsigned Vectors, class T, class Ties, class Out>
class packed_argmin_agent {
  static_assert(Threads > 32, "A warp has no barrier, after which all threads know the packed best.");
  static constexpr unsigned V = vector_length<T>, step_vectors = Threads * Vectors, lane_items = Vectors * V;

  /// One step, as one lane holds it.
  struct step_items {
    unsigned step;
    std::int64_t begin;      // the step's first vector
    unsigned vectors;        // how many it has
    std::uint32_t first;     // the index of this lane's first element
    items<T, lane_items> x;  // with bits flipped
    T extreme;               // the least of x
  };

 public:
  template <class Block>
  TESSERA_FN packed_argmin_agent(Block const& block, T const* in, std::int64_t n, flipped_bits<T> flipped,
                                 Ties const& ties, packed_argmin_share const& share)
      : in_(in),
        flipped_(flipped),
        ties_(ties),
        range_(detail::range_of(in, static_cast<stl::uint64_t>(n))),
        share_(share),
        rank_(block.thread_rank()),
        which_(block.group_index().x) {}

  /// `known` is shared by the block.
  template <class Tile>
  TESSERA_FN void run(Tile const& tile, std::uint64_t& known, shared_packed_best const& shared, Out const& out) const {
    std::uint64_t best = ~std::uint64_t{0};  // the best that this block knows
    bool improved = false;
    for (unsigned i = 0; i < share_.steps_per_block; ++i) {
      unsigned const step = which_ * share_.steps_per_block + i;
      if (step >= share_.steps) break;
      step_items own = load(step);
      if (i == 0 && rank_ == 0) known = shared.load();
      std::uint32_t const key = best_key(own);
      std::uint32_t const best_of_step = tessera::reduce(tile, key, minimum{});
      if (i == 0) best = known;
      if (detail::pack_best(best_of_step, lowest_number(own)) < best) {
        std::uint32_t const number = key == best_of_step ? find_number(own, best_of_step) : UINT32_MAX;
        best = detail::pack_best(best_of_step, tessera::reduce(tile, number, minimum{}));
        improved = true;
      }
    }
    if (rank_ != 0) return;
    if (improved) shared.atomic_min(best);
    if (detail::is_highest_block_after_all(shared.counter, which_, share_.blocks)) store(shared, out);
  }

 private:
  /// True if vector u of this lane exists.
  TESSERA_FN bool exists(step_items const& own, unsigned u) const { return rank_ + u * Threads < own.vectors; }

  /// Loads a step. The elements of vectors that don't exist are as bad as can be.
  TESSERA_FN step_items load(unsigned step) const {
    step_items own;
    own.step = step;
    own.begin = std::int64_t{step} * step_vectors;
    std::int64_t const left = static_cast<std::int64_t>(range_.vectors) - own.begin;
    own.vectors = left >= step_vectors ? step_vectors : left > 0 ? static_cast<unsigned>(left) : 0;
    own.first = static_cast<std::uint32_t>(range_.front + (own.begin + rank_) * V);
    words<vector<T>> loaded[Vectors];
    bool const full = own.vectors == step_vectors;
    T const* const from = in_ + own.first;
    if (full && share_.streaming) {
      detail::load_vectors<Threads * V, load_streaming>(range_, from, loaded);
    } else if (full) {
      detail::load_vectors<Threads * V, load_default>(range_, from, loaded);
    } else {
      vector<T> worst;
      TESSERA_UNROLL
      for (unsigned k = 0; k < V; ++k) worst[k] = flipped_(operator_traits<minimum, T>::identity(minimum{}));
      TESSERA_UNROLL
      for (unsigned u = 0; u < Vectors; ++u) loaded[u] = detail::to_words(worst);
      detail::load_existing_vectors<Threads * V>(
          range_, from, [&](unsigned u) { return exists(own, u); }, loaded);
    }
    own.x = flipped_.each(detail::elements_of<T>(loaded));
    return own;
  }

  /// Calls visit(index) for the lane's elements at the ends of the array, which fill no vector.
  template <class Visit>
  TESSERA_FN void for_each_end(step_items const& own, Visit visit) const {
    if (own.step == 0 && rank_ < range_.front) visit(rank_);
    if (own.step == share_.steps - 1 && rank_ < range_.back)
      visit(static_cast<std::uint32_t>(range_.back_index()) + rank_);
  }

  /// The best ordered key of the lane's elements of a step.
  TESSERA_FN std::uint32_t best_key(step_items& own) const {
    auto tree = own.x;
    own.extreme = detail::combine_tree(tree, minimum{});
    std::uint32_t key = detail::ordered_key<false>(own.extreme);
    for_each_end(own, [&](std::uint32_t at) { key = minimum{}(key, detail::ordered_key<false>(flipped_(in_[at]))); });
    return key;
  }

  /// With the first of ties, the lowest number of an index in a step. With the last of ties, the number of the step's
  /// second index: that of its first may be all ones, which stand for no element.
  TESSERA_FN std::uint32_t lowest_number(step_items const& own) const {
    std::int64_t const begin = range_.front + own.begin * V;
    if (ties_.takes_last()) return ties_.number(static_cast<std::uint32_t>(begin + 1));
    return own.step == 0 ? 0 : static_cast<std::uint32_t>(begin);
  }

  /// The number of the index of the lane's element that has the best key; of several, of the one that `ties` takes.
  TESSERA_FN std::uint32_t find_number(step_items const& own, std::uint32_t best) const {
    std::uint32_t number = UINT32_MAX;
    TESSERA_UNROLL
    for (unsigned k = lane_items; k-- > 0;) {
      bool const is_it = own.x[k] == own.extreme || detail::is_nan(own.x[k]);  // If there is a NaN, it is the extreme.
      bool takes = is_it && exists(own, k / V);
      if (ties_.takes_last()) takes = takes && number == UINT32_MAX;
      if (takes) number = ties_.number(own.first + k / V * Threads * V + k % V);
    }
    if (detail::ordered_key<false>(own.extreme) != best) number = UINT32_MAX;
    for_each_end(own, [&](std::uint32_t at) {
      if (detail::ordered_key<false>(flipped_(in_[at])) == best) number = minimum{}(number, ties_.number(at));
    });
    return number;
  }

  /// Unpacks the result, and clears the packed best.
  TESSERA_FN void store(shared_packed_best const& shared, Out const& out) const {
    std::uint64_t const best = shared.load();
    std::uint32_t const index = ties_.number(static_cast<std::uint32_t>(best));
    T const least = detail::number_of_key<false, T>(static_cast<std::uint32_t>(best >> 32));
    bool const is_shared = least == T{} || detail::is_nan(least);  // Zeros share a key, and so do NaNs.
    out.store(is_shared ? in_[index] : flipped_(least), index);
    *shared.complement = 0;
  }

  T const* in_;
  flipped_bits<T> flipped_;
  Ties ties_;
  range<T, stl::uint64_t> range_;
  packed_argmin_share const& share_;
  unsigned rank_, which_;
};

/// Runs the agent.
///
/// Called by     all threads of a block of Threads, in a grid of share.blocks.
/// known         shared by the block.
/// Cost          one read of each element; for each step a `reduce` of the block, of one word, and one more for a
///               step that improves the packed best.
template <unsigned Threads, unsigned Vectors, class Block, class T, class Ties, class Out>
TESSERA_FN void run_packed_argmin_agent(Block const& block, T const* in, std::int64_t n, flipped_bits<T> flipped,
                                        packed_argmin_share const& share, std::uint64_t& known,
                                        shared_packed_best const& shared, Ties const& ties, Out const& out) {
  packed_argmin_agent<Threads, Vectors, T, Ties, Out> const agent(block, in, n, flipped, ties, share);
  agent.run(tessera::this_block_tile<Threads>(block), known, shared, out);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
