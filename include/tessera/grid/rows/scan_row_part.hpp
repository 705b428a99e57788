// A lane's part of a row that is scanned: loads, the scan with the lanes beside it, and stores.
//
//     a row       lane 0    lane 1    lane 2    lane 3       lane 0    …          4 lanes a row, 4 elements a step
//     step 0      0 1 2 3   4 5 6 7   8 9 …                  of the next row
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/rows/row_stage.hpp>
#include <tessera/grid/rows/scan_task.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The inclusive scan of the values of up to Most neighboring lanes, of which `rank` is this lane's number. Lanes that
/// own nothing come last; the operator isn't called for them. Fewer lanes than Most exchange as often: skipping that
/// costs as much.
template <unsigned Most, class Warp, class R, class Op>
TESSERA_FN R scan_of_lanes(Warp const& warp, R x, unsigned rank, bool owner, Op const& op) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Most; delta *= 2) {
    R const before = tessera::shuffle(warp, x, (warp.thread_rank() - delta) % 32, converged);
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
  static constexpr bool suffix = Task::suffix, is_turned = Steps > 1;
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

  /// Takes all steps from a stage, which has the row's element `begin` at `at`. What is outside the row is as its last
  /// element; what a lane without elements has is unspecified.
  ///
  /// Whole    whether all lanes of the warp own all their elements
  template <bool Whole>
  TESSERA_FN void take(unsigned lane, Task const& task, unsigned char const* at, int begin, int first, int apart) {
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s) {
      if (!Whole && is_empty(lane, task, s, first, apart)) break;
      int const place = first + static_cast<int>(s) * apart,
                after = Whole || place < task.column_count ? index_of(task, place) - begin : 0;
      loaded_[s] = staged_items<T, Width, is_turned>::take(lane, at + after * static_cast<int>(sizeof(T)));
      if constexpr (!Whole) {
        auto x = detail::from_words<items<T, Width>>(loaded_[s]);
        TESSERA_UNROLL
        for (unsigned i = 1; i < Width; ++i) {
          unsigned const of = detail::in_direction<suffix, Width>(i);
          auto const& before = x[detail::in_direction<suffix, Width>(i - 1)];
          detail::assign(x[of],
                         tessera::detail::select(place + static_cast<int>(i) < task.column_count, x[of], before));
        }
        loaded_[s] = detail::to_words(x);
      }
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
      // A row that isn't followed by another part begins at place 0.
      if (!Whole && !Total && s > 0 && static_cast<int>(s) * apart >= task.column_count) break;
      bool const owner = Whole || place < task.column_count;
      auto own = values(s);
      if (owner) own = tessera::detail::scan_own<suffix>(own, task.op);
      R through = own[detail::in_direction<suffix, Width>(Width - 1)];
      if constexpr (Whole && Total) {
        through = tessera::inclusive_scan(warp, through, op, converged);
      } else {
        through = detail::scan_of_lanes<32>(warp, through, rank, owner, op);
      }
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
  /// Puts the results on a stage, which has the row's element `begin` at `at`, as they are.
  TESSERA_FN void put(unsigned lane, Task const& task, unsigned char* at, int begin, int first, int apart) const {
    put_by<false>(lane, task, at, begin, first, apart, [](R const& x, bool) { return x; });
  }
  /// Puts the results of a row of 32 lanes on a stage after `before`.
  template <bool Whole>
  TESSERA_FN void put_after(unsigned lane, Task const& task, unsigned char* at, int begin, int first, int apart,
                            maybe const& before) const {
    put_by<Whole>(lane, task, at, begin, first, apart, after(task, before, lane));
  }
  /// Stores the results as they are.
  template <bool Streaming>
  TESSERA_FN void store(Task const& task, std::int64_t row, int first, int apart) const {
    store_by<Streaming>(task, row, first, apart, [](R const& x, bool) { return x; });
  }
  /// Stores the results of a row of 32 lanes after `before`.
  template <bool Streaming, class Warp>
  TESSERA_FN void store_after(Warp const& warp, Task const& task, std::int64_t row, int first, int apart,
                              maybe const& before) const {
    store_by<Streaming>(task, row, first, apart, after(task, before, warp.thread_rank()));
  }

  /// The total of the row, as far as the part knows, in the lane that has its last element.
  TESSERA_FN maybe const& last() const { return last_; }

 private:
  /// The row's index of the elements at a place.
  TESSERA_FN static int index_of(Task const& task, int place) {
    return suffix ? task.column_count - place - width : place;
  }
  /// True if no lane has elements of a step of a row of 32 lanes.
  TESSERA_FN static bool is_empty(unsigned lane, Task const& task, unsigned s, int first, int apart) {
    return s > 0 && first - static_cast<int>(lane) * width + static_cast<int>(s) * apart >= task.column_count;
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

  /// f(result, whether it may be the part's first): the result after `before`.
  TESSERA_FN static auto after(Task const& task, maybe const& before, unsigned rank) {
    return [=, &task, &before](R const& x, bool may_be_first) {
      if constexpr (Task::exclusive) {
        if (may_be_first && rank == 0) return before.exists ? before.value() : x;
      }
      return before.followed_by(x, task.join()).value();
    };
  }

  /// Stores f(result, whether it may be the part's first).
  template <bool Streaming, class F>
  TESSERA_FN void store_by(Task const& task, std::int64_t row, int first, int apart, F const& f) const {
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
      if (place < task.column_count)
        detail::store_row(to, task.column_count, index_of(task, place), converted(task, s, f));
    }
  }

  /// Puts f(result, whether it may be the part's first) on a stage.
  template <bool Whole, class F>
  TESSERA_FN void put_by(unsigned lane, Task const& task, unsigned char* at, int begin, int first, int apart,
                         F const& f) const {
    using staged = staged_items<Out, Width, is_turned>;
    TESSERA_UNROLL
    for (unsigned s = 0; s < Steps; ++s) {
      if (!Whole && is_empty(lane, task, s, first, apart)) break;
      int const place = first + static_cast<int>(s) * apart, exist = task.column_count - place;
      auto* const to = at + (index_of(task, place) - begin) * static_cast<int>(sizeof(Out));
      if (Whole || (is_turned && exist >= width)) {
        staged::put(lane, to, detail::to_words(converted(task, s, f)));
      } else if (exist > 0) {
        staged::put_some(to, detail::to_words(converted(task, s, f)), suffix ? width - exist : 0,
                         suffix ? width : exist);
      }
    }
  }

  tessera::detail::words<items<T, Width>> loaded_[Steps];
  tessera::detail::words<items<R, Width>> results_[Steps];
  maybe last_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
