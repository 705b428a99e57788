// The part of an array that one of several ranks holds: the argument of calls over several GPUs (sharded.cuh).
//
//   auto const part = tessera::grid::shard_of(total, rank, ranks);  // of one rank: part.begin, part.count
//   tessera::grid::shard const mine{begin, count, total};          // or cut as you like
//
//   rank        0              1              2
//   elements    0 … 4262       4263 … 8728    8729 … 13000       total = 13001, as shard_of cuts it
//   begin       0              4263           8729
//   count       4263           4466           4272
//
// The shards of all ranks follow each other in the order of the ranks, and have each element once. Some may be empty.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The elements begin … begin + count − 1 of an array of `total` elements, which one rank holds.
struct shard {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::int64_t total = 0;
};

namespace detail {

/// How parts of an array are given to ranks: each gets consecutive ones, and as many as each other rank or one less.
struct part_cut {
  int parts;
  int ranks;

  /// The first part of a rank; for rank == ranks the number of parts.
  TESSERA_FN constexpr int first(int rank) const {
    return static_cast<int>(static_cast<std::int64_t>(parts) * rank / ranks);
  }
  TESSERA_FN constexpr int count(int rank) const { return first(rank + 1) - first(rank); }
  /// The rank that has a part.
  TESSERA_FN constexpr int rank_of(int part) const {
    return static_cast<int>(((static_cast<std::int64_t>(part) + 1) * ranks - 1) / parts);
  }
  /// The most parts of a rank.
  TESSERA_FN constexpr int most() const { return (parts + ranks - 1) / ranks; }
};

/// How order::any_device cuts an array, wherever it lies: equal chunks, and what is left after them.
struct chunks {
  static constexpr int equal = 64;
  std::int64_t length;  // of each of the equal ones: a multiple of 32, of short arrays any number
  std::int64_t left;

  static constexpr chunks of(std::int64_t total) {
    std::int64_t const even = total / equal;
    std::int64_t const length = even < 1024 ? even : even / 32 * 32;
    return {length, total - length * equal};
  }
  static constexpr part_cut over(int ranks) { return {equal + 1, ranks}; }
  constexpr std::int64_t begin(int chunk) const { return chunk > equal ? length * equal + left : length * chunk; }
};

}  // namespace detail

/// The shard of a rank where an array is cut evenly: shards differ by at most a 64th of the array and 2048 elements.
/// The last rank has all of an array of less than 64 elements. With order::any_device, calls over several GPUs take
/// shards that are cut in this way.
constexpr shard shard_of(std::int64_t total, int rank, int ranks) noexcept {
  auto const cut = detail::chunks::over(ranks);
  auto const whole = detail::chunks::of(total);
  std::int64_t const begin = whole.begin(cut.first(rank)), end = whole.begin(cut.first(rank + 1));
  return {begin, end - begin, total};
}

namespace detail {

/// True if a shard lies within its array.
constexpr bool is_shard(shard const& part) noexcept {
  return part.begin >= 0 && part.count >= 0 && part.total >= 0 && part.begin <= part.total &&
         part.count <= part.total - part.begin;
}
constexpr bool is_cut_evenly(shard const& part, int rank, int ranks) noexcept {
  shard const even = grid::shard_of(part.total, rank, ranks);
  return part.begin == even.begin && part.count == even.count;
}

}  // namespace detail

}  // namespace grid
TESSERA_NAMESPACE_END
