// The aggregates of the warps' parts of a tile, in the block's shared memory. The last warp to have its part combines
// them, and waits for nobody: so the tile's aggregate is published as early as it can be.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of an array's tiles, and of a tile's warps. Kernels know the warps when they run, so that one kernel has
/// tiles of several sizes (tile_tuning.hpp).
struct tile_cut {
  unsigned tiles, warps;
};

/// One S of each warp, of which there are MostWarps or fewer: those of a block, or all but the last.
template <class S, unsigned MostWarps>
class tile_parts {
  using words_t = tessera::detail::words<S>;

 public:
  /// Called by one thread, a barrier before the first warp adds its part.
  TESSERA_FN void clear() { added_ = 0; }

  /// Adds the part of one of so many warps. Called by the whole warp. Returns how many they are in the first lane of
  /// the last warp to do so, else 0.
  template <class Warp>
  TESSERA_FN unsigned add(Warp const& warp, unsigned warp_rank, unsigned warps, S const& x) {
    if (warp.thread_rank() != 0) return 0;
    auto const part = tessera::detail::to_words(x);
    // By atomics, since there is no barrier between them and the last warp's loads.
    TESSERA_UNROLL
    for (unsigned i = 0; i < tessera::detail::word_count<S>; ++i)
      tessera::atomic_exchange(&part_[warp_rank].word[i], part.word[i]);
    return detail::is_last_warp(&added_, warps) ? warps : 0;
  }

  /// Combines the parts and publishes the tile's aggregate, in the warp that added the last one. Returns the total of
  /// the parts up to each lane's warp; lanes without a warp have that of all.
  template <class Warp, class Op>
  TESSERA_FN S publish(Warp const& warp, look_back_launch const& launch, unsigned tile, unsigned warps, Op const& op) {
    words_t part;
    TESSERA_UNROLL
    for (unsigned i = 0; i < tessera::detail::word_count<S>; ++i)
      part.word[i] = tessera::atomic_update(&part_[warp_of(warp, warps)].word[i], 0u, bit_or{});
    S const total = through(warp, part, op);
    auto const published = launch.published<S>();
    if (!launch.is_single() && warp.thread_rank() == warps - 1) published.publish(published.of_tile(tile), total);
    return total;
  }

  /// These totals in any warp, a barrier after the last part was added.
  template <class Warp, class Op>
  TESSERA_FN S through_all(Warp const& warp, unsigned warps, Op const& op) const {
    return through(warp, part_[warp_of(warp, warps)], op);
  }

 private:
  template <class Warp>
  TESSERA_FN static unsigned warp_of(Warp const& warp, unsigned warps) {
    return warp.thread_rank() < warps ? warp.thread_rank() : warps - 1;
  }
  template <class Warp, class Op>
  TESSERA_FN static S through(Warp const& warp, words_t const& part, Op const& op) {
    return tessera::inclusive_scan(warp, tessera::detail::from_words<S>(part), op, tessera::converged);
  }

  words_t part_[MostWarps];
  unsigned added_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
