// The agents that sort the entries that a selection has left, if they are too many for blocks to rank.
//
//   chunks    | 4096 | 4096 | 4096 | …      sorted by a block each, in place
//   pass 1    |     8192    |     8192      merged from one list to the other, each chunk of the result by a block
//   pass 2    |           16384
//
// Source: a merge sort by merge path; S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/grid/top_k/top_k_entry.hpp>
#include <tessera/joint_merge.hpp>
#include <tessera/joint_sort.hpp>
#include <tessera/search.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct sort_tuning {
  static constexpr unsigned threads = 256;
  static constexpr std::uint64_t chunk = 4096;
};

/// An entry as words, whatever its key is: one kernel sorts entries of all types that have as many.
template <unsigned Words>
struct entry_words {
  std::uint64_t word[Words];

  TESSERA_FN bool operator<(entry_words const& other) const {
    if constexpr (Words == 1) {
      return word[0] < other.word[0];
    } else {
      return word[0] < other.word[0] || (word[0] == other.word[0] && word[1] < other.word[1]);
    }
  }
};

/// The entries that are left, in the first list.
template <class Entry>
struct entries_left {
  std::uint64_t const* listed;
  Entry *first_list, *second_list;

  auto as_words() const {
    using words = entry_words<Entry::words>;
    static_assert(sizeof(words) == sizeof(Entry) && alignof(words) == alignof(Entry));
    return entries_left<words>{listed, reinterpret_cast<words*>(first_list), reinterpret_cast<words*>(second_list)};
  }
  TESSERA_FN std::uint64_t count() const { return *listed; }
  /// The buffer that holds the entries after `passes` passes.
  TESSERA_FN Entry* after(unsigned passes) const { return (passes & 1) == 0 ? first_list : second_list; }
};

/// Passes that merge so many entries.
inline unsigned merge_passes(std::uint64_t most, std::uint64_t chunk) {
  unsigned passes = 0;
  while (chunk << passes < most) ++passes;
  return passes;
}

/// Sorts chunk `which`. Called by all threads of a block.
template <unsigned Threads, class Block, class Entry>
TESSERA_FN void sort_chunk(Block const& block, entries_left<Entry> const& left, std::uint64_t chunk, unsigned which) {
  std::uint64_t const begin = which * chunk, count = left.count();
  if (begin >= count) return;
  std::uint64_t const here = count - begin < chunk ? count - begin : chunk;
  tessera::joint_sort(tessera::this_block_tile<Threads>(block), left.after(0) + begin, static_cast<unsigned>(here),
                      left.after(1) + begin);
}

/// Makes chunk `which` of the result of a pass: of two runs of chunk · 2^pass entries each. Called by all threads of a
/// block.
template <unsigned Threads, class Block, class Entry>
TESSERA_FN void merge_chunk(Block const& block, entries_left<Entry> const& left, std::uint64_t chunk, unsigned pass,
                            unsigned which) {
  std::uint64_t const begin = which * chunk, count = left.count();
  if (begin >= count) return;
  std::uint64_t const run = chunk << pass, first = begin / (2 * run) * (2 * run);
  std::uint64_t const end = begin + chunk < count ? begin + chunk : count;
  std::uint64_t const middle = first + run < count ? first + run : count,
                      last = first + 2 * run < count ? first + 2 * run : count;
  Entry const *const a = left.after(pass) + first, *const b = left.after(pass) + middle;
  std::uint64_t const na = middle - first, nb = last - middle;
  std::uint64_t const a0 = tessera::merge_path(a, na, b, nb, begin - first),
                      a1 = tessera::merge_path(a, na, b, nb, end - first);
  std::uint64_t const b0 = begin - first - a0, b1 = end - first - a1;
  tessera::joint_merge(tessera::this_block_tile<Threads>(block), a + a0, static_cast<unsigned>(a1 - a0), b + b0,
                       static_cast<unsigned>(b1 - b0), left.after(pass + 1) + begin);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
