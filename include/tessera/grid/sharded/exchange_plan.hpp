// Where a sort over ranks keeps what it sends and gets, in elements.
//
//   result of a rank   part 0 | part 1 | …            of equal length
//   its memory         sorted | received, of even parts | of odd parts | merged
//
//   sorted shard        … c c|d d d d|e …             a piece: what one rank sends another of a part
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

/// Where the sorted shards are cut: cut(r, b) elements of rank r's come before boundary b, which is the first place of
/// part b % parts of rank b / parts.
struct shard_cuts {
  int ranks, parts;
  std::vector<std::int64_t> before = std::vector<std::int64_t>(static_cast<std::size_t>(ranks * (ranks * parts + 1)));

  std::int64_t cut(int of, int boundary) const {
    return before[static_cast<std::size_t>(of * (ranks * parts + 1) + boundary)];
  }
};

/// Consecutive elements of a rank's memory.
struct piece_range {
  std::int64_t begin, count;
};

/// The memory of one rank, with n elements of its own.
class exchange_plan {
 public:
  static constexpr std::int64_t align = 32;

  exchange_plan(int rank, int ranks, int parts, std::int64_t n) : rank_(rank), ranks_(ranks), parts_(parts), n_(n) {}

  /// How many elements the memory has.
  std::int64_t elements() const { return merged() + (ranks_ > 2 ? up(most_of_part()) : 0); }
  std::int64_t received(int part) const { return up(n_) + part % 2 * room(); }
  std::int64_t merged() const { return up(n_) + (parts_ > 1 ? 2 : 1) * room(); }

  /// A part's first place among those of the rank's result.
  std::int64_t begin(int part) const { return detail::begin_of_part(n_, part, parts_); }

  /// The piece of a peer's part that this rank sends it, in the sorted shard.
  piece_range sent(shard_cuts const& cuts, int peer, int part) const {
    return piece(cuts, rank_, peer * parts_ + part);
  }
  /// The sorted runs of a part, of all ranks: the rank's own in the sorted shard, others where they are received.
  std::vector<piece_range> runs(shard_cuts const& cuts, int part) const {
    std::vector<piece_range> all;
    std::int64_t place = received(part);
    for (int r = 0; r < ranks_; ++r) {
      piece_range run = piece(cuts, r, rank_ * parts_ + part);
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
  /// True if the runs of each part have as many elements as the part. Else the shards aren't those of one array.
  bool fits(shard_cuts const& cuts) const {
    for (int part = 0; part < parts_; ++part) {
      std::int64_t missing = begin(part + 1) - begin(part);
      for (piece_range const& run : runs(cuts, part)) {
        if (run.count < 0) return false;
        missing -= run.count;
      }
      if (missing != 0) return false;
    }
    return true;
  }

 private:
  static std::int64_t up(std::int64_t n) { return (n + align - 1) / align * align; }
  std::int64_t most_of_part() const { return n_ / parts_ + (n_ % parts_ > 0 ? 1 : 0); }
  /// For all pieces of a part, of which each may have less than `align` elements more before and after it.
  std::int64_t room() const { return up(most_of_part()) + 2 * align * ranks_; }
  piece_range piece(shard_cuts const& cuts, int of, int boundary) const {
    std::int64_t const begin = cuts.cut(of, boundary);
    return {begin, cuts.cut(of, boundary + 1) - begin};
  }

  int rank_, ranks_, parts_;
  std::int64_t n_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
