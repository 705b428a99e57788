// Merges and sorts of ranges in memory by a group: one window of merged elements at a time, several elements a lane.
//
//   a  1 3 5 7 …    b  2 3 4 9 …        4 lanes, 2 elements each: a window of 8
//   diagonal of lane r, 2 · r        0        2        4        6
//   of a, of b                       0 0      1 1      2 2      3 3
//   the lane merges                  1 2      3 3      4 5      7 9
//
// The last lane finds how many elements of either range the window takes, which is where the next window begins.
//
// Source: merge path, see search.hpp; O. Green, R. McColl, D. Bader, "GPU merge path", 2012.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/tile/load_store.hpp>
#include <tessera/tile/ranges.hpp>
#include <tessera/tile/requirements.hpp>
#include <tessera/tile/search.hpp>
#include <tessera/tile/sort.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The number of elements that a lane merges at a time: 16 bytes, but at least two. A power of two.
template <class T>
inline constexpr unsigned merged_at_once = sizeof(T) == 1   ? 16u
                                           : sizeof(T) == 2 ? 8u
                                           : sizeof(T) <= 4 ? 4u
                                                            : 2u;

/// The rest of a sorted range. An iterator may lack an assignment, and so is kept with an index.
template <class T, class Count, class In = T const*>
struct merge_source {
  In first;
  Count n;
  Count dropped = 0;

  TESSERA_FN void drop(Count count) {
    dropped += count;
    n -= count;
  }
  TESSERA_FN In rest() const { return detail::advanced(first, dropped); }
};
template <class T, class Count>
struct merge_source<T, Count, T const*> {
  T const* first;
  Count n;

  TESSERA_FN void drop(Count count) {
    first += count;
    n -= count;
  }
  TESSERA_FN T const* rest() const { return first; }
};

/// An element's words. (Not a generic lambda: NVRTC takes that for a host function.)
template <class In, class Count>
TESSERA_FN auto words_at(In const& from, Count at) {
  value_of<In> const x = detail::read_element(from, at);
  return detail::to_words(x);
}

/// The lane's part of the next window: its elements, their number, and how many of `a` the window takes up to their
/// end.
template <class T, class Count>
struct merged_part {
  items<T, merged_at_once<T>> x;
  unsigned count;
  Count of_a;
};
template <unsigned N, class T, class Count, class A, class B, class Before>
TESSERA_FN merged_part<T, Count> merge_part(unsigned rank, merge_source<T, Count, A> const& a,
                                            merge_source<T, Count, B> const& b, Before const& before) {
  constexpr unsigned M = merged_at_once<T>, window = N * M;
  Count const of_a = a.n < window ? a.n : window, of_b = b.n < window ? b.n : window, all = of_a + of_b;
  Count const diagonal = rank * M < all ? rank * M : all;
  Count i = detail::merge_path_of(a.rest(), of_a, b.rest(), of_b, diagonal, before), j = diagonal - i;
  merged_part<T, Count> out{detail::from_words<items<T, M>>({}),
                            static_cast<unsigned>(all - diagonal < M ? all - diagonal : M), 0};
  auto const first_a = a.rest();
  auto const first_b = b.rest();
  words<T> next_a{}, next_b{};
  if (i < of_a) next_a = detail::words_at(first_a, i);
  if (j < of_b) next_b = detail::words_at(first_b, j);
  TESSERA_UNROLL
  for (unsigned m = 0; m < M; ++m) {
    if (m >= out.count) continue;
    bool from_b = i == of_a;
    if (!from_b && j < of_b)
      from_b = static_cast<bool>(before(detail::from_words<T>(next_b), detail::from_words<T>(next_a)));
    detail::assign(out.x[m], detail::from_words<T>(detail::select(from_b, next_b, next_a)));
    i += from_b ? 0 : 1;
    j += from_b ? 1 : 0;
    if (from_b ? j < of_b : i < of_a) {
      words<T> next;
      if constexpr (stl::is_pointer_v<A> && stl::is_pointer_v<B>) {
        next = detail::words_at(from_b ? first_b + j : first_a + i, 0);
      } else {
        next = from_b ? detail::words_at(first_b, j) : detail::words_at(first_a, i);
      }
      next_a = detail::select(from_b, next_a, next);
      next_b = detail::select(from_b, next, next_b);
    }
  }
  out.of_a = i;
  return out;
}

/// Merges the next window to `out`, and removes it from both runs. Returns its number of elements.
template <class Group, class T, class Count, class A, class B, class Out, class Before>
TESSERA_FN unsigned merge_window(Group group, merge_source<T, Count, A>& a, merge_source<T, Count, B>& b,
                                 Out const& out, Before const& before) {
  constexpr unsigned N = Group::size, M = merged_at_once<T>, window = N * M;
  auto const part = detail::merge_part<N>(group.rank(), a, b, before);
  if constexpr (stl::is_pointer_v<Out>) {
    if (part.count > 0)
      detail::store_some<policy<>, N>(0, part.x, out + group.rank() * M, static_cast<Count>(part.count));
  } else {
    TESSERA_UNROLL
    for (unsigned m = 0; m < M; ++m) {
      if (m < part.count) detail::write_element(out, group.rank() * M + m, part.x[m]);
    }
  }
  group.reconverge();
  Count const left = a.n + b.n;
  unsigned const here = left < window ? static_cast<unsigned>(left) : window;
  Count const of_a = N == 1 ? part.of_a : group.broadcast(part.of_a, N - 1);
  a.drop(of_a);
  b.drop(here - of_a);
  return here;
}

/// Merges both ranges.
template <class Group, class T, class Count, class A, class B, class Out, class Before>
TESSERA_FN void merge_ranges(Group group, merge_source<T, Count, A> a, merge_source<T, Count, B> b, Out out,
                             Before const& before) {
  if constexpr (stl::is_pointer_v<Out>) {
    TESSERA_LOOP
    while (detail::any_tile(group, a.n + b.n > 0)) out += detail::merge_window(group, a, b, out, before);
  } else {
    Count merged = 0;
    TESSERA_LOOP
    while (detail::any_tile(group, a.n + b.n > 0))
      merged += detail::merge_window(group, a, b, detail::advanced(out, merged), before);
  }
}

/// Merges every two neighboring runs of `width` elements to `out`. The last run may be shorter, or have no partner.
template <class Group, class T, class Count, class Before>
TESSERA_FN void merge_neighbors(Group group, T const* first, Count n, Count width, T* out, Before const& before) {
  merge_source<T, Count> a{first, 0}, b{first, 0}, rest{first, n};
  TESSERA_LOOP
  while (detail::any_tile(group, rest.n + (a.n + b.n) > 0)) {
    if (a.n + b.n == 0) {
      a = {rest.first, rest.n < width ? rest.n : width};
      rest.drop(a.n);
      b = {rest.first, rest.n < width ? rest.n : width};
      rest.drop(b.n);
    }
    out += detail::merge_window(group, a, b, out, before);
  }
}

/// The number of elements of a lane that are sorted in registers: a power of two, a multiple of twice merged_at_once.
template <class T>
inline constexpr unsigned sorted_at_once = sizeof(T) <= 4    ? 8u
                                           : sizeof(T) <= 8  ? 4u
                                           : sizeof(T) <= 16 ? 2u
                                                             : 1u;

/// Sorts each chunk of N · K elements of a range to `out`, which may be the range itself.
template <class Group, class Form, class T, class Count>
TESSERA_FN void sort_chunks(Group group, Form const& form, T const* first, Count n, T* out) {
  constexpr unsigned N = Group::size, K = sorted_at_once<T>, chunk = N * K;
  auto const zero = detail::from_words<T>({});
  TESSERA_LOOP
  while (detail::any_tile(group, n > 0)) {
    unsigned const here = n < chunk ? static_cast<unsigned>(n) : chunk;
    auto x = detail::load_items<policy<>, K, N>(group.rank(), first, here, zero);
    group.reconverge();
    if (detail::any_tile(group, here < chunk)) {
      detail::assign(x, detail::sort_in_form(group, form, x, tessera::first(here)));
    } else {
      detail::assign(x, detail::sort_in_form(group, form, x, policy<>{}));
    }
    detail::store_some<policy<>, N>(group.rank(), x, out, here);
    group.reconverge();
    first += here;
    out += here;
    n -= here;
  }
}

/// Sorts a range: chunks in registers, then merges of neighboring runs, alternately from the range to the buffer and
/// back. If the number of merges is odd, the chunks are sorted into the buffer.
template <class Group, class Form, class T, class Count, class Before>
TESSERA_FN void sort_range(Group group, Form const& form, T* first, Count n, T* buffer, Before const& before) {
  constexpr unsigned chunk = Group::size * sorted_at_once<T>;
  unsigned merges = 0;
  while (merges < 8 * sizeof(Count) && (n > 0 ? (n - 1) / chunk : 0) >> merges != 0) ++merges;
  bool in_buffer = merges % 2 != 0;
  detail::sort_chunks(group, form, first, n, in_buffer ? buffer : first);
  TESSERA_LOOP
  for (unsigned merge = 0; detail::any_tile(group, merge < merges); ++merge) {
    group.sync();  // orders the stores of all lanes
    detail::merge_neighbors(group, static_cast<T const*>(in_buffer ? buffer : first), merge < merges ? n : 0,
                            static_cast<Count>(chunk) << (merge < merges ? merge : 0), in_buffer ? first : buffer,
                            before);
    in_buffer = !in_buffer;
  }
}

/// Reports an unsorted range, once for the tile.
template <class Group, class In, class Count, class Before>
TESSERA_FN void require_sorted(Group group, In const& first, Count n, Before const& before, const char* fault) {
  if (group.rank() != 0) return;
  for (Count i = 1; i < n; ++i) {
    auto const x = detail::read_element(first, i - 1), y = detail::read_element(first, i);
    detail::require_strict_on(group, before, x, y);
    detail::require_argument(group, !static_cast<bool>(before(y, x)), fault);
  }
}

/// Reports ranges that can't be merged to `out`.
template <class Group, class A, class B, class Out, class Count, class Before>
TESSERA_FN void require_mergeable([[maybe_unused]] Group group, [[maybe_unused]] A const& a,
                                  [[maybe_unused]] Count of_a, [[maybe_unused]] B const& b, [[maybe_unused]] Count of_b,
                                  [[maybe_unused]] Out const& out, [[maybe_unused]] Before const& before) {
  if constexpr (checks_arguments<Group>) {
    Count const all = of_a + of_b;
    detail::require_elements(group, a, of_a);
    detail::require_elements(group, b, of_b);
    detail::require_elements(group, out, all);
    detail::require_apart(group, a, of_a, out, all, "an output that overlaps the first range");
    detail::require_apart(group, b, of_b, out, all, "an output that overlaps the second range");
    detail::require_sorted(group, a, of_a, before, "a first range that isn't sorted");
    detail::require_sorted(group, b, of_b, before, "a second range that isn't sorted");
  }
}

template <class Tile, class A, class B, class To, class IntegerA, class IntegerB, class Before, class Policy>
TESSERA_FN auto joint_merge_of(Tile const& tile, A const& a, IntegerA na, B const& b, IntegerB nb, To const& to,
                               Before const& given, Policy const& policy, call_site site) {
  using T = value_of<A>;
  require_range<Tile, T, IntegerA>();
  require_range<Tile, T, IntegerB>();
  using comparator = canonical_comparator_t<Before, T>;
  require_comparator<Tile, comparator, T>();
  auto const out = detail::writer_for<T>(to);
  using out_t = stl::remove_cv_t<decltype(out)>;
  static_assert(stl::is_same_v<T, value_of<B>> && is_reader<To> && (!stl::is_pointer_v<To> || stl::is_same_v<To, T*>),
                "joint_merge(tile, a, na, b, nb, out): a, b and out point to values of one type, or are iterators "
                "that read and write such values.");
  using wider = stl::conditional_t<(sizeof(IntegerB) > sizeof(IntegerA)), IntegerB, IntegerA>;
  // The sum of two unsigned 32-bit numbers may have 33 bits.
  constexpr bool carries = sizeof(wider) == 4 && (stl::is_unsigned_v<IntegerA> || stl::is_unsigned_v<IntegerB>);
  using count = stl::conditional_t<carries, stl::uint64_t, count_t<wider>>;
  comparator const before = detail::canonical_comparator<T>(given);
  count const of_a = detail::count_of(na), of_b = detail::count_of(nb);
  void const *begin = nullptr, *ends = nullptr;
  if constexpr (stl::is_pointer_v<A> && stl::is_pointer_v<B> && stl::is_pointer_v<out_t>) {
    begin = a + of_a;
    ends = reinterpret_cast<void const*>(reinterpret_cast<stl::uintptr_t>(b + of_b) +
                                         3 * reinterpret_cast<stl::uintptr_t>(out));
  }
  detail::collective<collectives::joint_merge, T, comparator>(
      tile, policy, site, range_uniform::of(begin, ends, stl::uint64_t{of_a} + of_b),
      [&](group_of<Tile, Policy> group) TESSERA_INLINE {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        detail::require_mergeable(group, a, of_a, b, of_b, out, before);
        detail::merge_ranges(group, merge_source<T, count, A>{a, of_a}, merge_source<T, count, B>{b, of_b}, out,
                             before);
      });
}

template <collective_row const& Collective, bool Stable, class Tile, class T, class Integer, class Before, class Policy>
TESSERA_FN auto joint_sort_of(Tile const& tile, T* first, Integer n, T* buffer, Before const& given,
                              Policy const& policy, call_site site) {
  require_range<Tile, T, Integer>();
  using comparator = canonical_comparator_t<Before, T>;
  require_comparator<Tile, comparator, T>();
  comparator const before = detail::canonical_comparator<T>(given);
  value_form<Stable, T, comparator> const form(before);
  auto const count = detail::count_of(n);
  detail::collective<Collective, T, comparator>(
      tile, policy, site, range_uniform::of(first, buffer, count), [&](group_of<Tile, Policy> group) TESSERA_INLINE {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        detail::require_elements(group, first, count);
        detail::require_elements(group, buffer, count);
        detail::require_apart(group, first, count, buffer, count, "a buffer that overlaps the range");
        detail::sort_range(group, form, first, count, buffer, before);
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
