// The agent that scans an array: what a warp of the kernel of scan.cuh does with its part of each tile (tile_loop.hpp,
// tile_each.hpp).
//
//   tile          warp 0                          warp 1                          …
//   rows          row 0 | row 1 | row 2 | row 3   row 0 | …                       a lane has neighbors of a row
//
//   scan          Each lane scans its own elements of a row, the warp the lanes' totals of each row, one row after
//                 the other. Each element, combined with its prefix in the warp, waits in shared memory.
//   store         Each is combined with the warp's prefix, and stored.
//
// Where a lane would have one element of a row, such as one of 16 bytes, a scan of a warp for each row would be most of
// the work. There the rows are transposed by way of shared memory: a lane scans as many neighbors as there are rows,
// and the warp scans its lanes once.
//
//   rows          lane 0  lane 1  lane 2  lane 3          transposed     lane 0  lane 1  lane 2  lane 3
//                 a       b       c       d               (four lanes)   a b     c d     e f     g h
//                 e       f       g       h
//
// "Before" and "first" are meant in the direction of the scan: a suffix scan begins at the array's end, and so do its
// tiles, the parts of warps and their lanes. Only rows and the elements of a lane are visited the other way, by a
// branch, so that an operator whose operands may change places has one kernel for both directions. The last tile may
// reach beyond the array: there it has copies of the array's last element, which come after all results.
//
//   lane          0            1           2        3
//   prefix scan   0 1 2 3      4 5 6 7     8 9 …
//   suffix scan   12 13 14 15  8 9 10 11   4 5 …    of 16 elements
//
// The floor for 2^28 floats is a copy, 504 µs on an H200. For each row of 128 floats a warp has 7 shuffles, for each
// tile a barrier. For 256 elements of 16 bytes, transposed, it has 28 shuffles instead of 224, and for each element one
// store and one load of shared memory more.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/buffered_rows.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/kept_by_lanes.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/tile_each.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/parts/tile_tuning.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/scan/scan_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile/joint_scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::apply;
using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::in_direction;
using tessera::detail::select;
using tessera::detail::value_of;
using tessera::detail::words;
using tessera::detail::written_t;

/// A scan: out[i] from f(in[0]) … f(in[i]), of type R; with `suffix` from f(in[i]) … f(in[n − 1]). In is a reader, Out
/// a writer (core/iterators.hpp), and Suffix direction()'s type.
template <class In, class Out, class R, class Op, class F, class Suffix>
struct scan_task {
  In in;
  Out out;
  std::int64_t n;
  Op op;
  F f;
  optional_value<R> start;
  R* total;        // null if it isn't asked for
  bool exclusive;  // whether out[i] leaves out f(in[i])
  Suffix suffix;
};

/// The number of a scan's elements, and where its start is on the device.
template <class N, class R>
struct carried {
  N n;
  R const* start;
};
template <class N, class R>
std::int64_t most_of(carried<N, R> const& carry) noexcept {
  return detail::most_of(carry.n);
}
/// True if the start is valid, too. The call may write a single result, such as the total, in the start's place.
template <class N, class R, class Out>
bool is_count(carried<N, R> const& carry, Out const& out, std::int64_t length) noexcept {
  bool in_place = false;
  if constexpr (stl::is_pointer_v<Out>) in_place = length == 1 && static_cast<void const*>(out) == carry.start;
  return carry.start != nullptr && detail::is_array(carry.start, 1) && detail::is_count(carry.n, out, length) &&
         (in_place || !detail::overlap(carry.start, 1, out, length));
}
/// A kernel's task whose start is on the device.
template <class Task, class N, class R>
struct carried_task {
  Task task;
  carried<N, R> carry;
};
template <class Task, class N, class R>
carried_task<Task, N, R> with_count(Task const& task, carried<N, R> const& carry) noexcept {
  return {task, carry};
}
template <class N, class R>
inline constexpr bool is_on_device<carried<N, R>> = is_on_device<N>;

/// The direction of a scan as a kernel knows it: bool, or where it matters which operand comes first, true_type or
/// false_type.
template <class Op, class R, bool Suffix>
TESSERA_FN constexpr auto direction() {
  if constexpr (tessera::detail::lanes_agree_swapped<Op, R>) {
    return Suffix;
  } else {
    return stl::bool_constant<Suffix>{};
  }
}

/// The tiles of an array of T with results of type R, which blocks of a kind have room for.
template <class T, class R, tile_kind Kind>
struct scan_shape {
  using tuning = scan_tuning;
  static constexpr tile_kind kind = Kind;
  static constexpr bool is_each = Kind == tile_kind::each, is_streaming = !is_each;
  static constexpr unsigned halves = is_each ? 1 : 2;
  /// A warp's shared memory for parts and their prefixes, and for a row of lanes with so many items each.
  static constexpr unsigned bytes_of_parts = (is_each ? 4 : 6) * (sizeof(words<R>) + 4);
  template <unsigned Items>
  static constexpr unsigned bytes_of_row = halves * 32 * sizeof(words<items<R, Items>>);
  template <unsigned Items>
  static constexpr bool has_room = bytes_of_parts + bytes_of_row<Items> <= tile_tuning::room(Kind);
  /// Elements of a lane and row: one if there is no room for more results.
  static constexpr unsigned K = has_room<elements_of_row<T>()> ? elements_of_row<T>() : 1;
  static constexpr bool in_shared = has_room<K>;  // else lanes keep their results
  static constexpr unsigned element_bytes = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
  static constexpr unsigned row_bytes = K * (element_bytes > 4 ? element_bytes : 4);
  static constexpr unsigned bytes = is_each              ? tuning::bytes_of_each
                                    : element_bytes <= 4 ? tuning::bytes
                                    : element_bytes <= 8 ? tuning::bytes_of_8
                                                         : tuning::bytes_of_16;
  static constexpr unsigned row_count = row_bytes < bytes && element_bytes <= 16 ? bytes / row_bytes : 1;
  /// True if rows are transposed: those whose elements are whole vectors, a power of two of them.
  static constexpr bool is_transposed = K == 1 && row_count > 1 &&
                                        (row_count & (row_count - 1)) == 0 && tessera::detail::word_count<R> == 4;
  static constexpr unsigned bytes_of_warp = bytes_of_parts + (in_shared ? row_count * bytes_of_row<K> : 0);
  /// A block has one warp more, which looks back. Where it has one tile, that warp scans, too.
  static constexpr unsigned most_warps =
      !is_each ? tile_tuning::most_warps(element_bytes) : tile_tuning::most_warps_each(element_bytes) + 1;
  static constexpr unsigned warps = tile_tuning::warps(most_warps, Kind, bytes_of_warp);
  /// The warps of a small tile of the kernel for large ones, if there is room.
  static constexpr unsigned small_warps = tile_tuning::small_warps(warps, element_bytes, row_count* row_bytes);
  static constexpr unsigned threads = (is_each ? warps : warps + 1) * 32;
  static constexpr unsigned blocks_per_multiprocessor = is_each && element_bytes >= 4 && element_bytes <= 8 ? 2 : 1;

  /// The number of tiles of `tile_warps` warps of an array.
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned tile_warps) {
    return n == 0 ? 1 : (n - 1) / (static_cast<std::int64_t>(tile_warps) * 32 * row_count * K) + 1;
  }
};

/// The block's shared memory. A block of fewer warps has no more than theirs of the last array.
template <class R, class Shape, unsigned MostWarps = Shape::warps>
struct scan_storage {
  static constexpr unsigned most_warps = MostWarps;
  /// A warp's rows.
  using of_warp_t =
      stl::conditional_t<Shape::in_shared, buffered_rows<items<R, Shape::K>, Shape::row_count>, nothing>[Shape::halves];

  words<R> last[Shape::halves];  // the last element of all, combined with its prefix in its warp
  stl::conditional_t<Shape::is_each, tile_each_storage<R, MostWarps>, tile_loop_storage<R, MostWarps>> tiles;
  of_warp_t row_buffers[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class scan_agent;

template <class Shape, class Block, class In, class Out, class R, class Op, class F, class Suffix, class Storage>
class scan_agent<Shape, Block, scan_task<In, Out, R, Op, F, Suffix>, Storage> {
  using task_t = scan_task<In, Out, R, Op, F, Suffix>;
  using T = value_of<In>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;
  static constexpr std::int64_t row_elements = 32 * K, part_elements = row_count * row_elements;

 public:
  TESSERA_FN scan_agent(Block const& block, task_t const& task, tile_cut cut, Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        cut_(cut),
        storage_(storage) {}

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile < cut_.tiles) loaded_.load(task_.in, task_.n, index_of(tile, 0));
  }

  TESSERA_FN R scan(unsigned tile, unsigned half) {
    if constexpr (Shape::is_transposed) {
      return scan_transposed(tile, half);
    } else {
      return task_.suffix ? scan_rows<true>(tile, half) : scan_rows<false>(tile, half);
    }
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<R> const& before) const {
    detail::store_rows<Shape::is_streaming, K, row_count>(task_.out, task_.n, index_of(tile, 0), row_elements,
                                                          [&](unsigned row) { return results(before, row, half); });
    if (task_.total != nullptr && tile + 1 == cut_.tiles) store_total(tile, half, before);
  }

  /// `op`, whose first operand is what comes first in the direction of the scan.
  TESSERA_FN decltype(auto) join() const {
    return tessera::detail::in_order_of_walk<stl::is_same_v<Suffix, stl::true_type>>(task_.op);
  }

  /// Stores the total of an empty array.
  TESSERA_FN void store_total_of_none() const {
    constexpr bool has_identity = operator_traits<Op, R>::has_identity;
    if (thread_ != 0 || task_.total == nullptr) return;
    if (task_.start.exists || has_identity)
      tessera::detail::store_element(task_.total, task_.start.exists ? task_.start.value() : identity());
  }

 private:
  TESSERA_FN unsigned warp_rank() const { return thread_ / 32; }
  TESSERA_FN auto& buffered(unsigned half) {
    return detail::choose_object<Shape::in_shared>(storage_.row_buffers[warp_rank()][half], kept_[half]);
  }

  /// Scans one row after the other. With Backward the first is the last in the array, and so is the first of a lane's
  /// elements.
  template <bool Backward>
  TESSERA_FN R scan_rows(unsigned tile, unsigned half) {
    auto before_row = optional_value<R>::none();
    TESSERA_UNROLL
    for (unsigned i = 0; i < row_count; ++i) {
      unsigned const r = detail::in_direction<Backward, row_count>(i);
      auto const own = tessera::detail::scan_own<Backward>(values(tile, r), task_.op);
      auto const lanes = tessera::inclusive_scan(warp_, own[detail::in_direction<Backward, K>(K - 1)], join(),
                                                 tessera::converged | tessera::with_total);
      R const in_row = of_lane_before(lanes.value);
      auto const before =
          optional_value<R>::choose(warp_.thread_rank() == 0, before_row, before_row.followed_by(in_row, join()));
      if (task_.total != nullptr && tile + 1 == cut_.tiles) buffer_last<Backward>(before, own, place_of(tile, i), half);
      buffered(half).put(r, warp_.thread_rank(), in_warp<Backward>(before, own));
      before_row = before_row.followed_by(lanes.total, join());
    }
    return before_row.value();
  }

  /// Transposes the rows, scans all of them at once, and transposes the results back.
  TESSERA_FN R scan_transposed(unsigned tile, unsigned half) {
    unsigned const lane = warp_.thread_rank();
    warp_.sync();  // Other lanes may still store what waited there two tiles before.
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) put_transposed(place_of_row(r), half, values(tile, r)[0]);
    warp_.sync();
    auto own = detail::from_words<items<R, row_count>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < row_count; ++i) detail::assign(own[i], get_transposed(lane * row_count + i, half));
    own = tessera::detail::scan_own<false>(own, join());
    auto const lanes =
        tessera::inclusive_scan(warp_, own[row_count - 1], join(), tessera::converged | tessera::with_total);
    R const in_part = of_lane_before(lanes.value);
    auto const before =
        optional_value<R>::choose(lane == 0, optional_value<R>::none(), optional_value<R>::some(in_part));
    if (task_.total != nullptr && tile + 1 == cut_.tiles)
      buffer_last<false>(before, own, place_of(tile, 0) - lane + lane * row_count, half);
    auto const out = in_warp<false>(before, own);
    TESSERA_UNROLL
    for (unsigned i = 0; i < row_count; ++i) put_transposed(lane * row_count + i, half, out[i]);
    return lanes.total;
  }

  /// The place of the lane's element of a row in the warp's part, in the direction of the scan.
  TESSERA_FN unsigned place_of_row(unsigned row) const {
    return (task_.suffix ? row_count - 1 - row : row) * 32 + warp_.thread_rank();
  }
  /// The slot of the element at a place of the warp's part: neither a lane's neighbors nor those of a row meet in a
  /// bank. Eight elements fill all banks.
  TESSERA_FN static unsigned transposed_place(unsigned place) {
    constexpr unsigned of_lane = row_count < 8 ? 8 : row_count, kinds = row_count < 8 ? row_count : 8;
    return place ^ place / of_lane % kinds;
  }
  TESSERA_FN void put_transposed(unsigned place, unsigned half, R const& x) const {
    items<R, 1> item = detail::from_words<items<R, 1>>({});
    detail::assign(item[0], x);
    unsigned const at = transposed_place(place);
    storage_.row_buffers[warp_rank()][half].put(at / 32, at % 32, item);
  }
  TESSERA_FN R get_transposed(unsigned place, unsigned half) const {
    unsigned const at = transposed_place(place);
    auto const item = storage_.row_buffers[warp_rank()][half].get(at / 32, at % 32);
    return item[0];
  }
  /// The lane's elements of a row as they wait.
  TESSERA_FN items<R, K> buffered_row(unsigned row, unsigned half) const {
    if constexpr (Shape::is_transposed) {
      auto item = detail::from_words<items<R, K>>({});
      detail::assign(item[0], get_transposed(place_of_row(row), half));
      return item;
    } else {
      return detail::choose_object<Shape::in_shared>(storage_.row_buffers[warp_rank()][half], kept_[half])
          .get(row, warp_.thread_rank());
    }
  }

  /// The number of elements before the warp's part of a tile, in the direction of the scan.
  TESSERA_FN std::int64_t part_of(unsigned tile) const {
    return std::int64_t{tile * cut_.warps + warp_rank()} * part_elements;
  }
  /// The number of elements before the lane's first one of the `row`-th row, in that direction.
  TESSERA_FN std::int64_t place_of(unsigned tile, unsigned row) const {
    return part_of(tile) + row * row_elements + warp_.thread_rank() * K;
  }
  /// The array's index of a lane's first element of a row.
  TESSERA_FN std::int64_t index_of(unsigned tile, unsigned row) const {
    std::int64_t const first = task_.suffix ? task_.n - part_of(tile) - part_elements : part_of(tile);
    unsigned const lane = warp_.thread_rank();
    return first + row * row_elements + (task_.suffix ? 31 - lane : lane) * K;
  }

  /// f of the lane's elements of a row.
  TESSERA_FN items<R, K> values(unsigned tile, unsigned row) const {
    auto const x = loaded_.row(row);
    auto out = detail::from_words<items<R, K>>({});
    std::int64_t const first = index_of(tile, row);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      std::int64_t const index = detail::nearest_index(first + i, task_.n);
      detail::assign(out[i], static_cast<R>(detail::apply<std::int64_t>(task_.f, x[i], index)));
    }
    return out;
  }

  /// x of the lane before this one; the first lane's own.
  TESSERA_FN R of_lane_before(R const& x) const { return tessera::shift_up(warp_, x, 1, tessera::converged); }

  /// The lane's results, as far as the warp knows. Nothing precedes the warp's first element: that of an exclusive
  /// scan is the element itself until `results`, so that the operator is called with elements and results only.
  template <bool Backward, unsigned Own>
  TESSERA_FN items<R, Own> in_warp(optional_value<R> const& before, items<R, Own> const& own) const {
    auto out = detail::from_words<items<R, Own>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Own; ++i) {
      R const& with_own = own[detail::in_direction<Backward, Own>(i)];
      R const& without_own = own[detail::in_direction<Backward, Own>(i == 0 ? 0 : i - 1)];
      auto result = before.followed_by(detail::select(task_.exclusive, without_own, with_own), join());
      if (i == 0 && task_.exclusive && before.exists) result = before;
      detail::assign(out[detail::in_direction<Backward, Own>(i)], result.value());
    }
    return out;
  }

  /// The results of a lane's elements of a row.
  TESSERA_FN items<written_t<Out, R>, K> results(optional_value<R> const& before, unsigned row, unsigned half) const {
    auto const buffered = buffered_row(row, half);
    bool const is_first = row == (task_.suffix ? row_count - 1 : 0) && warp_.thread_rank() == 0;
    auto out = detail::from_words<items<written_t<Out, R>, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto result = before.followed_by(buffered[i], join());
      bool const is_first_of_lane = task_.suffix ? i == K - 1 : i == 0;
      if (is_first && is_first_of_lane && task_.exclusive)
        result = before.exists ? before : optional_value<R>::some(identity());
      R const canonical = tessera::detail::canonicalize_nan<Op>(result.value());
      detail::assign(out[i], tessera::detail::convert<written_t<Out, R>>(canonical));
    }
    return out;
  }

  /// The first result of an exclusive scan without a start, whose operator has an identity.
  TESSERA_FN R identity() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      return operator_traits<Op, R>::identity(task_.op);
    } else {
      return detail::from_words<R>({});
    }
  }

  /// The thread that has the last element of all stores the total.
  TESSERA_FN void store_total(unsigned tile, unsigned half, optional_value<R> const& before) const {
    std::int64_t const last = task_.n - 1;
    TESSERA_LOOP
    for (unsigned r = 0; r < row_count; ++r) {
      std::int64_t const first = place_of(tile, r);
      if (first > last || last >= first + static_cast<std::int64_t>(K)) continue;
      R const all = before.followed_by(detail::from_words<R>(storage_.last[half]), join()).value();
      tessera::detail::store_element(task_.total, tessera::detail::canonicalize_nan<Op>(all));
    }
  }
  template <bool Backward, unsigned Own>
  TESSERA_FN void buffer_last(optional_value<R> const& before, items<R, Own> const& own, std::int64_t first,
                              unsigned half) const {
    std::int64_t const last = task_.n - 1;
    TESSERA_UNROLL
    for (unsigned i = 0; i < Own; ++i) {
      R const& through = own[detail::in_direction<Backward, Own>(i)];
      if (first + i == last) storage_.last[half] = before.followed_by(through, join()).word;
    }
  }

  warp_t warp_;
  unsigned thread_;
  task_t const& task_;
  tile_cut cut_;
  Storage& storage_;
  tile_rows<T, K, row_count> loaded_;
  stl::conditional_t<Shape::in_shared, nothing, kept_rows<items<R, K>, row_count>> kept_[Shape::halves];
};

/// Scans an array. If it is empty, only the total is stored: the start, or the operator's identity if it has one.
///
/// Called by     all threads of a block of cut.warps + 1 warps, one of `blocks` blocks; of cut.warps warps, all that
///               the storage is for, one of as many blocks as there are tiles, if the shape's kind is `each`.
///               memory.words may be null if there is one tile.
/// given         the task; unless the kind is `each`, also a counted_task, whose cut is that of at_most elements
/// Cost          one read and one write of each element; for each tile a barrier and a look-back, for each of its
///               rows a scan of a warp.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_scan_agent(Block const& block, Given const& given, look_back_memory const& memory, tile_cut cut,
                               [[maybe_unused]] unsigned blocks, Storage& storage) {
  if constexpr (Shape::is_each) cut.warps = Storage::most_warps;
  auto const& task = detail::task_now(given);
  detail::cut_now<Shape, Given>(task.n, cut);
  scan_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  if (task.n == 0) {
    agent.store_total_of_none();
  } else if constexpr (Shape::is_each) {
    detail::run_tile_each(block, memory, cut.tiles, task.start, storage.tiles, agent);
  } else {
    detail::run_tiles(block, memory, cut, blocks, task.start, storage.tiles, agent);
  }
}

/// Scans from a start on the device. The total may be stored in the start's place: it depends on the last tile of each
/// block, and a block reads the start before it publishes that tile.
template <class Shape, class Block, class Task, class N, class R, class Storage>
TESSERA_FN void run_scan_agent(Block const& block, carried_task<Task, N, R> const& carried,
                               look_back_memory const& memory, tile_cut cut, unsigned blocks, Storage& storage) {
  if (block.thread_rank() == 0) storage.last[0] = tessera::detail::to_words(*carried.carry.start);
  detail::barrier_of_block(block);
  Task task = carried.task;
  task.start = {storage.last[0], true};  // There is a barrier before `last` is written again.
  detail::run_scan_agent<Shape>(block, detail::with_count(task, carried.carry.n), memory, cut, blocks, storage);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
