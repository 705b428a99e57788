// Segments of an array reduced by blocks, each of which goes through a part of the elements and ends, tile by tile.
//
//   elements    a b c d e f g h i j k l m n o p        4 lanes of 4
//   marks       . . 1 . . . . 2 . . . . . 3 . .        the last element of segment 1, 2, 3 of the tile
//   lanes       abc d   efgh    ijkl    mn op          each from left to right
//   carried     (from before)  d       .    ijkl       what of a lane's first segment is in lanes before it
//   results     (…)abc   d efgh   ijkl mn              and op goes on into the next tile
//
// What is open at a block's end the last block to be ready combines with what follows it, in order.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/grid/detail/arrival.hpp>
#include <tessera/grid/detail/async_copy.hpp>
#include <tessera/grid/detail/segment_path.hpp>
#include <tessera/grid/detail/segments_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>

#include <cstdint>

namespace tessera::grid::detail {

using namespace tessera::detail;

/// What is combined at the end of a run of elements, and whether a segment ended in the run.
template <class R>
struct open_run {
  R value;
  unsigned ended;
};
template <class Op>
struct join_runs {
  Op op;
  template <class R>
  TESSERA_FN open_run<R> operator()(open_run<R> const& a, open_run<R> const& b) const {
    return {select(b.ended != 0, b.value, static_cast<R>(op(a.value, b.value))), a.ended | b.ended};
  }
};

/// What a block leaves for the last one.
template <class R>
struct block_part {
  open_run<R> tail;      // after its last end
  R head;                // up to its first end,
  bool continues;        // where that is the end of a segment that began before
  std::int64_t segment;  // this one
};

/// Sizes of a tile, of elements of T that are combined as R.
template <class T, class R>
struct segment_tile {
  using tuning = segments_tuning;
  static constexpr unsigned threads = tuning::threads, warps = threads / 32;
  static constexpr unsigned fitting = tuning::bytes / static_cast<unsigned>(sizeof(T));
  static constexpr unsigned items = fitting < 1                    ? 1
                                    : fitting < tuning::most_items ? fitting
                                                                   : tuning::most_items;
  static constexpr unsigned all_items = items * threads;
  static constexpr unsigned fitting_ends = tuning::result_bytes / static_cast<unsigned>(sizeof(R)) / threads;
  static constexpr unsigned most_ends = tuning::most_ends / threads;
  static constexpr unsigned ends = fitting_ends < 1           ? 1
                                   : fitting_ends < most_ends ? fitting_ends
                                                              : most_ends;  // a lane
  static constexpr unsigned all_ends = ends * threads;
  /// Elements come by 16 bytes where these are whole elements, at multiples of their size.
  static constexpr bool wide = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);
  static constexpr unsigned V = wide ? 16 / static_cast<unsigned>(sizeof(T)) : 1u;
  static constexpr unsigned vectors = items / V;  // a lane
  static_assert(items % V == 0, "A lane has whole vectors.");
};

/// Elements of a tile in shared memory. Lane r's vectors are numbers r · vectors …; they lie so that neither lanes
/// that write neighboring vectors nor lanes that read their own meet in a bank.
template <class T, class Shape>
struct tile_values {
  alignas(16) unsigned char bytes[Shape::all_items * sizeof(T)];

  TESSERA_FN void* vector_at(unsigned number) {
    constexpr unsigned turn = (Shape::vectors & (Shape::vectors - 1)) == 0 ? Shape::vectors - 1 : 0;
    unsigned const place = Shape::wide ? number ^ (number / 8 & turn) : number;
    return bytes + place * Shape::V * sizeof(T);
  }
  TESSERA_FN T& item_at(unsigned i) { return static_cast<T*>(vector_at(i / Shape::V))[i % Shape::V]; }
};

/// A tile: from which element on, and how far at most.
template <class T, class Shape>
struct tile_window {
  std::int64_t origin;  // number of the element at place 0, a multiple of 16 bytes in memory
  unsigned begin, end;  // places

  TESSERA_FN tile_window(T const* in, segment_place from, segment_place to) {
    begin = 0;
    if constexpr (Shape::wide)
      begin = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in + from.item) % 16 / sizeof(T));
    origin = from.item - begin;
    std::int64_t const left = to.item - origin;
    end = left < Shape::all_items ? static_cast<unsigned>(left) : Shape::all_items;
  }

  TESSERA_FN bool is_full() const { return Shape::wide && begin == 0 && end == Shape::all_items; }

  /// Sends for the elements that this lane brings; those at the tile's ends, in vectors of others too, it reads itself.
  TESSERA_FN void load(T const* in, tile_values<T, Shape>& to, unsigned rank) const {
    if (is_full()) {
      TESSERA_UNROLL
      for (unsigned u = 0; u < Shape::vectors; ++u) {
        unsigned const number = rank + u * Shape::threads;
        copy_sixteen_bytes(to.vector_at(number), in + origin + number * Shape::V);
      }
      return;
    }
#if TESSERA_ARCH
#pragma unroll 1
#endif
    for (unsigned number = rank; number * Shape::V < end; number += Shape::threads) {
      unsigned const first = number * Shape::V;
      if (Shape::wide && first >= begin && first + Shape::V <= end) {
        copy_sixteen_bytes(to.vector_at(number), in + origin + first);
      } else {
#if TESSERA_ARCH
#pragma unroll 1
#endif
        for (unsigned v = first; v < first + Shape::V; ++v)
          if (v >= begin && v < end) to.item_at(v) = in[origin + v];
      }
    }
  }
  /// Puts `nothing` where the elements that this lane brings aren't of the tile, which ends at `real_end`.
  TESSERA_FN void pad(tile_values<T, Shape>& values, unsigned real_end, T const& nothing,
                      unsigned rank) const {
    if (begin == 0 && real_end == Shape::all_items) return;
#if TESSERA_ARCH
#pragma unroll 1
#endif
    for (unsigned number = rank; number * Shape::V < Shape::all_items; number += Shape::threads) {
#if TESSERA_ARCH
#pragma unroll 1
#endif
      for (unsigned v = number * Shape::V; v < (number + 1) * Shape::V; ++v)
        if (v < begin || v >= real_end) values.item_at(v) = nothing;
    }
  }
};

/// Ends that a lane looks at: numbers rank, rank + threads, … of a window; raw, so that nothing waits for them.
template <class Offset, class Shape>
struct tile_ends {
  Offset before;  // the end before the window's first
  Offset end[Shape::ends];

  TESSERA_FN void load(Offset const* offsets, std::int64_t segment, std::int64_t last, unsigned rank) {
    before = offsets[segment];
    TESSERA_UNROLL
    for (unsigned j = 0; j < Shape::ends; ++j) {
      std::int64_t const number = segment + rank + j * Shape::threads;
      end[j] = number < last ? offsets[number + 1] : Offset{};
    }
  }
};

inline constexpr unsigned no_mark = 0xffff;

template <class T, class R>
struct segment_memory {
  using Shape = segment_tile<T, R>;
  tile_values<T, Shape> values[2];
  alignas(
      16) unsigned short marks[Shape::all_items];  // the number of the end behind the element, or `no_mark`
  alignas(16) unsigned char results[Shape::all_ends * sizeof(R)];
  unsigned last_ends[Shape::ends * Shape::warps];  // of each 32
  unsigned counts[Shape::warps];
  alignas(R) unsigned char runs[Shape::warps * sizeof(open_run<R>)];
  segment_place places[2];

  TESSERA_FN R* result() { return reinterpret_cast<R*>(results); }
  TESSERA_FN open_run<R>* run() { return reinterpret_cast<open_run<R>*>(runs); }
};

/// The last block to be ready: combines what blocks left open with what follows, by chunks of neighboring blocks.
template <class Tile, class R, class Op>
TESSERA_FN void combine_parts(Tile const& tile, block_part<R> const* parts, unsigned blocks, R* out,
                              Op const& op) {
  auto const join = tessera::make_operator(
      join_runs<Op>{op}, open_run<R>{padding_of<operator_traits<Op, R>, R, Op>::get(op), 0});
  unsigned const each = (blocks + tile.size() - 1) / tile.size();
  unsigned const begin = tile.thread_rank() * each;
  unsigned const end = begin + each < blocks ? begin + each : blocks;
  open_run<R> own = join.identity;
  for (unsigned b = begin; b < end; ++b) own = join(own, parts[b].tail);
  open_run<R> carried = tessera::exclusive_scan(tile, own, join);
  for (unsigned b = begin; b < end; ++b) {
    block_part<R> const part = parts[b];
    if (part.continues) out[part.segment] = static_cast<R>(op(carried.value, part.head));
    carried = join(carried, part.tail);
  }
}

/// Called by     all threads of a block, number `which` of `blocks`, each with its rank.
/// convert       makes an R of an element.
/// memory        shared memory of the block.
/// parts         one a block; counter: 0 before the kernel and after it.
template <class Block, class T, class R, class Op, class Convert, class Offset>
TESSERA_FN void reduce_segment_blocks(Block const& block, unsigned rank, unsigned which, unsigned blocks,
                                      T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                      Op const& op, Convert const& convert, segment_memory<T, R>& memory,
                                      block_part<R>* parts, unsigned* counter) {
  using shape = segment_tile<T, R>;
  auto const warp = tessera::tiled_partition<32>(block);
  auto const tile = tessera::this_block_tile<shape::threads>(block);
  unsigned const which_warp = rank / 32, lane = rank % 32;
  R const padding = padding_of<operator_traits<Op, R>, R, Op>::get(op);
  R const identity = operator_traits<Op, R>::identity(op);

  // This block's part of the path.
  std::int64_t const total =
      static_cast<std::int64_t>(offsets[segments]) - static_cast<std::int64_t>(offsets[0]) + segments;
  std::int64_t const fair = (total + blocks - 1) / blocks;
  std::int64_t const share = fair < shape::all_items ? shape::all_items : fair;
  if (which_warp < 2) {
    std::int64_t const number = (which + which_warp) * share;
    segment_place const place = place_on_path(warp, offsets, segments, number < total ? number : total);
    if (lane == 0) memory.places[which_warp] = place;
  }
  for (unsigned i = rank; i < shape::all_items; i += shape::threads) memory.marks[i] = no_mark;
  tile.sync();
  segment_place const begin = memory.places[0], end = memory.places[1];
  bool const continues = begin.ends < end.ends && static_cast<std::int64_t>(offsets[begin.ends]) < begin.item;
  R carried = padding, head = padding;

  segment_place at = begin;
  tile_window<T, shape> window(in, at, end);
  tile_ends<Offset, shape> ends;
  window.load(in, memory.values[0], rank);
  ends.load(offsets, at.ends, end.ends, rank);
  for (unsigned turn = 0; at.ends < end.ends || at.item < end.item; turn ^= 1) {
    // How many ends are in the tile: all up to its last element. Where the ends that were looked at are fewer, it
    // ends there.
    unsigned local[shape::ends];
    unsigned count = 0;
    std::int64_t const ends_left = end.ends - at.ends;
    unsigned const ends_at_most =
        ends_left < shape::all_ends ? static_cast<unsigned>(ends_left) : shape::all_ends;
    TESSERA_UNROLL
    for (unsigned j = 0; j < shape::ends; ++j) {
      auto const place =
          static_cast<wrapping_t<Offset>>(ends.end[j]) - static_cast<wrapping_t<Offset>>(window.origin);
      bool const there = rank + j * shape::threads < ends_at_most && place <= window.end;
      local[j] = static_cast<unsigned>(place);
      count += tessera::count_if(warp, there, tessera::converged);
      if (lane == 31) memory.last_ends[j * shape::warps + which_warp] = local[j];
    }
    if (lane == 0) memory.counts[which_warp] = count;
    // The end before the first: it may lie far before the tile, but what counts is whether the first lies behind it.
    unsigned const before =
        static_cast<std::int64_t>(ends.before) <= window.origin
            ? 0u
            : static_cast<unsigned>(static_cast<std::int64_t>(ends.before) - window.origin);
    wait_for_copies();
    tile.sync();
    unsigned here = 0;
    TESSERA_UNROLL
    for (unsigned w = 0; w < shape::warps; ++w) here += memory.counts[w];
    unsigned const real_end =
        here == shape::all_ends ? memory.last_ends[shape::ends * shape::warps - 1] : window.end;

    segment_place const next{at.ends + here, window.origin + real_end};
    tile_window<T, shape> const next_window(in, next, end);
    next_window.load(in, memory.values[turn ^ 1], rank);
    ends.load(offsets, next.ends, end.ends, rank);

    // Marks of last elements; empty segments have their result.
    TESSERA_UNROLL
    for (unsigned j = 0; j < shape::ends; ++j) {
      if (j * shape::threads >= here) break;
      unsigned const k = rank + j * shape::threads;
      unsigned previous = tessera::shift_up(warp, local[j], 1, tessera::converged);
      if (lane == 0) previous = k > 0 ? memory.last_ends[k / 32 - 1] : before;
      if (k < here) {
        if (local[j] > previous) {
          memory.marks[local[j] - 1] = static_cast<unsigned short>(k);
        } else {
          memory.result()[k] = identity;
        }
      }
    }
    window.pad(memory.values[turn], real_end, static_cast<T>(padding), rank);
    tile.sync();

    // A lane's elements. What it has of its first segment waits for what lanes before have of that.
    struct alignas(shape::items % 8 == 0 ? 16 : shape::items % 2 == 0 ? 4 : 2) lane_marks {
      unsigned short mark[shape::items];
    };
    lane_marks const marks = reinterpret_cast<lane_marks const*>(memory.marks)[rank];
    R run = padding;
    unsigned first_mark = no_mark;
    TESSERA_UNROLL
    for (unsigned u = 0; u < shape::vectors; ++u) {
      words<items<T, shape::V>> loaded;
      copy_bytes(loaded.word, memory.values[turn].vector_at(rank * shape::vectors + u), shape::V * sizeof(T));
      items<T, shape::V> const x = from_words<items<T, shape::V>>(loaded);
      TESSERA_UNROLL
      for (unsigned v = 0; v < shape::V; ++v) {
        unsigned const mark = marks.mark[u * shape::V + v];
        run = static_cast<R>(op(run, convert(x[v])));
        if (mark != no_mark) memory.result()[mark] = run;
        run = select(mark != no_mark, padding, run);
        first_mark = first_mark < mark ? first_mark : mark;
      }
    }
    bool const ends_here = first_mark != no_mark;
    if (ends_here) {
      lane_marks none;
      TESSERA_UNROLL
      for (unsigned i = 0; i < shape::items; ++i) none.mark[i] = no_mark;
      reinterpret_cast<lane_marks*>(memory.marks)[rank] = none;
    }
    R const open =
        tessera::segmented_inclusive_scan(warp, run, tessera::by_head(ends_here), op, tessera::converged);
    auto const enders = tessera::ballot(warp, ends_here, tessera::converged);
    R from_lanes = tessera::shift_up(warp, open, 1, tessera::converged);
    if (lane == 31) memory.run()[which_warp] = {open, enders.any() ? 1u : 0u};
    tile.sync();

    R from_warps = carried;
    TESSERA_UNROLL
    for (unsigned w = 0; w < shape::warps; ++w) {
      open_run<R> const of_warp = memory.run()[w];
      if (w == which_warp) from_warps = carried;
      carried = select(of_warp.ended != 0, of_warp.value, static_cast<R>(op(carried, of_warp.value)));
    }
    if (ends_here) {
      bool const ended_before = (enders & decltype(enders)::prefix(lane)).any();
      R const before_lane = lane == 0      ? from_warps
                            : ended_before ? from_lanes
                                           : static_cast<R>(op(from_warps, from_lanes));
      R& first = memory.result()[first_mark];
      first = static_cast<R>(op(before_lane, first));
    }
    tile.sync();

    for (unsigned k = rank; k < here; k += shape::threads) {
      R const result = memory.result()[k];
      if (continues && at.ends + k == begin.ends) {
        head = result;
      } else {
        out[at.ends + k] = result;
      }
    }
    at = next;
    window = next_window;
  }
  wait_for_copies();

  bool last = false;
  if (rank == 0) {
    parts[which] = {{carried, begin.ends < end.ends ? 1u : 0u}, head, continues, begin.ends};
    last = is_last_arrival(counter, blocks);
  }
  if (tessera::any_of(tile, last)) combine_parts(tile, parts, blocks, out, op);
}

}  // namespace tessera::grid::detail
