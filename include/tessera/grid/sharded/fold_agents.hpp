// One warp combines the parts that ranks have gathered, in the order of the ranks.
//
// Every rank has all parts and combines them in the same way, so that all have the same bits, in every run. No rank's
// result is sent to another.
#pragma once

#include <tessera/core/operator_traits.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/reduce/started_agent.hpp>
#include <tessera/grid/shard.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Parts as ncclAllGather leaves them: those of each rank in cut.most() places, of which the last may be empty.
template <class R>
struct gathered_parts {
  R* all;
  part_cut cut;

  TESSERA_FN R* of(int rank) const { return all + static_cast<std::int64_t>(rank) * cut.most(); }
  TESSERA_FN R const& operator[](int part) const {
    int const rank = cut.rank_of(part);
    return of(rank)[part - cut.first(rank)];
  }
};

/// The parts first … last − 1, combined in their order: the neutral element if there is none. Every lane gets it.
template <class Warp, class R, class Op>
TESSERA_FN R fold_parts(Warp const& warp, gathered_parts<R> const& parts, int first, int last, Op const& op) {
  int const of_lane = (last - first + 31) / 32;
  int const begin = first + static_cast<int>(warp.thread_rank()) * of_lane;
  R own = neutral_of<Op, R>::get(op);
  TESSERA_LOOP
  for (int part = begin; part < begin + of_lane && part < last; ++part) own = static_cast<R>(op(own, parts[part]));
  return tessera::reduce(warp, own, op);
}

/// Stores the neutral element as parts of a rank that has no elements for them.
template <class R, class Op>
struct empty_parts_agent {
  R* parts;
  int count;
  Op op;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    for (int i = static_cast<int>(block.thread_rank()); i < count; i += 32) parts[i] = neutral_of<Op, R>::get(op);
  }
};

/// Stores a value that the CPU has.
template <class T>
struct store_agent {
  T* to;
  T value;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    if (block.thread_rank() == 0) *to = value;
  }
};

/// Makes the index that a rank has found in its shard one of the whole array.
template <class T>
struct shift_index_agent {
  indexed<T, std::int64_t>* best;
  std::int64_t begin;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    if (block.thread_rank() == 0) best->index += begin;
  }
};

/// *out = all parts combined; the operator's identity if the array is empty.
template <class R, class Op, class Out>
struct fold_agent {
  gathered_parts<R> parts;
  Op op;
  Out* out;
  bool is_empty;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const warp = tessera::tiled_partition<32>(block);
    R const all = detail::fold_parts(warp, parts, 0, parts.cut.parts, op);
    if (warp.thread_rank() == 0) {
      *out = tessera::detail::convert<Out>(
          detail::select(is_empty, static_cast<R>(operator_traits<Op, R>::identity(op)), all));
    }
  }
};

/// The value that a rank's scan begins with: the start, and the parts of the ranks before it (of a suffix scan: after
/// it, on the start's left). And the total of all. Start is a value or a device_start.
template <class R, class Op, class Start>
struct carry_agent {
  gathered_parts<R> parts;
  Op op;
  Start start;
  bool has_start;
  bool suffix;
  int rank;
  R* carry;
  R* total;  // may be null, or where the start is

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const warp = tessera::tiled_partition<32>(block);
    int const ranks = parts.cut.parts;
    R const before =
        suffix ? detail::fold_parts(warp, parts, rank + 1, ranks, op) : detail::fold_parts(warp, parts, 0, rank, op);
    R const all = detail::fold_parts(warp, parts, 0, ranks, op);
    if (warp.thread_rank() != 0) return;
    if (!has_start) {
      *carry = before;
      if (total != nullptr) *total = all;
      return;
    }
    R const first = detail::value_of_start<R>(start);
    *carry = after_start(first, before);
    if (total != nullptr) *total = after_start(first, all);
  }

 private:
  TESSERA_FN R after_start(R const& first, R const& x) const {
    return suffix ? static_cast<R>(op(x, first)) : static_cast<R>(op(first, x));
  }
};

/// The shard that the results of a rank's selection are, from the numbers that all ranks have selected.
struct selected_shard_agent {
  gathered_parts<std::int64_t> counts;
  int rank;
  shard* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const warp = tessera::tiled_partition<32>(block);
    std::int64_t const begin = detail::fold_parts(warp, counts, 0, rank, tessera::plus{});
    std::int64_t const total = detail::fold_parts(warp, counts, 0, counts.cut.parts, tessera::plus{});
    if (warp.thread_rank() == 0) *out = {begin, counts[rank], total};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
