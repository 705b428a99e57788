// The agent that finds the first element with a predicate, or the first two that differ of two arrays: what a block of
// the kernel of search.cuh does.
//
// Blocks take tiles by tickets, in the array's order. Whoever finds an element improves the best index by an atomic;
// a block stops where its next tile begins after that. Every tile before the best index was taken by a block that
// looks through it before it leaves. The last block to leave stores the result, and leaves the workspace 0.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/search/search_tuning.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of the lane's first element of a row for which has(i) holds; K if there is none. The row's first element
/// is number `own` of n.
template <unsigned K, class Has>
TESSERA_FN unsigned first_of_row(std::int64_t n, std::int64_t own, Has const& has) {
  unsigned found = K;
  TESSERA_UNROLL
  for (unsigned k = 0; k < K; ++k) {
    unsigned const i = K - 1 - k;
    if (own + i < n && has(i)) found = i;
  }
  return found;
}

/// The first element with a predicate. *out: its index, or n.
template <class In, class Pred>
struct find_task {
  In in;
  std::int64_t n;
  Pred pred;
  std::int64_t* out;

  using shape = find_shape<value_of<In>>;

  /// The elements that a lane has loaded.
  class loaded_rows {
   public:
    TESSERA_FN void load(find_task const& task, std::int64_t first) { loaded_.load(task.in, task.n, first); }
    TESSERA_FN unsigned first_in_row(find_task const& task, unsigned r, std::int64_t own) const {
      auto const x = loaded_.row(r);
      return detail::first_of_row<shape::K>(task.n, own, [&](unsigned i) {
        return static_cast<bool>(tessera::detail::apply<std::int64_t>(task.pred, x[i], own + i));
      });
    }

   private:
    tile_rows<value_of<In>, shape::K, shape::row_count> loaded_;
  };

  TESSERA_FN void store(std::int64_t index) const { *out = index; }
  template <class Block>
  TESSERA_FN static auto require_call() {
    tessera::detail::require_function<Block, std::int64_t, Pred, value_of<In>>();
  }
};

/// The first elements of two arrays that aren't equal. *out: their index, or n; or if Out is a bool, whether there are
/// none.
template <class A, class B, class Equal, class Out>
struct mismatch_task {
  A a;
  B b;
  std::int64_t n;
  Equal equal;
  Out* out;

  using shape = find_shape<value_of<A>, value_of<B>>;

  class loaded_rows {
   public:
    TESSERA_FN void load(mismatch_task const& task, std::int64_t first) {
      a_.load(task.a, task.n, first);
      b_.load(task.b, task.n, first);
    }
    TESSERA_FN unsigned first_in_row(mismatch_task const& task, unsigned r, std::int64_t own) const {
      auto const x = a_.row(r);
      auto const y = b_.row(r);
      return detail::first_of_row<shape::K>(task.n, own,
                                            [&](unsigned i) { return !static_cast<bool>(task.equal(x[i], y[i])); });
    }

   private:
    tile_rows<value_of<A>, shape::K, shape::row_count> a_;
    tile_rows<value_of<B>, shape::K, shape::row_count> b_;
  };

  TESSERA_FN void store(std::int64_t index) const {
    if constexpr (stl::is_same_v<Out, bool>) {
      *out = index == n;
    } else {
      *out = index;
    }
  }
  template <class Block>
  TESSERA_FN static auto require_call() {
    tessera::detail::require_call<Block, Equal const, value_of<A>, value_of<B>>();
  }
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

template <unsigned Threads, class Block, class Task>
class find_agent {
  using shape = typename Task::shape;
  static constexpr unsigned K = shape::K;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));

 public:
  TESSERA_FN find_agent(Block const& block, Task const& task, find_memory const& memory, find_storage& storage)
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
    detail::barrier_of_block(block_);
    unsigned tile = storage_.tiles.at(1);
    TESSERA_LOOP
    for (unsigned turn = 0; tile < tiles_; turn ^= 1) {
      std::int64_t const first = shape::first_index(tile, Threads, block_.thread_rank());
      rows_.load(task_, first);
      if (block_.thread_rank() == Threads - 1) storage_.tiles.put(turn, is_single_ ? 1 : take_tile());
      look(first);
      detail::barrier_of_block(block_);
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

  /// Looks through the warp's rows until one has an element that is searched for.
  TESSERA_FN void look(std::int64_t first) const {
    TESSERA_UNROLL
    for (unsigned r = 0; r < shape::row_count; ++r) {
      std::int64_t const own = first + r * std::int64_t{32 * K};
      unsigned const found = rows_.first_in_row(task_, r, own);
      auto const lanes = tessera::ballot(warp_, found < K, tessera::converged);
      if (lanes.none()) continue;
      if (warp_.thread_rank() == lanes.first())
        tessera::atomic_max(is_single_ ? &storage_.best : memory_.best, ~static_cast<std::uint64_t>(own + found));
      break;
    }
  }

  /// The last block stores the result.
  TESSERA_FN void leave(unsigned blocks) const {
    if (!is_single_ && !memory_.tickets().is_last_to_leave(blocks)) return;
    std::uint64_t const best = is_single_ ? storage_.best : detail::load_relaxed(memory_.best);
    task_.store(best == find_memory::none ? task_.n : static_cast<std::int64_t>(~best));
    if (is_single_) return;
    memory_.tickets().clear();
    *memory_.best = find_memory::none;
  }

  Block const& block_;
  warp_t warp_;
  Task const& task_;
  find_memory memory_;
  find_storage& storage_;
  bool is_single_;
  unsigned tiles_;
  typename Task::loaded_rows rows_;
};

/// Called by  all threads of a block of Threads, one of `blocks` blocks.
template <unsigned Threads, class Block, class Task>
TESSERA_FN void run_find_agent(Block const& block, Task const& task, find_memory const& memory, unsigned blocks,
                               find_storage& storage) {
  Task::template require_call<Block>();
  find_agent<Threads, Block, Task> agent(block, task, memory, storage);
  agent.run(blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
