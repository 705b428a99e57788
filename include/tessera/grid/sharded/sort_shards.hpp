// Sorts an array over several ranks: each sorts its shard, finds with the others where all shards are cut
// (split_agents.hpp), gets the pieces of its places from the others (exchange_plan.hpp), and merges them with its own.
#pragma once

#include <tessera/grid/sharded/exchange_plan.hpp>
#include <tessera/grid/sharded/sorted_run.hpp>
#include <tessera/grid/sharded/split_agents.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The cuts of all shards, in the CPU's memory. Waits for the stream.
template <bool Falling, class T, class Rank>
cudaError_t find_cuts(Rank const& rank, shard const& part, T const* sorted, shard_cuts& cuts) {
  int const ranks = rank.count();
  auto const all = static_cast<std::size_t>(ranks);
  auto const boundaries = all - 1;
  std::size_t const own_counts = boundaries * split_tuning::digits;
  std::size_t const words = all * own_counts + cuts.before.size();
  auto const memory =
      rank.exchange(all * sizeof(shard_place) + boundaries * sizeof(split_state) + words * sizeof(std::int64_t));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const places = static_cast<shard_place*>(memory.data());
  auto* const states = reinterpret_cast<split_state*>(places + ranks);
  auto* const counts = reinterpret_cast<std::int64_t*>(states + boundaries);
  std::int64_t* const found = counts + all * own_counts;
  split_task<Falling, T> const task{sorted, part.count, ranks, states, counts, places};
  shard_place const own{part.begin, part.count};
  cudaError_t error = rank.write(places + rank.index(), own);
  if (error == cudaSuccess)
    error = rank.gather_and_run(places, sizeof(shard_place), begin_split_agent<Falling, T>{task});
  for (int round = 0; error == cudaSuccess && round < split_tuning::rounds<T>; ++round) {
    error = rank.run_on_all(split_count_agent<Falling, T>{task, rank.index(), round}, task.searches());
    if (error == cudaSuccess)
      error = rank.gather_and_run(counts, own_counts * sizeof(std::int64_t),
                                  split_narrow_agent<Falling, T>{task, rank.index(), round});
  }
  if (error == cudaSuccess)
    error = rank.gather_and_run(counts, own_counts * sizeof(std::int64_t), cut_agent<Falling, T>{task, found});
  return error == cudaSuccess ? rank.read(cuts.before.data(), found, cuts.before.size() * sizeof(std::int64_t)) : error;
}

/// Sends all pieces to their ranks, and gets the rank's own runs but the one that it has.
template <class Rank, class Run>
cudaError_t swap_runs(Rank const& rank, exchange_plan const& plan, shard_cuts const& cuts, Run const& memory) {
  std::vector<swapped_piece> pieces;
  std::vector<piece_range> const runs = plan.runs(cuts);
  for (int peer = 0; peer < rank.count(); ++peer) {
    if (peer == rank.index()) continue;
    memory.add_pieces(pieces, peer, exchange_plan::from_multiple(plan.sent(cuts, peer)),
                      exchange_plan::from_multiple(runs[static_cast<std::size_t>(peer)]));
  }
  return rank.swap(pieces);
}

/// Merges sorted runs of `memory` to `out`, two at a time. Intermediate runs go to buffers[0] and buffers[1]
/// alternately, places of `memory` too; the runs may begin in the latter.
template <class Run, class Merge>
cudaError_t merge_runs(Run const& memory, std::vector<piece_range> runs, std::int64_t const (&buffers)[2],
                       Run const& out, Merge const& merge) {
  cudaError_t error = cudaSuccess;
  for (int round = 0; error == cudaSuccess && !runs.empty(); ++round) {
    std::int64_t const first = buffers[round % 2];
    bool const is_last = runs.size() <= 2;
    Run const to = is_last ? out : memory.at(first);
    std::vector<piece_range> merged;
    std::int64_t begin = 0;
    for (std::size_t i = 0; error == cudaSuccess && i < runs.size(); i += 2) {
      piece_range const a = runs[i], b = i + 1 < runs.size() ? runs[i + 1] : piece_range{a.begin, 0};
      error = merge(memory.at(a.begin), a.count, memory.at(b.begin), b.count, to.at(begin));
      merged.push_back({first + begin, a.count + b.count});
      begin += a.count + b.count;
    }
    if (is_last) return error;
    runs = merged;
  }
  return error;
}

/// The runs that have elements.
inline std::vector<piece_range> without_empty(std::vector<piece_range> const& runs) {
  std::vector<piece_range> all;
  for (piece_range const& run : runs)
    if (run.count > 0) all.push_back(run);
  return all;
}

/// `sort(to)` sorts the rank's own elements, merge(a, na, b, nb, to) merges na sorted ones and nb others of the same
/// arrays. Run is key_run or pair_run.
template <bool Falling, class Rank, class Run, class Sort, class Merge>
cudaError_t sort_shards(Rank const& rank, shard const& part, Run const& out, Sort const& sort, Merge const& merge) {
  int const ranks = rank.count();
  if (ranks == 1) return sort(out);
  exchange_plan const plan(rank.index(), ranks, part.count);
  auto const scratch = rank.scratch(Run::bytes(plan.elements()));
  if (scratch.error() != cudaSuccess) return scratch.error();
  Run const memory = Run::in(scratch.data(), plan.elements());
  cudaError_t error = sort(memory);
  shard_cuts cuts{ranks};
  if (error == cudaSuccess) error = detail::find_cuts<Falling>(rank, part, memory.keys, cuts);
  if (error != cudaSuccess) return error;
  if (!plan.fits(cuts)) return cudaErrorInvalidValue;
  error = detail::swap_runs(rank, plan, cuts, memory);
  if (error != cudaSuccess) return error;
  return detail::merge_runs(memory, detail::without_empty(plan.runs(cuts)), {plan.merged(), plan.received()}, out,
                            merge);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
