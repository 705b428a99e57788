// The calls over several ranks, as each rank makes them: a local step, an exchange of a few bytes, and a last step in
// which every rank combines what it has gathered. Rank is rank_on_gpu (sharded.cuh) or, in tests, a rank that is a
// thread of the CPU (test/support/host_ranks.hpp). It has
//
//   rank.index(), rank.count()         this rank, and how many there are
//   rank.exchange(bytes)               memory for the exchange: error(), and data() until the object ends
//   rank.gather(all, bytes)            each rank writes `bytes` bytes at all + index() · bytes, and gets those of all
//   rank.run(agent)                    runs an agent by one warp
//   rank.gather_and_run(all, bytes, agent)  both: one kernel within an NVLink domain
//   rank.run_on_all(agent, n)          runs an agent by about n threads
//
// and for sorts (sort_shards.hpp), which wait once:
//
//   rank.scratch(bytes)                memory that isn't that of an exchange
//   rank.write(to, value), read(to, from, bytes)   copies to the GPU, and from it, which waits
//   rank.swap(pieces)                  exchanges pieces with other ranks (swapped_piece.hpp)
//
// and works in the order of a stream: nothing here reads what it has launched.
#pragma once

#include <tessera/grid/sharded/fold_agents.hpp>
#include <tessera/grid/sharded/top_k_agent.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// *out = the results of all ranks combined. `local(own)` stores this rank's at `own`; it isn't called without
/// elements.
template <class R, class Rank, class Out, class Op, class Local>
cudaError_t combine_shards(Rank const& rank, shard const& part, Out* out, Op const& op, Local const& local) noexcept {
  auto const memory = rank.exchange(static_cast<std::size_t>(rank.count()) * sizeof(R));
  if (memory.error() != cudaSuccess) return memory.error();
  gathered_parts<R> const parts{static_cast<R*>(memory.data()), {rank.count(), rank.count()}};
  R* const own = parts.of(rank.index());
  cudaError_t error = part.count > 0 ? local(own) : rank.run(empty_parts_agent<R, Op>{own, 1, op});
  if (error != cudaSuccess) return error;
  return rank.gather_and_run(parts.all, sizeof(R), fold_agent<R, Op, Out>{parts, op, out, part.total == 0});
}

/// Combines as order::any_device has it. `local(first, count, length, own)` reduces `count` chunks of `length` elements
/// from element `first` of the rank's on.
template <class R, class Rank, class Out, class Op, class Local>
cudaError_t combine_chunks(Rank const& rank, shard const& part, Out* out, Op const& op, Local const& local) noexcept {
  if (!detail::is_cut_evenly(part, rank.index(), rank.count())) return cudaErrorInvalidValue;
  part_cut const cut = chunks::over(rank.count());
  auto const memory =
      rank.exchange(static_cast<std::size_t>(cut.most()) * static_cast<std::size_t>(rank.count()) * sizeof(R));
  if (memory.error() != cudaSuccess) return memory.error();
  gathered_parts<R> const parts{static_cast<R*>(memory.data()), cut};
  R* const own = parts.of(rank.index());
  chunks const whole = chunks::of(part.total);
  int const count = cut.count(rank.index());
  bool const is_last = count > 0 && cut.first(rank.index() + 1) == cut.parts;  // has what is left
  int const equal = is_last ? count - 1 : count;
  bool const has_equal = equal > 0 && whole.length > 0, has_left = is_last && whole.left > 0;
  cudaError_t error = cudaSuccess;
  if (!has_equal || (is_last && !has_left)) error = rank.run(empty_parts_agent<R, Op>{own, count, op});
  if (error == cudaSuccess && has_equal) error = local(std::int64_t{0}, equal, whole.length, own);
  if (error == cudaSuccess && has_left) error = local(equal * whole.length, 1, whole.left, own + equal);
  if (error != cudaSuccess) return error;
  return rank.gather_and_run(parts.all, static_cast<std::size_t>(cut.most()) * sizeof(R),
                             fold_agent<R, Op, Out>{parts, op, out, part.total == 0});
}

/// A scan: `reduce(own)` stores the rank's total, `scan(carry)` scans its elements from what the ranks before it have.
template <class R, class Rank, class Op, class Start, class Reduce, class Scan>
cudaError_t scan_shards(Rank const& rank, shard const& part, Op const& op, Start const& start, bool has_start,
                        bool suffix, R* total, Reduce const& reduce, Scan const& scan) noexcept {
  auto const memory = rank.exchange((static_cast<std::size_t>(rank.count()) + 1) * sizeof(R));
  if (memory.error() != cudaSuccess) return memory.error();
  gathered_parts<R> const parts{static_cast<R*>(memory.data()), {rank.count(), rank.count()}};
  R* const own = parts.of(rank.index());
  R* const carry = parts.of(rank.count());
  cudaError_t error = part.count > 0 ? reduce(own) : rank.run(empty_parts_agent<R, Op>{own, 1, op});
  if (error == cudaSuccess)
    error =
        rank.gather_and_run(parts.all, sizeof(R),
                            carry_agent<R, Op, Start>{parts, op, start, has_start, suffix, rank.index(), carry, total});
  if (error == cudaSuccess && part.count > 0) error = scan(carry);
  return error;
}

/// The shard that a rank's results are, after `select(count)` has stored how many they are.
template <class Rank, class Select>
cudaError_t select_shards(Rank const& rank, shard* selected, Select const& select) noexcept {
  auto const memory = rank.exchange(static_cast<std::size_t>(rank.count()) * sizeof(std::int64_t));
  if (memory.error() != cudaSuccess) return memory.error();
  gathered_parts<std::int64_t> const counts{static_cast<std::int64_t*>(memory.data()), {rank.count(), rank.count()}};
  cudaError_t error = select(counts.of(rank.index()));
  if (error == cudaSuccess)
    error = rank.gather_and_run(counts.all, sizeof(std::int64_t), selected_shard_agent{counts, rank.index(), selected});
  return error;
}

/// The k first of all: `top_k(count, values, indices)` stores the rank's own `count` first.
template <class T, class Rank, class Before, class TopK>
cudaError_t top_k_shards(Rank const& rank, shard const& part, std::int64_t k, T* values, std::int64_t* indices,
                         Before const& before, TopK const& top_k) noexcept {
  top_k_lists<T> lists{nullptr, k, rank.count()};
  std::size_t const bytes = lists.bytes();
  auto const memory = rank.exchange(static_cast<std::size_t>(rank.count()) * bytes);
  if (memory.error() != cudaSuccess) return memory.error();
  lists.all = static_cast<unsigned char*>(memory.data());
  std::int64_t const own = part.count < k ? part.count : k;
  cudaError_t error = top_k(own, lists.values(rank.index()), lists.indices(rank.index()));
  if (error == cudaSuccess) error = rank.run(top_k_list_agent<T>{lists, rank.index(), own, part.begin});
  if (error == cudaSuccess) error = rank.gather(lists.all, bytes);
  if (error == cudaSuccess)
    error = rank.run_on_all(top_k_join_agent<T, Before>{lists, before, values, indices}, k * rank.count());
  return error;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
