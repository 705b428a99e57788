// Where a sort over ranks keeps what it sends and gets, in elements.
//
//   memory of a rank   sorted | received | merged      the last for more than 2 ranks
//
//   sorted shard        … c c|d d d d|e …             a piece: what one rank sends another
//   sent                 [c c d d d d]                 from a multiple of 32 elements on
//   received              c c|d d d d|. .              at one: a piece begins as far from a multiple as in the shard
//
// So each piece begins at a multiple of 16 bytes on both sides, whatever the size of its elements is. NCCL moves other
// pieces byte by byte. A rank's own elements aren't moved: they are merged from the sorted shard.
//
// Source: reduceCopy in NCCL's src/device/common_kernel.h, which chooses 16 bytes or 1 by the addresses.
#pragma once

#include <tessera/grid/sharded/split_agents.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where the sorted shards are cut: cut(r, b) elements of rank r's come before the first place of rank b.
struct shard_cuts {
  int ranks;
  std::vector<std::int64_t> before = std::vector<std::int64_t>(static_cast<std::size_t>(ranks * (ranks + 1)));

  std::int64_t cut(int of, int b) const { return before[static_cast<std::size_t>(of * (ranks + 1) + b)]; }
};

/// Consecutive elements of a rank's memory.
struct piece_range {
  std::int64_t begin, count;
};

/// The memory of one rank, with n elements of its own.
class exchange_plan {
 public:
  static constexpr std::int64_t align = 32;

  exchange_plan(int rank, int ranks, std::int64_t n) : rank_(rank), ranks_(ranks), n_(n) {}

  /// How many elements the memory has.
  std::int64_t elements() const { return merged() + (ranks_ > 2 ? up(n_) : 0); }
  std::int64_t received() const { return up(n_); }
  /// Received pieces may each have less than `align` elements more before and after them.
  std::int64_t merged() const { return received() + up(n_) + 2 * align * ranks_; }

  /// The piece that this rank sends a peer, in the sorted shard.
  piece_range sent(shard_cuts const& cuts, int peer) const { return piece(cuts, rank_, peer); }
  /// The sorted runs of the rank's result, of all ranks: its own in the sorted shard, others where they are received.
  std::vector<piece_range> runs(shard_cuts const& cuts) const {
    std::vector<piece_range> all;
    std::int64_t place = received();
    for (int r = 0; r < ranks_; ++r) {
      piece_range run = piece(cuts, r, rank_);
      if (r != rank_) {
        run.begin = place + run.begin % align;
        place = up(run.begin + run.count);
      }
      all.push_back(run);
    }
    return all;
  }
  /// A range with all elements before it from a multiple of `align` on; nothing of an empty one.
  static piece_range from_multiple(piece_range const& range) {
    std::int64_t const more = range.count > 0 ? range.begin % align : 0;
    return {range.begin - more, range.count + more};
  }
  /// True if the runs have as many elements as the rank. Else the shards aren't those of one array.
  bool fits(shard_cuts const& cuts) const {
    std::int64_t missing = n_;
    for (piece_range const& run : runs(cuts)) {
      if (run.count < 0) return false;
      missing -= run.count;
    }
    return missing == 0;
  }

 private:
  static std::int64_t up(std::int64_t n) { return (n + align - 1) / align * align; }
  static piece_range piece(shard_cuts const& cuts, int from, int to) {
    std::int64_t const begin = cuts.cut(from, to);
    return {begin, cuts.cut(from, to + 1) - begin};
  }

  int rank_, ranks_;
  std::int64_t n_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
