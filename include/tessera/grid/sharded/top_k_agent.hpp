// Joins the k first elements of each rank, which are in order, to the k first of all.
//
// An element's place among all is its place in its own rank's list plus the number of those in each other list that
// come before it, which a binary search finds. Of equal elements those of lower ranks come first.
#pragma once

#include <tessera/tile/search.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The lists of all ranks, one after the other: of each rank its number of elements, its indices, and its elements.
template <class T>
struct top_k_lists {
  unsigned char* all;
  std::int64_t k;
  int ranks;

  static constexpr std::size_t align = alignof(T) < 8 ? 8 : alignof(T);

  /// How many bytes a list has, and after how many of them its elements are.
  TESSERA_FN std::size_t bytes() const { return rounded(values_at() + static_cast<std::size_t>(k) * sizeof(T)); }
  TESSERA_FN std::size_t values_at() const { return rounded((static_cast<std::size_t>(k) + 1) * sizeof(std::int64_t)); }

  TESSERA_FN unsigned char* of(int rank) const { return all + static_cast<std::size_t>(rank) * bytes(); }
  TESSERA_FN std::int64_t* count(int rank) const { return reinterpret_cast<std::int64_t*>(of(rank)); }
  TESSERA_FN std::int64_t* indices(int rank) const { return count(rank) + 1; }
  TESSERA_FN T* values(int rank) const { return reinterpret_cast<T*>(of(rank) + values_at()); }

 private:
  TESSERA_FN static std::size_t rounded(std::size_t size) { return (size + align - 1) / align * align; }
};

/// How many elements of a sorted list come before x; those equal to it, too, if `with_equal`.
template <class T, class Before>
TESSERA_FN std::int64_t count_before(T const* list, std::int64_t n, T const& x, bool with_equal, Before const& before) {
  return tessera::detail::partition_point(
      n, [&](std::int64_t i) { return with_equal ? !before(x, list[i]) : before(list[i], x); });
}

/// Completes a rank's own list: its number of elements, and indices of the whole array.
template <class T>
struct top_k_list_agent {
  top_k_lists<T> lists;
  int rank;
  std::int64_t count;
  std::int64_t begin;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    std::int64_t* const indices = lists.indices(rank);
    for (std::int64_t i = block.thread_rank(); i < count; i += 32) indices[i] += begin;
    if (block.thread_rank() == 0) *lists.count(rank) = count;
  }
};

/// Threads take elements of all lists, in turn.
template <class T, class Before>
struct top_k_join_agent {
  top_k_lists<T> lists;
  Before before;
  T* values;              // may be null
  std::int64_t* indices;  // may be null

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t at = thread; at < lists.k * lists.ranks; at += threads) {
      int const rank = static_cast<int>(at / lists.k);
      std::int64_t const i = at % lists.k;
      if (i >= *lists.count(rank)) continue;
      T const x = lists.values(rank)[i];
      std::int64_t place = i;
      for (int other = 0; other < lists.ranks && place < lists.k; ++other)
        if (other != rank)
          place += detail::count_before(lists.values(other), *lists.count(other), x, other < rank, before);
      if (place >= lists.k) continue;
      if (values != nullptr) values[place] = x;
      if (indices != nullptr) indices[place] = lists.indices(rank)[i];
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
