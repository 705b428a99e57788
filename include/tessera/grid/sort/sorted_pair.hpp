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

/// The number of elements of a among the first `diagonal` merged ones, or up to `Slack` less. Called by a whole tile;
/// every lane gets it.
/// Invariant: the answer is from `low` to `high`. A lane reads the last element of one of N parts. The last lane's
/// element only tells about the end, and is seldom loaded. N + 1 parts would take fewer rounds, but read more.
template <unsigned Slack, class Tile, class Pair>
TESSERA_FN std::int64_t find_on_diagonal(Tile const& tile, Pair const& in, std::int64_t diagonal) {
  constexpr unsigned N = tile_size_v<Tile>;
  std::int64_t low = diagonal > in.nb ? diagonal - in.nb : 0;
  std::int64_t high = diagonal < in.na ? diagonal : in.na;
  TESSERA_LOOP
  while (high - low > std::int64_t{Slack}) {
    std::int64_t const part = (high - low + N - 1) / N;
    std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
    bool const is_left =
        last < high && !tessera::detail::is_before(in.before, tessera::detail::read_element(in.b, diagonal - 1 - last),
                                                   tessera::detail::read_element(in.a, last));
    unsigned const parts = tessera::count_if(tile, is_left, tessera::isolated);
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  return low;
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
