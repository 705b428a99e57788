// The agent that sorts the listed long segments of an array: what a block of the second kernel of sort_segments.cuh
// does.
//
//   level 0     each tile of a segment is sorted                          | 4096 | 4096 | 4096 | 700 |
//   level 1     each two neighbors are merged, tile by tile               |    8192     |    4796    |
//   level 2     each two of these …                                       |          12988           |
//
// Blocks take the tiles of all levels in order, by tickets. A tile of a level waits until all of the level before are
// done: these have lower tickets, so that running blocks have them, and none of them waits for it. So nothing depends
// on how many blocks run at once. The tile's part of the two runs is found by a merge path search.
//
// A segment's runs go back and forth between the output and the spare arrays, and end in the output.
#pragma once

#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/grid/sort/sort_segments_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of elements of run a among the first `diagonal` of the merge of runs a and b, which begin at elements
/// `a` and `b` and have na and nb. Of equal elements those of a come first. Called by a whole tile; every lane gets
/// it.
template <class Tile, class Codec>
TESSERA_FN std::int64_t merge_split(Tile const& tile, Codec const& codec, typename Codec::arrays const& from,
                                    std::int64_t a, std::int64_t na, std::int64_t b, std::int64_t nb,
                                    std::int64_t diagonal) {
  constexpr unsigned N = tile_size_v<Tile>;
  // Invariant: the first `low` of a are before the diagonal, and at most the first `high`. Each lane looks at the
  // last element of one of N parts between them.
  std::int64_t low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
  while (low < high) {
    std::int64_t const part = (high - low + N - 1) / N;
    std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
    bool const is_before = last < high && !codec.comes_before(from, b + diagonal - 1 - last, a + last);
    unsigned const parts = tessera::count_if(tile, is_before);
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  return low;
}

template <class Codec, class Block>
class sort_long_segments_agent {
  using arrays = typename Codec::arrays;
  using storage_t = segment_sort_storage<Codec>;
  using tuning = segment_sort_tuning;
  static constexpr unsigned capacity = Codec::capacity;

  /// One tile of a level's result.
  struct piece {
    std::int64_t begin, elements;  // of the segment
    std::int64_t first;            // the tile's first element in the segment
    unsigned n;                    // its elements
    unsigned levels;               // of the segment
  };

 public:
  TESSERA_FN sort_long_segments_agent(Block const& block, unsigned rank, segment_sort_task<Codec> const& task,
                                      long_segment_list const& longs, ticket_queue<std::uint64_t> const& tickets,
                                      storage_t& storage)
      : block_(block), rank_(rank), task_(task), longs_(longs), tickets_(tickets), storage_(storage) {}

  TESSERA_FN void run() const {
    auto const tile = tessera::this_block_tile<tuning::threads>(block_);
    std::uint64_t const listed = *longs_.listed(), all = listed * (*longs_.levels() + 1);
    while (true) {
      if (rank_ == 0) storage_.shared[0] = take_ticket(listed, all);
      tile.sync();
      auto const ticket = static_cast<std::uint64_t>(storage_.shared[0]);
      if (ticket >= all) return;
      auto const level = static_cast<unsigned>(ticket / listed);
      piece const at = piece_of(longs_.tiles[ticket % listed]);
      if (level == 0) {
        sort_tile(tile, at);
      } else if (level <= at.levels) {
        merge_tile(tile, at, level);
      }
      tile.sync();
      if (rank_ == 0) count_done(level);
    }
  }

 private:
  /// The next ticket, once its level may begin.
  TESSERA_FN std::int64_t take_ticket(std::uint64_t listed, std::uint64_t all) const {
    std::uint64_t const ticket = tickets_.draw();
    if (ticket < all && ticket >= listed)
      detail::wait_acquire(longs_.done(ticket / listed - 1), [&](std::uint64_t done) { return done >= listed; });
    return static_cast<std::int64_t>(ticket);
  }
  TESSERA_FN void count_done(unsigned level) const {
    detail::fence();
    detail::fetch_add(longs_.done(level), 1);
  }

  TESSERA_FN piece piece_of(long_segment_tile const& listed) const {
    std::int64_t const begin = task_.offsets[listed.segment], elements = task_.offsets[listed.segment + 1] - begin;
    std::int64_t const first = listed.tile * capacity, left = elements - first;
    return {begin, elements, first, left < capacity ? static_cast<unsigned>(left) : capacity,
            detail::merge_levels(static_cast<std::uint64_t>((elements + capacity - 1) / capacity))};
  }
  /// The array that holds a segment's runs after `level` levels.
  TESSERA_FN arrays after(piece const& at, unsigned level) const {
    return tessera::detail::select((at.levels - level) % 2 == 0, task_.out, task_.spare);
  }

  template <class Tile>
  TESSERA_FN void sort_tile(Tile const& tile, piece const& at) const {
    segment_sorter<Codec, Block> const sorter(block_, rank_, storage_);
    entry_source const source = detail::one_source(at.begin + at.first);
    sorter.clear_lists();
    detail::load_entries(rank_, storage_, 0, at.n, task_.codec, task_.in, source.first);
    tile.sync();
    sorter.sort_one(at.n, task_.codec.order_of(task_.in, source));
    detail::store_sorted(tile, rank_, storage_, 0, at.n, task_.codec, task_.in, source, after(at, 0), source.first);
  }

  template <class Tile>
  TESSERA_FN void merge_tile(Tile const& tile, piece const& at, unsigned level) const {
    arrays const from = after(at, level - 1), to = after(at, level);
    std::int64_t const width = std::int64_t{capacity} << (level - 1);
    std::int64_t const pair = at.first / (2 * width) * (2 * width);
    auto const within = [&](std::int64_t i) { return i < at.elements ? i : at.elements; };
    std::int64_t const a = at.begin + pair, b = at.begin + within(pair + width),
                       end = at.begin + within(pair + 2 * width), diagonal = at.first - pair;
    // The first warp searches for where the tile begins in both runs, the second for where it ends.
    if (rank_ < 64) {
      std::int64_t const split = detail::merge_split(tessera::tiled_partition<32>(block_), task_.codec, from, a, b - a,
                                                     b, end - b, diagonal + (rank_ < 32 ? 0 : at.n));
      if (rank_ % 32 == 0) storage_.shared[1 + rank_ / 32] = split;
    }
    tile.sync();
    std::int64_t const begin_a = storage_.shared[1], end_a = storage_.shared[2];
    auto const of_a = static_cast<unsigned>(end_a - begin_a);
    std::int64_t const first_of_b = b + diagonal - begin_a;
    entry_source const source{a + begin_a, of_a, first_of_b - of_a};
    detail::load_entries(rank_, storage_, 0, of_a, task_.codec, from, source.first);
    detail::load_entries(rank_, storage_, of_a, at.n - of_a, task_.codec, from, first_of_b);
    tile.sync();
    segment_sorter<Codec, Block> const sorter(block_, rank_, storage_);
    auto const before = task_.codec.order_of(from, source);
    constexpr unsigned chunk = storage_t::networks::chunk;
    for (unsigned slice = rank_ / 32; slice * chunk < at.n; slice += tuning::warps)
      sorter.merge_slice(0, {0, of_a, at.n}, slice * chunk, before);
    tile.sync();
    detail::store_sorted(tile, rank_, storage_, 1, at.n, task_.codec, from, source, to, at.begin + at.first);
  }

  Block const& block_;
  unsigned rank_;
  segment_sort_task<Codec> const& task_;
  long_segment_list const& longs_;
  ticket_queue<std::uint64_t> tickets_;
  storage_t& storage_;
};

/// Runs the agent. The last block to end makes all words of the list 0 again.
///
/// Called by     all threads of a block, of a grid of `blocks`.
/// storage       shared memory of the block.
/// counter       0 before the kernel and after it.
/// Cost          for each level a read and a write of each element, and two searches of log32(elements) steps for
///               each tile. If nothing is listed, one load.
template <class Codec, class Block>
TESSERA_FN void run_sort_long_segments_agent(Block const& block, unsigned rank, unsigned blocks,
                                             segment_sort_task<Codec> const& task, long_segment_list const& longs,
                                             segment_sort_storage<Codec>& storage, unsigned* counter) {
  std::uint64_t const listed = *longs.listed(), levels = *longs.levels();
  if (listed == 0) return;
  ticket_queue<std::uint64_t> const tickets{longs.tickets(), counter};
  sort_long_segments_agent<Codec, Block>(block, rank, task, longs, tickets, storage).run();
  if (rank != 0 || !tickets.is_last_to_leave(blocks)) return;
  for (std::uint64_t word = 0; word < 3 + levels + 1; ++word) longs.words[word] = 0;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
