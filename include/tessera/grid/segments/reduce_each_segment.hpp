// The function that each_segment.hpp calls to reduce a segment.
#pragma once

#include <tessera/grid/reduce/argmin_ties.hpp>
#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The start of a segment's reduction: a value, which is combined with the elements, or none.
template <class R>
struct segment_start {
  R value;
  template <class Op>
  TESSERA_FN R followed_by(R const& all, bool is_empty, Op const& op) const {
    return is_empty ? value : static_cast<R>(op(value, all));
  }
};
struct no_segment_start {
  template <class R, class Op>
  TESSERA_FN R followed_by(R const& all, bool, Op const&) const {
    return tessera::detail::canonicalize_nan<Op>(all);
  }
};

/// An element and its index in the segment, which counts from `first`.
struct as_indexed_element {
  std::int64_t first = 0;
  template <class T>
  TESSERA_FN indexed<T, std::int64_t> operator()(T const& x, std::int64_t index) const {
    return {x, first + index};
  }
};
/// An element and the number of its index in the segment, by a choice among equal elements (argmin_ties.hpp).
struct as_numbered_element {
  chosen_of_ties ties;
  std::int64_t first = 0;

  TESSERA_FN as_numbered_element beginning_at(std::int64_t index) const { return {ties, index}; }
  template <class T>
  TESSERA_FN indexed<T, std::int64_t> operator()(T const& x, std::int64_t index) const {
    return {x, ties.number(first + index)};
  }
};
/// Stores the best element of each segment, whose index has a number. That of an empty segment is no number.
template <class Places>
struct store_numbered_best {
  Places out;  // best_place or best_places of the first segment
  chosen_of_ties ties;

  template <class T>
  TESSERA_FN void operator()(std::int64_t segment, indexed<T, std::int64_t> const& best) const {
    bool const is_empty = best.index == tessera::detail::highest<std::int64_t>();
    out.at(segment).store(best.value, is_empty ? best.index : ties.number(best.index));
  }
};
/// True if f.beginning_at(first) is a function whose indices count from `first`.
template <class F, class = void>
inline constexpr bool begins_anywhere = false;
template <class F>
inline constexpr bool begins_anywhere<F, stl::void_t<decltype(stl::declval<F const&>().beginning_at(0))>> = true;
/// A function for elements of T whose indices begin with `first`.
template <class T, class F>
TESSERA_FN F indexed_from(F const& f, [[maybe_unused]] std::int64_t first) {
  if constexpr (stl::is_same_v<F, as_indexed_element>) {
    return {first};
  } else if constexpr (begins_anywhere<F>) {
    return f.beginning_at(first);
  } else {
    static_assert(!stl::is_invocable_v<F const&, T const&, std::int64_t>, "Its index would be that in a piece.");
    return f;
  }
}

/// Stores the result of a segment: into an array, or by store(segment, result).
template <class R>
TESSERA_FN void store_result(R* out, std::int64_t segment, R const& result) {
  out[segment] = result;
}
template <class Store, class R>
TESSERA_FN void store_result(Store const& store, std::int64_t segment, R const& result) {
  store(segment, result);
}

/// Combines f(x) or f(x, index) of all elements of a segment, after the start if there is one. The index counts from
/// the segment's first element.
template <class In, class R, class Op, class F, class Start, class Out = R*>
struct segment_reduction {
  using value_t = tessera::detail::value_of<In>;

  In in;
  Out out;
  Op op;
  F f;
  Start start;

  /// The number of blocks for which a multiprocessor has registers.
  static constexpr unsigned blocks_per_multiprocessor =
      each_segment_tuning::blocks_for<(sizeof(R) > sizeof(value_t) ? sizeof(R) : sizeof(value_t))>;

  /// A group of lanes of computed_rows.hpp reduces a short row in order, a part of neighbors for each lane. A longer
  /// one is walked by vectors.
  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t segment, segment_range const& range, bool exists) const {
    R const all = reduce_by_tile(tile, range);
    if (exists && tile.thread_rank() == 0) finish(segment, all, range.length == 0);
  }

  // The parts of a segment (each_segment.hpp).
  using piece_t = R;

  TESSERA_FN Op const& combining() const { return op; }
  TESSERA_FN R neutral() const { return tessera::detail::neutral_of<Op, R>::get(op); }
  TESSERA_FN R combine(R const& a, R const& b) const { return static_cast<R>(op(a, b)); }
  TESSERA_FN void finish(std::int64_t segment, R const& all, bool is_empty) const {
    detail::store_result(out, segment,
                         start.followed_by(is_empty ? operator_traits<Op, R>::identity(op) : all, is_empty, op));
  }
  TESSERA_FN void process_by_lane(std::int64_t segment, segment_range const& range) const {
    R const all = reduce_by_lane_from(range.begin, 0, static_cast<unsigned>(range.length));
    finish(segment, all, range.length == 0);
  }
  /// Called by all lanes of the warp. Neighboring lanes read neighboring elements, if their order doesn't matter.
  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t segment, segment_range const& range,
                                   bool exists) const {
    auto const length = static_cast<unsigned>(range.length);
    R const all = lanes.reduce(reduce_by_one_of(lanes, range.begin, length), op);
    if (exists && lanes.rank == 0) finish(segment, all, range.length == 0);
  }
  /// Called by all lanes of a block's tile; all get the result.
  template <class Tile>
  TESSERA_FN R reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t first) const {
    return tessera::joint_transform_reduce(tile, tessera::detail::advanced(in, piece.begin), piece.length, op,
                                           detail::indexed_from<value_t>(f, first), tessera::converged);
  }

 private:
  template <class Lanes>
  TESSERA_FN R reduce_by_one_of(Lanes const& lanes, std::int64_t begin, unsigned length) const {
    if constexpr (operator_traits<Op, R>::commutative) {
      return reduce_by_lane_from(begin, lanes.rank, length, lanes.count);
    } else {
      auto const part = lanes.part_of(length);
      return reduce_by_lane_from(begin, part.first, part.end);
    }
  }
  template <class Tile>
  TESSERA_FN R reduce_by_tile(Tile const& tile, segment_range const& range) const {
    constexpr unsigned N = tile_size_v<Tile>;
    if constexpr (N < 32) {
      auto const length = static_cast<unsigned>(range.length);
      unsigned const each = (length + N - 1) / N;
      unsigned const first = tile.thread_rank() * each, end = first + each < length ? first + each : length;
      return tessera::reduce(tile, reduce_by_lane_from(range.begin, first, end), op,
                             tessera::converged | tessera::to_leader);
    } else {
      return tessera::joint_transform_reduce(tile, tessera::detail::advanced(in, range.begin), range.length, op, f,
                                             tessera::converged | tessera::to_leader);
    }
  }
  /// Elements `first`, first + apart, … below `end` of a segment, in order. Several loads are under way at once.
  TESSERA_FN R reduce_by_lane_from(std::int64_t begin, unsigned first, unsigned end, unsigned apart = 1) const {
    constexpr unsigned in_flight = sizeof(R) <= 8 ? 4 : 2;
    R all = neutral();
    TESSERA_LOOP
    for (unsigned at = first; at < end; at += in_flight * apart) {
      auto x = tessera::detail::from_words<items<R, in_flight>>({});
      TESSERA_UNROLL
      for (unsigned k = 0; k < in_flight; ++k) {
        unsigned const i = at + k * apart;
        x[k] = i < end ? static_cast<R>(
                             tessera::detail::apply<std::int64_t>(f, tessera::detail::read_element(in, begin + i), i))
                       : neutral();
      }
      TESSERA_UNROLL
      for (unsigned k = 0; k < in_flight; ++k) all = combine(all, x[k]);
    }
    return tessera::detail::canonicalize_nan<Op>(all);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
