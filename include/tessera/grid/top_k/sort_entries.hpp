// The sort of the entries that a selection has left, if they are too many for blocks to rank: radix sorts of words,
// which are stable.
//
//   list        | entries, in any order   | anything |    only the GPU knows how many there are
//   filled      | entries, in any order   | greatest |    for CUB's sort, which asks the CPU for their number
//   by index    | entries in order of indices        |    where bits are 0 between index and key; else
//   by key      | entries in order                   |    one sort of all bits
//
// A list of the whole array has no room left, and is in order of indices.
#pragma once

#include <tessera/grid/parts/top_k_entry.hpp>
#include <tessera/grid/top_k/bucket_plan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An entry of two words, whatever its key is.
struct entry_word_pair {
  std::uint64_t high, low;
};
/// Entries as words, as they are sorted: one kernel serves the entries of all types that have as many words.
template <class Entry>
using entry_words = stl::conditional_t<Entry::words == 1, std::uint64_t, entry_word_pair>;

/// The words that fill a list. No entry is after them, and one with the same bits is before them in the list.
template <class Words>
TESSERA_FN constexpr Words greatest_words() {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  if constexpr (stl::is_same_v<Words, std::uint64_t>) {
    return ones;
  } else {
    return {ones, ones};
  }
}

/// The bits begin … end − 1 of words, from the lowest on: none if they are the same.
struct sorted_bits {
  int begin, end;
};

/// The sorts of a list: by the bits of `first`, if there are any, and then by those of `last`.
struct entry_sorts {
  sorted_bits first, last;
};

template <class Entry>
entry_sorts plan_sorts(select_plan const& plan) {
  constexpr int end = 64 * Entry::words, key = end - static_cast<int>(Entry::bits - Entry::below_key);
  auto const index_end = static_cast<int>(plan.index_bits);
  if (plan.lists_array) return {{0, 0}, {key, end}};
  constexpr int worth_a_sort = 16;  // bits: two passes over a list take as long as the start of a sort
  if (key - index_end >= worth_a_sort) return {{0, index_end}, {key, end}};
  return {{0, 0}, {0, end}};
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
