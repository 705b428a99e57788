// Agents that scan the rows of a matrix: what a block of each kernel of scan_rows.cuh does.
//
//   short rows    Some lanes of a warp hold a row, or some rows: they load it, scan it, and store it.
//
//     a row       lane 0    lane 1    lane 2    lane 3       lane 0    …          4 lanes a row, 4 elements a step
//     step 0      0 1 2 3   4 5 6 7   8 9 …                  of the next row
//
//   long rows     A block walks the row tile by tile. Each warp scans its part of a tile, the block the totals of its
//                 warps, with one barrier.
//
//     a tile      warp 0                                warp 1  …
//     steps       0 … 127 | 128 … 255 | 256 … | 384 …   512 … 639 | …
//
//   few rows      Blocks share a row: each has one chunk of its tiles. One kernel computes the chunks' totals, the next
//                 scans them: two reads. The bits are those of one block.
//
// The order in which elements are combined, where places are counted from the row's first element, or from its last one
// if the scan goes that way:
//
//   result   = (carry op chunks before op tiles of the chunk before op warps of the tile before) op in the part
//   in part  = (steps before op lanes of the step before) op the lane's own elements
//
// Each of these sums but that of a step's lanes, and of a tile's warps, is made from left to right. Those two are
// Hillis and Steele's scan. For short rows the carry stands in place of the steps before the first one.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/rows/scan_rows_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/tile/joint_scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::in_direction;
using tessera::detail::to_words;

/// A scan of each row, or of each column. Suffix: from the end on. Exclusive: a result leaves out its own element.
template <class T_, class Out_, class R_, class Op_, bool Suffix, bool Exclusive>
struct matrix_scan_task {
  using T = T_;
  using Out = Out_;
  using R = R_;
  using Op = Op_;
  static constexpr bool suffix = Suffix, exclusive = Exclusive;

  T const* in;
  Out* out;
  std::int64_t in_stride, out_stride, row_count;
  int column_count;
  bool in_aligned, out_aligned;  // whether all rows are at multiples of 16 bytes; with Suffix their ends, too
  R const* carry_in;             // of each row or column; may be null
  R* carry_out;                  // may be null
  Op op;

  /// The operator, whose first operand is what comes first in the direction of the scan.
  TESSERA_FN decltype(auto) join() const { return tessera::detail::in_order_of_walk<Suffix>(op); }
  TESSERA_FN optional_value<R> carry(std::int64_t which) const {
    if (carry_in == nullptr) return optional_value<R>::none();
    return optional_value<R>::some(carry_in[which]);
  }
  TESSERA_FN void store_carry(std::int64_t which, R const& all) const {
    tessera::detail::store_element(carry_out + which, tessera::detail::canonicalize_nan<Op>(all));
  }
  /// The carry of a row or column without elements.
  TESSERA_FN void store_carry_of_none(std::int64_t which) const {
    optional_value<R> const before = carry(which);
    if (before.exists || operator_traits<Op, R>::has_identity)
      tessera::detail::store_element(carry_out + which, before.exists ? before.value() : identity());
  }
  /// The first result of an exclusive scan without a carry, whose operator has an identity.
  TESSERA_FN R identity() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      return operator_traits<Op, R>::identity(op);
    } else {
      return detail::from_words<R>({});
    }
  }
  TESSERA_FN Out result(R const& x) const {
    return tessera::detail::convert<Out>(tessera::detail::canonicalize_nan<Op>(x));
  }
};

/// The inclusive scan of the values of neighboring lanes, of which `rank` is this lane's number. Lanes that own nothing
/// come last; the operator isn't called for them. Fewer lanes than 32 exchange as often: skipping that costs as much.
template <class Warp, class R, class Op>
TESSERA_FN R scan_of_lanes(Warp const& warp, R x, unsigned rank, bool owner, Op const& op) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    R const before = tessera::shift_up(warp, x, delta, converged);
    if (owner && rank >= delta) x = static_cast<R>(op(before, x));
  }
  return x;
}

/// What a lane holds of a row: `Steps` times some neighboring elements. Places count elements in the direction of the
/// scan.
template <class Task, unsigned Width, unsigned Steps>
class row_part {
  using T = typename Task::T;
  using R = typename Task::R;
  using Out = typename Task::Out;
  using maybe = optional_value<R>;
  static constexpr int width = Width;
  static constexpr bool suffix = Task::suffix;
  static_assert(Width == 1 || Width == elements_of_row<T>(), "A lane's neighbors fill whole vectors");

 public:
  /// Whether vectors of 16 bytes hold the elements, and the results.
  static constexpr bool has_vectors =
      tessera::detail::wide_row<T, Width>::exists && tessera::detail::wide_row<Out, Width>::exists;

  /// Loads all steps, which exist: the first is at `at`, a multiple of 16 bytes.
  TESSERA_FN void load_whole(T const* at, int apart) {
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s)
      loaded_[s] = detail::to_words(tessera::detail::wide_row<T, Width>::load_aligned(at + step_of(s, apart)));
  }
  /// Issues all loads. The lane's steps begin at `first`, `first + apart`, ….
  TESSERA_FN void load(Task const& task, std::int64_t row, int first, int apart) {
    using wide = tessera::detail::wide_row<T, Width>;
    T const* const from = task.in + row * task.in_stride;
    if constexpr (wide::exists) {
      if (task.in_aligned && first + static_cast<int>(Steps - 1) * apart + width <= task.column_count) {
        load_whole(from + index_of(task, first), apart);
        return;
      }
    }
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s) {
      int const place = first + static_cast<int>(s) * apart;
      loaded_[s] = {};
      if (place < task.column_count)
        loaded_[s] = detail::to_words(detail::load_row<Width>(from, task.column_count, index_of(task, place)));
    }
  }

  /// Scans what was loaded by `lanes` lanes, of which `rank` is this one's number, after what comes before. Returns all
  /// of it, if the lanes' last step is full.
  ///
  /// Whole   whether all lanes of the warp own all their elements
  /// Total   whether what it returns is used
  template <bool Whole, bool Total, class Warp>
  TESSERA_FN maybe scan(Warp const& warp, Task const& task, int first, int apart, unsigned lanes, unsigned rank,
                        maybe before) {
    last_ = maybe::none();
    auto const op = task.join();
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s) {
      int const place = first + static_cast<int>(s) * apart;
      bool const owner = Whole || place < task.column_count;
      auto own = values(s);
      if (owner) own = tessera::detail::scan_own<suffix>(own, task.op);
      R const through =
          detail::scan_of_lanes(warp, own[detail::in_direction<suffix, Width>(Width - 1)], rank, owner, op);
      // The lane before the row's first one may hold none of its row's elements.
      R const in_step = tessera::detail::select(rank == 0, through, tessera::shift_up(warp, through, 1, converged));
      if (owner) {
        maybe const own_before = maybe::choose(rank == 0, before, before.followed_by(in_step, op));
        if (!Whole || s + 1 == Steps) keep_last<Whole>(task, own_before, own, place);
        put_results(task, own_before, own, s);
      }
      if (!Total && s + 1 == Steps) break;
      R const all = tessera::shuffle(warp, through, warp.thread_rank() | (lanes - 1), converged);
      bool const full = Whole || place + static_cast<int>(lanes - rank) * width <= task.column_count;
      if (full) before = before.followed_by(all, op);
    }
    return before;
  }

  /// Stores the results of all steps, which exist, as they are: the first is at `at`, a multiple of 16 bytes.
  TESSERA_FN void store_whole(Out* at, Task const& task, int apart) const {
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s)
      tessera::detail::wide_row<Out, Width>::store_aligned(at + step_of(s, apart),
                                                           converted(task, s, [](R const& x, bool) { return x; }));
  }
  /// Stores the results as they are.
  template <bool Streaming, class Warp>
  TESSERA_FN void store(Warp const& warp, Task const& task, std::int64_t row, int first, int apart,
                        unsigned lanes) const {
    store_by<Streaming>(warp, task, row, first, apart, lanes, [](R const& x, bool) { return x; });
  }
  /// Stores the results after `before`. The part's first element is its first step's in the lane for which is_first.
  template <bool Streaming, class Warp>
  TESSERA_FN void store_after(Warp const& warp, Task const& task, std::int64_t row, int first, int apart, bool is_first,
                              maybe const& before) const {
    auto const op = task.join();
    store_by<Streaming>(warp, task, row, first, apart, 32u, [&](R const& x, bool may_be_first) {
      if constexpr (Task::exclusive) {
        if (may_be_first && is_first) return before.exists ? before.value() : x;
      }
      return before.followed_by(x, op).value();
    });
  }

  /// The total of the row, as far as the part knows, in the lane that has its last element.
  TESSERA_FN maybe const& last() const { return last_; }

 private:
  /// The row's index of the elements at a place.
  TESSERA_FN static int index_of(Task const& task, int place) {
    return suffix ? task.column_count - place - width : place;
  }
  /// The distance in memory of a step from the first one.
  TESSERA_FN static int step_of(unsigned s, int apart) { return static_cast<int>(s) * (suffix ? -apart : apart); }

  TESSERA_FN items<R, Width> values(unsigned s) const {
    auto const x = detail::from_words<items<T, Width>>(loaded_[s]);
    auto out = detail::from_words<items<R, Width>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Width; ++i) detail::assign(out[i], as_result<R>{}(x[i]));
    return out;
  }

  TESSERA_FN void put_results(Task const& task, maybe const& before, items<R, Width> const& own, unsigned s) {
    auto const op = task.join();
    auto out = detail::from_words<items<R, Width>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Width; ++i) {
      unsigned const at = detail::in_direction<suffix, Width>(i);
      if constexpr (!Task::exclusive) {
        detail::assign(out[at], before.followed_by(own[at], op).value());
      } else if (i > 0) {
        detail::assign(out[at], before.followed_by(own[detail::in_direction<suffix, Width>(i - 1)], op).value());
      } else {
        detail::assign(out[at], before.exists ? before.value() : task.identity());
      }
    }
    results_[s] = detail::to_words(out);
  }

  template <bool Whole>
  TESSERA_FN void keep_last(Task const& task, maybe const& before, items<R, Width> const& own, int place) {
    if constexpr (Whole) {  // without a branch, so that neighboring rows are scanned side by side
      bool const is_last = task.carry_out != nullptr && place + width == task.column_count;
      last_ = maybe::choose(
          is_last, before.followed_by(own[detail::in_direction<suffix, Width>(Width - 1)], task.join()), maybe::none());
    } else if (task.carry_out != nullptr) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < Width; ++i) {
        if (place + static_cast<int>(i) == task.column_count - 1)
          last_ = before.followed_by(own[detail::in_direction<suffix, Width>(i)], task.join());
      }
    }
  }

  /// f(result, whether it may be the part's first) for the results of a step.
  template <class F>
  TESSERA_FN items<Out, Width> converted(Task const& task, unsigned s, F const& f) const {
    auto const x = detail::from_words<items<R, Width>>(results_[s]);
    auto out = detail::from_words<items<Out, Width>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Width; ++i)
      detail::assign(out[i], task.result(f(x[i], s == 0 && i == detail::in_direction<suffix, Width>(0))));
    return out;
  }

  /// Stores f(result, whether it may be the part's first).
  template <bool Streaming, class Warp, class F>
  TESSERA_FN void store_by(Warp const& warp, Task const& task, std::int64_t row, int first, int apart, unsigned lanes,
                           F const& f) const {
    using wide = tessera::detail::wide_row<Out, Width>;
    using store_modifier = tessera::detail::store_modifier;
    constexpr store_modifier modifier = Streaming ? store_modifier::streaming : store_modifier::standard;
    Out* const to = task.out + row * task.out_stride;
    if constexpr (wide::exists) {
      if (task.out_aligned && first + static_cast<int>(Steps - 1) * apart + width <= task.column_count) {
        TESSERA_UNROLL
        for (unsigned s = 0; s < Steps; ++s)
          wide::template store_aligned<modifier>(to + index_of(task, first) + step_of(s, apart), converted(task, s, f));
        return;
      }
    }
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s) {
      int const place = first + static_cast<int>(s) * apart;
      bool const owner = place < task.column_count;
      auto out = detail::from_words<items<Out, Width>>({});
      if (owner) out = converted(task, s, f);
      if constexpr (wide::exists && alignof(Out) < 16) {
        if (!task.out_aligned) {
          store_together(warp, task, to, place, out, lanes);
          continue;
        }
      }
      if (owner) detail::store_row(to, task.column_count, index_of(task, place), out);
    }
  }

  /// Stores a step of rows that don't begin at multiples of 16 bytes, by vectors: each begins with the end of the lane
  /// before, and the first lane's with that of the last one, which it stores at its place.
  template <class Warp>
  TESSERA_FN void store_together(Warp const& warp, Task const& task, Out* to, int place, items<Out, Width> const& out,
                                 unsigned lanes) const {
    using wide = tessera::detail::wide_row<Out, Width>;
    unsigned const lane = warp.thread_rank(), rank = lane & (lanes - 1), first_lane = lane - rank;
    int const of_step = place - static_cast<int>(rank) * width;
    unsigned const room =
                       of_step < task.column_count ? static_cast<unsigned>((task.column_count - of_step) / width) : 0,
                   count = room < lanes ? room : lanes;  // of lanes whose elements all exist
    // In the order of memory.
    unsigned const number = suffix ? count - 1 - rank : rank;
    unsigned const before = number == 0 ? count - 1 : number - 1;
    unsigned const source = rank >= count ? rank : suffix ? count - 1 - before : before;
    auto const end = tessera::shuffle(warp, wide::end_of(out), first_lane + source, converged);
    Out* const at = to + index_of(task, place);
    unsigned const distance = rank < count ? wide::distance(at) : 0;
    if (distance != 0) {
      Out* const after = at + static_cast<std::int64_t>(count) * width;  // used by the first lane in memory
      wide::store_shifted(at, distance, out, end, number == 0, after);
    } else if (place < task.column_count) {
      detail::store_row(to, task.column_count, index_of(task, place), out);
    }
  }

  tessera::detail::words<items<T, Width>> loaded_[Steps];
  tessera::detail::words<items<R, Width>> results_[Steps];
  maybe last_;
};

/// Scans the rows of a warp: `Rows` at once in every `lanes` lanes, a power of two, that hold a row.
///
/// Called by  all threads of the blocks of a grid that has a warp for every 32 / lanes · Rows rows.
/// Cost       one read and one write of each element; for each row and step a scan of its lanes.
template <unsigned Steps, unsigned Rows, class Block, class Task>
TESSERA_FN void scan_short_rows(Block const& block, Task const& task, unsigned lanes) {
  constexpr unsigned width = scan_rows_shape<typename Task::T, typename Task::R>::width;
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const lane = warp.thread_rank(), rank = lane & (lanes - 1);
  unsigned const shift = tessera::detail::lowest_bit(lanes), rows_of_step = 32u >> shift;
  std::int64_t const warps_before =
      std::int64_t{block.group_index().x} * (static_cast<unsigned>(block.size()) / 32) + block.thread_rank() / 32;
  std::int64_t const first_of_warp = warps_before * (rows_of_step * Rows), first_row = first_of_warp + (lane >> shift);
  int const first = static_cast<int>(rank * width), apart = static_cast<int>(lanes * width);
  // A row that doesn't exist has no elements.
  auto const place_in = [&](std::int64_t row) { return row < task.row_count ? first : task.column_count + first; };

  using part_t = row_part<Task, width, Steps>;
  part_t part[Rows];
  if constexpr (part_t::has_vectors) {
    if (task.in_aligned && task.out_aligned && static_cast<int>(lanes * width * Steps) == task.column_count &&
        first_of_warp + Rows * rows_of_step <= task.row_count) {
      int const index = Task::suffix ? task.column_count - first - static_cast<int>(width) : first;
      auto const* const from = task.in + first_row * task.in_stride + index;
      auto* const to = task.out + first_row * task.out_stride + index;
      std::int64_t const in_apart = rows_of_step * task.in_stride, out_apart = rows_of_step * task.out_stride;
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) part[r].load_whole(from + r * in_apart, apart);
      optional_value<typename Task::R> carry[Rows];
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) carry[r] = task.carry(first_row + r * rows_of_step);
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r)
        part[r].template scan<true, false>(warp, task, first, apart, lanes, rank, carry[r]);
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) part[r].store_whole(to + r * out_apart, task, apart);
      if (task.carry_out == nullptr) return;
      warp.sync();  // All lanes have read the carries, which may be in place.
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        if (part[r].last().exists) task.store_carry(first_row + r * rows_of_step, part[r].last().value());
      }
      return;
    }
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first_row + r * rows_of_step;
    part[r].load(task, row < task.row_count ? row : 0, place_in(row), apart);
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first_row + r * rows_of_step;
    bool const exists = row < task.row_count;
    auto const carry = exists ? task.carry(row) : optional_value<typename Task::R>::none();
    part[r].template scan<false, false>(warp, task, place_in(row), apart, lanes, rank, carry);
    part[r].template store<false>(warp, task, exists ? row : 0, place_in(row), apart, lanes);
    if (task.carry_out == nullptr) continue;
    warp.sync();  // as above
    if (part[r].last().exists) task.store_carry(row, part[r].last().value());
    if (task.column_count == 0 && exists && rank == 0) task.store_carry_of_none(row);
  }
}

/// The block's shared memory for long rows: the parts of its warps, of two tiles.
template <class R, unsigned MostWarps>
struct scan_rows_storage {
  tessera::detail::words<R> of_warp[2][MostWarps];
};

/// A block's walk over a row.
template <class Block, class Task, class Storage>
class long_row_agent {
  using R = typename Task::R;
  using maybe = optional_value<R>;
  using shape = scan_rows_shape<typename Task::T, R>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr int width = static_cast<int>(shape::width), apart = shape::step_elements;

 public:
  TESSERA_FN long_row_agent(Block const& block, Task const& task, scan_rows_cut const& cut, Storage& storage)
      : block_(block), warp_(tessera::tiled_partition<32>(block)), task_(task), cut_(cut), storage_(storage) {}

  /// Scans tiles first … end − 1 of a row after `before`, and stores the results if Stores. The first tile begins a
  /// chunk. Returns the total of the last chunk, if it is full.
  template <bool Stores>
  TESSERA_FN maybe walk(std::int64_t row, int first, int end, maybe before) {
    auto const op = task_.join();
    unsigned const rank = warp_.thread_rank();
    auto in_chunk = maybe::none();
    row_part<Task, shape::width, shape::steps> part;
    part.load(task_, row, place_of(first), apart);
    TESSERA_LOOP
    for (int tile = first; tile < end; ++tile) {
      if (tile != first && tile % cut_.chunk_tiles == 0) {
        before = before.followed_by(in_chunk.value(), op);
        in_chunk = maybe::none();
      }
      auto now = part;
      if (tile + 1 < end) part.load(task_, row, place_of(tile + 1), apart);
      bool const whole = part_of(tile) + shape::part_elements <= task_.column_count;
      maybe const own =
          whole ? now.template scan<true, true>(warp_, task_, place_of(tile), apart, 32, rank, maybe::none())
                : now.template scan<false, true>(warp_, task_, place_of(tile), apart, 32, rank, maybe::none());
      auto const exchanged = exchange(tile, own);
      if constexpr (Stores) {
        maybe all_before = before;
        if (in_chunk.exists) all_before = all_before.followed_by(in_chunk.value(), op);
        if (exchanged.warps_before.exists) all_before = all_before.followed_by(exchanged.warps_before.value(), op);
        now.template store_after<true>(warp_, task_, row, place_of(tile), apart, rank == 0, all_before);
        if (now.last().exists) task_.store_carry(row, all_before.followed_by(now.last().value(), op).value());
      }
      if (!Stores || tile + 1 < end) in_chunk = in_chunk.followed_by(exchanged.tile, op);  // of a full tile
    }
    return in_chunk;
  }

  /// What comes before a chunk: the carry, and the totals of the chunks before it.
  TESSERA_FN maybe before_chunk(std::int64_t row, int chunk, R const* totals) const {
    auto const op = task_.join();
    maybe before = task_.carry(row);
    int const lane = static_cast<int>(warp_.thread_rank());
    TESSERA_LOOP
    for (int first = 0; first < chunk; first += 32) {
      int const which = first + lane < chunk ? first + lane : chunk - 1;
      R const total = totals[row * (cut_.chunks - 1) + which];
      TESSERA_LOOP
      for (int i = 0; i < 32 && first + i < chunk; ++i)
        before = before.followed_by(tessera::shuffle(warp_, total, static_cast<unsigned>(i), converged), op);
    }
    return before;
  }

 private:
  struct exchanged_parts {
    maybe warps_before;
    R tile;  // unspecified if the tile isn't full
  };

  /// The place of the warp's part of a tile, and of the lane's first element.
  TESSERA_FN int part_of(int tile) const {
    return (tile * static_cast<int>(cut_.warps) + static_cast<int>(block_.thread_rank() / 32)) * shape::part_elements;
  }
  TESSERA_FN int place_of(int tile) const { return part_of(tile) + static_cast<int>(warp_.thread_rank()) * width; }

  /// Exchanges the totals of the warps' parts of a tile.
  TESSERA_FN exchanged_parts exchange(int tile, maybe const& own) {
    unsigned const lane = warp_.thread_rank(), which = block_.thread_rank() / 32, warps = cut_.warps;
    auto& parts = storage_.of_warp[tile % 2];
    if (lane == 0) parts[which] = own.word;
    block_.sync();
    int const full =
        (task_.column_count - (part_of(tile) - static_cast<int>(which) * shape::part_elements)) / shape::part_elements;
    R const part = detail::from_words<R>(parts[lane < warps ? lane : warps - 1]);
    R const through =
        detail::scan_of_lanes(warp_, part, lane, static_cast<int>(lane) < full && lane < warps, task_.join());
    R const before = tessera::shuffle(warp_, through, which == 0 ? 0 : which - 1, converged);
    R const all = tessera::shuffle(warp_, through, warps - 1, converged);
    bool const has_before = which > 0 && static_cast<int>(which) <= full;
    return {has_before ? maybe::some(before) : maybe::none(), all};
  }

  Block const& block_;
  warp_t warp_;
  Task const& task_;
  scan_rows_cut const& cut_;
  Storage& storage_;
};

/// Scans a row that is one tile: without a next one to load it takes fewer registers, and more blocks run at a time.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are rows.
/// Cost       one read and one write of each element; a barrier.
template <class Block, class Task, class Storage>
TESSERA_FN void scan_medium_rows(Block const& block, Task const& task, scan_rows_cut const& cut, Storage& storage) {
  std::int64_t const row = block.group_index().x;
  long_row_agent<Block, Task, Storage>(block, task, cut, storage).template walk<true>(row, 0, 1, task.carry(row));
}

/// Scans a row, or one chunk of it: if `totals` isn't null, those of the chunks before the row's last one.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are rows, or chunks.
/// Cost       one read and one write of each element; for each tile a barrier and a scan of a warp.
template <class Block, class Task, class Storage>
TESSERA_FN void scan_long_rows(Block const& block, Task const& task, scan_rows_cut const& cut,
                               typename Task::R const* totals, Storage& storage) {
  long_row_agent<Block, Task, Storage> agent(block, task, cut, storage);
  if (totals == nullptr) {
    std::int64_t const row = block.group_index().x;
    agent.template walk<true>(row, 0, cut.tiles, task.carry(row));
    return;
  }
  std::int64_t const row = block.group_index().x / static_cast<unsigned>(cut.chunks);
  int const chunk = static_cast<int>(block.group_index().x % static_cast<unsigned>(cut.chunks));
  int const first = chunk * cut.chunk_tiles, left = cut.tiles - first;
  agent.template walk<true>(row, first, first + (left < cut.chunk_tiles ? left : cut.chunk_tiles),
                            agent.before_chunk(row, chunk, totals));
}

/// Computes the totals of all chunks of rows but the last ones, and copies the carries.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are such chunks.
/// Cost       one read of each element.
template <class Block, class Task, class Storage>
TESSERA_FN void total_chunks(Block const& block, Task const& task, scan_rows_cut const& cut, typename Task::R* totals,
                             typename Task::R* carries, Storage& storage) {
  unsigned const chunks = static_cast<unsigned>(cut.chunks - 1), which = block.group_index().x;
  long_row_agent<Block, Task, Storage> agent(block, task, cut, storage);
  int const first = static_cast<int>(which % chunks) * cut.chunk_tiles;
  auto const total = agent.template walk<false>(which / chunks, first, first + cut.chunk_tiles,
                                                optional_value<typename Task::R>::none());
  if (block.thread_rank() != 0) return;
  tessera::detail::store_element(totals + which, total.value());
  if (first == 0 && carries != nullptr)
    tessera::detail::store_element(carries + which / chunks, task.carry(which / chunks).value());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
