// The agent of adjacent differences: what a block of the kernel of adjacent_difference.cuh does with its tile.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/row_predecessors.hpp>
#include <tessera/grid/search/search_tuning.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/gpu_call.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// out[i] = op(in[i], in[i − 1]), out[0] = in[0].
template <class In, class Out, class Op>
struct adjacent_task {
  In in;
  std::int64_t n;
  Out out;
  Op op;
};

/// Called by  all threads of a block of Threads, which has tile `tile`. n > 0.
template <unsigned Threads, class Block, class In, class Out, class Op>
TESSERA_FN void run_adjacent_agent(Block const& block, adjacent_task<In, Out, Op> const& task, std::int64_t tile) {
  using T = value_of<In>;
  using R =
      tessera::detail::written_t<Out,
                                 stl::decay_t<decltype(task.op(stl::declval<T const&>(), stl::declval<T const&>()))>>;
  using shape = difference_shape<T>;
  constexpr unsigned K = shape::K;
  tessera::detail::require_call<Block, Op const, T, T>();
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const first = shape::first_index(tile, Threads, block.thread_rank());
  rows_with_predecessors<T, K, shape::row_count> loaded;
  loaded.load(warp, task.in, task.n, first);
  TESSERA_UNROLL
  for (unsigned r = 0; r < shape::row_count; ++r) {
    auto const x = loaded.row(r);
    T const before = loaded.predecessor(warp, r);
    auto out = tessera::detail::from_words<items<R, K>>({});
    std::int64_t const own = first + r * std::int64_t{32 * K};
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto const difference = task.op(x[i], i == 0 ? before : x[i > 0 ? i - 1 : 0]);
      using result = stl::decay_t<decltype(difference)>;
      tessera::detail::assign(out[i],
                              tessera::detail::convert<R>(tessera::detail::canonicalize_nan<Op>(result(difference))));
    }
    if (own == 0) tessera::detail::assign(out[0], tessera::detail::convert<R>(x[0]));
    detail::store_row(task.out, task.n, own, out);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
