// What belongs to each run of equal keys: how long it is, or the combination of its values. A part of runs_agent.hpp.
//
//   keys      a a | b b b c | c c c d | d …       tiles of 4 elements; the head of each run but the first closes the one before
//   lengths       2       3         4              stored by the tile that has the next head
//
// A run is closed where the next one begins. What a tile has of the run that is open at its first element is `first`, and waits for
// what the tiles before have of it. All other runs that a tile closes lie within it.
//
// run_sums<Sums, Shape, Threads> holds a lane's part of that; `total` is the type in which a run is combined.
#pragma once

#include <tessera/detail/joint_reduce.hpp>
#include <tessera/grid/detail/compaction.hpp>
#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/tile_loop.hpp>
#include <tessera/lanes.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::to_words;
using tessera::detail::words;

/// The lengths of runs, as Length.
template <class Length>
struct run_lengths {
  using total = std::uint64_t;
  template <class T>
  using shape = compact_shape<T, std::uint16_t>;  // which numbers a tile's elements

  Length* out;

  TESSERA_FN plus combine() const { return {}; }
};

/// The values of runs, of type V, combined by `op` in their order, as R, and stored as Out.
template <class V, class R, class Op, class Out>
struct run_values {
  using total = R;
  using longer = stl::conditional_t<(sizeof(R) > sizeof(V)), R, V>;
  template <class T>
  using shape = tile_shape<(sizeof(T) + sizeof(longer) < 16 ? select_tuning::bytes_of_runs
                                                            : select_tuning::bytes_of_long_runs),
                           T, stl::conditional_t<(sizeof(Out) > sizeof(longer)), Out, longer>>;

  V const* in;
  Out* out;
  Op op;

  TESSERA_FN Op const& combine() const { return op; }
};

template <class Sums, class Shape, unsigned Threads>
class run_sums;

/// Lengths are differences of the places at which runs begin.
template <class Length, class Shape, unsigned Threads>
class run_sums<run_lengths<Length>, Shape, Threads> {
  using task_t = run_lengths<Length>;
  static constexpr unsigned K = Shape::K, rows = Shape::rows, warps = Threads / 32;
  static constexpr unsigned elements = Shape::tile_elements(Threads);
  static_assert(elements <= 65536, "Places fit 16 bits.");

 public:
  struct storage_t {
    std::uint16_t begin[elements];  // of each run
    unsigned ends[warps];           // behind each warp's last head; 0 if it has none
  };

  TESSERA_FN void load(task_t const&, std::int64_t, std::int64_t) const {}

  /// `place` is that of the lane's first element in the tile.
  template <class Warp>
  TESSERA_FN void scan(Warp const& warp, task_t const&, std::uint32_t heads, unsigned warp_rank,
                       unsigned place, storage_t& storage) const {
    unsigned const last = heads == 0 ? 0 : tessera::detail::highest_bit(heads);
    unsigned const end = heads == 0 ? 0 : place + last / K * 32 * K + last % K + 1;
    unsigned const of_warp = tessera::reduce(warp, end, maximum{}, tessera::converged);
    if (warp.thread_rank() == 0) storage.ends[warp_rank] = of_warp;
  }

  template <class Warp>
  TESSERA_FN void gather(Warp const& warp, task_t const&, unsigned, unsigned const*,
                         storage_t const& storage) {
    unsigned const lane = warp.thread_rank();
    unsigned const end = lane < warps ? storage.ends[lane] : 0;
    unsigned const last = tessera::reduce(warp, end, maximum{}, tessera::converged);
    tail_ = last == 0 ? elements : elements - (last - 1);
  }

  /// Of a row's heads, the first of which has this rank in the tile.
  TESSERA_FN void stage(task_t const&, std::uint32_t heads, unsigned row, unsigned rank, unsigned place,
                        storage_t& storage) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_head = (heads >> (row * K + i) & 1) != 0;
      if (is_head) storage.begin[rank] = static_cast<std::uint16_t>(place + row * 32 * K + i);
      rank += is_head ? 1 : 0;
    }
  }

  /// What the tile has of the run that is open at its end, and the whole of the run that is open at its beginning.
  TESSERA_FN std::uint64_t tail() const { return tail_; }
  TESSERA_FN Length first(task_t const&, std::uint64_t before, storage_t const& storage) const {
    return static_cast<Length>(before + storage.begin[0]);
  }

  /// Stores those of all runs that lie within the tile, which has so many heads, as out[0] …
  TESSERA_FN void store(Length* out, unsigned heads, unsigned thread, storage_t const& storage) const {
    TESSERA_LOOP
    for (unsigned i = thread + 1; i < heads; i += Threads)
      out[i - 1] = static_cast<Length>(storage.begin[i] - storage.begin[i - 1]);
  }

 private:
  unsigned tail_ = 0;
};

/// Values are combined by a segmented scan: in a lane, in the warp, and of the warps.
template <class V, class R, class Op, class Out, class Shape, unsigned Threads>
class run_sums<run_values<V, R, Op, Out>, Shape, Threads> {
  using task_t = run_values<V, R, Op, Out>;
  static constexpr unsigned K = Shape::K, rows = Shape::rows, warps = Threads / 32;

 public:
  struct storage_t {
    staged_elements<Out, Shape::tile_elements(Threads)> staged;
    words<R> tails[warps];  // of the run that is open at a warp's end, what the warp has
    optional_value<R> first;
  };

  TESSERA_FN void load(task_t const& task, std::int64_t n, std::int64_t first) {
    loaded_.load(task.in, n, first);
  }

  template <class Warp>
  TESSERA_FN void scan(Warp const& warp, task_t const& task, std::uint32_t heads, unsigned warp_rank,
                       unsigned, storage_t& storage) {
    auto open = optional_value<R>::none();  // of the run that is open so far, what the warp has
    bool has_head = false;
    closed_ = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      R const tail = scan_lane(task.op, heads >> (r * K) & row_mask, r);
      auto const in_row = scan_row(warp, task.op, (heads >> (r * K) & row_mask) != 0, tail);
      auto const joined = in_row.has_head_before ? optional_value<R>::some(in_row.before)
                                                 : open.followed_by(in_row.before, task.op);
      before_[r] = optional_value<R>::choose(warp.thread_rank() == 0, open, joined).word;
      closed_ |= (has_head || in_row.has_head_before ? 1u : 0u) << r;
      open = in_row.has_head ? optional_value<R>::some(in_row.through)
                             : open.followed_by(in_row.through, task.op);
      has_head = has_head || in_row.has_head;
    }
    if (warp.thread_rank() == 0) storage.tails[warp_rank] = open.word;
    warp.sync();
  }

  /// `counts` are the numbers of heads of the tile's warps.
  template <class Warp>
  TESSERA_FN void gather(Warp const& warp, task_t const& task, unsigned warp_rank, unsigned const* counts,
                         storage_t const& storage) {
    unsigned const lane = warp.thread_rank() % warps;
    R const own = from_words<R>(storage.tails[lane]);
    R const through =
        tessera::segmented_inclusive_scan(warp, own, counts[lane] != 0, task.op, tessera::converged);
    R const before =
        tessera::broadcast(warp, through, warp_rank == 0 ? 0 : warp_rank - 1, tessera::converged);
    tail_ = to_words(tessera::broadcast(warp, through, warps - 1, tessera::converged));
    before_warp_ = to_words(before);
  }

  TESSERA_FN void stage(task_t const& task, std::uint32_t heads, unsigned row, unsigned rank, unsigned place,
                        storage_t& storage) const {
    auto const own = from_words<items<R, K>>(own_[row]);
    auto const open = before_row(task.op, row, place % (32 * K) == 0, place < rows * 32 * K);
    std::uint32_t const of_row = heads >> (row * K) & row_mask;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if ((of_row >> i & 1) == 0) continue;
      auto run = open;
      if (i > 0) {
        bool const lies_in_lane = (of_row & ((1u << i) - 1)) != 0;
        run = lies_in_lane ? optional_value<R>::some(own[i - 1]) : open.followed_by(own[i - 1], task.op);
      }
      if (rank == 0) {
        storage.first = run;
      } else {
        storage.staged.put(rank - 1, result(run.value()));
      }
      ++rank;
    }
  }

  TESSERA_FN R tail() const { return from_words<R>(tail_); }
  TESSERA_FN Out first(task_t const& task, R const& before, storage_t const& storage) const {
    auto const open = optional_value<R>::some(before);
    return result(storage.first.exists ? open.followed_by(storage.first.value(), task.op).value() : before);
  }

  TESSERA_FN void store(Out* out, unsigned heads, unsigned thread, storage_t const& storage) const {
    storage.staged.template store<Threads>(out, 0, heads == 0 ? 0 : heads - 1, thread);
  }

 private:
  static constexpr std::uint32_t row_mask = (1u << K) - 1;

  /// Before a lane in a row: whether there is a head, and of the run that is open there what the row has. The same of the row's end.
  struct row_scan {
    R before, through;
    bool has_head_before, has_head;
  };

  /// Combines each element of a lane's row with those of its run before it in the lane. Returns the last one.
  TESSERA_FN R scan_lane(Op const& op, std::uint32_t heads, unsigned row) {
    auto const x = loaded_.row(row);
    auto own = from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto run = optional_value<R>::some(tessera::detail::convert<R>(x[i]));
      if (i > 0 && (heads >> i & 1) == 0)
        run = optional_value<R>::some(own[i - 1]).followed_by(run.value(), op);
      assign(own[i], run.value());
    }
    own_[row] = to_words(own);
    return own[K - 1];
  }

  template <class Warp>
  TESSERA_FN row_scan scan_row(Warp const& warp, Op const& op, bool has_head, R const& tail) const {
    auto const heads = tessera::ballot(warp, has_head, tessera::converged);
    R const through = tessera::segmented_inclusive_scan(warp, tail, has_head, op, tessera::converged);
    R const before = tessera::shift_up(warp, through, 1, tessera::converged);
    return {before, tessera::broadcast(warp, through, 31, tessera::converged),
            (heads & lane_mask<32>::prefix(warp.thread_rank())).any(), heads.any()};
  }

  /// Of the run that is open before the lane's elements of a row, what the tile has.
  TESSERA_FN optional_value<R> before_row(Op const& op, unsigned row, bool is_first_lane,
                                          bool is_first_warp) const {
    optional_value<R> const in_warp{before_[row], row > 0 || !is_first_lane};
    if ((closed_ >> row & 1) != 0 || is_first_warp) return in_warp;
    auto const before = optional_value<R>{before_warp_, true};
    return in_warp.exists ? before.followed_by(in_warp.value(), op) : before;
  }

  TESSERA_FN static Out result(R const& x) {
    return tessera::detail::convert<Out>(tessera::detail::canonicalize_nan<Op>(x));
  }

  tile_rows<V, K, rows> loaded_;  // of the tile that comes next
  words<items<R, K>> own_[rows];  // each element combined with those of its run before it in its lane
  words<R> before_[rows];         // what the warp has, before the lane, of the run that is open there
  unsigned closed_ = 0;           // a bit of each row: whether that run began in the warp
  words<R> before_warp_;          // the same of the tile, before the warp
  words<R> tail_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
