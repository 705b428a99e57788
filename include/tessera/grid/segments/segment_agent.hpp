// The agent that reduces segments of an array: what a block of the kernel of segments.cuh does.
//
// The elements and boundaries are cut into equal parts by merge path search (merge_path.hpp), one for each warp. A
// warp walks its part tile by tile:
//
//   elements    a b  c   d    e f  g   h      i j  k   l      m n  o p      4 lanes of 4
//   mark        . .  1   .    . .  .   2      . .  .   .      . 3  . .      the last elements of segments 1, 2, 3
//   scan        a ab abc d    e ef efg efgh   i ij ijk ijkl   m mn o op     running values, anew after a mark
//   combine     .             d               .               ijkl          the lanes before, for a lane's first
//   store       (…)abc   d efgh   ijkl mn                                   before and running, for each boundary
//
// (…) is carried from the tiles before, and op is carried into the next tile. What a warp carries out of its part its
// block combines with the parts that follow, in order, and what a block carries out of its parts the last block does.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/merge_path.hpp>
#include <tessera/grid/parts/segment_offsets.hpp>
#include <tessera/grid/segments/segment_tile.hpp>
#include <tessera/grid/segments/segments_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The arguments of reduce_segments.
template <class T, class R>
struct segment_task {
  T const* in;
  segment_offsets offsets;
  std::int64_t segments;
  R* out;
};

/// The carry of a part of the path: the value after its last boundary, and whether it has a boundary.
template <class R>
struct segment_carry {
  R value;
  unsigned ended;
};
/// Combines the carries of neighboring parts.
template <class Op>
struct join_carries {
  Op op;
  template <class R>
  TESSERA_FN segment_carry<R> operator()(segment_carry<R> const& a, segment_carry<R> const& b) const {
    return {detail::select(b.ended != 0, b.value, static_cast<R>(op(a.value, b.value))), a.ended | b.ended};
  }
};

/// A part of the path, whose first segment the parts before must still be combined with: at its first boundary, a part
/// has stored only its own share of the segment.
template <class R>
struct segment_part {
  segment_carry<R> carry;
  std::int64_t segment;  // the segment of the first boundary
  bool continues;        // whether that segment begins before the part
};

/// A block's temporary storage.
template <class T, class R>
struct segment_storage {
  static constexpr unsigned warps = segments_tuning::threads / 32;
  segment_warp_storage<T, R> of_warp[warps];
  segment_part<R> parts[warps];
};

/// Reduces a warp's part of the path. Places in a part have 32 bits: a part of 2^32 steps would need a path longer
/// than any memory.
///
/// A tile has two barriers of the warp. Before the first, its elements arrive and its marks are set. Between the two,
/// each lane replaces its own elements by running values, and clears its own marks. After the second, lanes read
/// running values of others, and set the next tile's marks. Elements are loaded to the same place again after the
/// next tile's first.
///
/// many_boundaries   whether a lane looks at many boundaries for a tile, or at few; a tile that has more of them ends
///                   at the last of these. Tiles with few are loaded with load_streaming. If most tiles end early,
///                   what follows their end is loaded again, and should stay in the cache.
template <class Warp, class T, class R, class Op, class Convert>
class segment_warp_agent {
  using shape = segment_tile_shape<T>;

  static constexpr unsigned most = tile_boundaries::most, few = tile_boundaries::few;

  /// The boundaries of a tile, as one lane holds them.
  struct boundaries_here {
    unsigned place[most];     // after the last element of each segment
    unsigned previous[most];  // the boundary before
    unsigned count;           // of all lanes
    unsigned end;             // where the tile ends
  };

  /// The lanes' open segments, combined.
  struct lane_carries {
    R before;    // what the lanes before have of this lane's first segment
    R last;      // what all lanes carry out of the tile
    bool ended;  // whether the tile has a mark
  };

 public:
  TESSERA_FN segment_warp_agent(Warp const& warp, Op const& op, Convert const& convert,
                                segment_warp_storage<T, R>& storage, bool many_boundaries)
      : warp_(warp),
        op_(op),
        convert_(convert),
        storage_(storage),
        lane_(warp.thread_rank()),
        many_boundaries_(many_boundaries) {}

  /// Reduces the part from `begin` to `end`. Returns the value after its last boundary.
  TESSERA_FN R run(segment_task<T, R> const& task, path_coordinate begin, path_coordinate end) const {
    // From here on elements are counted from the start of a line, and boundaries from the part's first.
    unsigned at = 0, done = 0;
    if constexpr (shape::wide)
      at = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(task.in + begin.item) % line_bytes / sizeof(T));
    std::int64_t const origin = begin.item - at, before_first = task.offsets[0] - origin;
    unsigned const first = before_first > 0 ? static_cast<unsigned>(before_first) : 0;
    unsigned const items = static_cast<unsigned>(end.item - origin);
    unsigned const all_boundaries = static_cast<unsigned>(end.boundaries - begin.boundaries);
    T const* const in = detail::opaque_pointer(task.in + origin);
    lower_offsets const offsets(task.offsets, begin.boundaries);
    R* const out = detail::opaque_pointer(task.out + begin.boundaries);

    R carried = neutral();
    tile_window<T, shape> window(at, items);
    tile_boundaries boundaries;
    tile_loads<T, shape> loads;
    loads.load(in, first, window, storage_.values[0], lane_, !many_boundaries_);
    boundaries.load(offsets, 0, all_boundaries, lane_, many_boundaries_);
    storage_.marks[lane_] = 0;
    warp_.sync();
    for (unsigned turn = 0; done < all_boundaries || at < items; turn ^= 1) {
      boundaries_here here = find_boundaries(boundaries, origin, window, all_boundaries - done);
      mark(window, here);
      loads.store(storage_.values[turn], lane_);
      warp_.sync();

      unsigned const next_at = window.origin + here.end, next_done = done + here.count;
      tile_window<T, shape> const next_window(next_at, items);
      loads.load(in, first, next_window, storage_.values[turn ^ 1], lane_, !many_boundaries_);
      boundaries.load(offsets, next_done, all_boundaries - next_done, lane_, many_boundaries_);

      unsigned const marks = take_marks();
      auto& running = storage_.running(turn);
      R const last = scan_items(window, here.end, marks, storage_.values[turn], running);
      lane_carries const carries = combine_lanes(marks, last);
      warp_.sync();

      store_segments(here, out, done, running, carries.before, carried);
      carried = detail::select(carries.ended, carries.last, static_cast<R>(op_(carried, carries.last)));
      at = next_at;
      done = next_done;
      window = next_window;
    }
    return carried;
  }

 private:
  TESSERA_FN R neutral() const { return tessera::detail::neutral_of<Op, R>::get(op_); }
  TESSERA_FN unsigned lane_before() const { return (lane_ + 31) % 32; }

  /// Finds the boundaries in the tile: all up to its last element. If they are more than the lanes look at, the tile
  /// ends at the last of these.
  TESSERA_FN boundaries_here find_boundaries(tile_boundaries const& boundaries, std::int64_t origin,
                                             tile_window<T, shape> const& window, unsigned left) const {
    boundaries_here here;
    here.count = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < most; ++j) {
      if (!tile_boundaries::looks_at(j, many_boundaries_)) break;
      std::uint32_t const place = boundaries.offset[j] - (static_cast<std::uint32_t>(origin) + window.origin);
      here.place[j] = place;
      here.count += tessera::count_if(warp_, place <= window.end, tessera::converged);
    }
    here.count = here.count < left ? here.count : left;
    unsigned const probed = many_boundaries_ ? most : few;
    unsigned const last =
        tessera::shuffle(warp_, many_boundaries_ ? here.place[most - 1] : here.place[few - 1], 31, tessera::converged);
    here.end = here.count == probed * 32 ? last : window.end;
    return here;
  }

  /// Marks the last element of each segment that has elements. The first segment begins at the window's begin or
  /// before; all others begin in the window.
  TESSERA_FN void mark(tile_window<T, shape> const& window, boundaries_here& here) const {
    unsigned last_of_row = window.begin;
    TESSERA_UNROLL
    for (unsigned j = 0; j < most; ++j) here.previous[j] = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < most; ++j) {
      if (j * 32 >= here.count) break;
      unsigned const before = tessera::shuffle(warp_, here.place[j], lane_before(), tessera::converged);
      here.previous[j] = lane_ == 0 ? last_of_row : before;
      last_of_row = before;
      if (lane_ + j * 32 < here.count && here.place[j] > here.previous[j]) {
        unsigned const i = here.place[j] - 1;
        tessera::atomic_update(&storage_.marks[i / shape::items], 1u << i % shape::items, tessera::bit_or{});
      }
    }
  }

  /// The marks of this lane's elements. They are cleared for the next tile.
  TESSERA_FN unsigned take_marks() const {
    unsigned const marks = storage_.marks[lane_];
    storage_.marks[lane_] = 0;
    return marks;
  }

  /// Scans this lane's elements, anew after each mark, and stores the running values. Returns the last of them.
  TESSERA_FN R scan_items(tile_window<T, shape> const& window, unsigned end, unsigned marks,
                          tile_values<T, shape>& values, tile_values<R, shape>& running) const {
    auto run = read_items(values);
    if (window.begin > 0 || end < shape::all_items) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < shape::items; ++i) {
        unsigned const place = lane_ * shape::items + i;
        run[i] = detail::select(place >= window.begin && place < end, run[i], neutral());
      }
    }
    TESSERA_UNROLL
    for (unsigned i = 1; i < shape::items; ++i)
      if ((marks >> (i - 1) & 1) == 0) run[i] = static_cast<R>(op_(run[i - 1], run[i]));
    TESSERA_UNROLL
    for (unsigned u = 0; u < shape::vectors; ++u)
      detail::copy_bytes(running.own_at(lane_, u), TESSERA_ADDRESS_OF(run[u * shape::V]), shape::V * sizeof(R));
    return run[shape::items - 1];
  }

  /// This lane's elements, each converted to an R.
  TESSERA_FN auto read_items(tile_values<T, shape>& values) const {
    auto run = detail::from_words<tessera::items<R, shape::items>>({});
    TESSERA_UNROLL
    for (unsigned u = 0; u < shape::vectors; ++u) {
      words<tessera::items<T, shape::V>> loaded;
      detail::copy_bytes(loaded.word, values.own_at(lane_, u), shape::V * sizeof(T));
      auto const x = detail::from_words<tessera::items<T, shape::V>>(loaded);
      TESSERA_UNROLL
      for (unsigned v = 0; v < shape::V; ++v) run[u * shape::V + v] = convert_(x[v]);
    }
    return run;
  }

  /// Combines what lanes have of their last segments with the lanes before, as far back as the segment reaches.
  TESSERA_FN lane_carries combine_lanes(unsigned marks, R const& last) const {
    auto const boundary_lanes = tessera::ballot(warp_, marks != 0, tessera::converged);
    R const own = detail::select((marks >> (shape::items - 1) & 1) != 0, neutral(), last);
    R const open = tessera::segmented_inclusive_scan(warp_, own, tessera::by_head(marks != 0), op_, tessera::converged);
    R const before = tessera::shuffle(warp_, open, lane_before(), tessera::converged);
    R const last_open = tessera::shuffle(warp_, open, 31, tessera::converged);
    return {before, last_open, boundary_lanes.any()};
  }

  /// Stores the result of each segment that ends in the tile; the identity for an empty one.
  TESSERA_FN void store_segments(boundaries_here const& here, R* out, unsigned done, tile_values<R, shape>& running,
                                 R const& before, R const& carried) const {
    TESSERA_UNROLL
    for (unsigned j = 0; j < most; ++j) {
      if (j * 32 >= here.count) break;
      unsigned const k = lane_ + j * 32;
      unsigned const i = here.place[j] - 1;
      bool const has_items = k < here.count && here.place[j] > here.previous[j];
      unsigned const owner = has_items ? i / shape::items : 0;
      R const of_lanes = tessera::shuffle(warp_, before, owner, tessera::converged);
      if (k < here.count) {
        R value = operator_traits<Op, R>::identity(op_);
        if (has_items) {
          value = running.item_at(i);
          if (here.previous[j] < owner * shape::items) value = static_cast<R>(op_(of_lanes, value));
          if (k == 0) value = static_cast<R>(op_(carried, value));
        }
        out[done + k] = value;
      }
    }
  }

  Warp const& warp_;
  Op const& op_;
  Convert const& convert_;
  segment_warp_storage<T, R>& storage_;
  unsigned lane_;
  bool many_boundaries_;
};

/// Combines what is carried out of the parts with what follows, in order: each lane takes neighboring parts. Lane N − 1
/// returns what is carried out of all. Called by a tile of N lanes.
template <class Tile, class R, class Op>
TESSERA_FN segment_carry<R> combine_parts(Tile const& tile, segment_part<R> const* parts, unsigned count, R* out,
                                          Op const& op) {
  auto const join =
      tessera::make_operator(join_carries<Op>{op}, segment_carry<R>{tessera::detail::neutral_of<Op, R>::get(op), 0});
  unsigned const each = (count + tile.size() - 1) / tile.size();
  unsigned const begin = tile.thread_rank() * each;
  unsigned const end = begin + each < count ? begin + each : count;
  segment_carry<R> own = join.identity;
  for (unsigned p = begin; p < end; ++p) own = join(own, parts[p].carry);
  segment_carry<R> carried = tessera::exclusive_scan(tile, own, join);
  for (unsigned p = begin; p < end; ++p) {
    segment_part<R> const part = parts[p];
    if (part.continues && part.carry.ended != 0)
      out[part.segment] = static_cast<R>(op(carried.value, out[part.segment]));
    carried = join(carried, part.carry);
  }
  return carried;
}

/// The thread's position in its block and in the grid.
struct grid_position {
  unsigned rank, block, blocks;
};

/// The begin and the end of a warp's part of the path.
struct path_part {
  path_coordinate begin, end;
};

/// Cuts the path into equal parts of at least a tile, and finds a warp's: half the warp searches for its begin, half
/// for its end.
template <class T, class Block, class Tile, class Warp, class R>
TESSERA_FN path_part find_part(Block const& block, Tile const& tile, Warp const& warp, grid_position const& position,
                               segment_task<T, R> const& task) {
  constexpr unsigned warps = segments_tuning::threads / 32;
  auto const half = tessera::tiled_partition<16>(block);
  std::int64_t const items = task.offsets[task.segments] - task.offsets[0];
  std::int64_t const total = items + task.segments, all_warps = static_cast<std::int64_t>(position.blocks) * warps;
  std::int64_t const fair = (total + all_warps - 1) / all_warps;
  constexpr unsigned least = segment_tile_shape<T>::all_items;
  std::int64_t const share = fair < least ? least : fair;
  unsigned const which_warp = position.rank / 32, lane = position.rank % 32;
  std::int64_t const diagonal = (static_cast<std::int64_t>(position.block) * warps + which_warp + lane / 16) * share;
  path_coordinate const place =
      detail::merge_path_search(half, task.offsets, task.segments, diagonal < total ? diagonal : total);
  tile.sync();  // The compiler must know that lanes are together again: else it makes code for lanes that aren't.
  return {tessera::shuffle(warp, place, 0), tessera::shuffle(warp, place, 16)};
}

/// Reduces a warp's part, as suits the mean length of its segments. Returns the value after its last boundary.
template <class Warp, class T, class R, class Op, class Convert>
TESSERA_FN R reduce_part(Warp const& warp, path_part const& part, segment_task<T, R> const& task, Op const& op,
                         Convert const& convert, segment_warp_storage<T, R>& storage) {
  std::int64_t const boundaries = part.end.boundaries - part.begin.boundaries;
  bool const are_long =
      tessera::any_of(warp, part.end.item - part.begin.item >= boundaries * segments_tuning::long_mean);
  segment_warp_agent<Warp, T, R, Op, Convert> const agent(warp, op, convert, storage, !are_long);
  return agent.run(task, part.begin, part.end);
}

/// Runs the agent.
///
/// Called by     all threads of a block.
/// convert       makes an R of an element.
/// storage       shared memory of the block.
/// parts         one for each block; counter: 0 before the kernel and after it.
template <class Block, class T, class R, class Op, class Convert>
TESSERA_FN void run_segment_agent(Block const& block, grid_position const& position, segment_task<T, R> const& task,
                                  Op const& op, Convert const& convert, segment_storage<T, R>& storage,
                                  segment_part<R>* parts, unsigned* counter) {
  auto const warp = tessera::tiled_partition<32>(block);
  auto const tile = tessera::this_block_tile<segments_tuning::threads>(block);
  unsigned const which_warp = position.rank / 32, lane = position.rank % 32;
  path_part const part = detail::find_part(block, tile, warp, position, task);
  R const value = detail::reduce_part(warp, part, task, op, convert, storage.of_warp[which_warp]);
  if (lane == 0) {
    bool const has_boundaries = part.end.boundaries > part.begin.boundaries;
    storage.parts[which_warp] = {{value, has_boundaries ? 1u : 0u},
                                 part.begin.boundaries,
                                 task.offsets[part.begin.boundaries] < part.begin.item};
  }
  tile.sync();

  // The parts of the block's warps make one part, and the last block combines those of all blocks.
  bool last = false;
  if (which_warp == 0) {
    segment_carry<R> const carry = detail::combine_parts(warp, storage.parts, storage.warps, task.out, op);
    warp.sync();
    if (lane == 31) {
      parts[position.block] = {carry, storage.parts[0].segment, storage.parts[0].continues};
      last = detail::is_last_block(counter, position.blocks);
    }
  }
  if (tessera::any_of(tile, last)) detail::combine_parts(tile, parts, position.blocks, task.out, op);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
