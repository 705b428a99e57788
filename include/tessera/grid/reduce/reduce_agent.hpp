// The agent that reduces an array to one value: what a block of the kernel of reduce.cuh does.
//
//   reduce share   Each lane reduces its elements of the block's even share (even_share.hpp) to a partial.
//   reduce block   The block combines its lanes' partials, in their order.
//   publish        The block hands its partial to the block that gathers all of them (block_protocols.hpp).
//   gather         That block combines all partials, in the order of the blocks, and stores the result.
//
// An agent gives a lane's partial: agent.lane_partial<Threads>(block, in, n, share). `bytes<T>` is how many
// bytes of a full step a lane loads, and agent.result<Out>(combined) what is stored.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/warp_by_warp.hpp>
#include <tessera/grid/reduce/even_share.hpp>
#include <tessera/grid/reduce/reduce_tuning.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::accumulator_count;
using tessera::detail::apply;
using tessera::detail::combine_tree;
using tessera::detail::is_float;
using tessera::detail::is_half;
using tessera::detail::is_nan;
using tessera::detail::neutral_of;
using tessera::detail::require_function;

/// The agent that combines f(x) of all elements by an operator, whose results are of type R.
template <class R, class Op, class F>
struct operator_agent {
  /// Fewer if a result has 16 bytes, or if elements of 16 bits and less aren't widened: else registers spill.
  template <class T>
  static constexpr unsigned bytes = sizeof(R) > 8                   ? reduce_tuning::bytes / 2
                                    : sizeof(T) >= 4 || is_float<R> ? reduce_tuning::bytes
                                                                    : reduce_tuning::bytes / 4;
  Op op;
  F f;

  template <class Out>
  TESSERA_FN Out result(R const& combined) const {
    return tessera::detail::convert<Out>(combined);
  }
  template <unsigned Threads, class Block, class In>
  TESSERA_FN R lane_partial(Block const& block, In const& in, std::int64_t n, even_share const& share) const {
    using T = value_of<In>;
    require_function<Block, std::int64_t, F, T>();
    auto const value = [&](T const& x, std::int64_t index) {
      return static_cast<R>(detail::apply<std::int64_t>(f, x, index));
    };
    if constexpr (operator_traits<Op, R>::commutative) {
      return reduce_steps<Threads>(block, in, n, share, value);
    } else {
      return reduce_run<Threads>(block, in, n, share, value);
    }
  }

 private:
  /// Reduces the block's steps, in several accumulators for each lane.
  template <unsigned Threads, class Block, class In, class Value>
  TESSERA_FN R reduce_steps(Block const& block, In const& in, std::int64_t n, even_share const& share,
                            Value value) const {
    using T = value_of<In>;
    constexpr unsigned V = read_length<T, In>, A = accumulator_count<T, R>();
    auto sums = detail::from_words<items<R, A>>({});
    TESSERA_UNROLL
    for (unsigned a = 0; a < A; ++a) sums[a] = neutral_of<Op, R>::get(op);
    auto const add = [&](auto const& x, std::int64_t index, auto) {
      TESSERA_UNROLL
      for (unsigned k = 0; k < x.size(); ++k)
        sums[k % A] = static_cast<R>(op(sums[k % A], value(x[k], index + k / V * Threads * V + k % V)));
    };
    detail::visit_share<Threads, detail::reads_of<T, In>(bytes<T>), 2>(block, in, n, share, add);
    return detail::combine_tree(sums, op);
  }

  /// Reduces the block's run in order: each warp takes a part of it.
  template <unsigned Threads, class Block, class In, class Value>
  TESSERA_FN R reduce_run(Block const& block, In const& in, std::int64_t n, even_share const& share,
                          Value value) const {
    using T = value_of<In>;
    constexpr unsigned warps = Threads / 32;
    auto const warp = tessera::tiled_partition<32>(block);
    std::int64_t const begin = block.group_index().x * share.run;
    std::int64_t const in_run = n - begin < share.run ? n - begin : share.run;
    std::int64_t const part = (in_run + warps - 1) / warps;
    std::int64_t const from = begin + block.thread_rank() / 32 * part;
    std::int64_t const left = begin + in_run - from;
    auto const of_part = [&](T const& x, std::int64_t index) { return value(x, from + index); };
    R const own = tessera::joint_transform_reduce(warp, tessera::detail::advanced(in, from), left < part ? left : part,
                                                  op, of_part, tessera::converged);
    // A warp without elements has the identity, which may change the other warps' result: −0 to +0, say.
    bool const has_own = warp.thread_rank() == 0 && left > 0;
    return detail::select(has_own, own, neutral_of<Op, R>::get(op));
  }
};

/// True if an agent stores its result by agent.finish(combined, is_empty, out), in place of agent.result.
template <class Agent>
inline constexpr bool finishes_itself = false;

/// Runs an agent. `out` is a pointer to the result, or a writer (core/iterators.hpp) that takes it as an R.
///
/// Called by     all threads of a block of Threads, in a grid of share.blocks.
/// Cost          one read of each element; for each block a `reduce` and what publishes its result; for one block one
///               more `reduce`.
template <unsigned Threads, class Block, class In, class Agent, class Op, class R, class Out>
TESSERA_FN void run_reduce_agent(Block const& block, In const& in, std::int64_t n, even_share const& share,
                                 Agent const& agent, Op const& op, shared_partials<R> const& shared, Out const& out) {
  auto const tile = tessera::this_block_tile<Threads>(block);
  unsigned const rank = block.thread_rank(), which = block.group_index().x;
  R partial = agent.template lane_partial<Threads>(block, in, n, share);
  TESSERA_LOOP  // One `reduce` serves both rounds: in the second its instructions are in the cache.
      for (bool of_all_blocks = share.blocks == 1;; of_all_blocks = true) {
    R const all = tessera::reduce(tile, partial, op, tessera::to_leader | warp_by_warp<R, Op>);
    if (of_all_blocks) {
      if constexpr (finishes_itself<Agent>) {
        if (rank == 0) agent.finish(all, n == 0, out);
      } else if (rank == 0) {
        tessera::detail::write_element(out, 0,
                                       agent.template result<tessera::detail::written_t<Out, R>>(detail::select(
                                           n == 0, static_cast<R>(operator_traits<Op, R>::identity(op)), all)));
      }
      return;
    }
    if (!detail::publish_partial(tile, which, share.blocks, all, shared)) return;
    partial = detail::gather_partials<Threads, reduce_tuning::most_resident_blocks>(
        rank, share.blocks, neutral_of<Op, R>::get(op), op, shared);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
