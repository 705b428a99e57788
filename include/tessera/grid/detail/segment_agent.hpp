// Segments of an array reduced by warps, each of which goes through a part of the elements and ends, tile by tile.
//
//   elements    a b  c   d    e f  g   h      i j  k   l      m n  o p      4 lanes of 4
//   marks       . .  1   .    . .  .   2      . .  .   .      . 3  . .      the last elements of segments 1, 2, 3
//   running     a ab abc d    e ef efg efgh   i ij ijk ijkl   m mn o op     from left to right, anew after a mark
//   before      .             d               .               ijkl          what lanes before have of a lane's first
//   results     (…)abc   d efgh   ijkl mn                                   before and running, of each end
//
// (…) is from tiles before, and op goes on into the next tile. What is open at the end of a warp's part its block
// combines with what follows it, in order, and what is open at the end of a block's the last block to be ready.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/grid/detail/block_protocols.hpp>
#include <tessera/grid/detail/row_fragment.hpp>
#include <tessera/grid/detail/merge_path.hpp>
#include <tessera/grid/detail/segments_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

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

/// What a part of the path leaves: its first end wrote what of the segment is in the part.
template <class R>
struct segment_part {
  open_run<R> tail;      // after its last end
  std::int64_t segment;  // the one of the first end,
  bool continues;        // and whether it began before the part
};

/// Sizes of a warp's tile, of elements of T.
template <class T>
struct segment_tile {
  using tuning = segments_tuning;
  static constexpr unsigned fitting = tuning::bytes / static_cast<unsigned>(sizeof(T));
  static constexpr unsigned items = fitting < 1                    ? 1
                                    : fitting < tuning::most_items ? fitting
                                                                   : tuning::most_items;
  static constexpr unsigned all_items = items * 32;
  /// Elements come by 16 bytes where these are whole elements, at multiples of their size.
  static constexpr bool wide = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);
  static constexpr unsigned V = wide ? 16 / static_cast<unsigned>(sizeof(T)) : 1u;
  static constexpr unsigned vectors = items / V;  // a lane
  static constexpr unsigned line = wide ? line_bytes / static_cast<unsigned>(sizeof(T)) : 1u;
  static_assert(items % V == 0, "A lane has whole vectors.");
  static_assert(items <= 32, "A lane has as many marks as a word has bits.");
};

/// A tile in shared memory, its elements or what X they came to. A lane's are neighbors; where they are vectors of 16
/// bytes, an odd number of these is between lanes, so that lanes that go through their own don't meet in a bank.
template <class X, class Shape>
struct tile_values {
  static constexpr unsigned item_bytes = Shape::items * static_cast<unsigned>(sizeof(X));
  static constexpr unsigned lane_bytes = Shape::wide ? ((item_bytes + 15) / 16 | 1) * 16 : item_bytes;
  alignas(16) alignas(X) unsigned char bytes[32 * lane_bytes];

  /// Vector `number` of the tile, of Shape::V.
  TESSERA_FN void* vector_at(unsigned number) {
    return bytes + number / Shape::vectors * lane_bytes + number % Shape::vectors * Shape::V * sizeof(X);
  }
  /// Vector u of those that a lane itself goes through.
  TESSERA_FN void* own_at(unsigned lane, unsigned u) {
    return bytes + lane * lane_bytes + u * Shape::V * sizeof(X);
  }
  /// Vector lane + 32 u.
  TESSERA_FN void* neighbor_at(unsigned lane, unsigned u) {
    if constexpr (32 % Shape::vectors == 0) {
      return static_cast<unsigned char*>(vector_at(lane)) + u * (32 / Shape::vectors * lane_bytes);
    } else {
      return vector_at(lane + u * 32);
    }
  }
  TESSERA_FN X& item_at(unsigned i) {
    return *reinterpret_cast<X*>(bytes + i / Shape::items * lane_bytes + i % Shape::items * sizeof(X));
  }
};

/// A tile: from which element on, and how far at most. Places of elements are counted from the start of a line: so no two
/// loads of a tile have parts of one.
template <class T, class Shape>
struct tile_window {
  unsigned origin;      // of the tile, the start of a line too
  unsigned begin, end;  // from there

  TESSERA_FN tile_window(unsigned from, unsigned to) {
    begin = from % Shape::line;
    origin = from - begin;
    end = to - origin < Shape::all_items ? to - origin : Shape::all_items;
  }
};

/// A tile's elements on their way, those that a lane brings: of a whole tile they stay in its registers until the tile
/// before is done.
template <class T, class Shape>
struct tile_loads {
  packed<T> vector[Shape::vectors];
  bool whole;

  /// From `first` on there are elements in memory. Of vectors with elements of others a lane reads its own, and puts
  /// them where they belong at once.
  template <load_modifier Modifier>
  TESSERA_FN void send(T const* in, unsigned first, tile_window<T, Shape> const& window,
                       tile_values<T, Shape>& to, unsigned lane) {
    whole = Shape::wide && window.end == Shape::all_items && (window.begin == 0 || window.origin >= first);
    if (whole) {
      T const* const from = in + (window.origin + lane * Shape::V);
      TESSERA_UNROLL
      for (unsigned u = 0; u < Shape::vectors; ++u) vector[u] = load_packed<Modifier>(from + u * 32 * Shape::V);
      return;
    }
    TESSERA_LOOP
    for (unsigned i = window.begin + lane; i < window.end; i += 32) to.item_at(i) = in[window.origin + i];
  }
  TESSERA_FN void put(tile_values<T, Shape>& to, unsigned lane) const {
    if (!whole) return;
    TESSERA_UNROLL
    for (unsigned u = 0; u < Shape::vectors; ++u)
      store_packed(static_cast<T*>(to.neighbor_at(lane, u)), vector[u]);
  }
};

/// Ends that a lane looks at: numbers lane, lane + 32, … of a window; raw, so that nothing waits for them. Where fewer
/// are left the last of them stands for the others.
template <class Offset, unsigned Count>
struct tile_boundaries {
  static constexpr unsigned all = Count * 32;
  Offset end[Count];

  TESSERA_FN void load(Offset const* offsets, unsigned from, unsigned left, unsigned lane) {
    TESSERA_UNROLL
    for (unsigned j = 0; j < Count; ++j) {
      unsigned const number = lane + j * 32 + 1;
      end[j] = offsets[from + (number < left ? number : left)];
    }
  }
};

template <class T, class R>
struct warp_memory {
  using shape = segment_tile<T>;
  static constexpr bool in_place = stl::is_same_v<T, R>;
  struct none {};

  tile_values<T, shape> values[2];
  stl::conditional_t<in_place, none, tile_values<R, shape>> other;
  unsigned marks[32];  // of each lane a bit an element

  /// What a tile's elements come to takes their place where it fits.
  TESSERA_FN tile_values<R, shape>& running(unsigned turn) {
    if constexpr (in_place) {
      return values[turn];
    } else {
      return other;
    }
  }
};

template <class T, class R>
struct segment_memory {
  static constexpr unsigned warps = segments_tuning::threads / 32;
  warp_memory<T, R> of_warp[warps];
  segment_part<R> parts[warps];
};

/// p, a pointer into global memory, of which the compiler doesn't know any more what it was made of: so that it isn't
/// made anew at each use.
template <class T>
TESSERA_FN T* opaque_pointer(T* p) {
#if TESSERA_ARCH
  auto address = __cvta_generic_to_global(p);
  asm("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
#else
  return p;
#endif
}

/// A warp's part of the path; returns what is open after it. Places in it have 32 bits: the whole path would have to be
/// longer than any memory for a part to have 2^32 steps.
///
/// A tile has two barriers of the warp. Before the first its elements arrive, and marks are set. Between them each lane
/// puts running values in place of its own elements, and clears its own marks. Behind the second lanes read running
/// values of others, and set the next tile's marks; elements are sent to the same place again behind the next tile's
/// first.
///
/// Where tiles are mostly cut short by their ends, what is behind these is read again, and had better stay in the cache.
template <unsigned Ends, load_modifier Modifier, class Warp, class T, class R, class Op, class Convert, class Offset>
TESSERA_FN R reduce_segment_part(Warp const& warp, T const* in, Offset const* offsets, path_coordinate begin,
                                 path_coordinate end, R* out, Op const& op, Convert const& convert,
                                 warp_memory<T, R>& memory) {
  using shape = segment_tile<T>;
  using place_t = wrapping_t<Offset>;
  unsigned const lane = warp.thread_rank(), lane_before = (lane + 31) % 32;
  R const neutral = neutral_element<operator_traits<Op, R>, R, Op>::get(op);
  R const identity = operator_traits<Op, R>::identity(op);
  R carried = neutral;

  // From here on elements are counted from the start of a line, and ends from the first.
  unsigned at = 0, done = 0;
  if constexpr (shape::wide)
    at = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in + begin.item) % line_bytes / sizeof(T));
  std::int64_t const origin = begin.item - at, before_first = static_cast<std::int64_t>(offsets[0]) - origin;
  unsigned const first = before_first > 0 ? static_cast<unsigned>(before_first) : 0;
  unsigned const items = static_cast<unsigned>(end.item - origin);
  unsigned const all_ends = static_cast<unsigned>(end.ends - begin.ends);
  in = opaque_pointer(in + origin);
  offsets = opaque_pointer(offsets + begin.ends);
  out = opaque_pointer(out + begin.ends);

  tile_window<T, shape> window(at, items);
  tile_boundaries<Offset, Ends> ends;
  tile_loads<T, shape> loads;
  loads.template send<Modifier>(in, first, window, memory.values[0], lane);
  ends.load(offsets, 0, all_ends, lane);
  memory.marks[lane] = 0;
  warp.sync();
  for (unsigned turn = 0; done < all_ends || at < items; turn ^= 1) {
    // How many ends are in the tile: all up to its last element. Where the ends that were looked at are fewer, it
    // ends there.
    unsigned local[Ends];
    unsigned here = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < Ends; ++j) {
      place_t const place =
          static_cast<place_t>(ends.end[j]) - (static_cast<place_t>(origin) + window.origin);
      local[j] = static_cast<unsigned>(place);
      here += tessera::count_if(warp, place <= window.end, tessera::converged);
    }
    here = here < all_ends - done ? here : all_ends - done;
    unsigned const last_end = tessera::shuffle(warp, local[Ends - 1], 31, tessera::converged);
    unsigned const real_end = here == ends.all ? last_end : window.end;

    // Marks of last elements; an empty segment has none. The first segment begins at the window's begin or before: all
    // others begin in the window.
    unsigned previous[Ends] = {};
    unsigned last_of_row = window.begin;
    TESSERA_UNROLL
    for (unsigned j = 0; j < Ends; ++j) {
      if (j * 32 >= here) break;
      unsigned const behind = tessera::shuffle(warp, local[j], lane_before, tessera::converged);
      previous[j] = lane == 0 ? last_of_row : behind;
      last_of_row = behind;
      if (lane + j * 32 < here && local[j] > previous[j]) {
        unsigned const i = local[j] - 1;
        tessera::atomic_update(&memory.marks[i / shape::items], 1u << i % shape::items, tessera::bit_or{});
      }
    }
    loads.put(memory.values[turn], lane);
    warp.sync();

    unsigned const next_at = window.origin + real_end, next_done = done + here;
    tile_window<T, shape> const next_window(next_at, items);
    loads.template send<Modifier>(in, first, next_window, memory.values[turn ^ 1], lane);
    ends.load(offsets, next_done, all_ends - next_done, lane);

    // A lane's elements.
    unsigned const marks = memory.marks[lane];
    memory.marks[lane] = 0;
    auto run = from_words<tessera::items<R, shape::items>>({});
    TESSERA_UNROLL
    for (unsigned u = 0; u < shape::vectors; ++u) {
      words<tessera::items<T, shape::V>> loaded;
      copy_bytes(loaded.word, memory.values[turn].own_at(lane, u), shape::V * sizeof(T));
      auto const x = from_words<tessera::items<T, shape::V>>(loaded);
      TESSERA_UNROLL
      for (unsigned v = 0; v < shape::V; ++v) run[u * shape::V + v] = convert(x[v]);
    }
    if (window.begin > 0 || real_end < shape::all_items) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < shape::items; ++i) {
        unsigned const place = lane * shape::items + i;
        run[i] = select(place >= window.begin && place < real_end, run[i], neutral);
      }
    }
    TESSERA_UNROLL
    for (unsigned i = 1; i < shape::items; ++i)
      if ((marks >> (i - 1) & 1) == 0) run[i] = static_cast<R>(op(run[i - 1], run[i]));
    auto& running = memory.running(turn);
    TESSERA_UNROLL
    for (unsigned u = 0; u < shape::vectors; ++u)
      copy_bytes(running.own_at(lane, u), &run[u * shape::V], shape::V * sizeof(R));

    // What lanes have of their last segments, together with those before, as far back as it reaches.
    auto const boundary_lanes = tessera::ballot(warp, marks != 0, tessera::converged);
    R const own = select((marks >> (shape::items - 1) & 1) != 0, neutral, run[shape::items - 1]);
    R const open =
        tessera::segmented_inclusive_scan(warp, own, tessera::by_head(marks != 0), op, tessera::converged);
    R const before = tessera::shuffle(warp, open, lane_before, tessera::converged);
    R const last_open = tessera::shuffle(warp, open, 31, tessera::converged);
    warp.sync();

    TESSERA_UNROLL
    for (unsigned j = 0; j < Ends; ++j) {
      if (j * 32 >= here) break;
      unsigned const k = lane + j * 32;
      unsigned const i = local[j] - 1;
      bool const has_items = k < here && local[j] > previous[j];
      unsigned const owner = has_items ? i / shape::items : 0;
      R const of_lanes = tessera::shuffle(warp, before, owner, tessera::converged);
      if (k < here) {
        R value = identity;
        if (has_items) {
          value = running.item_at(i);
          if (previous[j] < owner * shape::items) value = static_cast<R>(op(of_lanes, value));
          if (k == 0) value = static_cast<R>(op(carried, value));
        }
        out[done + k] = value;
      }
    }
    carried = select(boundary_lanes.any(), last_open, static_cast<R>(op(carried, last_open)));
    at = next_at;
    done = next_done;
    window = next_window;
  }
  return carried;
}

/// Combines what parts left open with what follows, by chunks of neighboring parts; lane N − 1 gets what all leave.
/// Called by a tile of N lanes; if it has a lane more than there are parts.
template <class Tile, class R, class Op>
TESSERA_FN open_run<R> combine_parts(Tile const& tile, segment_part<R> const* parts, unsigned count, R* out,
                                     Op const& op) {
  auto const join = tessera::make_operator(
      join_runs<Op>{op}, open_run<R>{neutral_element<operator_traits<Op, R>, R, Op>::get(op), 0});
  unsigned const each = (count + tile.size() - 1) / tile.size();
  unsigned const begin = tile.thread_rank() * each;
  unsigned const end = begin + each < count ? begin + each : count;
  open_run<R> own = join.identity;
  for (unsigned p = begin; p < end; ++p) own = join(own, parts[p].tail);
  open_run<R> carried = tessera::exclusive_scan(tile, own, join);
  for (unsigned p = begin; p < end; ++p) {
    segment_part<R> const part = parts[p];
    if (part.continues && part.tail.ended != 0)
      out[part.segment] = static_cast<R>(op(carried.value, out[part.segment]));
    carried = join(carried, part.tail);
  }
  return carried;
}

/// Called by     all threads of a block, number `which` of `blocks`, each with its rank.
/// convert       makes an R of an element.
/// memory        shared memory of the block.
/// parts         one a block; counter: 0 before the kernel and after it.
template <class Block, class T, class R, class Op, class Convert, class Offset>
TESSERA_FN void run_segment_agent(Block const& block, unsigned rank, unsigned which, unsigned blocks,
                                      T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                      Op const& op, Convert const& convert, segment_memory<T, R>& memory,
                                      segment_part<R>* parts, unsigned* counter) {
  using tuning = segments_tuning;
  constexpr unsigned warps = tuning::threads / 32;
  auto const half = tessera::tiled_partition<16>(block);
  auto const warp = tessera::tiled_partition<32>(block);
  auto const tile = tessera::this_block_tile<tuning::threads>(block);
  unsigned const which_warp = rank / 32, lane = rank % 32;

  // This warp's part of the path: half of it looks for the begin, half for the end.
  std::int64_t const items =
      static_cast<std::int64_t>(offsets[segments]) - static_cast<std::int64_t>(offsets[0]);
  std::int64_t const total = items + segments, all_warps = static_cast<std::int64_t>(blocks) * warps;
  std::int64_t const fair = (total + all_warps - 1) / all_warps;
  std::int64_t const share = fair < segment_tile<T>::all_items ? segment_tile<T>::all_items : fair;
  std::int64_t const number = (static_cast<std::int64_t>(which) * warps + which_warp + lane / 16) * share;
  path_coordinate const place = merge_path_search(half, offsets, segments, number < total ? number : total);
  tile.sync();  // so that the compiler knows that lanes are together again: else it makes code for lanes apart
  path_coordinate const begin = tessera::shuffle(warp, place, 0), end = tessera::shuffle(warp, place, 16);

  std::int64_t const ends = end.ends - begin.ends;
  auto& own = memory.of_warp[which_warp];
  auto const reduce_part = [&](auto a_lane, auto how) {
    return reduce_segment_part<a_lane.value, how.value>(warp, in, offsets, begin, end, out, op, convert, own);
  };
  R const open = tessera::any_of(warp, end.item - begin.item >= ends * tuning::long_mean)
                     ? reduce_part(stl::integral_constant<unsigned, tuning::few_boundaries>{},
                                   stl::integral_constant<load_modifier, load_streaming>{})
                     : reduce_part(stl::integral_constant<unsigned, tuning::many_boundaries>{},
                                   stl::integral_constant<load_modifier, load_default>{});
  if (lane == 0)
    memory.parts[which_warp] = {
        {open, ends > 0 ? 1u : 0u}, begin.ends, static_cast<std::int64_t>(offsets[begin.ends]) < begin.item};
  tile.sync();

  // The block's part, and all blocks'.
  bool last = false;
  if (which_warp == 0) {
    open_run<R> const tail = combine_parts(warp, memory.parts, warps, out, op);
    warp.sync();
    if (lane == 31) {
      parts[which] = {tail, memory.parts[0].segment, memory.parts[0].continues};
      last = is_last_block(counter, blocks);
    }
  }
  if (tessera::any_of(tile, last)) combine_parts(tile, parts, blocks, out, op);
}

}  // namespace tessera::grid::detail
