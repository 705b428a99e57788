// Sorts an array over several ranks: each sorts its shard, finds with the others where all shards are cut
// (split_agents.hpp), sends each rank its piece, and merges what it has got (sorted_run.hpp).
#pragma once

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
cudaError_t find_cuts(Rank const& rank, shard const& part, T const* sorted, std::vector<std::int64_t>& cuts) {
  int const ranks = rank.count(), boundaries = ranks - 1;
  auto const all = static_cast<std::size_t>(ranks);
  std::size_t const own_counts = static_cast<std::size_t>(boundaries) * split_tuning::digits;
  std::size_t const words = all * own_counts + all * (all + 1);
  auto const memory = rank.exchange(all * (sizeof(shard_place) + sizeof(split_state)) + words * sizeof(std::int64_t));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const places = static_cast<shard_place*>(memory.data());
  auto* const states = reinterpret_cast<split_state*>(places + ranks);
  auto* const counts = reinterpret_cast<std::int64_t*>(states + ranks);
  std::int64_t* const found = counts + all * own_counts;
  split_task<Falling, T> const task{sorted, part.count, ranks, states, counts, places};
  shard_place const own{part.begin, part.count};
  cudaError_t error = rank.write(places + rank.index(), own);
  if (error == cudaSuccess)
    error = rank.gather_and_run(places, sizeof(shard_place), begin_split_agent<Falling, T>{task, rank.index()});
  for (int round = 0; error == cudaSuccess && round < split_tuning::rounds<T>; ++round)
    error = rank.gather_and_run(counts, own_counts * sizeof(std::int64_t),
                                split_round_agent<Falling, T>{task, rank.index(), round});
  if (error == cudaSuccess)
    error = rank.gather_and_run(counts, own_counts * sizeof(std::int64_t), cut_agent<Falling, T>{task, found});
  cuts.resize(all * (all + 1));
  return error == cudaSuccess ? rank.read(cuts.data(), found, cuts.size() * sizeof(std::int64_t)) : error;
}

/// `sort(to)` sorts the rank's own elements, merge(from, na, nb, to) merges na sorted ones and the nb after them. Run
/// is key_run or pair_run.
template <bool Falling, class Rank, class Run, class Sort, class Merge>
cudaError_t sort_shards(Rank const& rank, shard const& part, Run const& out, Sort const& sort, Merge const& merge) {
  int const ranks = rank.count();
  if (ranks == 1) return sort(out);
  // Rounds of merges, of which the last writes to `out`, where the rank's own sorted elements were, and each other one
  // to where the one before has read, unless that is `received`.
  int rounds = 0;
  while ((1 << rounds) < ranks) ++rounds;
  bool const is_even = rounds % 2 == 0;
  std::size_t const bytes = Run::bytes(part.count);
  auto const memory = rank.scratch(is_even ? 2 * bytes : bytes);
  if (memory.error() != cudaSuccess) return memory.error();
  auto const received = Run::in(memory.data(), part.count);
  auto const other = is_even ? Run::in(static_cast<char*>(memory.data()) + bytes, part.count) : received;
  cudaError_t error = sort(out);
  std::vector<std::int64_t> cuts;
  if (error == cudaSuccess) error = detail::find_cuts<Falling>(rank, part, out.keys, cuts);
  if (error != cudaSuccess) return error;
  auto const cut = [&](int of, int b) { return cuts[static_cast<std::size_t>(of * (ranks + 1) + b)]; };
  std::vector<std::int64_t> ends(static_cast<std::size_t>(ranks) + 1);  // of the runs that this rank gets
  for (int r = 0; r < ranks; ++r) {
    auto const at = static_cast<std::size_t>(r);
    ends[at + 1] = ends[at] + cut(r, rank.index() + 1) - cut(r, rank.index());
  }
  if (ends.back() != part.count) return cudaErrorInvalidValue;  // the shards of all ranks aren't those of one array
  error = out.swap(
      rank, received, [&](int peer) { return cut(rank.index(), peer); }, ends);
  Run from = received;
  for (int round = 1; error == cudaSuccess && round <= rounds; ++round) {
    Run const to = (rounds - round) % 2 == 0 ? out : other;
    std::vector<std::int64_t> merged{0};
    for (std::size_t run = 0; error == cudaSuccess && run + 1 < ends.size(); run += 2) {
      std::int64_t const begin = ends[run], middle = ends[run + 1];
      std::int64_t const end = run + 2 < ends.size() ? ends[run + 2] : middle;
      if (end > begin) error = merge(from.at(begin), middle - begin, end - middle, to.at(begin));
      merged.push_back(end);
    }
    ends = merged;
    from = to;
  }
  return error;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
