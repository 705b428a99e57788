// The result for each run of equal keys: its length, or the combination of its values. A part of runs_agent.hpp.
//
//   keys      a a | b b b c | c c c d | d …       warps with 4 elements each; a head closes the run before it
//   lengths       2       3         4              stored by the warp that has the next head
//
// A run is closed where the next one begins. `first` is a warp's part of the run that is open at the warp's first
// element; it waits for the parts of earlier warps. All other runs that a warp closes lie within the warp's part, and
// wait in shared memory.
//
// run_sums<Sums, Shape> is a lane's part of that work; `total` is the type in which a run is combined. For each half, a
// warp has a `storage_t` in shared memory, and each lane a `kept_t`.
#pragma once

#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/segmented.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::to_words;
using tessera::detail::words;

/// The bytes of shared memory that a warp needs for totals of type R in each half: the total of the warp's part, its
/// prefix, and the part of the run that is open there.
template <class R>
inline constexpr unsigned bytes_of_totals = 3 * (sizeof(words<R>) + 16);

/// An array of lengths of 32 or of 64 bits: the library has one kernel for both. They differ in where lengths are
/// stored, and in nothing before.
struct lengths_of_any_size {
  void* first;
  bool is_wide;

  TESSERA_FN lengths_of_any_size operator+(std::uint64_t n) const {
    return {static_cast<unsigned char*>(first) + n * (is_wide ? 8 : 4), is_wide};
  }
};

/// Stores the result of one run.
template <class Out, class R>
TESSERA_FN void store_result(Out const& to, R const& result) {
  tessera::detail::store_at(to, 0, result);
}
TESSERA_FN void store_result(lengths_of_any_size to, std::uint64_t length) {
  if (to.is_wide) {
    *static_cast<std::uint64_t*>(to.first) = length;
  } else {
    *static_cast<std::uint32_t*>(to.first) = static_cast<std::uint32_t>(length);
  }
}

/// The lengths of runs, as Length; void stands for integers of either size.
template <class Length, class Out = stl::conditional_t<stl::is_void_v<Length>, lengths_of_any_size, Length*>>
struct run_lengths {
  using total = std::uint64_t;
  using length = stl::conditional_t<stl::is_void_v<Length>, std::uint64_t, Length>;
  using array = Out;
  template <class T, tile_kind Kind>
  using shape = tile_shape<Kind, array_types<T>, array_types<T, std::uint16_t>, bytes_of_totals<total>>;

  array out;

  TESSERA_FN plus combine() const { return {}; }
};

/// The values of runs, of type V, combined by `op` in their order, as R, and stored as Stored.
template <class V, class R, class Op, class Stored, class In = V const*, class Out = Stored*>
struct run_values {
  using total = R;
  using longer = stl::conditional_t<(sizeof(R) > sizeof(V)), R, V>;  // what a lane has of values in registers
  template <class T, tile_kind Kind>
  using shape = tile_shape<Kind, array_types<T, longer>, array_types<T, Stored>, bytes_of_totals<total>, true>;

  In in;
  Out out;
  Op op;

  TESSERA_FN Op const& combine() const { return op; }
};

template <class Sums, class Shape>
class run_sums;

/// Lengths are differences of the places at which runs begin.
template <class Length, class Out, class Shape>
class run_sums<run_lengths<Length, Out>, Shape> {
  using task_t = run_lengths<Length, Out>;
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;
  static_assert(Shape::warp_elements <= 65536, "Places fit 16 bits.");

 public:
  /// A warp's.
  struct storage_t {
    // The place of each run in the warp's part. Slots are those of keys of 4 bytes.
    staged_elements<std::uint16_t, Shape::warp_elements, std::uint32_t> begin;
  };
  using kept_t = nothing;

  TESSERA_FN void load(task_t const&, std::int64_t, std::int64_t) const {}

  /// Puts the places of a row's heads, the first of which has this rank in the warp. It is called where keys are put,
  /// whose slots are the same.
  template <class Warp>
  TESSERA_FN void stage_row(Warp const& warp, unsigned row, std::uint32_t heads, unsigned rank,
                            storage_t& storage) const {
    auto const first = static_cast<std::uint16_t>(place_of(warp.thread_rank(), row * K));
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_head = (heads >> i & 1) != 0;
      storage.begin.put(rank, static_cast<std::uint16_t>(first + i), is_head);
      rank += is_head ? 1 : 0;
    }
  }

  /// Returns what the warp has of the run that is open at its end.
  template <class Warp>
  TESSERA_FN std::uint64_t scan(Warp const& warp, task_t const&, std::uint32_t heads, warp_ranks<K, row_count> const&,
                                storage_t&, kept_t&) const {
    // The elements after the lane's last head; 0 if it has none.
    unsigned const end = heads == 0 ? 0 : place_of(warp.thread_rank(), tessera::detail::highest_bit(heads)) + 1;
    unsigned const last = tessera::reduce(warp, end, maximum{}, tessera::converged);
    return last == 0 ? Shape::warp_elements : Shape::warp_elements - (last - 1);
  }

  /// The whole of the run that is open at the warp's beginning.
  TESSERA_FN typename task_t::length first(task_t const&, std::uint64_t before, storage_t const& storage) const {
    return static_cast<typename task_t::length>(before + storage.begin.get(0));
  }

  /// Stores those of all runs that lie within the warp's part, which has so many heads, as out[0] …
  TESSERA_FN void store(Out const& out, unsigned heads, unsigned lane, storage_t const& storage, kept_t const&) const {
    if constexpr (stl::is_void_v<Length>) {
      if (out.is_wide) {
        store_as(static_cast<std::uint64_t*>(out.first), heads, lane, storage);
      } else {
        store_as(static_cast<std::uint32_t*>(out.first), heads, lane, storage);
      }
    } else {
      store_as(out, heads, lane, storage);
    }
  }

 private:
  template <class Lengths>
  TESSERA_FN static void store_as(Lengths const& out, unsigned heads, unsigned lane, storage_t const& storage) {
    using L = tessera::detail::written_t<Lengths, Length>;
    detail::store_by_lines(out, heads == 0 ? 0 : heads - 1, lane,
                           [&](unsigned i) { return static_cast<L>(storage.begin.get(i + 1) - storage.begin.get(i)); });
  }
  /// The place of a lane's element in the warp's part: item i of row r is number r · K + i.
  TESSERA_FN static unsigned place_of(unsigned lane, unsigned number) {
    return number / K * 32 * K + lane * K + number % K;
  }
};

/// Values are combined by a segmented scan: in a lane, in a row, and of the rows.
template <class V, class R, class Op, class Stored, class In, class Out, class Shape>
class run_sums<run_values<V, R, Op, Stored, In, Out>, Shape> {
  using task_t = run_values<V, R, Op, Stored, In, Out>;
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;

 public:
  /// A warp's.
  struct storage_t {
    shared_elements<Shape, Stored> staged;
    optional_value<R> first;  // what the warp has of the run that is open at its beginning, and closed in it
  };
  using kept_t = lane_element<Shape, Stored>;

  TESSERA_FN void load(task_t const& task, std::int64_t n, std::int64_t first) { loaded_.load(task.in, n, first); }
  /// Values are put by `scan`.
  template <class Warp>
  TESSERA_FN void stage_row(Warp const&, unsigned, std::uint32_t, unsigned, storage_t&) const {}

  /// Returns what the warp has of the run that is open at its end.
  template <class Warp>
  TESSERA_FN R scan(Warp const& warp, task_t const& task, std::uint32_t heads, warp_ranks<K, row_count> const& ranks,
                    storage_t& storage, kept_t& kept) const {
    auto& staged = detail::cleared_elements<Shape>(storage.staged, kept);
    auto open = optional_value<R>::none();  // of the run that is open so far
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      std::uint32_t const of_row = heads >> (r * K) & ((1u << K) - 1);
      auto const own = scan_lane(task.op, of_row, r);
      auto const in_row = scan_row(warp, task.op, of_row != 0, own[K - 1]);
      auto const joined =
          in_row.has_head_before ? optional_value<R>::some(in_row.before) : open.followed_by(in_row.before, task.op);
      auto const before = optional_value<R>::choose(warp.thread_rank() == 0, open, joined);
      stage(task.op, before, own, of_row, ranks.before(r), storage, staged);
      open = in_row.has_head ? optional_value<R>::some(in_row.through) : open.followed_by(in_row.through, task.op);
    }
    return open.value();
  }

  TESSERA_FN Stored first(task_t const& task, R const& before, storage_t const& storage) const {
    auto const open = optional_value<R>::some(before);
    return result(storage.first.exists ? open.followed_by(storage.first.value(), task.op).value() : before);
  }

  TESSERA_FN void store(Out const& out, unsigned heads, unsigned lane, storage_t const& storage,
                        kept_t const& kept) const {
    detail::choose_object<Shape::in_shared>(storage.staged, kept).store(out, 0, heads == 0 ? 0 : heads - 1, lane);
  }

 private:
  /// The row's part of the run that is open before a lane, and whether a head precedes the lane in the row; then both
  /// for the row's end.
  struct row_scan {
    R before, through;
    bool has_head_before, has_head;
  };

  /// Each element of a lane's row, combined with those of its run before it in the lane.
  TESSERA_FN items<R, K> scan_lane(Op const& op, std::uint32_t heads, unsigned row) const {
    auto const x = loaded_.row(row);
    auto own = detail::from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto run = optional_value<R>::some(tessera::detail::convert<R>(x[i]));
      if (i > 0 && (heads >> i & 1) == 0) run = optional_value<R>::some(own[i - 1]).followed_by(run.value(), op);
      detail::assign(own[i], run.value());
    }
    return own;
  }

  template <class Warp>
  TESSERA_FN row_scan scan_row(Warp const& warp, Op const& op, bool has_head, R const& tail) const {
    auto const heads = tessera::ballot(warp, has_head, tessera::converged);
    R const through = tessera::segmented_inclusive_scan(warp, tail, has_head, op, tessera::converged);
    R const before = tessera::shift_up(warp, through, 1, tessera::converged);
    return {before, tessera::broadcast(warp, through, 31, tessera::converged),
            (heads & lane_mask<32>::prefix(warp.thread_rank())).any(), heads.any()};
  }

  /// Puts the runs that a row's heads close, the first of which has this rank in the warp. `open` is what the warp
  /// has of the run that is open before the lane's elements.
  template <class Staged>
  TESSERA_FN void stage(Op const& op, optional_value<R> const& open, items<R, K> const& own, std::uint32_t heads,
                        unsigned rank, storage_t& storage, Staged& staged) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if ((heads >> i & 1) == 0) continue;
      auto run = open;
      if (i > 0) {
        bool const lies_in_lane = (heads & ((1u << i) - 1)) != 0;
        run = lies_in_lane ? optional_value<R>::some(own[i - 1]) : open.followed_by(own[i - 1], op);
      }
      if (rank == 0) {
        storage.first = run;
      } else {
        staged.put(rank - 1, result(run.value()));
      }
      ++rank;
    }
  }

  TESSERA_FN static Stored result(R const& x) {
    return tessera::detail::convert<Stored>(tessera::detail::canonicalize_nan<Op>(x));
  }

  tile_rows<V, K, row_count> loaded_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
