// The agent of group_by_label: what a block of its kernel does with its part of the labels.
//
//   labels    1 0 2 1 | 0 1 1 . | 2 0 0 1        3 parts, 3 bins
//   count     1 2 1     1 2 0     2 1 1          each block counts its part, and publishes the counts
//   before    0 0 0     1 2 1     2 4 1          the parts before this one: each block adds up all counts
//   offsets   0 4 9 11                           … and so knows where groups begin
//   place     part 1: bin 0 from 0 + 1, bin 1 from 4 + 2, bin 2 from 9 + 1
//
// A part has tiles, which a block ranks: each warp takes neighboring labels, 32 at a time, and counts how many of
// each bin it has seen. So the order is stable. Where there is memory, a tile is sorted in shared memory first, so
// that neighboring threads store to neighboring places.
//
// A published word has the launch's tag (parts/look_back.hpp), so that blocks wait for the words alone. A block that
// waits in vain for another one counts that part, too: whoever counts it publishes the same words. So nothing hangs,
// however few blocks run at once, and on host tiles, where blocks take turns, the first one counts all parts. How long
// a block waits (group_tuning::polls_for) changes neither results nor that it ends: after each wait one part more is
// known, and the next launch's tag is begun when all blocks have left. Too short a wait only counts parts twice.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/route_tuning.hpp>
#include <tessera/grid/sort/digit_ranker.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Labels, and where the results go. All but offsets and order may be null.
template <class Label, class Index>
struct group_task {
  Label const* labels;
  std::int64_t n;
  unsigned bins;
  unsigned parts;
  std::int64_t part;  // the number of labels of a part
  Index pad_to;
  Index* offsets;
  Index* order;
  Index* counts;
  Index* inverse;
  std::int32_t* block_labels;
};

/// The number of parts of n labels, so many each: one of none, if there are no labels.
TESSERA_FN constexpr unsigned parts_of_labels(std::int64_t n, std::int64_t part) {
  return n == 0 ? 1 : static_cast<unsigned>((n + part - 1) / part);
}

/// Counts of Bits bits each, side by side in words of 32 bits, and their sums; of 8 bits sums of up to 256.
template <unsigned Bits>
struct packed_counts {
  static constexpr unsigned each = 32 / Bits, sums = Bits == 32 ? 1 : 2;
  static_assert(Bits == 8 || Bits == 16 || Bits == 32);
  std::uint32_t sum[sums];

  /// The number of words for so many counts.
  TESSERA_FN static constexpr unsigned words(unsigned count) { return (count + each - 1) / each; }

  TESSERA_FN void add(std::uint32_t word) {
    if constexpr (Bits == 8) {
      sum[0] += word & 0x00ff00ffu;
      sum[1] += word >> 8 & 0x00ff00ffu;
    } else if constexpr (Bits == 16) {
      sum[0] += word & 0xffffu;
      sum[1] += word >> 16;
    } else {
      sum[0] += word;
    }
  }
  /// The sum of the words' counts number i.
  TESSERA_FN std::uint32_t of(unsigned i) const {
    if constexpr (Bits == 8) {
      return sum[i % 2] >> (i / 2 * 16) & 0xffffu;
    } else {
      return sum[i];
    }
  }
};

/// The shared memory of a block.
///
///   starts    where groups begin
///   bases     where the tile's first element of each bin goes, less its place in the tile if the tile is sorted
///   in_part   counts of the part, and then of the tile
///   total     counts of all parts, and then where each bin begins in the sorted tile
///   masks     for each warp and bin the lanes that have it; 0 between the rounds of a tile
///   sorted    the tile's labels: bin ‖ place before. These two share memory, and exist if tiles are sorted.
///   in_warp   for each warp the counts of bins; then where it places its first one
template <class Shape, class Index>
struct group_storage {
  Index *starts, *bases;
  unsigned *in_part, *total, *masks, *sorted;
  std::uint16_t* in_warp;

  static constexpr std::size_t bytes(unsigned bins) {
    std::size_t const places = (bins + 3) / 4 * 4;
    return places * (2 * sizeof(Index) + 2 * sizeof(unsigned) + Shape::warps * sizeof(std::uint16_t)) +
           of_tile(static_cast<unsigned>(places)) * sizeof(unsigned);
  }
  TESSERA_FN group_storage(void* memory, unsigned bins) {
    unsigned const places = (bins + 3) / 4 * 4;
    starts = static_cast<Index*>(memory);
    bases = starts + places;
    in_part = reinterpret_cast<unsigned*>(bases + places);
    total = in_part + places;
    masks = sorted = total + places;
    in_warp = reinterpret_cast<std::uint16_t*>(sorted + of_tile(places));
  }

 private:
  TESSERA_FN static constexpr unsigned of_tile(unsigned places) {
    unsigned const of_masks = Shape::warps * places;
    return !Shape::is_sorted ? 0 : of_masks > Shape::tile ? of_masks : Shape::tile;
  }
};

/// A block that groups labels. Bits is the size of a published count.
template <class Shape, unsigned Bits, class Block, class Label, class Index>
class label_grouper {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using packed = packed_counts<Bits>;
  static constexpr unsigned threads = Shape::threads, warps = Shape::warps, rounds = Shape::rounds;
  static constexpr unsigned no_bin = 0xffff, beside = rounds < 4 ? rounds : 4;
  static constexpr unsigned loads = sizeof(Label) < 8 ? 16 : 8;  // that are on their way at once
  static_assert(Shape::tile <= UINT16_MAX && (Shape::is_sorted || rounds % beside == 0));

 public:
  TESSERA_FN label_grouper(Block const& block, group_task<Label, Index> const& task, look_back_memory const& memory,
                           group_storage<Shape, Index> const& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        thread_(block.thread_rank()),
        counters_(storage.in_warp + thread_ / 32 * task.bins),
        masks_(storage.masks + thread_ / 32 * task.bins) {}

  /// Groups part `own`. prepare(part) is called before a part's labels are read.
  template <class Prepare>
  TESSERA_FN void run(unsigned own, Prepare const& prepare) {
    bool const single = task_.parts == 1;
    std::uint64_t const taken = single ? 0 : detail::load_relaxed(memory_.words);
    tag_ = static_cast<unsigned>(taken >> 32) + 1;
    unsigned part = own;
    TESSERA_LOOP
    for (;;) {
      count_part(part, prepare);
      if (single) {
        for_own_bins([&](unsigned b) {
          storage_.total[b] = storage_.in_part[b];
          storage_.bases[b] = 0;
        });
        break;
      }
      publish(part);
      unsigned const missing = add_up(own);
      if (missing >= task_.parts) break;
      part = missing;
    }
    // This block waits for no word any more, and all others' words were there. The ticket comes while it goes on.
    bool const leaves = !single && thread_ == 0;
    unsigned const left = leaves ? detail::count_around(memory_.tickets().left, task_.parts - 1) : 0;
    detail::barrier_of_block(block_);
    find_starts(own);
    detail::barrier_of_block(block_);
    store_padding(own);
    place(own, part == own && tiles_of(own) == 1);
    if (leaves && left == task_.parts - 1) detail::begin_next_launch(memory_, tag_);
  }

 private:
  /// Calls visit(bin) for the bins of this thread.
  template <class Visit>
  TESSERA_FN void for_own_bins(Visit const& visit) const {
    for (unsigned b = thread_; b < task_.bins; b += threads) visit(b);
  }
  /// The bins of this thread, side by side: for scans over all bins.
  struct bin_range {
    unsigned first, end;
  };
  TESSERA_FN bin_range neighboring_bins() const {
    unsigned const each = (task_.bins + threads - 1) / threads, first = thread_ * each;
    return {first, first + each < task_.bins ? first + each : task_.bins};
  }
  TESSERA_FN std::int64_t begin_of(unsigned part) const { return part * task_.part; }
  TESSERA_FN std::int64_t end_of(unsigned part) const {
    std::int64_t const end = begin_of(part) + task_.part;
    return end < task_.n ? end : task_.n;
  }
  TESSERA_FN unsigned tiles_of(unsigned part) const {
    return static_cast<unsigned>((end_of(part) - begin_of(part) + Shape::tile - 1) / Shape::tile);
  }
  /// The place in its tile of this lane's label of a round. Warps have as many rounds as the tile needs.
  TESSERA_FN unsigned place_of(unsigned round) const {
    return (thread_ / 32 * used_rounds_ + round) * 32 + thread_ % 32;
  }

  /// Ranks each label of a tile among its warp's labels of the same bin, and counts these.
  TESSERA_FN void rank_tile(std::int64_t begin, std::int64_t end) {
    unsigned const size = end - begin < Shape::tile ? static_cast<unsigned>(end - begin) : Shape::tile;
    used_rounds_ = (size + threads - 1) / threads;
    Label const* const from = task_.labels + begin + place_of(0);
    unsigned const left = place_of(0) < size ? size - place_of(0) : 0;
    TESSERA_UNROLL
    for (unsigned first = 0; first < rounds; first += loads) {
      Label x[loads]{};
      TESSERA_UNROLL
      for (unsigned r = first; r < first + loads && r < rounds; ++r) {
        if (32 * r < left && r < used_rounds_) x[r - first] = from[32 * r];
      }
      TESSERA_UNROLL
      for (unsigned r = first; r < first + loads && r < rounds; ++r)
        bin_.set(r, 32 * r < left && r < used_rounds_ ? bin_of(x[r - first]) : no_bin);
    }
    warp_.sync();  // All lanes have read what counters held before.
    for (unsigned b = thread_ % 32; b < task_.bins; b += 32) {
      counters_[b] = 0;
      if constexpr (Shape::is_sorted) masks_[b] = 0;
    }
    warp_.sync();
    if constexpr (Shape::is_sorted) {
      rank_by_masks();
    } else {
      rank_by_votes<0>();
    }
  }
  TESSERA_FN unsigned bin_of(Label x) const {
    using bits = stl::conditional_t<sizeof(Label) == 8, std::uint64_t, std::uint32_t>;  // a negative label is large
    auto const label = static_cast<bits>(x);
    return label < task_.bins ? static_cast<unsigned>(label) : no_bin;
  }
  /// Ranks a round after the other.
  TESSERA_FN void rank_by_masks() {
    unsigned const lane = thread_ % 32, through_own = tessera::detail::low_bits(lane + 1);
    TESSERA_UNROLL
    for (unsigned r = 0; r < rounds; ++r) {
      if (r >= used_rounds_) break;
      unsigned const bin = bin_[r];
      bool const has_bin = bin != no_bin;
      unsigned const same = detail::lanes_with_digit(warp_, lane, bin, masks_, has_bin);
      unsigned const last = tessera::detail::highest_bit(same), through = tessera::detail::bits_set(same & through_own);
      unsigned seen = 0;
      if (has_bin && lane == last) {
        seen = counters_[bin];
        counters_[bin] = static_cast<std::uint16_t>(seen + through);
      }
      rank_.set(r, tessera::shuffle(warp_, seen, last, converged) + through - 1);
      if (has_bin && lane == last) masks_[bin] = 0;  // all lanes have read it
      warp_.sync();
    }
  }
  /// Ranks some rounds side by side, and then those after them.
  template <unsigned First>
  TESSERA_FN void rank_by_votes() {
    if (First >= used_rounds_) return;
    unsigned bin[beside];
    TESSERA_UNROLL
    for (unsigned i = 0; i < beside; ++i) bin[i] = bin_[First + i];
    items<lane_mask<32>, beside> same;
    TESSERA_UNROLL
    for (unsigned i = 0; i < beside; ++i) same[i] = tessera::ballot(warp_, bin[i] != no_bin, converged);
    TESSERA_LOOP
    for (unsigned bit = 0; (task_.bins - 1) >> bit != 0; ++bit) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < beside; ++i) {
        bool const set = (bin[i] >> bit & 1u) != 0;
        auto const votes = tessera::ballot(warp_, set, converged);
        same[i] = same[i] & (set ? votes : ~votes);
      }
    }
    // The first lane of each bin counts.
    unsigned seen[beside];
    TESSERA_UNROLL
    for (unsigned i = 0; i < beside; ++i) {
      seen[i] = 0;
      if (bin[i] != no_bin && same[i].rank_of(thread_ % 32) == 0) {
        seen[i] = counters_[bin[i]];
        counters_[bin[i]] = static_cast<std::uint16_t>(seen[i] + same[i].count());
      }
      warp_.sync();
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < beside; ++i) {
      unsigned const leader = same[i].any() ? same[i].first() : 0;
      rank_.set(First + i, tessera::shuffle(warp_, seen[i], leader, converged) + same[i].rank_of(thread_ % 32));
    }
    if constexpr (First + beside < rounds) rank_by_votes<First + beside>();
  }

  /// Counts a part's labels. One of one tile is ranked, too.
  template <class Prepare>
  TESSERA_FN void count_part(unsigned part, Prepare const& prepare) {
    prepare(part);
    if (tiles_of(part) == 1) {
      rank_tile(begin_of(part), end_of(part));
      detail::barrier_of_block(block_);
      for_own_bins([&](unsigned b) { storage_.in_part[b] = count_in_tile(b); });
    } else {
      for_own_bins([&](unsigned b) { storage_.in_part[b] = 0; });
      detail::barrier_of_block(block_);
      count_labels(begin_of(part), end_of(part));
      detail::barrier_of_block(block_);
    }
  }
  /// How many labels of the ranked tile have a bin.
  TESSERA_FN unsigned count_in_tile(unsigned bin) const {
    unsigned sum = 0;
    TESSERA_UNROLL
    for (unsigned w = 0; w < warps; ++w) sum += storage_.in_warp[w * task_.bins + bin];
    return sum;
  }
  /// Counts labels in `in_part`.
  TESSERA_FN void count_labels(std::int64_t begin, std::int64_t end) const {
    constexpr unsigned at_once = loads * threads;
    TESSERA_LOOP
    for (std::int64_t first = begin + thread_; first < end; first += at_once) {
      Label const* const from = task_.labels + first;
      auto const left = static_cast<unsigned>(end - first < at_once ? end - first : at_once);
      Label x[loads]{};
      TESSERA_UNROLL
      for (unsigned r = 0; r < loads; ++r) {
        if (r * threads < left) x[r] = from[r * threads];
      }
      TESSERA_UNROLL
      for (unsigned r = 0; r < loads; ++r) {
        unsigned const bin = bin_of(x[r]);
        if (r * threads < left && bin != no_bin) detail::fetch_add(storage_.in_part + bin, 1u);
      }
    }
  }

  TESSERA_FN std::uint64_t* words_of(unsigned part) const {
    return memory_.words + look_back_memory::header_words +
           static_cast<std::uint64_t>(part) * packed::words(task_.bins);
  }
  /// Publishes the counts of a part.
  TESSERA_FN void publish(unsigned part) const {
    detail::barrier_of_block(block_);
    for (unsigned i = thread_; i < packed::words(task_.bins); i += threads) {
      std::uint32_t word = 0;
      TESSERA_UNROLL
      for (unsigned j = 0; j < packed::each; ++j) {
        unsigned const b = i * packed::each + j;
        if (b < task_.bins) word |= storage_.in_part[b] << (j * (32 / packed::each) % 32);
      }
      detail::store_relaxed(words_of(part) + i, std::uint64_t{tag_} << 32 | word);
    }
  }

  /// Adds up the counts of all parts in `total`, and of those before part `own` in `bases`. Returns the first part
  /// that isn't known, if there is one.
  TESSERA_FN unsigned add_up(unsigned own) const {
    constexpr unsigned in_flight = rounds == 1 ? 16 : 8;  // more would spill
    unsigned const most_polls = group_tuning::polls_for(task_.part);
    for_own_bins([&](unsigned b) {
      storage_.total[b] = 0;
      storage_.bases[b] = 0;
    });
    detail::barrier_of_block(block_);
    unsigned const words = packed::words(task_.bins);
    unsigned column_count = 1;
    while (column_count < words && column_count < threads) column_count *= 2;
    unsigned const first = thread_ / column_count, step = threads / column_count;
    unsigned missing = ~0u;
    for (unsigned i = thread_ % column_count; i < words; i += column_count) {
      packed before{}, after{};
      TESSERA_LOOP
      for (unsigned from = first; from < task_.parts; from += in_flight * step) {
        std::uint64_t seen[in_flight];
        TESSERA_UNROLL
        for (unsigned u = 0; u < in_flight; ++u) {
          unsigned const part = from + u * step;
          seen[u] = part < task_.parts ? detail::load_relaxed(words_of(part) + i) : std::uint64_t{tag_} << 32;
        }
        TESSERA_UNROLL
        for (unsigned u = 0; u < in_flight; ++u) {
          unsigned const part = from + u * step;
          bool is_known = seen[u] >> 32 == tag_;
          TESSERA_LOOP
          for (unsigned polls = 0; !is_known && polls < most_polls && missing == ~0u; ++polls) {
            seen[u] = detail::load_relaxed(words_of(part) + i);
            is_known = seen[u] >> 32 == tag_;
            if (blocks_take_turns) break;
          }
          if (!is_known && part < missing) missing = part;
          auto const word = static_cast<std::uint32_t>(seen[u]);
          before.add(part < own ? word : 0);
          after.add(part < own ? 0 : word);
        }
      }
      TESSERA_UNROLL
      for (unsigned j = 0; j < packed::each; ++j) {
        unsigned const b = i * packed::each + j;
        if (b >= task_.bins) break;
        detail::fetch_add(storage_.total + b, before.of(j) + after.of(j));
        add_to_base(storage_.bases + b, before.of(j));
      }
    }
    return tessera::reduce(tessera::this_block_tile<threads>(block_), missing, minimum{}, converged);
  }
  /// Several threads add to a base.
  TESSERA_FN static void add_to_base(Index* base, unsigned count) {
    using bits = typename tessera::detail::unsigned_of<sizeof(Index)>::type;
    detail::fetch_add(reinterpret_cast<bits*>(base), static_cast<bits>(count));
  }

  TESSERA_FN Index padded(Index count) const { return (count + task_.pad_to - 1) / task_.pad_to * task_.pad_to; }

  /// Finds where groups begin. Part 0 stores it.
  TESSERA_FN void find_starts(unsigned own) const {
    auto const [first, end] = neighboring_bins();
    Index sum = 0;
    for (unsigned b = first; b < end; ++b) sum += padded(static_cast<Index>(storage_.total[b]));
    Index start = tessera::exclusive_scan(tessera::this_block_tile<threads>(block_), sum, plus{}, converged);
    for (unsigned b = first; b < end; ++b) {
      auto const count = static_cast<Index>(storage_.total[b]);
      storage_.starts[b] = start;
      storage_.bases[b] += start;
      if (own == 0) {
        task_.offsets[b] = start;
        if (task_.counts != nullptr) task_.counts[b] = count;
      }
      start += padded(count);
      if (own == 0 && b + 1 == task_.bins) task_.offsets[task_.bins] = start;
    }
  }

  /// Fills the groups up to a multiple, and stores the labels of blocks: each part for some of the bins, by a warp
  /// each.
  TESSERA_FN void store_padding(unsigned own) const {
    if (task_.pad_to == 1 && task_.block_labels == nullptr) return;
    unsigned const lane = thread_ % 32;
    for (unsigned b = own + thread_ / 32 * task_.parts; b < task_.bins; b += warps * task_.parts) {
      Index const start = storage_.starts[b], count = static_cast<Index>(storage_.total[b]), size = padded(count);
      for (Index i = count + static_cast<Index>(lane); i < size; i += 32)
        task_.order[start + i] = static_cast<Index>(task_.n);
      if (task_.block_labels == nullptr) continue;
      Index const first = start / task_.pad_to, blocks = size / task_.pad_to;
      for (Index i = static_cast<Index>(lane); i < blocks; i += 32)
        task_.block_labels[first + i] = static_cast<std::int32_t>(b);
    }
  }

  /// Stores the part's elements. is_kept: registers and counters are those of the part's tile.
  TESSERA_FN void place(unsigned own, bool is_kept) {
    TESSERA_LOOP
    for (unsigned tile = 0; tile < tiles_of(own); ++tile) {
      std::int64_t const begin = begin_of(own) + std::int64_t{tile} * Shape::tile, end = end_of(own);
      if (!is_kept) rank_tile(begin, end);
      detail::barrier_of_block(block_);
      place_warps(tile == 0);
      detail::barrier_of_block(block_);
      TESSERA_UNROLL
      for (unsigned r = 0; r < rounds; ++r) {
        if (r >= used_rounds_) break;
        if (bin_[r] == no_bin) continue;
        if constexpr (Shape::is_sorted) {
          storage_.sorted[in_tile(r)] = bin_[r] << 16 | place_of(r);
        } else {
          task_.order[result_of(r)] = static_cast<Index>(begin + place_of(r));
        }
      }
      if (task_.inverse != nullptr) store_inverse(begin, end);
      if constexpr (Shape::is_sorted) {
        detail::barrier_of_block(block_);
        store_sorted(begin);
        detail::barrier_of_block(block_);
      }
    }
  }
  /// The place of the label of a round in the sorted tile, and in the result, if it has a bin.
  TESSERA_FN unsigned in_tile(unsigned round) const { return counters_[bin_[round]] + rank_[round]; }
  TESSERA_FN Index result_of(unsigned round) const {
    return storage_.bases[bin_[round]] + static_cast<Index>(in_tile(round));
  }
  TESSERA_FN void store_inverse(std::int64_t begin, std::int64_t end) const {
    TESSERA_UNROLL
    for (unsigned r = 0; r < rounds; ++r) {
      std::int64_t const i = begin + place_of(r);
      if (r >= used_rounds_ || i >= end) break;
      task_.inverse[i] = bin_[r] != no_bin ? result_of(r) : Index{-1};
    }
  }
  /// Finds where each warp places its labels of each bin: in the sorted tile, or after those of the same bin alone.
  TESSERA_FN void place_warps(bool is_first) const {
    auto const [first, end] = neighboring_bins();
    unsigned start = 0;
    for (unsigned b = first; b < end; ++b) {
      if (!is_first) storage_.bases[b] += static_cast<Index>(storage_.in_part[b]);
      if constexpr (Shape::is_sorted) {
        if (!is_first) storage_.bases[b] += static_cast<Index>(storage_.total[b]);
        start += count_in_tile(b);
      }
    }
    if constexpr (Shape::is_sorted)
      start = tessera::exclusive_scan(tessera::this_block_tile<threads>(block_), start, plus{}, converged);
    for (unsigned b = first; b < end; ++b) {
      unsigned before = Shape::is_sorted ? start : 0;
      unsigned count[warps];
      TESSERA_UNROLL
      for (unsigned w = 0; w < warps; ++w) count[w] = storage_.in_warp[w * task_.bins + b];
      TESSERA_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        storage_.in_warp[w * task_.bins + b] = static_cast<std::uint16_t>(before);
        before += count[w];
      }
      storage_.in_part[b] = before - (Shape::is_sorted ? start : 0);
      if constexpr (Shape::is_sorted) {
        storage_.total[b] = start;
        storage_.bases[b] -= static_cast<Index>(start);
        start = before;
      }
    }
  }
  /// Stores the sorted tile, whose first label is number `begin`.
  TESSERA_FN void store_sorted(std::int64_t begin) const {
    unsigned const size = storage_.total[task_.bins - 1] + storage_.in_part[task_.bins - 1];
    TESSERA_UNROLL
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned const at = r * threads + thread_;
      if (at >= size) break;
      unsigned const label = storage_.sorted[at];
      task_.order[storage_.bases[label >> 16] + static_cast<Index>(at)] = static_cast<Index>(begin + (label & 0xffff));
    }
  }

  Block const& block_;
  warp_t warp_;
  group_task<Label, Index> const& task_;
  look_back_memory memory_;
  group_storage<Shape, Index> storage_;
  unsigned thread_;
  std::uint16_t* counters_;  // of this warp
  unsigned* masks_;          // of this warp
  unsigned tag_ = 0;
  unsigned used_rounds_ = 0;
  packed_numbers<rounds, 16> bin_, rank_;
};

/// Groups the labels of the block's part. prepare(part) may make a part's labels, and then ends with a barrier.
///
/// Called by  all threads of each of task.parts blocks of Shape::threads.
template <class Shape, unsigned Bits, class Block, class Label, class Index, class Prepare>
TESSERA_FN void group_part(Block const& block, group_task<Label, Index> const& task, look_back_memory const& memory,
                           void* shared, Prepare const& prepare) {
  group_storage<Shape, Index> const storage(shared, task.bins);
  label_grouper<Shape, Bits, Block, Label, Index>(block, task, memory, storage).run(block.group_index().x, prepare);
}
/// Groups as many labels as the device knows. Blocks whose parts have none end at once, except the first.
template <class Shape, unsigned Bits, class Block, class Label, class Index, class Prepare>
TESSERA_FN void group_part(Block const& block, counted_task<group_task<Label, Index>> const& counted,
                           look_back_memory const& memory, void* shared, Prepare const& prepare) {
  auto task = detail::task_now(counted);
  task.parts = detail::parts_of_labels(task.n, task.part);
  if (block.group_index().x < task.parts) detail::group_part<Shape, Bits>(block, task, memory, shared, prepare);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
