// Two sorted arrays, and the places where they are cut into parts of equally many elements of both: the merge path.
//
//   a            1 3 5          merged       1 2 3 3 5 9
//   b            2 3 9          diagonal     0 1 2 3 4 5 6
//                               of a         0 1 1 2 2 3 3       of equal elements, those of a come first
//
// A diagonal meets the path at the same place in any windows of the arrays that contain the place.
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/tile/search.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Arrays of T that are sorted by `before`, and their readers.
template <class T, class Before, class A = T const*, class B = T const*>
struct sorted_pair {
  A a;
  std::int64_t na;
  B b;
  std::int64_t nb;
  Before before;
};

/// A search for the place where a diagonal meets the path: the number of elements of a before it is from `low` to
/// `high`.
template <class Pair>
struct diagonal_search {
  Pair const& in;
  std::int64_t diagonal, low, high;

  TESSERA_FN diagonal_search(Pair const& pair, std::int64_t of_path)
      : in(pair),
        diagonal(of_path),
        low(of_path > pair.nb ? of_path - pair.nb : 0),
        high(of_path < pair.na ? of_path : pair.na) {}

  /// True if more elements of a than these come before the place. They are less than `high`.
  TESSERA_FN bool is_after(std::int64_t of_a) const {
    return !tessera::detail::is_before(in.before, tessera::detail::read_element(in.b, diagonal - 1 - of_a),
                                       tessera::detail::read_element(in.a, of_a));
  }
  /// Narrows the search to `error` on either side of a guess if the place is there, else to one of its sides. Called by
  /// a whole tile, whose lanes look at places side by side.
  template <class Tile>
  TESSERA_FN void narrow(Tile const& tile, std::int64_t guess, std::int64_t error) {
    constexpr unsigned N = tile_size_v<Tile>;
    auto const place = [&](unsigned lane) { return guess - error + lane * (2 * error / (N - 1)); };
    std::int64_t const own = place(tile.thread_rank());
    unsigned const passed = tessera::count_if(tile, own < low || (own < high && is_after(own)), tessera::isolated);
    if (passed > 0 && place(passed - 1) >= low) low = place(passed - 1) + 1;
    if (passed < N && place(passed) < high) high = place(passed);
  }
  /// The number of elements of a before the place, or up to `Slack` less. Called by a whole tile; every lane gets it.
  /// A lane reads the last element of one of N parts. The last lane's element only tells about the end, and is seldom
  /// loaded. N + 1 parts would take fewer rounds, but read more.
  template <unsigned Slack, class Tile>
  TESSERA_FN std::int64_t find(Tile const& tile) {
    constexpr unsigned N = tile_size_v<Tile>;
    TESSERA_LOOP
    while (high - low > std::int64_t{Slack}) {
      std::int64_t const part = (high - low + N - 1) / N;
      std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
      unsigned const parts = tessera::count_if(tile, last < high && is_after(last), tessera::isolated);
      low += parts * part;
      high = low + part - 1 < high ? low + part - 1 : high;
    }
    return low;
  }
};

/// The number of elements of a among the first `diagonal` merged ones, or up to `Slack` less. Called by a whole tile;
/// every lane gets it.
template <unsigned Slack, class Tile, class Pair>
TESSERA_FN std::int64_t find_on_diagonal(Tile const& tile, Pair const& in, std::int64_t diagonal) {
  return diagonal_search<Pair>(in, diagonal).template find<Slack>(tile);
}

/// How far from a straight line between two of its places a path of random arrays seldom is: 4 standard deviations at
/// 250,000 elements.
constexpr std::int64_t straight_path_error = 512;

/// Calls keep(lanes, i, of_a) for diagonals 0 to count - 1: `of_a` elements of a come before the place, or up to
/// `Slack` less. They rise, and are far from each other.
///
///   search   Warps search for a block's first and last diagonal in the whole arrays.
///   guess    `Lanes` lanes search for each of them between those two, first around the straight line, from which
///            random arrays don't go far. Else half of the rounds would read from memory what nobody has read yet.
///
/// Called by  all threads of the blocks of a grid, which has `Lanes` of them for each diagonal. `found` is shared.
template <unsigned Slack, unsigned Lanes, class Block, class Pair, class DiagonalOf, class Keep>
TESSERA_FN void find_on_diagonals(Block const& block, Pair const& in, std::int64_t count, DiagonalOf diagonal_of,
                                  Keep keep, std::int64_t (&found)[2]) {
  auto const warp = tessera::tiled_partition<32>(block);
  auto const lanes = tessera::tiled_partition<Lanes>(block);
  unsigned const rank = block.thread_rank(), threads = static_cast<unsigned>(block.size());
  std::int64_t const first = std::int64_t{block.group_index().x} * (threads / Lanes);
  std::int64_t const last = (first + threads / Lanes < count ? first + threads / Lanes : count) - 1;
  std::int64_t const begin = diagonal_of(first), end = diagonal_of(last);
  TESSERA_LOOP
  for (unsigned which = rank / 32; which < 2; which += threads / 32) {
    std::int64_t const of_a = detail::find_on_diagonal<Slack>(warp, in, which == 0 ? begin : end);
    if (warp.thread_rank() == 0) found[which] = of_a;
  }
  detail::barrier_of_block(block);
  std::int64_t const i = first + rank / Lanes;
  if (i > last) return;
  diagonal_search<Pair> search(in, diagonal_of(i));
  if (search.low < found[0]) search.low = found[0];
  if (search.high > found[1] + Slack) search.high = found[1] + Slack;
  if (search.high - search.low > 4 * straight_path_error)
    search.narrow(lanes, found[0] + (found[1] - found[0]) * (search.diagonal - begin) / (end - begin),
                  straight_path_error);
  keep(lanes, i, search.template find<Slack>(lanes));
}

/// The elements of an array from `begin` to before `end`, or the first `most` of them. Where arrays aren't sorted, the
/// end may come before the begin.
TESSERA_FN unsigned elements_between(std::int64_t begin, std::int64_t end, std::int64_t n, unsigned most) {
  std::int64_t const count = (end < n ? end : n) - begin;
  return count < 0 ? 0 : count < most ? static_cast<unsigned>(count) : most;
}

/// The number of elements of the first of two windows among the first `diagonal` merged ones; the second window follows
/// the first. Called by one thread.
/// Invariant: the answer is from `low` to low + left.
template <class T, class Before>
TESSERA_FN unsigned find_in_windows(T const* windows, unsigned of_a, unsigned of_b, unsigned diagonal,
                                    Before const& before) {
  unsigned low = diagonal > of_b ? diagonal - of_b : 0;
  unsigned left = (diagonal < of_a ? diagonal : of_a) - low;
  unsigned const end = of_a + diagonal;
  auto const pass = [&](unsigned step) {
    unsigned const next = low + step;
    low = tessera::detail::is_before(before, windows[end - next], windows[next - 1]) ? low : next;
  };
  TESSERA_LOOP
  for (; left > 1; left -= left / 2) pass(left / 2);
  if (left == 1) pass(1);
  return low;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
