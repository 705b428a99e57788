// Joins the k first elements of each row of each rank, which are in order, to the k first of whole rows.
//
//   rank 0    9 7 5        places 0, 2, 4      An element's place is that in its own list, and how many of the other
//   rank 1    8 6 –               1, 3         ranks' come before it, each found by a binary search: of equal elements
//                                              those of lower ranks, whose columns are lower.
//
// Lists that have fewer than k elements end with columns of −1.
#pragma once

#include <tessera/grid/shard.hpp>
#include <tessera/tile/search.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The lists of all rows of all ranks, as they are gathered: of each rank the columns, and then the elements.
template <class T>
struct gathered_top_k {
  unsigned char* all;
  std::int64_t row_count, k;

  static constexpr std::int64_t align = 16;
  static_assert(alignof(T) <= align);

  TESSERA_FN std::int64_t elements() const { return row_count * k; }
  TESSERA_FN std::int64_t values_at() const { return rounded(elements() * std::int64_t{sizeof(std::int32_t)}); }
  TESSERA_FN std::int64_t bytes() const {
    return values_at() + rounded(elements() * static_cast<std::int64_t>(sizeof(T)));
  }
  TESSERA_FN std::int32_t* places(int rank, std::int64_t row) const {
    return reinterpret_cast<std::int32_t*>(all + rank * bytes()) + row * k;
  }
  TESSERA_FN T* values(int rank, std::int64_t row) const {
    return reinterpret_cast<T*>(all + rank * bytes() + values_at()) + row * k;
  }

 private:
  TESSERA_FN static std::int64_t rounded(std::int64_t size) { return (size + align - 1) / align * align; }
};

/// Makes a rank's columns those of whole rows. Without columns its lists become empty.
template <class T>
struct whole_columns_agent {
  gathered_top_k<T> lists;
  int rank;
  shard part;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    std::int32_t* const places = lists.places(rank, 0);
    for (std::int64_t i = thread; i < lists.elements(); i += threads) {
      if (part.count == 0) {
        places[i] = -1;
      } else if (places[i] >= 0) {
        places[i] += static_cast<std::int32_t>(part.begin);
      }
    }
  }
};

/// Threads take elements of all lists, in turn.
template <class T, class Index, class Before>
struct join_top_k_rows_agent {
  gathered_top_k<T> lists;
  int ranks;
  Before before;
  T* values;              // may be null
  Index* indices;         // may be null
  std::int64_t existing;  // results of a row that exist
  T rest;                 // the value of the others

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    TESSERA_LOOP
    for (std::int64_t at = thread; at < lists.elements() * ranks; at += threads) {
      int const rank = static_cast<int>(at / lists.elements());
      std::int64_t const of_rank = at % lists.elements(), row = of_rank / lists.k, i = of_rank % lists.k;
      if (rank == 0 && i >= existing) store(row, i, rest, -1);
      std::int32_t const column = lists.places(rank, row)[i];
      if (column < 0) continue;
      T const x = lists.values(rank, row)[i];
      std::int64_t place = i;
      for (int other = 0; other < ranks && place < lists.k; ++other)
        if (other != rank) place += before_in(other, row, x, other < rank);
      if (place < lists.k) store(row, place, x, column);
    }
  }

 private:
  TESSERA_FN void store(std::int64_t row, std::int64_t place, T const& x, std::int32_t column) const {
    if (values != nullptr) values[row * lists.k + place] = x;
    if (indices != nullptr) indices[row * lists.k + place] = column;
  }
  /// How many of a list come before x; those equal to it, too, if `with_equal`.
  TESSERA_FN std::int64_t before_in(int rank, std::int64_t row, T const& x, bool with_equal) const {
    std::int32_t const* const places = lists.places(rank, row);
    T const* const list = lists.values(rank, row);
    return tessera::detail::partition_point(lists.k, [&](std::int64_t i) {
      return places[i] >= 0 && (with_equal ? !before(x, list[i]) : before(list[i], x));
    });
  }
};

/// Gathers the first k of each row of each rank: `local(values, columns)` stores this rank's, and isn't called without
/// columns. Calls use(lists) while they are there.
template <class T, class Rank, class Local, class Use>
cudaError_t gather_top_k_rows(Rank const& rank, std::int64_t row_count, shard const& part, std::int64_t k,
                              Local const& local, Use const& use) noexcept {
  gathered_top_k<T> lists{nullptr, row_count, k};
  auto const bytes = static_cast<std::size_t>(lists.bytes());
  auto const memory = rank.exchange(static_cast<std::size_t>(rank.count()) * bytes);
  if (memory.error() != cudaSuccess) return memory.error();
  lists.all = static_cast<unsigned char*>(memory.data());
  cudaError_t error = cudaSuccess;
  if (part.count > 0) error = local(lists.values(rank.index(), 0), lists.places(rank.index(), 0));
  if (error == cudaSuccess && (part.count == 0 || part.begin > 0))
    error = rank.run_on_all(whole_columns_agent<T>{lists, rank.index(), part}, lists.elements());
  if (error == cudaSuccess) error = rank.gather(lists.all, bytes);
  return error == cudaSuccess ? use(lists) : error;
}

/// The k first of whole rows, `rest` where there are fewer. `local` is that of gather_top_k_rows.
template <class T, class Index, class Rank, class Before, class Local>
cudaError_t top_k_of_whole_rows(Rank const& rank, std::int64_t row_count, shard const& part, std::int64_t k, T* values,
                                Index* indices, Before const& before, T const& rest, Local const& local) noexcept {
  if (row_count == 0 || k == 0) return cudaSuccess;
  return detail::gather_top_k_rows<T>(rank, row_count, part, k, local, [&](gathered_top_k<T> const& lists) {
    std::int64_t const existing = k < part.total ? k : part.total;
    return rank.run_on_all(
        join_top_k_rows_agent<T, Index, Before>{lists, rank.count(), before, values, indices, existing, rest},
        lists.elements() * rank.count());
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
