// Rows whose columns are on several ranks, as each rank reduces them: a local step, one exchange of a value for each
// row, and a last step in which every rank combines each row's values in the order of the ranks. Rank is that of
// combine_shards.hpp.
//
//   row          0    1    2           rank 0 has columns 0 … 4, rank 1 5 … 8, rank 2 none
//   of rank 0    a0   a1   a2          Each rank stores its own, and gets the others' by one all-gather.
//   of rank 1    b0   b1   b2
//   of rank 2    −    −    −           the operator's neutral element
//   results      a0 op b0, …           a thread for each row
//
// Parts says how a rank's values are stored; gathered_rows stores values of R:
//
//   all, row_count              the values of all ranks, and for how many rows
//   of(rank)                    where those of a rank begin
//   bytes()                     how many bytes those of a rank have
//   load(rank, row), value      one of them, and its type
//   store(rank, row, value)
#pragma once

#include <tessera/core/operator_traits.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/grid/shard.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A value of R for each row and rank.
template <class R>
struct gathered_rows {
  using value = R;

  R* all;
  std::int64_t row_count;

  std::size_t bytes() const { return static_cast<std::size_t>(row_count) * sizeof(R); }
  TESSERA_FN R* of(int rank) const { return all + rank * row_count; }
  TESSERA_FN R const& load(int rank, std::int64_t row) const { return of(rank)[row]; }
  TESSERA_FN void store(int rank, std::int64_t row, R const& x) const { of(rank)[row] = x; }
};

/// Stores the neutral element for the rows of a rank that has no columns.
template <class Parts, class Op>
struct neutral_rows_agent {
  Parts parts;
  int rank;
  Op op;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    using value = typename Parts::value;
    for (std::int64_t row = thread; row < parts.row_count; row += threads)
      parts.store(rank, row, tessera::detail::neutral_of<Op, value>::get(op));
  }
};

/// Calls store(row, value) with the values of all ranks combined in their order; with the operator's identity if rows
/// have no columns.
template <class Parts, class Op, class Store>
struct fold_ranks_agent {
  Parts parts;
  int ranks;
  Op op;
  Store store;
  bool is_empty;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    using value = typename Parts::value;
    TESSERA_LOOP
    for (std::int64_t row = thread; row < parts.row_count; row += threads) {
      value all = is_empty ? operator_traits<Op, value>::identity(op) : tessera::detail::neutral_of<Op, value>::get(op);
      TESSERA_LOOP
      for (int first = 0; first < ranks && !is_empty; first += 4) {
        int const last = ranks - 1;
        auto const at = [&](int rank) -> value { return parts.load(rank < last ? rank : last, row); };
        value const loaded[] = {at(first), at(first + 1), at(first + 2), at(first + 3)};  // one wait for all
        TESSERA_UNROLL
        for (int i = 0; i < 4; ++i) {
          if (first + i < ranks) tessera::detail::assign(all, static_cast<value>(op(all, loaded[i])));
        }
      }
      store(row, all);
    }
  }
};

/// Combines the values of all ranks for each row, and stores them by store(row, value). `local(own)` stores this rank's
/// at `own`; it isn't called without columns.
template <class Parts, class Rank, class Op, class Store, class Local>
cudaError_t combine_rows(Rank const& rank, Parts parts, shard const& columns_of_rank, Op const& op, Store const& store,
                         Local const& local) noexcept {
  if (parts.row_count == 0) return cudaSuccess;
  auto const memory = rank.exchange(static_cast<std::size_t>(rank.count()) * parts.bytes());
  if (memory.error() != cudaSuccess) return memory.error();
  parts.all = static_cast<decltype(parts.all)>(memory.data());
  cudaError_t error = columns_of_rank.count > 0
                          ? local(parts.of(rank.index()))
                          : rank.run_on_all(neutral_rows_agent<Parts, Op>{parts, rank.index(), op}, parts.row_count);
  if (error == cudaSuccess) error = rank.gather(parts.all, parts.bytes());
  if (error != cudaSuccess) return error;
  return rank.run_on_all(fold_ranks_agent<Parts, Op, Store>{parts, rank.count(), op, store, columns_of_rank.total == 0},
                         parts.row_count);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
