// Running kernels on CPU lanes. One include brings all of the host tile.
//
//   auto sums = host::launch_tile<8>([](host::tile<8> tile) {
//     return tessera::reduce(tile, tile.thread_rank());
//   });
//
// A launch runs the kernel once for each lane, all on the calling thread, and returns each lane's result in
// rank order (blocks of a grid one after the other), or nothing where the kernel returns nothing. It throws
// what the kernel throws, or host::misuse where lanes break the rules; then results are lost, lanes that were
// waiting are never resumed, and the next launch starts afresh. Launches don't nest. Kernels mustn't make a
// collective inside a `catch`.
#pragma once

#include <optional>
#include <stdexcept>
#include <tessera/host/block.hpp>
#include <tessera/host/dim3.hpp>
#include <tessera/host/engine.hpp>
#include <tessera/host/misuse.hpp>
#include <tessera/host/schedule.hpp>
#include <tessera/host/scratch.hpp>
#include <tessera/host/shared.hpp>
#include <tessera/host/tile.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::host {

namespace detail {

/// The order in which the blocks of a grid run, by rank.
inline std::vector<unsigned> block_order(unsigned blocks, lane_order order) {
  std::vector<unsigned> ranks(blocks);
  for (unsigned i = 0; i < blocks; ++i) ranks[i] = order.order == schedule::descending ? blocks - 1 - i : i;
  if (order.order == schedule::random_lane || order.order == schedule::random_warp) {
    random_source random(order.seed);
    for (unsigned i = blocks; i > 1; --i) std::swap(ranks[i - 1], ranks[random.below(i)]);
  }
  return ranks;
}

/// Is there a launch to make of this? A kernel's own launch stops its lane.
inline void check_launch(dim3 grid, dim3 threads, const call_site& site) {
  if (engine* const outer = engine::running())
    outer->fail(misuse_kind::nested_launch, [&] {
      return "lane " + std::to_string(outer->current()) + " launches a kernel itself, at " + describe(site) +
             ":\n  launches don't nest";
    });
  if (threads.volume() < 1 || threads.volume() > engine::max_lanes)
    throw std::invalid_argument("a block has 1 to 1024 threads, not " + std::to_string(threads.volume()));
  if (grid.volume() > 0x7fffffffu) throw std::invalid_argument("a grid has at most 2^31 - 1 blocks");
}

/// Runs `lane(block)` once for each lane of each block.
template <class Lane>
void run_grid(dim3 grid, dim3 threads, const options& how, Lane& lane) {
  engine& here = engine::of_thread();
  lane_order const order = settle(how, here.count_launch());
  struct body {
    engine& runner;
    Lane& lane;
  } now{here, lane};
  lane_body const call{&now, [](void* object, unsigned rank) {
                         body& b = *static_cast<body*>(object);
                         b.lane(block(identity{b.runner.id(), rank}, b.runner.place()));
                       }};
  for (unsigned rank : block_order(static_cast<unsigned>(grid.volume()), order))
    here.run_block(threads, grid, grid.at(rank), order, order.seed + rank, call);
}

}  // namespace detail

/// Runs `kernel(host::block)` on `blocks` blocks of `threads` (1 to 1024) threads each. The blocks run one
/// after another, in an order that the schedule draws.
template <class Kernel>
auto launch_grid(dim3 blocks, dim3 threads, const options& how, Kernel&& kernel,
                 call_site site = call_site::here()) {
  using result = std::decay_t<std::invoke_result_t<Kernel&, block>>;
  detail::check_launch(blocks, threads, site);
  if constexpr (std::is_void_v<result>) {
    auto lane = [&](block b) { kernel(b); };
    detail::run_grid(blocks, threads, how, lane);
  } else {
    std::size_t const each = static_cast<std::size_t>(threads.volume());
    std::vector<std::optional<result>> slots(static_cast<std::size_t>(blocks.volume()) * each);
    auto lane = [&](block b) {
      dim3 const at = b.group_index();
      std::size_t const rank = (static_cast<std::size_t>(at.z) * blocks.y + at.y) * blocks.x + at.x;
      slots[rank * each + b.thread_rank()].emplace(kernel(b));
    };
    detail::run_grid(blocks, threads, how, lane);
    std::vector<result> results;
    results.reserve(slots.size());
    for (auto& slot : slots) results.push_back(std::move(*slot));
    return results;
  }
}
template <class Kernel>
auto launch_grid(dim3 blocks, dim3 threads, Kernel&& kernel, call_site site = call_site::here()) {
  return launch_grid(blocks, threads, options{}, kernel, site);
}

/// Runs `kernel(host::block)` on one block.
template <class Kernel>
auto launch_block(dim3 threads, const options& how, Kernel&& kernel, call_site site = call_site::here()) {
  return launch_grid(1, threads, how, kernel, site);
}
template <class Kernel>
auto launch_block(dim3 threads, Kernel&& kernel, call_site site = call_site::here()) {
  return launch_grid(1, threads, options{}, kernel, site);
}

/// Runs `kernel(host::tile<N>)` on one block that is one tile.
template <unsigned N, class Kernel>
auto launch_tile(const options& how, Kernel&& kernel, call_site site = call_site::here()) {
  return launch_grid(
      1, N, how, [&](block b) { return kernel(tiled_partition<N>(b)); }, site);
}
template <unsigned N, class Kernel>
auto launch_tile(Kernel&& kernel, call_site site = call_site::here()) {
  return launch_tile<N>(options{}, kernel, site);
}

}  // namespace tessera::host
