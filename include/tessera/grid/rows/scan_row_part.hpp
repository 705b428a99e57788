// A lane's part of a row that is scanned: loads, the scan with the lanes beside it, and stores.
//
//     a row       lane 0    lane 1    lane 2    lane 3       lane 0    …          4 lanes a row, 4 elements a step
//     step 0      0 1 2 3   4 5 6 7   8 9 …                  of the next row
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/rows/scan_task.hpp>
#include <tessera/lanes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

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

/// A lane's part of a row: `Steps` times some neighboring elements. Places count elements in the direction of the
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
  /// True if vectors of 16 bytes hold the elements, and the results.
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
      if (task.in_aligned && task.column_count % width == 0) {
        TESSERA_UNROLL
        for (unsigned s = 0; s < Steps; ++s) {
          int const place = first + static_cast<int>(s) * apart;
          loaded_[s] = {};
          if (place < task.column_count)
            loaded_[s] = detail::to_words(wide::load_aligned(from + index_of(task, place)));
        }
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
  /// Total   whether what it returns is used; then a row has 32 lanes, as if there are several steps
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
  TESSERA_FN void store(Warp const& warp, Task const& task, std::int64_t row, int first, int apart, unsigned lanes,
                        unsigned rank) const {
    store_by<Streaming>(warp, task, row, first, apart, lanes, rank, [](R const& x, bool) { return x; });
  }
  /// Stores the results of a row of 32 lanes after `before`.
  template <bool Streaming, class Warp>
  TESSERA_FN void store_after(Warp const& warp, Task const& task, std::int64_t row, int first, int apart,
                              maybe const& before) const {
    auto const op = task.join();
    unsigned const rank = warp.thread_rank();
    store_by<Streaming>(warp, task, row, first, apart, 32u, rank, [&](R const& x, bool may_be_first) {
      if constexpr (Task::exclusive) {
        if (may_be_first && rank == 0) return before.exists ? before.value() : x;
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
                           unsigned rank, F const& f) const {
    using wide = tessera::detail::wide_row<Out, Width>;
    using store_modifier = tessera::detail::store_modifier;
    constexpr store_modifier modifier = Streaming ? store_modifier::streaming : store_modifier::standard;
    Out* const to = task.out + row * task.out_stride;
    if constexpr (wide::exists) {
      if (task.out_aligned && task.column_count % width == 0) {
        TESSERA_UNROLL
        for (unsigned s = 0; s < Steps; ++s) {
          int const place = first + static_cast<int>(s) * apart;
          if (place < task.column_count)
            wide::template store_aligned<modifier>(to + index_of(task, place), converted(task, s, f));
        }
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
          store_together(warp, task, to, place, out, lanes, rank);
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
                                 unsigned lanes, unsigned rank) const {
    using wide = tessera::detail::wide_row<Out, Width>;
    unsigned const first_lane = warp.thread_rank() - rank;
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

}  // namespace grid::detail
TESSERA_NAMESPACE_END
