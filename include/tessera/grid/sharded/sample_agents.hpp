// A draw from rows whose columns are on several ranks, by those columns alone that top_k keeps.
//
//   whole row       0 2 1 | 3 0 2 | 1 3        top_k 2, on three ranks
//   lists           2 1     3 2     3 1        each rank's first two, in the order of the columns
//   candidates      2 1 3 2 3 1                the same on every rank: top_k keeps the first 3 and the second
//   columns         1 2 3 5 7 6                what a draw's place becomes
//
// The kept ones are among the candidates, in the order of their columns, and so the draw takes the one that it would
// take from the whole row.
#pragma once

#include <tessera/grid/sharded/top_k_rows_agents.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Puts the lists of all ranks one after the other, in each row. `rest` is the value of what doesn't exist.
template <class T>
struct candidates_agent {
  gathered_top_k<T> lists, candidates;
  T rest;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t at = thread; at < candidates.elements(); at += threads) {
      std::int64_t const row = at / candidates.k, place = at % candidates.k, i = place % lists.k;
      int const rank = static_cast<int>(place / lists.k);
      std::int32_t const column = lists.places(rank, row)[i];
      candidates.places(0, row)[place] = column;
      candidates.values(0, row)[place] = column < 0 ? rest : lists.values(rank, row)[i];
    }
  }
};

/// Replaces places among the candidates by columns. −1 stays so.
template <class T, class Index>
struct columns_of_places_agent {
  gathered_top_k<T> candidates;
  Index* ids;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t row = thread; row < candidates.row_count; row += threads)
      if (ids[row] >= 0) ids[row] = candidates.places(0, row)[ids[row]];
  }
};

/// Draws a column of each whole row. `local(values, columns)` stores this rank's first k of each row in the order of
/// their columns, and isn't called without columns; `sample(values, count)` draws from rows of `count` candidates.
template <class T, class Index, class Rank, class Local, class Sample>
cudaError_t sample_whole_rows(Rank const& rank, std::int64_t row_count, shard const& part, std::int64_t k, Index* ids,
                              T const& rest, Local const& local, Sample const& sample) noexcept {
  if (row_count == 0) return cudaSuccess;
  return detail::gather_top_k_rows<T>(rank, row_count, part, k, local, [&](gathered_top_k<T> const& lists) {
    gathered_top_k<T> candidates{nullptr, row_count, rank.count() * k};
    auto const memory = rank.exchange(static_cast<std::size_t>(candidates.bytes()));
    if (memory.error() != cudaSuccess) return memory.error();
    candidates.all = static_cast<unsigned char*>(memory.data());
    cudaError_t error = rank.run_on_all(candidates_agent<T>{lists, candidates, rest}, candidates.elements());
    if (error == cudaSuccess) error = sample(candidates.values(0, 0), candidates.k);
    if (error == cudaSuccess) error = rank.run_on_all(columns_of_places_agent<T, Index>{candidates, ids}, row_count);
    return error;
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
