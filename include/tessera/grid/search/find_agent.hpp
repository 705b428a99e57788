// The agent that finds the first element with a predicate: what a block of the kernel of search.cuh does.
//
// Blocks take tiles by tickets, in the array's order. Whoever finds an element improves the best index by an atomic;
// a block stops where its next tile begins after that. Every tile before the best index was taken by a block that
// looks through it before it leaves. The last block to leave stores the result, and leaves the workspace 0.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/search/search_tuning.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class In, class Pred>
struct find_task {
  In in;
  std::int64_t n;
  Pred pred;
  std::int64_t* out;
};

/// The blocks' part of the workspace: 0 before the kernel, and after it. Null if the array is a single tile.
struct find_memory {
  unsigned* counters;   // of the tickets
  std::uint64_t* best;  // the complement of the least index, so that 0 is none

  static constexpr std::uint64_t none = 0;

  TESSERA_FN ticket_queue<> tickets() const { return {counters, counters + 1}; }
};

/// The block's shared memory.
struct find_storage {
  tickets_ahead tiles;
  std::uint64_t best;
};

template <unsigned Threads, class Block, class In, class Pred>
class find_agent {
  using T = value_of<In>;
  using shape = reading_shape<T>;
  static constexpr unsigned K = shape::K;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));

 public:
  TESSERA_FN find_agent(Block const& block, find_task<In, Pred> const& task, find_memory const& memory,
                        find_storage& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        is_single_(memory.counters == nullptr),
        tiles_(static_cast<unsigned>(shape::tile_count(task.n, Threads))) {}

  TESSERA_FN void run(unsigned blocks) {
    if (block_.thread_rank() == 0) {
      storage_.best = find_memory::none;
      storage_.tiles.put(1, is_single_ ? 0 : take_tile());
    }
    block_.sync();
    unsigned tile = storage_.tiles.at(1);
    TESSERA_LOOP
    for (unsigned turn = 0; tile < tiles_; turn ^= 1) {
      std::int64_t const first = shape::first_index(tile, Threads, block_.thread_rank());
      rows_.load(task_.in, task_.n, first);
      if (block_.thread_rank() == Threads - 1) storage_.tiles.put(turn, is_single_ ? 1 : take_tile());
      look(first);
      block_.sync();
      tile = storage_.tiles.at(turn);
    }
    if (block_.thread_rank() == 0) leave(blocks);
  }

 private:
  /// The next tile; none if it begins after an element that was found.
  TESSERA_FN unsigned take_tile() const {
    unsigned const tile = memory_.tickets().draw();
    std::uint64_t const best = detail::load_relaxed(memory_.best);
    bool const is_after =
        best != find_memory::none &&
        ~best < static_cast<std::uint64_t>(tile) * static_cast<std::uint64_t>(shape::tile_elements(Threads));
    return is_after ? tiles_ : tile;
  }

  /// Looks through the warp's rows until one has an element with the predicate.
  TESSERA_FN void look(std::int64_t first) const {
    TESSERA_UNROLL
    for (unsigned r = 0; r < shape::row_count; ++r) {
      std::int64_t const own = first + r * std::int64_t{32 * K};
      unsigned const found = first_of_row(rows_.row(r), own);
      auto const lanes = tessera::ballot(warp_, found < K, tessera::converged);
      if (lanes.none()) continue;
      if (warp_.thread_rank() == lanes.first())
        tessera::atomic_max(is_single_ ? &storage_.best : memory_.best, ~static_cast<std::uint64_t>(own + found));
      break;
    }
  }
  /// The number of the lane's first element with the predicate; K if there is none.
  TESSERA_FN unsigned first_of_row(items<T, K> const& x, std::int64_t own) const {
    unsigned found = K;
    TESSERA_UNROLL
    for (unsigned k = 0; k < K; ++k) {
      unsigned const i = K - 1 - k;
      if (own + i < task_.n && static_cast<bool>(tessera::detail::apply<std::int64_t>(task_.pred, x[i], own + i)))
        found = i;
    }
    return found;
  }

  /// The last block stores the result.
  TESSERA_FN void leave(unsigned blocks) const {
    if (!is_single_ && !memory_.tickets().is_last_to_leave(blocks)) return;
    std::uint64_t const best = is_single_ ? storage_.best : detail::load_relaxed(memory_.best);
    *task_.out = best == find_memory::none ? task_.n : static_cast<std::int64_t>(~best);
    if (is_single_) return;
    memory_.tickets().clear();
    *memory_.best = find_memory::none;
  }

  Block const& block_;
  warp_t warp_;
  find_task<In, Pred> const& task_;
  find_memory memory_;
  find_storage& storage_;
  bool is_single_;
  unsigned tiles_;
  tile_rows<T, K, shape::row_count> rows_;
};

/// Called by  all threads of a block of Threads, one of `blocks` blocks.
template <unsigned Threads, class Block, class In, class Pred>
TESSERA_FN void run_find_agent(Block const& block, find_task<In, Pred> const& task, find_memory const& memory,
                               unsigned blocks, find_storage& storage) {
  tessera::detail::require_function<Block, std::int64_t, Pred, value_of<In>>();
  find_agent<Threads, Block, In, Pred> agent(block, task, memory, storage);
  agent.run(blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
