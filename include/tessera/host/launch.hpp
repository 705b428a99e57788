// Launches of kernels on CPU lanes. This header includes all that a host tile needs.
//
//   auto sums = host::launch_tile<8>([](host::tile<8> tile) {
//     return tessera::reduce(tile, tile.thread_rank());
//   });
//
// A launch runs the kernel once for each lane, on the calling thread, and returns the lanes' results in
// rank order (those of a grid block after block), or nothing if the kernel returns nothing. It throws what
// the kernel throws, or host::misuse if lanes break the rules. After that there are no results, and lanes
// that were waiting are never resumed; the next launch starts afresh. Launches don't nest. A kernel must
// not call a collective inside a `catch`. TESSERA_HOST_TRACE=file.json records what the lanes do: see
// docs/traces.md.
#pragma once

#include <optional>
#include <stdexcept>
#include <tessera/host/block.hpp>
#include <tessera/host/cluster.hpp>
#include <tessera/host/engine.hpp>
#include <tessera/host/report/misuse.hpp>
#include <tessera/host/report/trace_file.hpp>
#include <tessera/host/run/dim3.hpp>
#include <tessera/host/run/schedule.hpp>
#include <tessera/host/scratch.hpp>
#include <tessera/host/shared.hpp>
#include <tessera/host/tile.hpp>
#include <type_traits>
#include <utility>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host {

namespace detail {

/// The ranks of a grid's blocks, in the order in which they run.
inline std::vector<unsigned> block_order(unsigned blocks, lane_order order) {
  std::vector<unsigned> ranks(blocks);
  for (unsigned i = 0; i < blocks; ++i) ranks[i] = order.order == schedule::descending ? blocks - 1 - i : i;
  if (order.order == schedule::random_lane || order.order == schedule::random_warp) {
    random_source random(order.seed);
    for (unsigned i = blocks; i > 1; --i) std::swap(ranks[i - 1], ranks[random.below(i)]);
  }
  return ranks;
}

/// Throws unless the extents are valid. A launch within a kernel stops the lane.
inline void check_launch(dim3 grid, dim3 threads, const call_site& site) {
  if (engine* const outer = engine::running())
    outer->fail(misuse_kind::nested_launch, site, [&] {
      return "lane " + std::to_string(outer->current()) + " launches a kernel itself, at " + detail::describe(site) +
             ":\n  a kernel must not launch another";
    });
  if (threads.volume() < 1 || threads.volume() > engine::max_lanes)
    throw std::invalid_argument("a block has 1 to 1024 threads, not " + std::to_string(threads.volume()));
  if (grid.volume() > 0x7fffffffu) throw std::invalid_argument("a grid has at most 2^31 - 1 blocks");
}

/// Runs the blocks of a grid. A traced launch leaves its file, however it ends.
inline void run_blocks(engine& here, dim3 grid, dim3 threads, lane_order order, lane_body body, launch_trace* trace) {
  here.trace_into(trace != nullptr ? &trace->recorder() : nullptr);
  try {
    for (unsigned rank : detail::block_order(static_cast<unsigned>(grid.volume()), order)) {
      here.run_block(threads, grid, grid.at(rank), order, order.seed + rank, body);
      if (trace != nullptr) trace->block_ended(rank);
    }
  } catch (const misuse&) {
    if (trace != nullptr) trace->write_failed(true);
    throw;
  } catch (...) {
    if (trace != nullptr) trace->write_failed(false);
    throw;
  }
  if (trace != nullptr) trace->write();
}

/// Runs `lane(block)` once for each lane of each block.
template <class Lane>
void run_grid(dim3 grid, dim3 threads, const options& how, Lane& lane, const call_site& site) {
  engine& here = engine::of_thread();
  lane_order const order = detail::choose_order(how, here.next_launch_number());
  struct body {
    engine& runner;
    Lane& lane;
  } now{here, lane};
  lane_body const call{&now, [](void* object, unsigned rank) {
                         body& b = *static_cast<body*>(object);
                         b.lane(block(lane_id{b.runner.id(), rank}, b.runner.context()));
                       }};
  auto const trace = launch_trace::begin(how, static_cast<unsigned>(grid.volume()), site);
  detail::run_blocks(here, grid, threads, order, call, trace.get());
}

}  // namespace detail

/// Runs `kernel(host::block)` on `blocks` blocks of `threads` (1 to 1024) threads each. The blocks run one
/// after another, in an order that the schedule chooses.
template <class Kernel>
auto launch_grid(dim3 blocks, dim3 threads, const options& how, Kernel&& kernel, call_site site = call_site::here()) {
  using result = std::decay_t<std::invoke_result_t<Kernel&, block>>;
  detail::check_launch(blocks, threads, site);
  if constexpr (std::is_void_v<result>) {
    auto lane = [&](block b) { kernel(b); };
    detail::run_grid(blocks, threads, how, lane, site);
  } else {
    std::size_t const each = static_cast<std::size_t>(threads.volume());
    std::vector<std::optional<result>> returned(static_cast<std::size_t>(blocks.volume()) * each);
    auto lane = [&](block b) {
      dim3 const at = b.group_index();
      std::size_t const rank = (static_cast<std::size_t>(at.z) * blocks.y + at.y) * blocks.x + at.x;
      returned[rank * each + b.thread_rank()].emplace(kernel(b));
    };
    detail::run_grid(blocks, threads, how, lane, site);
    std::vector<result> results;
    results.reserve(returned.size());
    for (auto& slot : returned) results.push_back(std::move(*slot));
    return results;
  }
}
template <class Kernel>
auto launch_grid(dim3 blocks, dim3 threads, Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_grid(blocks, threads, options{}, kernel, site);
}

/// Runs `kernel(host::block)` on one block.
template <class Kernel>
auto launch_block(dim3 threads, const options& how, Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_grid(1, threads, how, kernel, site);
}
template <class Kernel>
auto launch_block(dim3 threads, Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_grid(1, threads, options{}, kernel, site);
}

/// Runs `kernel(host::tile<N>)` on one block that is one tile.
template <unsigned N, class Kernel>
auto launch_tile(const options& how, Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_grid(
      1, N, how, [&](block b) { return kernel(host::tiled_partition<N>(b)); }, site);
}
template <unsigned N, class Kernel>
auto launch_tile(Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_tile<N>(options{}, kernel, site);
}

/// Runs `kernel(host::cluster)` on one cluster of `blocks` blocks of `threads` threads each, up to 1024 in all.
template <class Kernel>
auto launch_cluster(unsigned blocks, unsigned threads, const options& how, Kernel&& kernel,
                    call_site site = call_site::here()) {
  bool const has_shape = blocks >= 1 && blocks <= 16 && threads >= 1 && threads <= detail::engine::max_lanes / blocks;
  if (!has_shape)
    throw std::invalid_argument("a cluster of host lanes has 1 to 16 blocks, and up to 1024 threads in all, not " +
                                std::to_string(blocks) + " blocks of " + std::to_string(threads));
  return host::launch_grid(
      1, blocks * threads, how, [&](block b) { return kernel(cluster(b, threads)); }, site);
}
template <class Kernel>
auto launch_cluster(unsigned blocks, unsigned threads, Kernel&& kernel, call_site site = call_site::here()) {
  return host::launch_cluster(blocks, threads, options{}, kernel, site);
}

}  // namespace host
TESSERA_NAMESPACE_END
